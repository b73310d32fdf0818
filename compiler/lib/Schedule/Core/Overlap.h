//===- Overlap.h - Operations in pieces that overlap ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_OVERLAP_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_OVERLAP_H

#include "Plan.h"

#include <optional>

namespace avocet::compiler::schedule {

/// The plan with those operations in pieces that have all operands outside SRAM and cannot run in stripes of rows: a
/// piece is loaded and another one stored while one is computed. Nullopt if there are none. Needs no more SRAM.
std::optional<Plan> withOverlap(const Problem &problem, const Plan &plan);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_OVERLAP_H
