//===- WideFunctionKernels.cpp - Functions of 16-bit numbers --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/WideFunctions.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "wide/WideSigmoid.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

WideSigmoidParameters prepareWideSigmoid(WideSigmoidFunction function, float inputScale) {
  WideSigmoidParameters parameters{function, 0, 0};
  // Scales 2^-12, and 2^-11 for tanh, need no rounding.
  const int coarsest = function == WideSigmoidFunction::Tanh ? -11 : -12;
  if (const std::optional<int> exponent = scaleExponent(inputScale);
      exponent && *exponent >= -12 && *exponent <= coarsest) {
    parameters.multiplier = 3u << (*exponent + 12);
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
    const auto parameters = parametersOf<WideSigmoidParameters>(command);
    forEachRun<int16_t, int16_t>(
        command.inputs[0], command.outputs[0], sram,
        [&](const int16_t *from, int16_t *to, size_t count) { wideSigmoidRow(parameters, from, to, count); });
  }

  // Product, shift, two reads of the table, interpolation, sign.
  DspWork work(const DspCommand &command) const override { return pointwiseWork(command, 12, DataType::Int32); }
};

} // namespace

const Kernel &wideSigmoidKernel() {
  static const WideSigmoidKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
