//===- InOrder.h - Addresses for a sequence as it is ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_INORDER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_INORDER_H

#include "Sequence.h"

namespace avocet::compiler::schedule {

/// Assigns addresses to the SRAM buffers of a lowered sequence and keeps its order. Lifetimes are counted in steps
/// including transfers, so that consecutive cascades never share bytes at the same time. (With the compute steps of
/// Transfers.h, the last store of a cascade may overlap the first loads of the next.) False if the buffers of some step
/// do not fit. Sets the cycles of the sequence: no two steps overlap.
bool placeInOrder(const Problem &problem, Sequence &sequence);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_INORDER_H
