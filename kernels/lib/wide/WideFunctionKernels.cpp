//===- WideFunctionKernels.cpp - Functions of 16-bit numbers --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/WideFunctions.h"
#include "common/DspKernel.h"
#include "common/ElementLoop.h"
#include "common/Kernels.h"
#include "common/MapParts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

WideSigmoidParameters prepareWideSigmoid(WideSigmoidFunction function, float inputScale) {
  WideSigmoidParameters parameters{function, 0, 0};
  // Scales 2^-12, and 2^-11 for tanh, need no rounding.
  const int finest = function == WideSigmoidFunction::Tanh ? 1 : 0;
  for (int power = 0; power <= finest; ++power)
    if (inputScale == std::ldexp(1.0f, power - 12)) {
      parameters.multiplier = 3u << power;
      return parameters;
    }
  double multiplier = double(inputScale) * 4096 * 3;
  for (; multiplier <= 32767.0 / 2 && parameters.shift <= 30; ++parameters.shift)
    multiplier *= 2;
  // Larger scales saturate at every input but 0.
  parameters.multiplier = static_cast<uint32_t>(std::min(multiplier, 2147483647.0));
  return parameters;
}

namespace {

/// logistic(i / 24) in Q0.16. Entries are raised by half of the greatest distance of the function from the chord
/// between two entries, as in the reference: this halves the error of the interpolation.
std::array<uint16_t, 256> makeLogisticTable() {
  constexpr double kStep = 1 / 24.0;
  std::array<uint16_t, 256> table;
  for (int i = 0; i < 255; ++i) {
    const double value = 1 / (1 + std::exp(-i * kStep));
    const double secondDerivative = value * (1 - value) * (1 - 2 * value);
    const double distance = -secondDerivative * kStep * kStep / 8;
    table[i] = static_cast<uint16_t>(std::round(65536 * (value + distance / 2)));
  }
  table[255] = 65535;
  return table;
}

/// The table at `position`, whose lowest `bits` bits lie between two entries; the fraction of the result has `bits`
/// more bits than the table.
int64_t interpolate(uint64_t position, int bits, int64_t beyond) {
  static const std::array<uint16_t, 256> kTable = makeLogisticTable();
  uint64_t index = position >> bits;
  if (index >= 255)
    return beyond;
  auto rest = static_cast<int64_t>(position & ((uint64_t(1) << bits) - 1));
  return (int64_t(kTable[index]) << bits) + rest * (kTable[index + 1] - kTable[index]);
}

/// `x` in steps of 1/12288.
int16_t wideLogistic(int64_t x) {
  int64_t positive = interpolate(static_cast<uint64_t>(std::abs(x)), 9, 0x7FFF << 10);
  int64_t rounded = x >= 0 ? positive + (1 << 9) : (int64_t(1) << 25) - positive + (1 << 9) - 1;
  return static_cast<int16_t>(rounded >> 10);
}

int16_t wideTanh(int64_t x) {
  int64_t positive = interpolate(static_cast<uint64_t>(std::abs(x)), 8, 0xFFFF << 8) - (int64_t(1) << 23);
  int64_t rounded = x >= 0 ? positive + (1 << 7) : -positive + (1 << 7) - 1;
  return static_cast<int16_t>(rounded >> 8);
}

class WideSigmoidKernel : public AlignedKernel {
public:
  KernelId id() const override { return kWideSigmoidKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Int16}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {DataType::Int16}));
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<WideSigmoidParameters>(command.parameters));
    if (static_cast<uint32_t>(parameters.function) > static_cast<uint32_t>(WideSigmoidFunction::Tanh))
      return ruleBroken("function", static_cast<uint32_t>(parameters.function), "0 or 1");
    if (parameters.multiplier > 0x7FFFFFFF)
      return ruleBroken("multiplier", parameters.multiplier, "below 2^31");
    return parameters.shift <= 31 ? Status::ok() : ruleBroken("shift", parameters.shift, "at most 31");
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    auto parameters = parametersOf<WideSigmoidParameters>(command);
    auto apply = parameters.function == WideSigmoidFunction::Tanh ? wideTanh : wideLogistic;
    int64_t half = parameters.shift > 0 ? int64_t(1) << (parameters.shift - 1) : 0;
    forEachElement<int16_t, int16_t>(command.inputs[0], command.outputs[0], sram, [&](int16_t value) {
      return apply((value * int64_t(parameters.multiplier) + half) >> parameters.shift);
    });
  }

  // Product, shift, two reads of the table, interpolation, sign.
  DspWork work(const DspCommand &command) const override { return elementWork(command, 12, DataType::Int32); }
};

} // namespace

const Kernel &wideSigmoidKernel() {
  static const WideSigmoidKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
