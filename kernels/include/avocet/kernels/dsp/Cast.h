//===- Cast.h - Operands of the cast kernel ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "cast": the same numbers as elements of another type.
//
//   inputs[0], outputs[0]  any type each, the same shape
//
// Zero points are ignored. Floats become integers towards zero; a value outside the type's range becomes its nearest
// value, NaN becomes 0. Numbers become the nearest f16 or bf16 by way of f32, the even one of two; NaN stays a quiet
// NaN. Any number but 0 is true, true is 1.
//
// Words: none, or one word 1: integers outside the range of an integer type keep their low bits instead.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_CAST_H
#define AVOCET_KERNELS_DSP_CAST_H

#include "avocet/kernels/KernelId.h"

#include <cstdint>

namespace avocet::kernels {

inline constexpr KernelId kCastKernel{"cast", 22};

/// The word of casts that keep the low bits.
inline constexpr uint32_t kCastWraps = 1;

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_CAST_H
