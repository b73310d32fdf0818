//===- Kernels.h - The kernel objects ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares each function `const Kernel &...Kernel()` that a source file of lib defines. The build finds them
// (ListKernels.cmake), so that a new kernel needs no other line.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_KERNELS_H
#define AVOCET_KERNELS_LIB_COMMON_KERNELS_H

#include "avocet/kernels/Kernel.h"

namespace avocet::kernels {

#define AVOCET_KERNEL(function) const Kernel &function();
#include "KernelList.inc"

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_KERNELS_H
