//===- PlanReview.h - Alternatives to the choices of a plan -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plays a finished plan with the planner's clock, and at each cascade the alternatives: each begins in the plan's state
// before the cascade, and is followed by the plan's own later cascades for a while. The difference of the two clocks
// is the cost of the alternative.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_REVIEW_PLANREVIEW_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_REVIEW_PLANREVIEW_H

#include "Plan.h"
#include "PlanSteps.h"
#include "TileCosts.h"

#include <vector>

namespace avocet::compiler::schedule {

/// Compares partial plans that end at different borders.
class RestBound {
public:
  RestBound(const Problem &problem, TileCosts &costs);

  /// A lower bound of the whole network's cycles if the operations before `border` have this clock: after it, each
  /// operation computes without a wait, and its constants cross the off-chip port once.
  uint64_t cycles(const PlanClock &clock, uint32_t border) const {
    return std::max(clock.computed() + computing_[border], clock.position() + port_[border]);
  }

private:
  std::vector<uint64_t> computing_, port_; ///< cycles by border
};

class PlanReview {
public:
  struct Limits {
    uint64_t budget = 0;       ///< bytes of SRAM
    uint64_t leastAvoided = 0; ///< PlannerOptions::leastAvoided
    double roomShare = 1;      ///< PlannerOptions::roomShare
  };

  /// All must outlive the object. `wideWays` has the ways that need more memory than there is.
  PlanReview(const Problem &problem, const TensorUses &uses, CascadeWays &ways, CascadeWays &wideWays,
             const RestBound &rest, const Limits &limits);

  /// One decision for each cascade of the plan, in order.
  std::vector<CascadeDecision> review(const Plan &plan);

private:
  /// Of a partial plan at a border.
  struct State {
    PlanClock clock;
    Spills spills;
  };
  struct Candidate {
    CascadeChoice choice;
    State after;
    uint64_t bound = 0; ///< of the network's cycles, after this cascade
  };
  /// A cascade of the plan.
  struct Taken {
    const CascadeRange *range = nullptr;
    CascadeWay way;
    std::vector<uint32_t> spills;
    State before;
    uint64_t neededBytes = 0; ///< of SRAM

    const Cascade &cascade() const { return way.cascade; }
  };

  void play(const Plan &plan);
  State play(Taken &taken) const;
  std::vector<uint32_t> resultsThatLive(const CascadeRange &range, uint32_t end) const;
  std::vector<Candidate> candidatesAt(size_t index);
  void addCandidates(std::vector<Candidate> &list, CascadeWays &ways, size_t index, uint32_t end) const;
  void addCandidate(std::vector<Candidate> &list, size_t index, const CascadeRange &range, const CascadeWay &way,
                    std::vector<uint32_t> spills) const;
  static void keepDistinct(std::vector<Candidate> &list, const Taken &taken);
  bool finish(Candidate &candidate);
  bool runAlone(State &state, uint32_t operation, uint64_t &neededBytes, bool mustFit);
  State stepFrom(const State &from, const PlanStep &step, const std::vector<uint32_t> &spills, uint32_t first,
                 uint32_t end) const;

  const Problem &problem_;
  const TensorUses &uses_;
  CascadeWays &ways_, &wideWays_;
  PlanSteps steps_;
  const RestBound &rest_;
  Limits limits_;
  std::vector<Taken> taken_; ///< by cascade of the plan
  State end_;                ///< of the plan
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_REVIEW_PLANREVIEW_H
