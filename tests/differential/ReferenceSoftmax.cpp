//===- ReferenceSoftmax.cpp - The reference's softmax of bytes ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exponentials and their sum in fixed point: numbers of 32 bits, of which some are before the binary point
// (tensorflow/lite/kernels/internal/reference/softmax.h, gemmlowp's fixedpoint.h).
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace avocet::differential {
namespace {

constexpr int kDiffBits = 5, kSumBits = 12; ///< before the point, without the sign
constexpr int64_t kOne = std::numeric_limits<int32_t>::max();

/// The high 32 bits of twice the product, rounded.
int64_t times(int64_t a, int64_t b) {
  const int64_t product = a * b, nudge = product >= 0 ? 1LL << 30 : 1 - (1LL << 30);
  return (product + nudge) / (1LL << 31);
}

/// Halves are rounded away from zero.
int64_t dividedByPower(int64_t value, int exponent) {
  const int64_t mask = (1LL << exponent) - 1, rest = value & mask, threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + (rest > threshold ? 1 : 0);
}

int64_t saturated(int64_t value) {
  return std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
}

/// exp(a) for a in [-1/4, 0), without bits before the point: a Taylor series around -1/8.
int64_t expOfQuarter(int64_t a) {
  constexpr int64_t kExpOfEighth = 1895147668, kThird = 715827883;
  const int64_t x = a + (1 << 28), x2 = times(x, x), x3 = times(x2, x), x4 = times(x2, x2);
  const int64_t last = dividedByPower(times(dividedByPower(x4, 2) + x3, kThird) + x2, 1);
  return saturated(kExpOfEighth + times(kExpOfEighth, x + last));
}

/// exp(a) for a <= 0 with kDiffBits bits before the point; the result has none.
int64_t expOf(int64_t a) {
  if (a == 0)
    return kOne;
  constexpr int kFraction = 31 - kDiffBits;
  constexpr int64_t kQuarter = 1LL << (kFraction - 2);
  // exp(-2^i) for i from -2 on.
  constexpr int64_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int64_t inQuarter = (a & (kQuarter - 1)) - kQuarter, remainder = inQuarter - a;
  int64_t result = expOfQuarter(inQuarter << kDiffBits);
  for (int i = 0; i < 2 + kDiffBits; ++i)
    if (remainder & (1LL << (kFraction - 2 + i)))
      result = times(result, kFactors[i]);
  return result;
}

/// 1 / (1 + x) for x in [0, 1) without bits before the point, as the result: three steps of Newton's method.
int64_t reciprocalOfOneAnd(int64_t x) {
  constexpr int64_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540; // 2 bits before the point
  const int64_t half = (x + kOne + 1) / 2;
  int64_t y = k48Over17 + times(half, kMinus32Over17);
  for (int step = 0; step < 3; ++step) {
    const int64_t error = (1LL << 29) - times(half, y);
    y += saturated(times(y, error) * 4);
  }
  return saturated(y * 2);
}

/// How differences from the greatest value of a row become arguments of expOf(); lesser ones count as zero.
struct Scaling {
  int64_t mantissa;
  int shift;
  int64_t leastDifference;

  int64_t expAt(int64_t difference) const { return expOf(times(difference * (1LL << shift), mantissa)); }
};

Scaling scalingOf(float beta, float scale) {
  const double real = std::min(static_cast<double>(beta) * static_cast<double>(scale) * (1LL << (31 - kDiffBits)),
                               static_cast<double>(kOne));
  Scaling scaling{};
  scaling.mantissa = std::llround(std::frexp(real, &scaling.shift) * (1LL << 31));
  if (scaling.mantissa == 1LL << 31) {
    scaling.mantissa /= 2;
    ++scaling.shift;
  }
  const double radius =
      ((1 << kDiffBits) - 1.0) * (1LL << (31 - kDiffBits)) / static_cast<double>(1LL << scaling.shift);
  scaling.leastDifference = -static_cast<int64_t>(std::floor(radius));
  return scaling;
}

void appendRow(const Scaling &scaling, const int64_t *values, size_t count, int64_t lowest,
               std::vector<double> &results) {
  const int64_t greatest = *std::max_element(values, values + count);
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i)
    if (values[i] - greatest >= scaling.leastDifference)
      sum += dividedByPower(scaling.expAt(values[i] - greatest), kSumBits);
  const int headroom = std::countl_zero(static_cast<uint32_t>(sum));
  const int64_t scale = reciprocalOfOneAnd((sum << headroom) - (1LL << 31));
  for (size_t i = 0; i < count; ++i) {
    int64_t result = lowest;
    if (values[i] - greatest >= scaling.leastDifference)
      result += dividedByPower(times(scale, scaling.expAt(values[i] - greatest)), kSumBits - headroom + 31 - 8);
    results.push_back(static_cast<double>(std::clamp(result, lowest, lowest + 255)));
  }
}

} // namespace

Bytes expectedSoftmax(const Model &model, int32_t operand, float beta, const Element &result) {
  const Stored input = storedOf(model, operand);
  const Scaling scaling = scalingOf(beta, input.element.scale());
  const auto count = static_cast<size_t>(input.shape.back());
  std::vector<double> results;
  for (size_t first = 0; first < input.values.size(); first += count)
    appendRow(scaling, &input.values[first], count, result.type == TensorType::INT8 ? -128 : 0, results);
  return encode(results, result.type);
}

} // namespace avocet::differential
