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
#include <type_traits>

namespace avocet::kernels {

using namespace firmware;

/// Integer bits of the scaled differences and of the sum of exponentials.
static constexpr int kDifferenceBits = 5;
static constexpr int kSumBits = 12;
/// Of the factor of results: 16 bits of it.
static constexpr int kMostResultShift = 16;

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

void FloatSoftmaxRule::fold(uint32_t pass, State &state, std::span<const float> section) const {
  for (float x : section)
    if (pass > 0)
      state.sum += std::exp((x - state.largest) * parameters.beta);
    else
      state.largest = std::max(state.largest, x);
}

void FloatSoftmaxRule::finish(const State &state, std::span<float> section) const {
  for (float &x : section)
    x = std::exp((x - state.largest) * parameters.beta) / state.sum;
}

/// Has the bits of FloatSoftmaxRule, with one exponential for each element.
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

std::array<int32_t, 256> softmaxExponentials(const SoftmaxParameters &parameters) {
  std::array<int32_t, 256> exponentials = {};
  for (int32_t difference = -255; difference <= 0; ++difference)
    if (int32_t e = 0; exponential(parameters, difference, e))
      exponentials[difference + 255] = e;
  return exponentials;
}

template <typename T> void IntegerSoftmaxRule<T>::fold(uint32_t pass, State &state, std::span<const T> section) const {
  if (pass == 0) {
    for (T x : section)
      state.largest = std::max<int32_t>(state.largest, x);
    return;
  }
  int64_t sum = state.sum;
  int32_t e = 0;
  for (T x : section)
    if (exponential(parameters, x - state.largest, e))
      sum += FixedPoint<int32_t>::divideByPowerOfTwo(e, kSumBits);
  // A sum this large makes every result 0, as any larger one does.
  state.sum = static_cast<int32_t>(std::min<int64_t>(sum, std::numeric_limits<int32_t>::max()));
}

/// Writes the zero point plus `finish` of the exponential, which is 0 where it does not count. Input and output may be
/// one line, of one type.
template <typename In, typename Out, typename Finish>
static void storeResults(const SoftmaxParameters &parameters, int32_t largest, int32_t zeroPoint,
                         std::span<const In> input, Out *output, const Finish &finish) {
  int32_t e = 0;
  for (In x : input) {
    const int64_t value = exponential(parameters, x - largest, e) ? finish(e) : 0;
    *output++ = static_cast<Out>(
        std::clamp<int64_t>(value + zeroPoint, std::numeric_limits<Out>::min(), std::numeric_limits<Out>::max()));
  }
}

template <typename In, typename Out>
static void finishLine(const SoftmaxParameters &parameters, int32_t largest, int32_t wholeSum,
                       std::span<const In> input, Out *output) {
  using Fixed = FixedPoint<int32_t>;
  constexpr int kResultBits = std::numeric_limits<std::make_unsigned_t<Out>>::digits;
  // The maximum itself contributes about one. A state that other commands left in memory may have no sum.
  const auto sum = static_cast<uint32_t>(std::max(wholeSum, 1));
  const int headroom = std::countl_zero(sum);
  const auto fraction = static_cast<int32_t>((sum << headroom) - (uint32_t(1) << 31));
  const int32_t reciprocal = Fixed::oneOverOnePlus(fraction);
  if (parameters.resultMultiplier != 0) {
    const int32_t factor = Fixed::multiply(reciprocal, parameters.resultMultiplier);
    const int shift = headroom - kSumBits + parameters.resultShift - 31;
    return storeResults(parameters, largest, parameters.resultZero, input, output,
                        [=](int32_t e) { return shift < kLeastShift ? 0 : multiplyRoundedToEven(e, factor, shift); });
  }
  const int exponent = std::max(kSumBits - headroom + 31 - kResultBits, 0);
  storeResults(parameters, largest, std::numeric_limits<Out>::min(), input, output, [=](int32_t e) {
    return exponent < 32 ? Fixed::divideByPowerOfTwo(Fixed::multiply(reciprocal, e), exponent) : 0;
  });
}

template <typename T> void IntegerSoftmaxRule<T>::finish(const State &state, std::span<T> section) const {
  finishLine<T>(parameters, state.largest, state.sum, section, section.data());
}

template struct IntegerSoftmaxRule<int8_t>;
template struct IntegerSoftmaxRule<uint8_t>;

template <typename T>
static typename IntegerSoftmaxRule<T>::State stateOf(const IntegerSoftmaxRule<T> &rule, std::span<const T> line) {
  auto state = rule.first();
  for (uint32_t pass = 0; pass < rule.kPasses; ++pass)
    rule.fold(pass, state, line);
  return state;
}

template <typename T>
static void integerLine(const SoftmaxParameters &parameters, const T *input, T *output, uint32_t count) {
  const IntegerSoftmaxRule<T> rule{parameters};
  const auto state = stateOf(rule, std::span(input, count));
  std::copy_n(input, input == output ? 0 : count, output);
  rule.finish(state, {output, count});
}

void softmaxLine(const SoftmaxParameters &parameters, const int8_t *input, int8_t *output, uint32_t count) {
  integerLine(parameters, input, output, count);
}

void softmaxLine(const SoftmaxParameters &parameters, const uint8_t *input, uint8_t *output, uint32_t count) {
  integerLine(parameters, input, output, count);
}

void softmaxLine(const SoftmaxParameters &parameters, const int8_t *input, int16_t *output, uint32_t count) {
  const std::span line(input, count);
  const auto state = stateOf(IntegerSoftmaxRule<int8_t>{parameters}, line);
  finishLine(parameters, state.largest, state.sum, line, output);
}

int32_t softmaxZeroPoint(DataType type) { return type == DataType::Int16 ? 0 : minValue(type); }

static Status checkResultFactor(const SoftmaxParameters &parameters, const FeatureMap &output, bool isNarrow) {
  if (!isNarrow || parameters.resultMultiplier < 0)
    return ruleBroken("resultMultiplier", parameters.resultMultiplier,
                      isNarrow ? "0 or more" : "0 for all but 8-bit results of 8-bit numbers");
  if (parameters.resultShift < kLeastShift || parameters.resultShift > kMostResultShift)
    return ruleBroken("resultShift", parameters.resultShift, "-31 to 16");
  return output.zeroPoint == parameters.resultZero ? Status::ok()
                                                   : ruleBroken("output0.zeroPoint", output.zeroPoint,
                                                                "resultZero, " + std::to_string(parameters.resultZero));
}

static Status checkInteger(const SoftmaxParameters &parameters, const FeatureMap &output, int32_t zeroPoint) {
  if (output.zeroPoint != zeroPoint)
    return ruleBroken("output0.zeroPoint", output.zeroPoint, "softmax's, " + std::to_string(zeroPoint));
  if (parameters.multiplier < 0 || parameters.shift < -31 || parameters.shift > 31)
    return ruleBroken("shift", parameters.shift, "-31 to 31, with a multiplier that is not negative");
  if (parameters.diffMin > 0)
    return ruleBroken("diffMin", parameters.diffMin, "at most 0");
  return Status::ok();
}

Status checkSoftmax(const SoftmaxParameters &parameters, const FeatureMap &output, int32_t zeroPoint) {
  if (parameters.resultMultiplier != 0) {
    AVOCET_RETURN_IF_ERROR(checkResultFactor(parameters, output, sizeOf(output.type) == 1));
    zeroPoint = parameters.resultZero;
  } else if (parameters.resultShift != 0 || parameters.resultZero != 0) {
    return invalidArgument("resultShift and resultZero must be 0 without a resultMultiplier");
  }
  if (!isFloat(output.type))
    return checkInteger(parameters, output, zeroPoint);
  return std::isfinite(parameters.beta) ? Status::ok() : invalidArgument("beta must be finite");
}

// Maximum; exponential and sum; exponential and product again (integers) or division (floats).
uint64_t softmaxOperations(DataType type) { return isFloat(type) ? 20 : 48; }
DataType softmaxType(DataType type) { return isFloat(type) ? DataType::Float32 : DataType::Int32; }

} // namespace avocet::kernels
