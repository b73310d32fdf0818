//===- Feasibility.h - Whether an operation fits at all ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network can be scheduled exactly if each of its operations can run by itself: alone in SRAM, with its operands in
// DRAM. The scheduler's fallback runs the operations one after the other in that way. Feasibility of a network
// therefore needs no schedule.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_FEASIBILITY_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_FEASIBILITY_H

#include "Problem.h"

#include <optional>

namespace avocet::compiler::schedule {

/// Why the operation cannot run even by itself, or nullopt. Requires problem.check() to have succeeded.
/// Misfit::operation is `operation`.
std::optional<Misfit> misfitAlone(const Problem &problem, uint32_t operation);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_FEASIBILITY_H
