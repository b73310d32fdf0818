//===- FixedPoint.h - Transcendental functions in fixed point --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// exp, logistic, tanh and the reciprocal on 16- or 32-bit fixed-point numbers, bit for bit as TFLite's reference
// kernels compute them (through gemmlowp's fixedpoint library). Numbers are raw integers; "Qm" is a signed number with
// m integer bits besides the sign, so Q0 covers [-1, 1). Sums wrap for 32 bits, as does negation.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_FIXEDPOINT_H
#define AVOCET_KERNELS_LIB_COMMON_FIXEDPOINT_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace avocet::kernels {

/// The functions on raw integers of type Raw, int16_t or int32_t.
template <typename Raw> class FixedPoint {
  using Wide = std::conditional_t<sizeof(Raw) == 2, int32_t, int64_t>;
  static constexpr int kBits = 8 * sizeof(Raw);
  static constexpr Raw kMin = std::numeric_limits<Raw>::min();
  static constexpr Raw kMax = std::numeric_limits<Raw>::max();

  /// A constant given as a 32-bit raw number, rounded to this width.
  static constexpr Raw constant(int32_t raw32) {
    return static_cast<Raw>(divideByPowerOfTwoWide<int32_t>(raw32, 32 - kBits));
  }

  template <typename T> static constexpr T divideByPowerOfTwoWide(T x, int exponent) {
    auto mask = static_cast<T>((int64_t(1) << exponent) - 1);
    auto threshold = static_cast<T>((mask >> 1) + (x < 0 ? 1 : 0));
    return static_cast<T>((x >> exponent) + ((x & mask) > threshold ? 1 : 0));
  }

public:
  static constexpr Raw add(Raw a, Raw b) {
    return static_cast<Raw>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
  }
  static constexpr Raw subtract(Raw a, Raw b) {
    return static_cast<Raw>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
  }
  static constexpr Raw negate(Raw a) { return subtract(0, a); }

  /// Product of fixed-point numbers; their integer bits add up.
  static constexpr Raw multiply(Raw a, Raw b) {
    if (a == b && a == kMin)
      return kMax;
    Wide product = Wide(a) * b;
    Wide nudge = product >= 0 ? Wide(1) << (kBits - 2) : 1 - (Wide(1) << (kBits - 2));
    return static_cast<Raw>((product + nudge) / (Wide(1) << (kBits - 1)));
  }

  /// x / 2^exponent, halves away from zero.
  static constexpr Raw divideByPowerOfTwo(Raw x, int exponent) { return divideByPowerOfTwoWide<Raw>(x, exponent); }

  /// x * 2^exponent, saturating.
  static constexpr Raw multiplyByPowerOfTwo(Raw x, int exponent) {
    return static_cast<Raw>(std::clamp<int64_t>(int64_t(x) * (int64_t(1) << exponent), kMin, kMax));
  }

  /// exp(a) in Q0 for a <= 0 in Q(integerBits).
  template <int integerBits> static constexpr Raw expOnNegative(Raw a) {
    constexpr int kFraction = kBits - 1 - integerBits;
    // a = (part in [-1/4, 0)) - (multiples of 1/4): a polynomial for the first, a product of constants for the second.
    constexpr Raw kQuarter = Raw(1) << (kFraction - 2);
    Raw part = static_cast<Raw>((a & (kQuarter - 1)) - kQuarter);
    Raw result = expOnQuarter(multiplyByPowerOfTwo(part, integerBits));
    Raw multiples = subtract(part, a);
    // exp(-2^e) in Q0.31 for e = -2 .. 4.
    constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    for (int e = -2; e <= 4 && e < integerBits; ++e)
      if (multiples & static_cast<Raw>(Raw(1) << (kFraction + e)))
        result = multiply(result, constant(kFactors[e + 2]));
    if constexpr (integerBits > 5)
      if (a < -(Raw(1) << (kBits + 4 - integerBits)))
        result = 0; // below -32
    return a == 0 ? kMax : result;
  }

  /// 1 / (1 + a) in Q0 for a in [0, 1) in Q0.
  static constexpr Raw oneOverOnePlus(Raw a) {
    // The Newton iteration gives 2 / (1 + a) in Q2: half of it as Q0 is the same number as Q1, doubled.
    return multiplyByPowerOfTwo(twoOverOnePlus(a), 1);
  }

  /// (1 - a) / (1 + a) in Q0 for a in [0, 1) in Q0.
  static constexpr Raw oneMinusOverOnePlus(Raw a) {
    return multiplyByPowerOfTwo(subtract(twoOverOnePlus(a), kOneQ2), 2);
  }

  /// 1 / (1 + exp(-a)) in Q0 for a in Q(integerBits).
  template <int integerBits> static constexpr Raw logistic(Raw a) {
    if (a == 0)
      return constant(1 << 30);
    Raw magnitude = a > 0 ? a : negate(a);
    Raw positive = oneOverOnePlus(expOnNegative<integerBits>(negate(magnitude)));
    return a > 0 ? positive : subtract(kMax, positive);
  }

  /// tanh(a) in Q0 for a in Q(integerBits).
  template <int integerBits> static constexpr Raw tanh(Raw a) {
    if (a == 0)
      return 0;
    // The raw number of a in Q(n) is that of 2a in Q(n + 1).
    Raw t = oneMinusOverOnePlus(expOnNegative<integerBits + 1>(a < 0 ? a : negate(a)));
    return a < 0 ? negate(t) : t;
  }

private:
  static constexpr Raw kOneQ2 = Raw(1) << (kBits - 3);

  /// exp(a) in Q0 for a in [-1/4, 0) in Q0: Taylor polynomial around -1/8.
  static constexpr Raw expOnQuarter(Raw a) {
    constexpr Raw kExpOfMinusEighth = constant(1895147668);
    constexpr Raw kThird = constant(715827883);
    Raw x = add(a, Raw(1) << (kBits - 4));
    Raw x2 = multiply(x, x);
    Raw x3 = multiply(x2, x);
    Raw x4 = multiply(x2, x2);
    // x^4/24 + x^3/6 + x^2/2 = ((x^4/4 + x^3) / 3 + x^2) / 2
    Raw tail = add(multiply(add(divideByPowerOfTwo(x4, 2), x3), kThird), x2);
    Raw product = multiply(kExpOfMinusEighth, add(x, divideByPowerOfTwo(tail, 1)));
    if constexpr (sizeof(Raw) == 2)
      return static_cast<Raw>(std::clamp<int32_t>(int32_t(kExpOfMinusEighth) + product, kMin, kMax));
    return add(kExpOfMinusEighth, product);
  }

  /// 2 / (1 + a) in Q2 by three Newton-Raphson steps from 48/17 - 32/17 d, d = (1 + a) / 2.
  static constexpr Raw twoOverOnePlus(Raw a) {
    constexpr Raw k48Over17 = constant(1515870810);
    constexpr Raw kMinus32Over17 = constant(-1010580540);
    Wide sum = Wide(a) + kMax;
    auto d = static_cast<Raw>((sum + (sum >= 0 ? 1 : -1)) / 2);
    Raw x = add(k48Over17, multiply(d, kMinus32Over17));
    for (int i = 0; i < 3; ++i) {
      Raw error = subtract(kOneQ2, multiply(d, x));
      x = add(x, multiplyByPowerOfTwo(multiply(x, error), 2));
    }
    return x;
  }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_FIXEDPOINT_H
