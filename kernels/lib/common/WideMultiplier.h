//===- WideMultiplier.h - Multipliers of 64-bit sums --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_WIDEMULTIPLIER_H
#define AVOCET_KERNELS_LIB_COMMON_WIDEMULTIPLIER_H

#include <algorithm>
#include <cstdint>

namespace avocet::kernels {

/// multiplyByQuantizedMultiplier64 without saturation as (x * multiplier + 2^(shift - 1)) >> shift, whose low 32 bits
/// count.
struct WideMultiplier {
  int64_t multiplier; ///< 16 bits; negative only if the given one is
  int shift;          ///< 1 to 46

  WideMultiplier(int32_t given, int givenShift)
      : multiplier(given < 0x7FFF0000 ? (given + (1 << 15)) >> 16 : 0x7FFF),
        shift(15 - std::clamp(givenShift, -31, 14)) {}
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_WIDEMULTIPLIER_H
