//===- FixedLogarithm.cpp - The logarithm in fixed point ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/FixedLogarithm.h"

#include "common/FixedPoint.h"

#include <algorithm>
#include <bit>

namespace avocet::kernels {

using Fixed = FixedPoint<int32_t>;

namespace {

constexpr int kInputBits = 12;
/// The sum of the logarithm's parts has one bit more than the result.
constexpr int kSumBits = 6;
constexpr int32_t kOne = int32_t(1) << (31 - kSumBits), kQuarter = kOne / 4;

// Numbers in Q0.31.
constexpr int32_t kLogOf2 = 1488522236, kRootOfHalf = 1518500250, kFourthRootOfHalf = 1805811301;

/// x = fraction * 2^(exponent + 1/4): the fraction in Q0.31, the exponent less or more 1/4 in Q6.25.
struct Scaled {
  int32_t fraction, exponent;
};

int headroomOf(int32_t x) { return std::countl_zero(static_cast<uint32_t>(x)) - 1; }

/// With a fraction of about 0.71 to 1, multiplied by the root of 1/2 and doubled.
Scaled scaledUp(int32_t x) {
  const int headroom = headroomOf(x);
  const int32_t part = Fixed::multiply(Fixed::multiplyByPowerOfTwo(x, headroom), kRootOfHalf);
  return {Fixed::multiplyByPowerOfTwo(part, 1), (kInputBits - headroom - 1) * kOne + kQuarter};
}

/// With the power of two that x has after a multiplication by the root of 1/2.
Scaled scaledDown(int32_t x) {
  const int headroom = headroomOf(Fixed::multiply(x, kRootOfHalf));
  return {Fixed::multiplyByPowerOfTwo(x, headroom), (kInputBits - headroom) * kOne - kQuarter};
}

/// log(r * 2^(1/4)) in Q6.25, for a fraction r near the fourth root of 1/2: a quotient of polynomials.
int32_t logOfFraction(int32_t r) {
  constexpr int32_t kNumerator = 117049297, kDenominator = 127690142, kOffset = 1057819769, kLinear = 638450708;
  const auto p = static_cast<int32_t>((int64_t(r) + kFourthRootOfHalf + 1) / 2);
  const int32_t difference = Fixed::subtract(r, kFourthRootOfHalf), q = Fixed::add(difference, difference);
  const int32_t square = Fixed::multiply(q, q);
  const int32_t above = Fixed::add(Fixed::multiply(q, r), Fixed::multiply(Fixed::multiply(q, square), kNumerator));
  const int32_t factor = Fixed::add(Fixed::add(kOffset, q), Fixed::multiply(kDenominator, square));
  const int32_t below = Fixed::add(Fixed::multiply(p, factor), Fixed::multiply(kLinear, q));
  return Fixed::multiply(Fixed::divideByPowerOfTwo(above, kSumBits), Fixed::oneOverOnePlus(below));
}

} // namespace

int32_t fixedLogarithm(int32_t x) {
  const Scaled up = scaledUp(x), down = scaledDown(x);
  const int32_t power = Fixed::multiply(std::max(up.exponent, down.exponent), kLogOf2);
  return Fixed::multiplyByPowerOfTwo(Fixed::add(power, logOfFraction(std::min(up.fraction, down.fraction))), 1);
}

} // namespace avocet::kernels
