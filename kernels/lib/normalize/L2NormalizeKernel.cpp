//===- L2NormalizeKernel.cpp - Lines of length one -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/InverseSquareRoot.h"
#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Normalize.h"
#include "common/DspKernel.h"
#include "common/Kernels.h"
#include "common/LineSteps.h"
#include "normalize/SumOfSquares.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Shorter lines count as this long, because a length of 0 has no direction.
constexpr float kShortest = 1e-6f;

/// The stored value of 1, relative to the zero point, which is the middle of the type's range.
constexpr int32_t kShiftOfOne = 7, kStepsOfOne = 1 << kShiftOfOne;

struct FloatRule : SumOfSquares {
  void finish(const State &state, std::span<float> section) const {
    const float length = std::max(std::sqrt(state.sum), kShortest);
    for (float &x : section)
      x /= length;
  }
};

template <typename T> struct IntegerRule {
  using State = int64_t;
  static constexpr uint32_t kPasses = 1;

  State first() const { return 0; }

  void fold(uint32_t, State &sum, std::span<const T> section) const {
    for (T x : section)
      sum += (x - zeroPoint) * (x - zeroPoint);
  }

  void finish(State sum, std::span<T> section) const {
    constexpr int32_t kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
    const Rescale inverse = inverseSquareRoot(sum);
    for (T &x : section)
      x = static_cast<T>(std::clamp(scaled(x - zeroPoint, inverse) + kLowest + kStepsOfOne, kLowest, kHighest));
  }

  /// In steps of the result. The reference multiplies unsigned elements and shifts signed ones, which rounds otherwise.
  static int32_t scaled(int32_t value, const Rescale &inverse) {
    if constexpr (std::is_signed_v<T>)
      return multiplyByQuantizedMultiplier(value, inverse.multiplier, inverse.shift + kShiftOfOne);
    else
      return multiplyByQuantizedMultiplier(value * kStepsOfOne, inverse.multiplier, inverse.shift);
  }

  const int32_t zeroPoint;
};

class L2NormalizeKernel : public LineKernel<L2NormalizeParameters> {
public:
  KernelId id() const override { return kL2NormalizeKernel; }

protected:
  int32_t resultZeroPoint(DataType type, const L2NormalizeParameters &) const override {
    return isFloat(type) ? 0 : minValue(type) + kStepsOfOne;
  }

  Status checkLine(const DspCommand &command, const L2NormalizeParameters &parameters) const override {
    const FeatureMap &input = command.inputs[0], &output = command.outputs[0];
    AVOCET_RETURN_IF_ERROR(
        checkType("input0", input.type, {DataType::Int8, DataType::UInt8, DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkType("output0", output.type, {input.type}));
    if (isFloat(input.type) || output.zeroPoint == resultZeroPoint(output.type, parameters))
      return Status::ok();
    return ruleBroken("output0.zeroPoint", output.zeroPoint, "the middle of its type");
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const FeatureMap &input = command.inputs[0];
    const auto line = *unpackLineCommand<L2NormalizeParameters>(command.parameters);
    if (isFloat(input.type))
      return runFloatLines(command, line, sram, FloatRule());
    if (input.type == DataType::Int8)
      return runLines<int8_t>(command, line, sram, IntegerRule<int8_t>{input.zeroPoint});
    runLines<uint8_t>(command, line, sram, IntegerRule<uint8_t>{input.zeroPoint});
  }

  // Square and sum; product or division, with rounding and clamp for integers.
  DspWork work(const DspCommand &command) const override {
    const bool floats = isFloat(command.inputs[0].type);
    const auto line = *unpackLineCommand<L2NormalizeParameters>(command.parameters);
    const uint64_t sum = 2, product = floats ? 2 : 6;
    return elementWork(command,
                       !line.step             ? sum + product
                       : line.step->pass == 0 ? sum
                                              : product,
                       floats ? DataType::Float32 : DataType::Int32);
  }
};

} // namespace

const Kernel &l2NormalizeKernel() {
  static const L2NormalizeKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
