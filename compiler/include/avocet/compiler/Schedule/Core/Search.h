//===- Search.h - Search for a faster schedule ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schedules by level of effort:
//   0  one plan
//   1  the best of a few plans of the planner, by predicted cycles; the default
//   2  the best of more plans of the planner; those with the best predictions are simulated
//   3  level 2, then changes of the best plan: cascades, stripes, parts, spills, blocks, slack of transfers
// The caller simulates. From level 2 on, the result is the schedule with the fewest simulated cycles; that of level 1
// is always among them. Levels are deterministic. With a limit of time instead, level 3 goes on until the time is over.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_CORE_SEARCH_H
#define AVOCET_COMPILER_SCHEDULE_CORE_SEARCH_H

#include "avocet/compiler/Schedule/Core/Plan.h"
#include "avocet/compiler/Schedule/Core/Problem.h"
#include "avocet/compiler/Schedule/Core/Sequence.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>

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

/// What a search asks of its caller. All calls are on the thread of the search.
class SearchHost {
public:
  virtual ~SearchHost() = default;
  /// Cycles of the network with this schedule. Not called below level 2.
  virtual Result<uint64_t> simulate(const Sequence &sequence) = 0;
  /// Called for each alternative, in order.
  virtual void report(const Alternative &alternative) = 0;
  /// Whether decided() is to be called, which costs time.
  virtual bool wantsDecisions() const { return false; }
  /// Called once, for the schedule that the search returns. Not called for a last resort, which has no alternatives.
  virtual void decided(const PlanDecisions & /*decisions*/) {}
};

/// The best schedule of a checked problem, or the reason why there is none. An error of simulate() ends the search; its
/// message then names the alternative. A cancelled search (Support/Cancel.h) returns any schedule.
Result<std::variant<Sequence, Misfit>> searchSchedule(const Problem &problem, const SearchEffort &effort,
                                                      SearchHost &host);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_CORE_SEARCH_H
