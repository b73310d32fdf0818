//===- ParallelWays.h - Ways of all ranges, on threads --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PARALLELWAYS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PARALLELWAYS_H

#include "CascadeWays.h"

namespace avocet::compiler::schedule {

/// Finds the ways that a planner with this budget and limit asks for, on this thread and a second one. `ways` and
/// `costs` have them afterwards; they answer the same without, since all ways depend on the problem alone. Returns
/// early if the compilation is cancelled. Networks of a few operations need no thread; if none can start, nothing is
/// lost.
void findWaysInParallel(const Problem &problem, const TensorUses &uses, uint64_t budget, uint64_t leastAvoided,
                        CascadeWays &ways, TileCosts &costs);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PARALLELWAYS_H
