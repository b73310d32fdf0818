//===- Search.h - Search for a faster schedule ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Searches schedules by level of effort (SearchEffort.h).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_SEARCH_SEARCH_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_SEARCH_SEARCH_H

#include "Schedule/Core/Plan.h"
#include "Schedule/Core/Problem.h"
#include "Schedule/Core/Sequence.h"
#include "avocet/compiler/Schedule/SearchEffort.h"

#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace avocet::compiler::schedule {

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
/// message then names the alternative. A cancelled search (Support/Cancel.h) returns any schedule. With pins a misfit
/// has no needed bytes: no plan that follows them gets beyond its operation, or the buffers of such plans find no
/// places if it is the number of operations.
Result<std::variant<Sequence, Misfit>> searchSchedule(const Problem &problem, const SearchEffort &effort,
                                                      SearchHost &host);

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_SEARCH_SEARCH_H
