//===- ReferenceLogSoftmax.cpp - Log softmax in fixed point ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The exponential and the logarithm of TensorFlow Lite's reference kernels and gemmlowp. A number "in Qn" is a 32-bit
// integer, in units of 2^(n - 31).
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace avocet::differential {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max(), kLeast = std::numeric_limits<int32_t>::min();

/// A real number in Q(bits).
int64_t fixed(double real, int bits = 0) { return std::llround(std::ldexp(real, 31 - bits)); }

/// Halves upwards.
int64_t product(int64_t a, int64_t b) { return std::min((a * b + (int64_t(1) << 30)) >> 31, kMost); }

/// x / 2^bits, halves away from zero.
int64_t shiftedRight(int64_t x, int bits) {
  const int64_t half = bits > 0 ? int64_t(1) << (bits - 1) : 0;
  return x < 0 ? -((-x + half) >> bits) : (x + half) >> bits;
}

int64_t shiftedLeft(int64_t x, int bits) { return std::clamp(x * (int64_t(1) << bits), kLeast, kMost); }

int leadingZeros(int64_t x) { return std::countl_zero(static_cast<uint32_t>(x)); }

/// exp(a) in Q0 for a <= 0 in Q5: that of the quarter below, times those of the other powers of two.
int64_t exponential(int64_t a) {
  if (a == 0)
    return kMost;
  const int64_t quarter = fixed(0.25, 5), rest = (a & (quarter - 1)) - quarter;
  const int64_t x = (rest << 5) + fixed(0.125), x2 = product(x, x), x3 = product(x2, x), x4 = product(x2, x2);
  const int64_t tail = product(shiftedRight(x4, 2) + x3, fixed(1.0 / 3)) + x2;
  int64_t result = fixed(std::exp(-0.125)) + product(fixed(std::exp(-0.125)), x + shiftedRight(tail, 1));
  for (int power = -2; power <= 4; ++power)
    if (((rest - a) >> (26 + power)) % 2 != 0)
      result = product(result, fixed(std::exp(-std::exp2(power))));
  return result;
}

/// 1 / (1 + a) in Q0 for a in Q0, by Newton's method in Q2.
int64_t reciprocal(int64_t a) {
  const int64_t half = (a + kMost + 1) / 2;
  int64_t x = fixed(48.0 / 17, 2) + product(half, fixed(-32.0 / 17, 2));
  for (int step = 0; step < 3; ++step)
    x += shiftedLeft(product(x, fixed(1, 2) - product(half, x)), 2);
  return shiftedLeft(x, 1);
}

/// log(x) in Q5 for x of 1 and more in Q12.
int64_t logarithm(int64_t x) {
  const int64_t rootOfHalf = fixed(std::sqrt(0.5)), fourthRoot = fixed(std::sqrt(std::sqrt(0.5)));
  const double root = std::sqrt(std::sqrt(2.0));
  const int zeros = leadingZeros(x), zerosBelow = leadingZeros(product(x, rootOfHalf)) - 1;
  const int64_t above = shiftedLeft(product(shiftedLeft(x, zeros - 1), rootOfHalf), 1);
  const int64_t r = std::min(above, shiftedLeft(x, zerosBelow));
  const int64_t power = std::max(fixed(12 - zeros + 0.25, 6), fixed(12 - zerosBelow - 0.25, 6));
  const int64_t p = (r + fourthRoot + 1) / 2, q = 2 * (r - fourthRoot), q2 = product(q, q);
  const int64_t numerator = product(q, r) + product(product(q, q2), fixed(11.0 / 240 * root));
  const int64_t denominator =
      product(p, fixed(2 / root - root) + q + product(fixed(root / 20), q2)) + product(fixed(root / 4), q);
  return shiftedLeft(
      product(power, fixed(std::log(2.0))) + product(shiftedRight(numerator, 6), reciprocal(denominator)), 1);
}

/// Differences of stored numbers in Q5.
class Differences {
public:
  explicit Differences(double scale) {
    mantissa_ = std::llround(std::ldexp(std::frexp(std::min(scale * (1 << 26), 2147483647.0), &left_), 31));
    least_ = -static_cast<int64_t>(std::ldexp(31.0, 26 - left_));
  }

  /// The least difference whose exponential counts.
  int64_t least() const { return least_; }
  int64_t fixedOf(int64_t difference) const { return product(difference << left_, mantissa_); }

  /// The difference up to which results are the smallest value, because theirs does not fit.
  int64_t tooLow(int64_t logSum) const {
    int exponent = 0;
    const double inverse = std::frexp(std::ldexp(1, 31 - left_) / static_cast<double>(mantissa_), &exponent);
    return std::max(least_ - 1, shiftedRight(product(logSum + kLeast, fixed(inverse)), -exponent));
  }

private:
  int left_ = 0;
  int64_t mantissa_ = 0, least_ = 0;
};

} // namespace

Bytes expectedLogSoftmax(const Model &model, int32_t operand, const Element &result) {
  const Stored input = storedOf(model, operand);
  const Differences differences(static_cast<double>(input.element.scale()));
  const int64_t highest = result.zeroPoint(), lowest = highest - 255;
  const auto depth = static_cast<ptrdiff_t>(input.shape.back());
  std::vector<double> results;
  for (auto line = input.values.begin(); line != input.values.end(); line += depth) {
    const int64_t largest = *std::max_element(line, line + depth);
    int64_t sum = 0;
    for (auto x = line; x != line + depth; ++x)
      sum += *x - largest < differences.least() ? 0 : shiftedRight(exponential(differences.fixedOf(*x - largest)), 12);
    const int64_t logSum = logarithm(sum), tooLow = differences.tooLow(logSum);
    for (auto x = line; x != line + depth; ++x) {
      const int64_t steps = shiftedRight(differences.fixedOf(*x - largest) - logSum, 22);
      results.push_back(static_cast<double>(*x - largest > tooLow ? std::max(highest + steps, lowest) : lowest));
    }
  }
  return encode(results, result.type);
}

} // namespace avocet::differential
