//===- L2NormalizeKernel.cpp - Lines of length one -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Normalize.h"
#include "common/DspKernel.h"
#include "common/InverseSquareRoot.h"
#include "common/Kernels.h"
#include "common/Lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Shorter lines count as this long, because a length of 0 has no direction.
constexpr float kShortest = 1e-6f;

/// The stored value of 1, relative to the zero point, which is the middle of the type's range.
constexpr int32_t kStepsOfOne = 128;

/// Longest integer line: its sum of squares, each at most 255^2, stays within 32 bits.
constexpr uint32_t kMaxIntegerLine = 33024;

void normalize(std::span<float> line) {
  float sum = 0;
  for (float x : line)
    sum += x * x;
  float length = std::max(std::sqrt(sum), kShortest);
  for (float &x : line)
    x /= length;
}

template <typename T> void normalize(std::span<T> line, int32_t zeroPoint) {
  constexpr int32_t kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
  int32_t sum = 0;
  for (T x : line)
    sum += (x - zeroPoint) * (x - zeroPoint);
  Rescale inverse = inverseSquareRoot(sum);
  for (T &x : line) {
    int32_t scaled = multiplyByQuantizedMultiplier((x - zeroPoint) * kStepsOfOne, inverse.multiplier, inverse.shift);
    x = static_cast<T>(std::clamp(scaled + kLowest + kStepsOfOne, kLowest, kHighest));
  }
}

class L2NormalizeKernel : public LineKernel<L2NormalizeParameters> {
public:
  KernelId id() const override { return kL2NormalizeKernel; }

protected:
  OperandCount inputCount() const override { return 1; }
  OperandCount outputCount() const override { return 1; }

  Status checkOperands(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", input.type, {DataType::Int8, DataType::UInt8, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    AVOCET_ASSIGN_OR_RETURN(L2NormalizeParameters parameters,
                            unpackParameters<L2NormalizeParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkLines(command, parameters.extents));
    return isFloat(input.type) ? Status::ok() : checkInteger(output, parameters.extents.axis);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const FeatureMap &input = command.inputs[0];
    AxisExtents extents = parametersOf<L2NormalizeParameters>(command).extents;
    if (isFloat(input.type))
      return forEachFloatLine(command, extents, sram, [](std::span<float> line) { normalize(line); });
    auto replace = [&](auto line) { normalize(line, input.zeroPoint); };
    if (input.type == DataType::Int8)
      return forEachLine<int8_t>(command, extents, sram, replace);
    forEachLine<uint8_t>(command, extents, sram, replace);
  }

  // Square and sum; product or division, with rounding and clamp for integers.
  DspWork work(const DspCommand &command) const override {
    bool floats = isFloat(command.inputs[0].type);
    return elementWork(command, floats ? 4 : 8, floats ? DataType::Float32 : DataType::Int32);
  }

private:
  static Status checkInteger(const FeatureMap &output, uint32_t count) {
    if (output.zeroPoint != minValue(output.type) + kStepsOfOne)
      return ruleBroken("output0.zeroPoint", output.zeroPoint, "the middle of its type");
    if (count > kMaxIntegerLine)
      return ruleBroken("axis", count, "at most " + std::to_string(kMaxIntegerLine) + " for integers");
    return Status::ok();
  }
};

} // namespace

const Kernel &l2NormalizeKernel() {
  static const L2NormalizeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
