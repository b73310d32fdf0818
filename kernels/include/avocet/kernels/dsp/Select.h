//===- Select.h - Operands of the select kernel -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DSP kernel "select": output = condition ? a : b, element by element. It has no parameters.
//
//   inputs[0]             bool8; any non-zero byte is true
//   inputs[1], inputs[2]  one type, the shape of the condition
//   outputs[0]            the same type and shape
//
// Elements are copied as bits: quantization and NaNs stay unchanged.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_DSP_SELECT_H
#define AVOCET_KERNELS_DSP_SELECT_H

#include "avocet/kernels/KernelId.h"

namespace avocet::kernels {

inline constexpr KernelId kSelectKernel{"select", 21};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_DSP_SELECT_H
