//===- InOrder.h - Addresses for a sequence as it is ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_INORDER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_INORDER_H

#include "avocet/compiler/Schedule/Sequence.h"

namespace avocet::compiler::schedule {

/// Gives the SRAM buffers of a lowered sequence addresses and leaves its order alone. Lifetimes are counted in steps,
/// transfers included, so that sections which follow each other share no byte in time (the order by compute steps of
/// Transfers.h lets the last store of a section overlap the first loads of the next). False if the buffers of some
/// step do not fit together.
bool placeInOrder(const Problem &problem, Sequence &sequence);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_INORDER_H
