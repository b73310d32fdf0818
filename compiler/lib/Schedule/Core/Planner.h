//===- Planner.h - Choice of cascades and residencies -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dynamic programming over the borders between operations. A state of a border is the set of crossing tensors that are
// in DRAM. Each state keeps the few best partial plans, each with a clock (PlanClock) that plays it cascade by cascade:
// spilling costs nothing while the port is idle, and SRAM that a cascade leaves free shortens the wait for the next
// constants.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANNER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANNER_H

#include "CascadeWays.h"
#include "Plan.h"
#include "TileCosts.h"

#include <memory>
#include <variant>

namespace avocet::compiler::schedule {

/// Lists the ways to run all ranges of operations on this thread and a second one, and stores them in `ways` and
/// `costs`. The lists depend on the problem, the budget and the limit alone, so a planner makes the same plan without
/// this call, on one thread. Networks of a few operations start no thread, and if none can start, this one does all of
/// the work. Returns early if the compilation is cancelled.
void findWaysInParallel(const Problem &problem, const TensorUses &uses, uint64_t budget, uint64_t leastAvoided,
                        CascadeWays &ways, TileCosts &costs);

struct PlannerOptions {
  /// Share of the free SRAM in which the clock expects constants to find a place ahead of their use. Fragmentation and
  /// the sizes of buffers make it differ from network to network; the caller tries a few.
  double roomShare = 1;
  /// Limit for the constants of one operation that are transferred together, if it can run in parts: a large group can
  /// be loaded ahead of its use only if SRAM has a large free range.
  uint64_t largestGroup = UINT64_MAX;
  /// Operations of one engine share a cascade only if that avoids a tensor of so many bytes: short tiles wait for each
  /// other. Not less than the planner's limit.
  uint64_t leastAvoided = 0;
  uint32_t width = 4; ///< partial plans kept per state
  /// Operations that do not fit otherwise may run in pieces.
  bool pieces = false;
  /// Each operation is a cascade of its own, and every tensor that can be in DRAM is in DRAM. No plan needs less
  /// memory: this one exists exactly if each operation fits by itself (Feasibility.h).
  bool isolated = false;
  uint32_t threads = 1; ///< more: costs of cascades are found on two threads; the plan is the same
};

/// Plans one problem with any number of options; keeps the costs of cascades between calls.
class Planner {
public:
  /// `budget`: bytes of SRAM that one cascade may use. `leastAvoided`: operations of one engine share a cascade only if
  /// it spares a tensor of at least so many bytes (CascadeRange::avoidedBytes). The problem and the costs must outlive
  /// the planner.
  Planner(const Problem &problem, TileCosts &costs, uint64_t budget, uint64_t leastAvoided);
  ~Planner();

  /// Misfit: the first operation that fits in no partial plan, with the bytes of its smallest tile.
  std::variant<Plan, Misfit> plan(const PlannerOptions &options);

  /// The first operation of a pinned cascade of the last plan that needs more bytes than the budget; nullopt: there is
  /// none. The planner's sums are upper bounds, so the cascade may still fit when its buffers get addresses.
  std::optional<uint32_t> tightest() const;

  /// What else each cascade of a plan could have been (PlanReview.h). `roomShare`: with which the plan was made.
  std::vector<CascadeDecision> review(const Plan &plan, double roomShare);

private:
  class Search;
  std::unique_ptr<Search> search_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_PLANNER_H
