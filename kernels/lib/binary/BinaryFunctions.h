//===- BinaryFunctions.h - Functions of two elements ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the "binary" kernel on two reals or two integers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_BINARY_BINARYFUNCTIONS_H
#define AVOCET_KERNELS_LIB_BINARY_BINARYFUNCTIONS_H

#include "common/Elements.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace avocet::kernels {

/// An integer of 32 or 64 bits from the sum, difference or product of unsigned numbers, which wraps around.
template <typename T> using Unsigned = std::make_unsigned_t<T>;

struct AddFunction {
  float operator()(float a, float b) const { return a + b; }
  template <std::integral T> T operator()(T a, T b) const { return T(Unsigned<T>(a) + Unsigned<T>(b)); }
};

struct SubFunction {
  float operator()(float a, float b) const { return a - b; }
  template <std::integral T> T operator()(T a, T b) const { return T(Unsigned<T>(a) - Unsigned<T>(b)); }
};

struct MulFunction {
  float operator()(float a, float b) const { return a * b; }
  template <std::integral T> T operator()(T a, T b) const { return T(Unsigned<T>(a) * Unsigned<T>(b)); }
};

/// Rounds towards zero.
struct TruncatedDivFunction {
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

/// The remainder that TruncatedDivFunction leaves; it has the sign of a.
template <std::integral T> T truncatedRest(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return 0;
  return b == 0 ? T(0) : static_cast<T>(a % b);
}

/// Rounds downwards.
struct DivFunction {
  float operator()(float a, float b) const { return a / b; }
  template <std::integral T> T operator()(T a, T b) const {
    bool inexact = truncatedRest(a, b) != 0, negative = (a < 0) != (b < 0);
    return static_cast<T>(TruncatedDivFunction()(a, b) - (inexact && negative ? 1 : 0));
  }
};

struct FloorDivFunction {
  float operator()(float a, float b) const { return std::floor(a / b); }
  template <std::integral T> T operator()(T a, T b) const { return DivFunction()(a, b); }
};

struct FloorModFunction {
  float operator()(float a, float b) const {
    float rest = std::fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
  }
  template <std::integral T> T operator()(T a, T b) const {
    T rest = truncatedRest(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? static_cast<T>(rest + b) : rest;
  }
};

struct SquaredDifferenceFunction {
  template <typename T> T operator()(T a, T b) const {
    T difference = SubFunction()(a, b);
    return MulFunction()(difference, difference);
  }
};

struct Atan2Function {
  float operator()(float a, float b) const { return std::atan2(a, b); }
};

struct BitwiseXorFunction {
  template <std::integral T> T operator()(T a, T b) const { return static_cast<T>(a ^ b); }
};

struct RightShiftFunction {
  template <std::integral T> T operator()(T a, T b) const {
    return static_cast<T>(a >> std::clamp<T>(b, 0, static_cast<T>(8 * sizeof(T) - 1)));
  }
};

struct MinimumFunction {
  template <typename T> T operator()(T a, T b) const { return smallerOf(a, b); }
};

struct MaximumFunction {
  template <typename T> T operator()(T a, T b) const { return largerOf(a, b); }
};

struct PowFunction {
  float operator()(float a, float b) const { return std::pow(a, b); }

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

struct PreluFunction {
  float operator()(float a, float b) const { return a >= 0 ? a : a * b; }
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_BINARY_BINARYFUNCTIONS_H
