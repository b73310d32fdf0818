//===- IntegerFunctions.h - Arithmetic of plain integers --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of integers as they are stored. The kernels "binary", "unary" and "cast" compute with them, and so does the
// compiler where it knows all operands, so that both give the same numbers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_INTEGERFUNCTIONS_H
#define AVOCET_KERNELS_INTEGERFUNCTIONS_H

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace avocet::kernels {

/// Sums, differences and products of unsigned numbers wrap around.
template <typename T> using Unsigned = std::make_unsigned_t<T>;

struct IntegerSum {
  template <std::integral T> T operator()(T a, T b) const { return T(Unsigned<T>(a) + Unsigned<T>(b)); }
};

struct IntegerDifference {
  template <std::integral T> T operator()(T a, T b) const { return T(Unsigned<T>(a) - Unsigned<T>(b)); }
};

struct IntegerProduct {
  template <std::integral T> T operator()(T a, T b) const { return T(Unsigned<T>(a) * Unsigned<T>(b)); }
};

/// Rounds towards zero; 0 where the divisor is 0.
struct TruncatedQuotient {
  template <std::integral T> T operator()(T a, T b) const {
    if (b == 0)
      return 0;
    // The smallest integer divided by -1 has no quotient in its own type.
    if constexpr (std::is_signed_v<T>)
      if (b == -1)
        return static_cast<T>(0 - Unsigned<T>(a));
    return static_cast<T>(a / b);
  }
};

/// The remainder that TruncatedQuotient leaves; it has the sign of a.
template <std::integral T> T truncatedRest(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return 0;
  return b == 0 ? T(0) : static_cast<T>(a % b);
}

/// Rounds downwards; 0 where the divisor is 0.
struct FloorQuotient {
  template <std::integral T> T operator()(T a, T b) const {
    bool inexact = truncatedRest(a, b) != 0, negative = (a < 0) != (b < 0);
    return static_cast<T>(TruncatedQuotient()(a, b) - (inexact && negative ? 1 : 0));
  }
};

/// The remainder that FloorQuotient leaves; it has the sign of b.
struct FloorRemainder {
  template <std::integral T> T operator()(T a, T b) const {
    T rest = truncatedRest(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? static_cast<T>(rest + b) : rest;
  }
};

struct IntegerSquaredDifference {
  template <std::integral T> T operator()(T a, T b) const {
    T difference = IntegerDifference()(a, b);
    return IntegerProduct()(difference, difference);
  }
};

struct BitwiseExclusiveOr {
  template <std::integral T> T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};

/// Arithmetic; the distance is clamped to 0 to width - 1.
struct ClampedRightShift {
  template <std::integral T> T operator()(T a, T b) const {
    return static_cast<T>(a >> std::clamp<T>(b, 0, static_cast<T>(8 * sizeof(T) - 1)));
  }
};

struct BitwiseConjunction {
  template <std::integral T> T operator()(T a, T b) const { return static_cast<T>(a & b); }
};

struct BitwiseDisjunction {
  template <std::integral T> T operator()(T a, T b) const { return static_cast<T>(a | b); }
};

/// Whether a shift by the distance leaves no bit of the number; so does a negative one, as a large unsigned number.
template <std::integral T> bool shiftsAllOut(T distance) { return Unsigned<T>(distance) >= 8 * sizeof(T); }

struct LeftShift {
  template <std::integral T> T operator()(T a, T b) const {
    return shiftsAllOut(b) ? T(0) : static_cast<T>(uint64_t(a) << b);
  }
};

/// Zeros enter from the left.
struct LogicalRightShift {
  template <std::integral T> T operator()(T a, T b) const {
    return shiftsAllOut(b) ? T(0) : static_cast<T>(Unsigned<T>(a) >> b);
  }
};

/// ClampedRightShift, plus the last bit that it shifts out: rounded to the nearest, halves upwards.
struct RoundingRightShift {
  template <std::integral T> T operator()(T a, T b) const {
    const T distance = std::clamp<T>(b, 0, static_cast<T>(8 * sizeof(T) - 1));
    return static_cast<T>((a >> distance) + (distance == 0 ? 0 : a >> (distance - 1) & 1));
  }
};

struct IntegerPower {
  /// Squares and multiplies; negative exponents leave only the reciprocals that are integers.
  int32_t operator()(int32_t a, int32_t b) const {
    if (b < 0)
      return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
    uint32_t power = 1, square = static_cast<uint32_t>(a);
    for (; b != 0; b /= 2, square *= square)
      power *= b % 2 != 0 ? square : 1;
    return static_cast<int32_t>(power);
  }
};

// Functions of one integer of any width: the low bits of the result count.
constexpr int64_t integerNegative(int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }
constexpr int64_t integerAbsolute(int64_t x) { return x < 0 ? integerNegative(x) : x; }
constexpr int64_t integerSign(int64_t x) { return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0); }
constexpr int64_t integerSquare(int64_t x) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) * static_cast<uint64_t>(x));
}

/// The zeros above the highest bit that is set, of a number of `width` bits whose other bits are 0.
constexpr int64_t leadingZeros(uint64_t bits, uint32_t width) {
  return std::countl_zero(bits) - (64 - static_cast<int64_t>(width));
}

/// The integer itself, or the nearest one of the type.
template <std::integral Out, std::integral In> constexpr Out nearestInteger(In number) {
  if (std::in_range<Out>(number))
    return static_cast<Out>(number);
  return number < 0 ? std::numeric_limits<Out>::min() : std::numeric_limits<Out>::max();
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_INTEGERFUNCTIONS_H
