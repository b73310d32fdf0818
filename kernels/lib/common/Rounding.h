//===- Rounding.h - From reals to integers --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_ROUNDING_H
#define AVOCET_KERNELS_LIB_COMMON_ROUNDING_H

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace avocet::kernels {

/// Nearest integer, halves away from zero; far values and NaN become defined integers that leave room for a zero point.
inline int32_t roundToInteger(float value) {
  constexpr float kFar = 1.0e9f;
  if (std::isnan(value))
    return 0;
  return static_cast<int32_t>(std::clamp(std::round(value), -kFar, kFar));
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_ROUNDING_H
