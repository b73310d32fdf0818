//===- Extremes.h - The larger and the smaller of two numbers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maxima and minima in every kernel. Clamps need no function of their own: std::min(std::max(x, low), high) keeps an x
// that is NaN.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_EXTREMES_H
#define AVOCET_KERNELS_LIB_COMMON_EXTREMES_H

#include <limits>
#include <type_traits>

namespace avocet::kernels {

/// Whether a number is NaN; vector code comes from it.
template <typename T> constexpr bool isNan([[maybe_unused]] T x) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return x != x;
}

/// NaN if one of them is NaN; `b` if they are equal.
template <typename T> constexpr T largerOf(T a, T b) { return a > b || isNan(a) ? a : b; }
template <typename T> constexpr T smallerOf(T a, T b) { return a < b || isNan(a) ? a : b; }

/// First value of a maximum, which every element replaces.
template <typename T> constexpr T least() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::min();
}

/// First value of a minimum.
template <typename T> constexpr T most() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_EXTREMES_H
