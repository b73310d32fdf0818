//===- BlockReview.h - Alternatives to the blocks of tiles ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_REVIEW_BLOCKREVIEW_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_REVIEW_BLOCKREVIEW_H

#include "Plan.h"
#include "Sequence.h"

namespace avocet::compiler::schedule {

/// The block of the largest tile of each operation of the MAC array, and what else the chooser considers for it.
std::vector<BlockDecision> blockDecisionsOf(const Problem &problem, kernels::BlockChooser &chooser,
                                            const Sequence &sequence);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_REVIEW_BLOCKREVIEW_H
