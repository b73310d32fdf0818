//===- Cast.h - Operands of the cast kernel ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "cast": the same numbers as elements of another type. It has no parameters.
//
//   inputs[0], outputs[0]  i8, u8, i16, u16, i32, f16, f32 or bool8 each, the same shape
//
// Zero points are ignored. Floats become integers towards zero; a value outside the type's range becomes its nearest
// value, NaN becomes 0. Any number but 0 is true, true is 1.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_CAST_H
#define AVOCET_KERNELS_DSP_CAST_H

#include "avocet/kernels/KernelId.h"

namespace avocet::kernels {

inline constexpr KernelId kCastKernel{"cast", 22};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_CAST_H
