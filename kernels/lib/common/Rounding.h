//===- Rounding.h - From reals to integers ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_ROUNDING_H
#define AVOCET_KERNELS_LIB_COMMON_ROUNDING_H

#include "avocet/kernels/Quantization.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace avocet::kernels {

/// Nearest integer, halves away from zero; far values and NaN become defined integers that leave room for a zero point.
inline int32_t roundToInteger(float value) {
  constexpr float kFar = 1.0e9f;
  if (std::isnan(value))
    return 0;
  return static_cast<int32_t>(std::clamp(std::round(value), -kFar, kFar));
}

/// sum / count, halves away from zero, for |sum| + count below 2^52 and a quotient below 2^20. Exact, because a
/// quotient of such doubles that is not an integer does not round to one. Compilers have no vector code for integer
/// divisions.
template <std::signed_integral T> T roundedQuotient(T sum, T count) {
  const T nudged = sum > 0 ? sum + count / 2 : sum - count / 2;
  return static_cast<T>(static_cast<double>(nudged) / static_cast<double>(count));
}

/// multiplyByQuantizedMultiplier64 without saturation as (x * multiplier + 2^(shift - 1)) >> shift, whose low 32 bits
/// count.
struct WideMultiplier {
  int64_t multiplier; ///< 16 bits; negative only if the given one is
  int shift;          ///< 1 to 62

  WideMultiplier(int32_t given, int givenShift)
      : multiplier(given < 0x7FFF0000 ? (given + (1 << 15)) >> 16 : 0x7FFF),
        shift(15 - std::clamp(givenShift, kLeastWideShift, kSaturatingWideShift - 1)) {}
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_ROUNDING_H
