//===- MacKernels.h - The kernels of the MAC array --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel per command of the MAC array, with the command's name. firmware_iface/Command.h describes the operands.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_MACKERNELS_H
#define AVOCET_KERNELS_MACKERNELS_H

#include "avocet/kernels/KernelId.h"

namespace avocet::kernels {

inline constexpr KernelId kConvKernel{"conv"};
inline constexpr KernelId kPoolKernel{"pool"};
inline constexpr KernelId kEltwiseKernel{"eltwise"};
inline constexpr KernelId kLookupKernel{"lookup"};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_MACKERNELS_H
