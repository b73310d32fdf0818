//===- Decision.h - Choices of a schedule and their alternatives *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why a schedule is as it is: at each place of its plan, what else could have been done there, and what it would have
// cost; and which layers its predicted time belongs to. Made after the search, for the schedule that it returns.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_CORE_DECISION_H
#define AVOCET_COMPILER_SCHEDULE_CORE_DECISION_H

#include "avocet/compiler/Schedule/Core/Plan.h"

#include <cstdint>
#include <map>
#include <vector>

namespace avocet::compiler::schedule {

/// A way to run the operations at one place of a plan.
struct CascadeChoice {
  Cascade cascade;
  std::vector<uint32_t> spills; ///< results that go to DRAM although later operations read them; tensors
  /// Predicted change of the network's cycles if only this choice changes, against the plan. Operations that the plan's
  /// cascade has and this one lacks then run one by one. 0 for the plan's own choice.
  int64_t moreCycles = 0;
  uint64_t neededBytes = 0; ///< of SRAM
  bool fits = true;         ///< neededBytes is at most PlanDecisions::limitBytes
};

struct CascadeDecision {
  CascadeChoice taken;
  /// Fewest cycles first; those that do not fit last. Each with another range of operations or other spills, except for
  /// those that differ from `taken` in stripes or parts only.
  std::vector<CascadeChoice> others;
};

/// The block of the largest tile of an operation of the MAC array.
struct BlockDecision {
  uint32_t operation = 0;
  kernels::BlockChoice taken;
  std::vector<kernels::BlockChoice> others; ///< fewest cycles first
};

struct PlanDecisions {
  uint64_t limitBytes = 0; ///< of SRAM, that the plan may use
  std::vector<CascadeDecision> cascades;
  std::vector<BlockDecision> blocks;
  std::map<uint32_t, uint64_t> layerCycles; ///< predicted, by layer; they add up to those of the schedule
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_CORE_DECISION_H
