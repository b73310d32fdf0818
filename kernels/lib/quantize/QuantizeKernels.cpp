//===- QuantizeKernels.cpp - Conversions between types and scales ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "common/DspKernel.h"
#include "common/Elements.h"
#include "common/Kernels.h"
#include "common/MapParts.h"
#include "common/Rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

/// The nearest integer, halves away from zero: a sum of a half rounds to the next integer, and no other.
static int32_t nearestAway(float near) {
  constexpr float kBelowHalf = 0.5f - 0x1p-25f;
  return static_cast<int32_t>(near + std::copysign(kBelowHalf, near));
}

/// The nearest integer, halves to the even one: the last bit of the sum is 1.
static int32_t nearestEven(float near) {
  constexpr float kOnes = 0x1.8p23f;
  return static_cast<int32_t>((near + kOnes) - kOnes);
}

/// round(value / scale) + zeroPoint of a row, clamped to Out, without branches and calls, so that the compiler makes
/// vector code of it.
template <auto round, typename Out>
static void quantizeRow(const float *from, Out *to, size_t count, float scale, int32_t zeroPoint) {
  constexpr float kFar = 1 << 18; // beyond it, results of up to 16 bits are saturated
  constexpr int32_t kMin = std::numeric_limits<Out>::min(), kMax = std::numeric_limits<Out>::max();
  for (size_t i = 0; i < count; ++i) {
    const float value = from[i] / scale;
    const float number = value == value ? value : 0.0f;
    const float near = std::min(std::max(number, -kFar), kFar);
    to[i] = static_cast<Out>(std::min(std::max(round(near) + zeroPoint, kMin), kMax));
  }
}

static Status checkScale(const DspCommand &command, uint32_t mostToEven) {
  AVOCET_ASSIGN_OR_RETURN(QuantizeParameters parameters, unpackParameters<QuantizeParameters>(command.parameters));
  if (!std::isfinite(parameters.scale) || parameters.scale <= 0)
    return invalidArgument("scale must be finite and positive");
  if (parameters.halvesToEven > mostToEven)
    return ruleBroken("halvesToEven", parameters.halvesToEven, mostToEven == 0 ? "0" : "0 or 1");
  return Status::ok();
}

namespace {

/// One input, one output, same shape.
class ConversionKernel : public AlignedKernel {
protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkSameShape("output0", command.outputs[0], "input0", command.inputs[0]));
    return checkConversion(command);
  }
  virtual Status checkConversion(const DspCommand &command) const = 0;
};

class QuantizeKernel : public ConversionKernel {
public:
  KernelId id() const override { return kQuantizeKernel; }

protected:
  Status checkConversion(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type, {DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(
        checkType("output0", command.outputs[0].type, {DataType::Int8, DataType::UInt8, DataType::Int16}));
    return checkScale(command, 1);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    if (command.inputs[0].type == DataType::Float16)
      return computeFrom<_Float16>(command, sram);
    computeFrom<float>(command, sram);
  }

  DspWork work(const DspCommand &command) const override { return pointwiseWork(command, 3, DataType::Float32); }

private:
  template <typename In> static void computeFrom(const DspCommand &command, std::span<uint8_t> sram) {
    const auto parameters = parametersOf<QuantizeParameters>(command);
    const float scale = parameters.scale;
    const int32_t zeroPoint = command.outputs[0].zeroPoint;
    withElementType(command.outputs[0].type, [&](auto element) {
      using Out = decltype(element);
      if constexpr (std::numeric_limits<Out>::is_integer)
        forEachRun<In, Out>(command.inputs[0], command.outputs[0], sram, [&](const float *from, Out *to, size_t count) {
          parameters.halvesToEven != 0 ? quantizeRow<nearestEven>(from, to, count, scale, zeroPoint)
                                       : quantizeRow<nearestAway>(from, to, count, scale, zeroPoint);
        });
    });
  }
};

class DequantizeKernel : public ConversionKernel {
public:
  KernelId id() const override { return kDequantizeKernel; }

protected:
  Status checkConversion(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[0].type,
                                     {DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Int32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", command.outputs[0].type, {DataType::Float16, DataType::Float32}));
    return checkScale(command, 0);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    if (command.outputs[0].type == DataType::Float16)
      return computeTo<_Float16>(command, sram);
    computeTo<float>(command, sram);
  }

  DspWork work(const DspCommand &command) const override { return pointwiseWork(command, 2, DataType::Float32); }

private:
  template <typename Out> static void computeTo(const DspCommand &command, std::span<uint8_t> sram) {
    double scale = parametersOf<QuantizeParameters>(command).scale;
    int64_t zeroPoint = command.inputs[0].zeroPoint;
    withElementType(command.inputs[0].type, [&](auto element) {
      using In = decltype(element);
      forEachElement<In, Out>(command.inputs[0], command.outputs[0], sram, [&](In value) {
        return static_cast<float>(scale * static_cast<double>(static_cast<int64_t>(value) - zeroPoint));
      });
    });
  }
};

} // namespace

const Kernel &quantizeKernel() {
  static const QuantizeKernel kKernel;
  return kKernel;
}

const Kernel &dequantizeKernel() {
  static const DequantizeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
