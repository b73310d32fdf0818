//===- CellWork.h - Lane operations of recurrent cells ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_CELLWORK_H
#define AVOCET_KERNELS_LIB_COMMON_CELLWORK_H

#include <cstdint>

namespace avocet::kernels {

/// Of an LSTM's cell in each step beside its products.
inline constexpr uint64_t kFloatCellOps = 80, kIntegerCellOps = 160;

/// Of each element that a hybrid product rounds to 8 bits: the extremes, then the rounding.
inline constexpr uint64_t kRoundingOps = 8;

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_CELLWORK_H
