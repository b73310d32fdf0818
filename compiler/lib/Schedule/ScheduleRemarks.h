//===- ScheduleRemarks.h - Decisions of a schedule as remarks ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_SCHEDULEREMARKS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_SCHEDULEREMARKS_H

#include "Hints/LayerTable.h"
#include "ProblemBuilder.h"
#include "Schedule/Core/Search/Search.h"

namespace avocet::compiler::schedule {

/// Remarks at the operations of a section (Support/Remarks.h, category schedule): "cascade" for the operations that run
/// together, their stripes and parts, and what goes off chip; "block" for the blocks of the MAC array; "layer" for the
/// predicted cycles of each layer; "transfers" for their order, if it is unusual. Choices have the hint that fixes
/// them, by the names of `layers`. Layers of sections before this one come first in the artefacts: `firstLayer` many.
void emitRemarks(const PlacedProblem &placed, const PlanDecisions &decisions, const LayerTable &layers,
                 uint32_t firstLayer);

/// A remark "plan" at the section, for a plan of all of its operations.
void emitRemark(mlir::Location section, const Alternative &alternative);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_SCHEDULEREMARKS_H
