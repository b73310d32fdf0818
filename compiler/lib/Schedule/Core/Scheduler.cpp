//===- Scheduler.cpp - From problem to sequence -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InOrder.h"
#include "Planner.h"
#include "Transfers.h"
#include "avocet/compiler/Schedule/Core/Lowering.h"

#include "avocet/compiler/Schedule/Core/Feasibility.h"
#include "avocet/compiler/Schedule/Core/Sequence.h"
#include "avocet/compiler/Support/Cancel.h"

#include <algorithm>

namespace avocet::compiler::schedule {

namespace {

/// Plays several plans, tile by tile and transfer by transfer. The fastest wins; among equals, the first.
class Scheduler {
public:
  explicit Scheduler(const Problem &problem) : problem_(problem), costs_(problem) {}

  /// Tries pieces only if no other plan fits: each of their operands crosses the off-chip port.
  std::variant<Sequence, Misfit> run() {
    for (bool pieces : {false, true})
      if (tryPlans(pieces))
        return bestSequence();
    if (std::optional<Sequence> isolated = runIsolated())
      return std::move(*isolated);
    const uint64_t sram = problem_.target->sram().bytes;
    return misfit_.value_or(Misfit{0, sram, sram});
  }

private:
  bool tryPlans(bool pieces) {
    const uint64_t sram = problem_.target->sram().bytes;
    // Fragmentation can defeat a plan that fits by its sums, so plan for less memory.
    for (uint64_t sixteenths = 16; !best_ && sixteenths >= 8; sixteenths -= sixteenths == 16 ? 1 : 2) {
      Planner planner(problem_, costs_, sram * sixteenths / 16);
      for (auto [roomShare, largestGroup] :
           {std::pair(1.0, sram / 32), std::pair(0.75, sram / 32), std::pair(0.5, UINT64_MAX)})
        tryPlan(planner, {.roomShare = roomShare, .largestGroup = largestGroup, .pieces = pieces});
    }
    return best_.has_value();
  }

  Sequence bestSequence() {
    best_->sequence.cycles = best_->cycles;
    return std::move(best_->sequence);
  }

  /// Runs one operation after the other, each alone in SRAM, with commands in program order. This is slow, but such a
  /// schedule exists whenever every operation fits by itself. The plans above may fail to place buffers that overlap in
  /// time, and the answer for single operations (Feasibility.h) must hold for networks of them.
  std::optional<Sequence> runIsolated() {
    Planner planner(problem_, costs_, cascadeBudget(*problem_.target));
    auto plan = planner.plan({.pieces = true, .isolated = true});
    if (isCancelled() || std::holds_alternative<Misfit>(plan))
      return std::nullopt;
    Sequence sequence = lowerPlan(problem_, std::get<Plan>(plan), costs_.chooser());
    return placeInOrder(problem_, sequence) ? std::optional(std::move(sequence)) : std::nullopt;
  }

  void tryPlan(Planner &planner, const PlannerOptions &options) {
    auto plan = planner.plan(options);
    if (const Misfit *misfit = std::get_if<Misfit>(&plan)) {
      if (!misfit_ || misfit->needed < misfit_->needed)
        misfit_ = *misfit;
      return;
    }
    const auto &cascades = std::get<Plan>(plan).cascades;
    if (std::find(tried_.begin(), tried_.end(), cascades) != tried_.end())
      return;
    tried_.push_back(cascades);
    if (isCancelled())
      return;
    const Sequence lowered = lowerPlan(problem_, std::get<Plan>(plan), costs_.chooser());
    for (auto [prefetch, slack] : {std::pair(true, 3u), std::pair(true, 0u), std::pair(false, 0u)}) {
      auto ordered = orderTransfers(problem_, lowered, {prefetch, slack});
      if (!ordered)
        continue;
      if (!best_ || isBetter(*ordered, *best_))
        best_ = std::move(ordered);
      break;
    }
  }

  /// Predictions differ from the device's time by a few percent. So of two that differ by less than one, the plan with
  /// fewer bytes off chip is better: each byte takes energy, and the port may be shared with other devices.
  static bool isBetter(const OrderedSequence &ordered, const OrderedSequence &best) {
    if (std::max(ordered.cycles, best.cycles) * 99 > std::min(ordered.cycles, best.cycles) * 100)
      return ordered.cycles < best.cycles;
    const uint64_t bytes = movedBytes(ordered.sequence), least = movedBytes(best.sequence);
    return std::pair(bytes, ordered.cycles) < std::pair(least, best.cycles);
  }

  static uint64_t movedBytes(const Sequence &sequence) {
    uint64_t bytes = 0;
    for (const Step &step : sequence.steps)
      if (const auto *dma = std::get_if<firmware::DmaCommand>(&step.command))
        bytes += uint64_t(dma->count0) * dma->count1 * dma->count2 * dma->runBytes;
    return bytes;
  }

  const Problem &problem_;
  TileCosts costs_;
  std::vector<std::vector<Cascade>> tried_;
  std::optional<OrderedSequence> best_;
  std::optional<Misfit> misfit_;
};

} // namespace

std::variant<Sequence, Misfit> makeSchedule(const Problem &problem) { return Scheduler(problem).run(); }

} // namespace avocet::compiler::schedule
