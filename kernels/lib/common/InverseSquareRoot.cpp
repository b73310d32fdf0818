//===- InverseSquareRoot.cpp - 1 / sqrt(x) in fixed point ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/InverseSquareRoot.h"

#include "common/FixedPoint.h"

#include <bit>
#include <limits>

namespace avocet::kernels {

using Fixed = FixedPoint<int32_t>;

/// Integer bits of the numbers in the iteration.
static constexpr int kBits = 3;
static constexpr int32_t kOne = 1 << (31 - kBits);
static constexpr int32_t kThreeHalves = kOne + kOne / 2;
/// sqrt(2) / 2 in Q0.31.
static constexpr int32_t kHalfSqrt2 = 1518500250;

/// A number in Q6 or Q9, where products of Q3 numbers are, in Q3.
static int32_t toQ3(int32_t x, int integerBits) { return Fixed::multiplyByPowerOfTwo(x, integerBits - kBits); }

/// 1 / sqrt(a) in Q3 for `half` = a / 2 in Q3: x <- x * (3/2 - a/2 * x^2), from 1.
static int32_t iterate(int32_t half) {
  int32_t x = kOne;
  for (int step = 0; step < 5; ++step) {
    int32_t cube = toQ3(Fixed::multiply(Fixed::multiply(x, x), x), 3 * kBits);
    x = toQ3(Fixed::subtract(Fixed::multiply(kThreeHalves, x), Fixed::multiply(half, cube)), 2 * kBits);
  }
  return x;
}

firmware::Rescale inverseSquareRoot(int64_t wide) {
  if (wide <= 1)
    return {std::numeric_limits<int32_t>::max(), 0};
  int rightShift = 11;
  for (; wide >= 1 << 29; ++rightShift)
    wide /= 4;
  const auto x = static_cast<int32_t>(wide);
  // Shift left by pairs of bits: the root then shifts by one bit per pair.
  const int pairs = (std::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  const int32_t a = (x << (2 * pairs)) >> 1;
  rightShift -= pairs;
  int32_t multiplier = Fixed::multiply(iterate(Fixed::divideByPowerOfTwo(a, 1)), kHalfSqrt2);
  if (rightShift < 0) {
    multiplier <<= -rightShift;
    rightShift = 0;
  }
  return {multiplier, -rightShift};
}

} // namespace avocet::kernels
