//===- Scheduler.cpp - From problem to sequence -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include "InOrder.h"
#include "KeptConstants.h"
#include "Lowering.h"
#include "Overlap.h"
#include "Review/BlockReview.h"
#include "Sequence.h"
#include "SharedStart.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/kernels/BlockChoice.h"

#include <algorithm>
#include <utility>

namespace avocet::compiler::schedule {

std::map<uint32_t, uint64_t> layerCyclesOf(const Problem &problem, const OrderedSequence &ordered) {
  std::vector<std::pair<uint64_t, uint32_t>> ends; ///< of tiles, with their layers
  size_t tile = 0;
  for (const Step &step : ordered.sequence.steps)
    if (!step.isDma())
      ends.emplace_back(ordered.tileEnds[tile++], step.layer);
  std::ranges::sort(ends);
  std::map<uint32_t, uint64_t> cycles;
  for (const Operation &operation : problem.operations)
    cycles[operation.layer] = 0;
  uint64_t divided = 0;
  for (const auto &[end, layer] : ends)
    cycles[layer] += end - std::exchange(divided, end);
  if (!ends.empty())
    cycles[ends.back().second] += ordered.cycles - divided;
  return cycles;
}

namespace {

/// The number of settings of levels 0 to 2.
constexpr size_t kSettingsOfLevel[] = {1, 3, 12};

constexpr PlanSetting kSettings[] = {
    {.roomShare = 0.25, .avoidShare = 64},
    {.roomShare = 0, .avoidShare = 64},
    {.roomShare = 0.75, .groupShare = 32, .avoidShare = 32},
    {.roomShare = 1, .groupShare = 32, .avoidShare = 32},
    {.roomShare = 0, .groupShare = 32, .avoidShare = 16},
    {.roomShare = 1, .avoidShare = 256},
    {.roomShare = 0.25, .groupShare = 32, .avoidShare = 32},
    {.roomShare = 0.5, .avoidShare = 64},
    {.roomShare = 1, .groupShare = 32, .avoidShare = 64, .width = 12},
    {.roomShare = 0.6, .groupShare = 16, .avoidShare = 64, .width = 12},
    {.roomShare = 1, .groupShare = 32, .avoidShare = 32, .sixteenths = 14},
    {.roomShare = 0.75, .groupShare = 64, .avoidShare = 32, .sixteenths = 12},
};

constexpr TransferOptions kOrders[] = {{true, 3}, {true, 0}, {false, 0}};

/// One that is pinned, or else all.
std::span<const TransferOptions> orders(const Pins &pins) {
  return pins.order ? std::span(&pins.order->order, 1) : std::span(kOrders);
}

uint64_t movedBytes(const Sequence &sequence) {
  uint64_t bytes = 0;
  for (const Step &step : sequence.steps)
    if (const auto *dma = std::get_if<firmware::DmaCommand>(&step.command))
      bytes += uint64_t(dma->count0) * dma->count1 * dma->count2 * dma->runBytes;
  return bytes;
}

std::vector<PlanSetting> gridOfSettings() {
  std::vector<PlanSetting> settings(std::begin(kSettings), std::end(kSettings));
  for (uint32_t avoidShare : {16, 64, 256})
    for (uint32_t groupShare : {32, 0, 16, 64})
      for (uint32_t eighths = 0; eighths <= 8; ++eighths) {
        const PlanSetting setting{.roomShare = eighths / 8.0, .groupShare = groupShare, .avoidShare = avoidShare};
        if (std::ranges::find(settings, setting) == settings.end())
          settings.push_back(setting);
      }
  return settings;
}

} // namespace

/// Predictions differ from the device's time by a few percent. So of two that differ by less than one, the plan with
/// fewer bytes off chip is better: each byte takes energy, and the port may be shared with other devices.
bool isBetter(const OrderedSequence &ordered, const OrderedSequence &best) {
  if (std::max(ordered.cycles, best.cycles) * 99 > std::min(ordered.cycles, best.cycles) * 100)
    return ordered.cycles < best.cycles;
  const uint64_t bytes = movedBytes(ordered.sequence), least = movedBytes(best.sequence);
  return std::pair(bytes, ordered.cycles) < std::pair(least, best.cycles);
}

std::span<const PlanSetting> planSettings(uint32_t level) {
  if (level > 2) {
    static const std::vector<PlanSetting> kGrid = gridOfSettings();
    return kGrid;
  }
  return std::span(kSettings).first(kSettingsOfLevel[std::min<size_t>(level, std::size(kSettingsOfLevel) - 1)]);
}

std::string PlanSetting::describe() const {
  std::string text = "plan for " + std::to_string(uint32_t(roomShare * 100)) + " % of the free memory";
  text += groupShare ? ", groups up to 1/" + std::to_string(groupShare) + " of the memory" : ", groups of any size";
  text += ", cascades from 1/" + std::to_string(avoidShare) + ", width " + std::to_string(width);
  return sixteenths == 16 ? text : text + ", " + std::to_string(sixteenths) + "/16 of the memory";
}

void Scheduler::tryPlans(std::span<const PlanSetting> settings, const Visit &visit) {
  // Pieces only if no other plan fits: each of their operands crosses the off-chip port.
  for (bool pieces : {false, true})
    // Fragmentation can defeat a plan that fits by its sums, so plan for less memory.
    for (uint64_t sixteenths = 16; sixteenths >= 8; sixteenths -= sixteenths == 16 ? 1 : 2)
      if (trySettings(settings, sixteenths, pieces, visit))
        return;
}

bool Scheduler::trySettings(std::span<const PlanSetting> settings, uint64_t sixteenths, bool pieces,
                            const Visit &visit) {
  const uint64_t sram = problem_.target->sram().bytes;
  leastAvoided_ = sram / std::ranges::max(settings, {}, &PlanSetting::avoidShare).avoidShare;
  bool isPlayed = false;
  for (const PlanSetting &setting : settings) {
    const uint64_t budget = sram * sixteenths / 16 * setting.sixteenths / 16;
    std::optional<Plan> plan = planOf(plannerFor(budget, leastAvoided_), setting, pieces);
    if (isCancelled())
      return true;
    if (!plan)
      continue;
    std::optional<Plan> overlapped = withOverlap(problem_, *plan), kept = withKeptConstants(problem_, *plan),
                        started = withSharedStart(problem_, *plan, costs_);
    const auto tryOne = [&](std::string what, Plan made) {
      if (std::optional<PlayedPlan> played = play(std::move(what), std::move(made))) {
        isPlayed = true;
        played->setting = setting;
        visit(std::move(*played));
      }
    };
    tryOne(setting.describe(), std::move(*plan));
    if (overlapped)
      tryOne(setting.describe() + ", operations in pieces", std::move(*overlapped));
    if (kept)
      tryOne(setting.describe() + ", shared constants stay", std::move(*kept));
    if (started)
      tryOne(setting.describe() + ", the first with shared constants in parts", std::move(*started));
  }
  return isPlayed;
}

std::optional<Plan> Scheduler::planOf(Planner &planner, const PlanSetting &setting, bool pieces) {
  const uint64_t sram = problem_.target->sram().bytes;
  auto plan = planner.plan({.roomShare = setting.roomShare,
                            .largestGroup = setting.groupShare ? sram / setting.groupShare : UINT64_MAX,
                            .leastAvoided = sram / setting.avoidShare,
                            .width = setting.width,
                            .pieces = pieces,
                            .threads = threads_});
  if (const Misfit *misfit = std::get_if<Misfit>(&plan)) {
    furthest_ = furthest_.value_or(misfit->operation);
    return std::nullopt;
  }
  furthest_ = furthest_.value_or(planner.tightest().value_or(uint32_t(problem_.operations.size())));
  const auto &cascades = std::get<Plan>(plan).cascades;
  if (std::find(tried_.begin(), tried_.end(), cascades) != tried_.end())
    return std::nullopt;
  tried_.push_back(cascades);
  return std::move(std::get<Plan>(plan));
}

std::optional<PlayedPlan> Scheduler::play(std::string what, Plan plan) {
  const Sequence lowered = lowerPlan(problem_, plan, costs_.chooser(), costs_.cutter());
  for (const TransferOptions &order : orders(problem_.pins))
    if (auto ordered = orderTransfers(problem_, lowered, order)) {
      PlayedPlan played{std::move(what), std::move(plan), order, std::move(*ordered)};
      tryOneChannel(lowered, played);
      return played;
    }
  return std::nullopt;
}

/// Loads of several channels have no order among each other, and take more of the SRAM port while they last.
void Scheduler::tryOneChannel(const Sequence &lowered, PlayedPlan &played) const {
  if (kernels::loadChannels(*problem_.target) == 1 || problem_.pins.order)
    return;
  TransferOptions order = played.order;
  order.isSpread = false;
  if (auto ordered = orderTransfers(problem_, lowered, order); ordered && isBetter(*ordered, played.ordered)) {
    played.order = order;
    played.ordered = std::move(*ordered);
  }
}

std::optional<PlayedPlan> Scheduler::play(std::string what, Plan plan, const TransferOptions &order) {
  auto ordered = orderTransfers(problem_, lowerPlan(problem_, plan, costs_.chooser(), costs_.cutter()), order);
  if (!ordered)
    return std::nullopt;
  return PlayedPlan{std::move(what), std::move(plan), order, std::move(*ordered)};
}

Result<std::variant<Sequence, Misfit>> Scheduler::runIsolated() {
  Planner planner(problem_, costs_, cascadeBudget(*problem_.target), 0);
  auto plan = planner.plan({.pieces = true, .isolated = true});
  if (isCancelled())
    return std::variant<Sequence, Misfit>(Misfit());
  if (const Misfit *misfit = std::get_if<Misfit>(&plan))
    return std::variant<Sequence, Misfit>(*misfit);
  Sequence sequence = lowerPlan(problem_, std::get<Plan>(plan), costs_.chooser(), costs_.cutter());
  if (!placeInOrder(problem_, sequence) && !isCancelled())
    return internalError("the buffers of operations that fit by themselves find no addresses");
  return std::variant<Sequence, Misfit>(std::move(sequence));
}

PlanDecisions Scheduler::decisionsOf(const PlayedPlan &played) {
  const uint64_t sram = problem_.target->sram().bytes;
  PlanDecisions decisions;
  decisions.limitBytes = sram;
  decisions.shifts = played.plan.blocks;
  decisions.order = played.order;
  decisions.cascades = plannerFor(sram, leastAvoided_).review(played.plan, played.setting.roomShare);
  decisions.blocks = blockDecisionsOf(problem_, costs_.chooser(), played.ordered.sequence);
  decisions.layerCycles = layerCyclesOf(problem_, played.ordered);
  return decisions;
}

} // namespace avocet::compiler::schedule
