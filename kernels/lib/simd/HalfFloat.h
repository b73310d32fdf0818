//===- HalfFloat.h - Conversions between f16, bf16 and f32 ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of elements, with the bits of the language's conversion: to the nearest number, halves to even; NaNs stay NaNs
// and become quiet.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_SIMD_HALFFLOAT_H
#define AVOCET_KERNELS_LIB_SIMD_HALFFLOAT_H

#include "avocet/firmware_iface/BFloat16.h"

#include <cstddef>

namespace avocet::kernels {

void widenHalves(const _Float16 *from, float *to, size_t count);
void narrowFloats(const float *from, _Float16 *to, size_t count);

/// The same for bf16, in loops that every machine has vector instructions for.
inline void widenHalves(const firmware::BFloat16 *from, float *to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(from[i]);
}
inline void narrowFloats(const float *from, firmware::BFloat16 *to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = firmware::BFloat16(from[i]);
}

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_SIMD_HALFFLOAT_H
