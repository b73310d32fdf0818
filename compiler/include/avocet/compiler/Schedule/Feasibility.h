//===- Feasibility.h - Whether an operation fits at all ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network can be scheduled exactly if each of its operations can be run by itself: alone in SRAM, with its operands
// in DRAM. The scheduler falls back to running one operation after the other in that way. So the question whether a
// network fits needs no schedule of it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_FEASIBILITY_H
#define AVOCET_COMPILER_SCHEDULE_FEASIBILITY_H

#include "avocet/compiler/Schedule/Problem.h"

#include <optional>

namespace avocet::compiler::schedule {

/// Bytes of SRAM that one section may use; the rest is left for the alignment of its neighbours.
uint64_t sectionBudget(const firmware::Target &target);

/// Why the operation cannot run even by itself, or nothing. `problem` is checked. `operation` of the answer is the
/// given one.
std::optional<Misfit> misfitAlone(const Problem &problem, uint32_t operation);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_FEASIBILITY_H
