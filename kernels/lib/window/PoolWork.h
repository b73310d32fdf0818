//===- PoolWork.h - Loops of pools ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_WINDOW_POOLWORK_H
#define AVOCET_KERNELS_LIB_WINDOW_POOLWORK_H

#include "avocet/kernels/dsp/Window.h"
#include "cost/Cost.h"

namespace avocet::kernels {

/// The work of a command of kernel "windowPool".
DspWork poolWork(const firmware::DspCommand &command, const WindowPoolParameters &parameters);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_WINDOW_POOLWORK_H
