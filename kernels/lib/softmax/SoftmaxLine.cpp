//===- SoftmaxLine.cpp - Softmax of one line of elements ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "softmax/SoftmaxLine.h"

#include "avocet/kernels/Quantization.h"
#include "common/Checks.h"
#include "common/FixedPoint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace avocet::kernels {

using namespace firmware;

/// Integer bits of the scaled differences and of the sum of exponentials.
static constexpr int kDifferenceBits = 5;
static constexpr int kSumBits = 12;
static constexpr uint32_t kMaxIntegerChannels = (1u << kSumBits) - 1;

SoftmaxParameters prepareSoftmax(float beta, float inputScale) {
  double real = std::min(double(beta) * double(inputScale) * double(1 << (31 - kDifferenceBits)), 2147483647.0);
  Rescale rescale = quantizeMultiplier(real);
  SoftmaxParameters parameters;
  parameters.multiplier = rescale.multiplier;
  parameters.shift = rescale.shift;
  parameters.beta = beta;
  // The largest difference whose scaled form fits.
  double radius = double((1 << kDifferenceBits) - 1) * double(int64_t(1) << (31 - kDifferenceBits));
  parameters.diffMin = -static_cast<int32_t>(std::floor(radius / std::ldexp(1.0, std::max(rescale.shift, 0))));
  return parameters;
}

void softmaxLine(const SoftmaxParameters &parameters, const float *input, float *output, uint32_t count) {
  float largest = *std::max_element(input, input + count);
  float sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    output[i] = std::exp((input[i] - largest) * parameters.beta);
    sum += output[i];
  }
  for (uint32_t i = 0; i < count; ++i)
    output[i] /= sum;
}

/// exp of one difference to the maximum in Q0.31; false if it is too small to count.
static bool exponential(const SoftmaxParameters &parameters, int32_t difference, int32_t &result) {
  if (difference < parameters.diffMin)
    return false;
  int32_t scaled = multiplyByQuantizedMultiplier(difference, parameters.multiplier, parameters.shift);
  result = FixedPoint<int32_t>::expOnNegative<kDifferenceBits>(scaled);
  return true;
}

template <typename T>
static void integerLine(const SoftmaxParameters &parameters, const T *input, T *output, uint32_t count) {
  using Fixed = FixedPoint<int32_t>;
  constexpr int32_t kLowest = std::numeric_limits<T>::min(), kHighest = std::numeric_limits<T>::max();
  int32_t largest = *std::max_element(input, input + count);
  int32_t sum = 0, e = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (exponential(parameters, input[i] - largest, e))
      sum = Fixed::add(sum, Fixed::divideByPowerOfTwo(e, kSumBits));
  // The maximum itself contributes about one, so that the sum is positive.
  int headroom = std::countl_zero(static_cast<uint32_t>(sum));
  auto fraction = static_cast<int32_t>((static_cast<uint32_t>(sum) << headroom) - (uint32_t(1) << 31));
  int32_t reciprocal = Fixed::oneOverOnePlus(fraction);
  int exponent = std::clamp(kSumBits - headroom + 31 - 8, 0, 31);
  for (uint32_t i = 0; i < count; ++i) {
    int32_t value = 0;
    if (exponential(parameters, input[i] - largest, e))
      value = Fixed::divideByPowerOfTwo(Fixed::multiply(reciprocal, e), exponent);
    output[i] = static_cast<T>(std::clamp(value + kLowest, kLowest, kHighest));
  }
}

void softmaxLine(const SoftmaxParameters &parameters, const int8_t *input, int8_t *output, uint32_t count) {
  integerLine(parameters, input, output, count);
}

void softmaxLine(const SoftmaxParameters &parameters, const uint8_t *input, uint8_t *output, uint32_t count) {
  integerLine(parameters, input, output, count);
}

static Status checkInteger(const SoftmaxParameters &parameters, const FeatureMap &output, uint32_t count) {
  if (count > kMaxIntegerChannels)
    return ruleBroken("input0.channels", count, "at most " + std::to_string(kMaxIntegerChannels));
  AVOCET_RETURN_IF_ERROR(checkEqual("output0.zeroPoint - lowest value",
                                    static_cast<uint64_t>(output.zeroPoint - minValue(output.type)), "softmax's", 0));
  if (parameters.multiplier < 0 || parameters.shift < -31 || parameters.shift > 31)
    return ruleBroken("shift", parameters.shift, "-31 to 31, with a multiplier that is not negative");
  if (parameters.diffMin > 0)
    return ruleBroken("diffMin", parameters.diffMin, "at most 0");
  return Status::ok();
}

Status checkSoftmax(const SoftmaxParameters &parameters, const FeatureMap &output, uint32_t count) {
  if (!isFloat(output.type))
    return checkInteger(parameters, output, count);
  return std::isfinite(parameters.beta) ? Status::ok() : invalidArgument("beta must be finite");
}

// Maximum; exponential and sum; exponential and product again (integers) or division (floats).
uint64_t softmaxOperations(DataType type) { return isFloat(type) ? 20 : 48; }
DataType softmaxType(DataType type) { return isFloat(type) ? DataType::Float32 : DataType::Int32; }

} // namespace avocet::kernels
