//===- MoveWork.h - Loops of moves ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_REARRANGE_MOVEWORK_H
#define AVOCET_KERNELS_LIB_REARRANGE_MOVEWORK_H

#include "avocet/kernels/dsp/Rearrange.h"
#include "cost/Cost.h"

namespace avocet::kernels {

/// The work of moves of elements of `size` bytes, after a fill of `filledBytes`.
DspWork moveWork(const std::vector<Move> &moves, uint64_t size, uint64_t filledBytes);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_REARRANGE_MOVEWORK_H
