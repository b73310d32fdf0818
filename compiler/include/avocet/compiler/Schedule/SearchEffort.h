//===- SearchEffort.h - How long a search looks for schedules ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules by level of effort:
//   0  one plan
//   1  the best of a few plans of the planner, by predicted cycles; the default
//   2  the best of more plans of the planner; those with the best predictions are simulated, and the best one with
//   other
//      blocks of the operations with the most cycles
//   3  level 2, then changes of the best plan: cascades, stripes, parts, spills, blocks, slack of transfers
// The caller simulates. From level 2 on, the result is the schedule with the fewest simulated cycles; that of level 1
// is always among them. Levels are deterministic. With a limit of time instead, level 3 goes on until the time is over.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_SEARCHEFFORT_H
#define AVOCET_COMPILER_SCHEDULE_SEARCHEFFORT_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace avocet::compiler::schedule {

/// A schedule that a search has made.
struct Alternative {
  std::string what; ///< what differs: the settings of the planner, or the change of the best schedule before it
  uint64_t predictedCycles = 0;
  std::optional<uint64_t> simulatedCycles; ///< none: not simulated
  bool isKept = false;                     ///< the best so far, by simulated cycles if both have them
};

struct SearchEffort {
  static constexpr uint32_t kDefaultLevel = 1, kMostLevel = 3;
  uint32_t level = kDefaultLevel;
  std::function<bool()> isOver;      ///< not empty: level 3 goes on until it returns true
  uint32_t threads = 1;              ///< that the search may use; its result does not depend on them
  uint32_t mostChanges = UINT32_MAX; ///< that level 3 plays at most; its own limit may be lower
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_SEARCHEFFORT_H
