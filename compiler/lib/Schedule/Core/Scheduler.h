//===- Scheduler.h - Plans, played ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes plans with several settings of the planner, and plays them, tile by tile and transfer by transfer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_SCHEDULER_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_SCHEDULER_H

#include "Plan.h"
#include "Planner.h"
#include "TileCosts.h"
#include "Transfers/Transfers.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace avocet::compiler::schedule {

/// Predicted cycles of each layer of the problem. They add up to those of the sequence. A tile gets the cycles since
/// the end of the tile that ended before it, waits included; the last one also those after its end. Reports of runs
/// divide measured cycles by the same rule, so that both can be compared layer by layer.
std::map<uint32_t, uint64_t> layerCyclesOf(const Problem &problem, const OrderedSequence &ordered);

/// Settings of the planner, relative to the target.
struct PlanSetting {
  double roomShare = 1;     ///< see PlannerOptions
  uint32_t groupShare = 0;  ///< PlannerOptions::largestGroup is this part of the SRAM; 0: no limit
  uint32_t avoidShare = 64; ///< PlannerOptions::leastAvoided is this part of the SRAM
  uint32_t width = 4;       ///< see PlannerOptions
  uint32_t sixteenths = 16; ///< of the SRAM that the plan may use
  std::string describe() const;
  bool operator==(const PlanSetting &) const = default;
};

/// The settings of a level, best first in most networks; those of a level begin with those of the level below. Level 3
/// has a grid of them.
std::span<const PlanSetting> planSettings(uint32_t level);

struct PlayedPlan {
  std::string what;
  Plan plan;
  TransferOptions order;
  OrderedSequence ordered;
  PlanSetting setting = {}; ///< with which the plan was made; of a changed plan, the default
};

/// Whether a schedule is better than another one by predictions.
bool isBetter(const OrderedSequence &ordered, const OrderedSequence &best);

/// Schedules of one problem; keeps the costs of tiles between calls. The problem must outlive it.
class Scheduler {
public:
  explicit Scheduler(const Problem &problem, uint32_t threads = 1)
      : problem_(problem), threads_(threads), costs_(problem) {}

  /// Plays the plan of each setting, except for plans that were played before; if none finds places in SRAM, also with
  /// less memory, and then in pieces. Nothing is played if the last setting fails.
  using Visit = std::function<void(PlayedPlan)>;
  void tryPlans(std::span<const PlanSetting> settings, const Visit &visit);

  /// Plays the plan of each setting with all of the memory, except for plans that were played before and those that
  /// find no places. Returns whether one was played.
  bool tryMore(std::span<const PlanSetting> settings, const Visit &visit) {
    return trySettings(settings, 16, false, visit);
  }

  /// The plan with the first options with which its buffers find places.
  std::optional<PlayedPlan> play(std::string what, Plan plan);
  std::optional<PlayedPlan> play(std::string what, Plan plan, const TransferOptions &order);

  /// Runs one operation after the other, each alone in SRAM, with commands in program order. This is slow, but such a
  /// schedule exists whenever every operation fits by itself. The plans above may fail to place buffers that overlap in
  /// time, and the answer for single operations (Feasibility.h) must hold for networks of them. Misfit: the operation
  /// that does not fit by itself.
  Result<std::variant<Sequence, Misfit>> runIsolated();

  /// What else the plan could have been, place by place.
  PlanDecisions decisionsOf(const PlayedPlan &played);

  /// The first operation for which the first setting has found no way within the SRAM after the operations before it;
  /// the number of operations if it has found a plan, whose buffers then found no places.
  uint32_t furthest() const { return furthest_.value_or(0); }

  TileCosts &costs() { return costs_; }

private:
  void tryOneChannel(const Sequence &lowered, PlayedPlan &played) const;
  bool trySettings(std::span<const PlanSetting> settings, uint64_t sixteenths, bool pieces, const Visit &visit);
  std::optional<Plan> planOf(Planner &planner, const PlanSetting &setting, bool pieces);
  Planner &plannerFor(uint64_t budget, uint64_t leastAvoided) {
    return planners_.try_emplace({budget, leastAvoided}, problem_, costs_, budget, leastAvoided).first->second;
  }

  const Problem &problem_;
  uint32_t threads_;
  TileCosts costs_;
  std::map<std::pair<uint64_t, uint64_t>, Planner> planners_; ///< by budget and least avoided bytes
  uint64_t leastAvoided_ = 0;                                 ///< of the planners that were used last
  std::vector<std::vector<Cascade>> tried_;
  std::optional<uint32_t> furthest_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_SCHEDULER_H
