//===- PlanReview.cpp - Alternatives to the choices of a plan ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanReview.h"

#include "Lowering.h"
#include "avocet/kernels/BlockChoice.h"

#include <algorithm>
#include <tuple>

namespace avocet::compiler::schedule {

RestBound::RestBound(const Problem &problem, TileCosts &costs) {
  const auto count = uint32_t(problem.operations.size());
  computing_.assign(count + 1, 0);
  port_.assign(count + 1, 0);
  for (uint32_t i = count; i-- > 0;) {
    const MapShape &shape = problem.operations[i].outputs[0].shape;
    const uint64_t bytes = constantBytes(problem, problem.operations[i], 0, shape.channels);
    computing_[i] = computing_[i + 1] + costs.inStripes(i, shape.height).busy();
    port_[i] = port_[i + 1] + kernels::loadRate(*problem.target).cyclesFor(bytes);
  }
}

namespace {

/// Alternatives of a cascade that are played on, with enough memory and without.
constexpr size_t kMostFitting = 8, kMostTooLarge = 4;

/// Cascades of the plan that are played after an alternative. Later ones see the same state in both.
constexpr size_t kHorizon = 8;

/// Makes the order of equally good choices independent of the sort.
auto identityOf(const CascadeChoice &choice) {
  const Cascade &cascade = choice.cascade;
  return std::tuple(cascade.end, cascade.stripeRows, cascade.channelParts, cascade.ahead, choice.spills);
}

} // namespace

PlanReview::PlanReview(const Problem &problem, const TensorUses &uses, CascadeWays &ways, CascadeWays &wideWays,
                       const RestBound &rest, const Limits &limits)
    : problem_(problem), uses_(uses), ways_(ways), wideWays_(wideWays), steps_(problem, uses), rest_(rest),
      limits_(limits) {}

std::vector<CascadeDecision> PlanReview::review(const Plan &plan) {
  std::vector<CascadeDecision> decisions;
  if (std::ranges::any_of(plan.cascades, [](const Cascade &cascade) { return cascade.pieceBytes != 0; })) {
    for (const Cascade &cascade : plan.cascades) // made because no plan of whole operations fits
      decisions.push_back({{cascade, spillsOf(uses_, plan, cascade), 0, cascade.pieceBytes}, {}});
    return decisions;
  }
  play(plan);
  for (size_t i = 0; i < taken_.size(); ++i) {
    CascadeDecision &decision = decisions.emplace_back();
    decision.taken = {taken_[i].cascade(), taken_[i].spills, 0, taken_[i].neededBytes};
    for (Candidate &candidate : candidatesAt(i))
      if (finish(candidate))
        decision.others.push_back(std::move(candidate.choice));
    std::ranges::sort(decision.others, {}, [](const CascadeChoice &choice) {
      return std::tuple(!choice.fits, choice.moreCycles, choice.neededBytes, identityOf(choice));
    });
  }
  return decisions;
}

/// Finds the way of each cascade, and the state before it.
void PlanReview::play(const Plan &plan) {
  taken_.clear();
  State state;
  for (const Cascade &cascade : plan.cascades) {
    Taken &taken = taken_.emplace_back();
    taken.range = &ways_.of(cascade.first, cascade.end);
    taken.way = ways_.way(cascade);
    for (uint32_t tensor : resultsThatLive(*taken.range, cascade.end))
      if (plan.residencies[tensor] == Residency::Dram)
        taken.spills.push_back(tensor);
    taken.before = state;
    state = play(taken);
  }
  end_ = state;
}

/// Results of a cascade that later operations read, and that may be in DRAM until then.
std::vector<uint32_t> PlanReview::resultsThatLive(const CascadeRange &range, uint32_t end) const {
  std::vector<uint32_t> results;
  for (const auto [tensor, isRead, staysInSram] : range.borders)
    if (!isRead && !staysInSram && uses_.of(tensor).reader >= end && !uses_.isOnlyStored(tensor))
      results.push_back(tensor);
  return results;
}

PlanReview::State PlanReview::stepFrom(const State &from, const PlanStep &step, const std::vector<uint32_t> &spills,
                                       uint32_t first, uint32_t end) const {
  State to{from.clock, steps_.after(from.spills, spills, first, end)};
  CascadeLoad load = step.load;
  const uint64_t free = limits_.budget - std::min(limits_.budget, step.neededBytes);
  load.freeBytes = uint64_t(limits_.roomShare * double(free));
  to.clock.add(*problem_.target, load);
  return to;
}

/// The state after a cascade of the plan, which sets what it needs. The plan of a search can always run.
PlanReview::State PlanReview::play(Taken &taken) const {
  const auto step = steps_.step(*taken.range, taken.way, taken.before.spills, taken.spills);
  if (!step)
    return taken.before;
  taken.neededBytes = step->neededBytes;
  return stepFrom(taken.before, *step, taken.spills, taken.cascade().first, taken.cascade().end);
}

// --- The alternatives.

std::vector<PlanReview::Candidate> PlanReview::candidatesAt(size_t index) {
  const Cascade &cascade = taken_[index].cascade();
  std::vector<Candidate> list;
  const auto last = std::min(uint32_t(problem_.operations.size()), cascade.first + CascadeWays::kLongestCascade);
  for (uint32_t end = cascade.first + 1; end <= last; ++end) {
    if (end > cascade.first + 1 && !ways_.joins(cascade.first, end))
      break;
    addCandidates(list, ways_, index, end);
    if ((end == cascade.first + 1 || end == cascade.end) && ways_.of(cascade.first, end).isLimited)
      addCandidates(list, wideWays_, index, end);
  }
  keepDistinct(list, taken_[index]);
  return list;
}

void PlanReview::addCandidates(std::vector<Candidate> &list, CascadeWays &ways, size_t index, uint32_t end) const {
  const Taken &taken = taken_[index];
  const uint32_t first = taken.cascade().first;
  const CascadeRange &range = ways.of(first, end);
  if (end > first + 1 && !range.isWorthwhile(limits_.leastAvoided))
    return;
  const std::vector<uint32_t> results = resultsThatLive(range, end);
  for (const CascadeWay &way : range.ways) {
    addCandidate(list, index, range, way, {});
    if (!results.empty())
      addCandidate(list, index, range, way, results);
    if (end == taken.cascade().end && !taken.spills.empty() && taken.spills != results)
      addCandidate(list, index, range, way, taken.spills);
  }
}

void PlanReview::addCandidate(std::vector<Candidate> &list, size_t index, const CascadeRange &range,
                              const CascadeWay &way, std::vector<uint32_t> spills) const {
  const Taken &taken = taken_[index];
  if (way.cascade == taken.cascade() && spills == taken.spills)
    return;
  const auto step = steps_.step(range, way, taken.before.spills, spills);
  if (!step)
    return;
  Candidate candidate{{way.cascade, std::move(spills), 0, step->neededBytes}, {}, 0};
  candidate.after = stepFrom(taken.before, *step, candidate.choice.spills, way.cascade.first, way.cascade.end);
  candidate.choice.fits = step->neededBytes <= limits_.budget;
  candidate.bound = rest_.cycles(candidate.after.clock, way.cascade.end);
  list.push_back(std::move(candidate));
}

/// Keeps the best of those with the same operations and spills, except for those of the plan's own, where stripes and
/// parts are what differs; and of the rest the best few.
void PlanReview::keepDistinct(std::vector<Candidate> &list, const Taken &taken) {
  std::ranges::sort(list, {}, [](const Candidate &candidate) {
    const CascadeChoice &choice = candidate.choice;
    return std::tuple(!choice.fits, candidate.bound, choice.neededBytes, identityOf(choice));
  });
  std::vector<Candidate> kept;
  size_t fitting = 0, tooLarge = 0;
  for (Candidate &candidate : list) {
    const CascadeChoice &choice = candidate.choice;
    const bool isOwn = choice.cascade.end == taken.cascade().end && choice.spills == taken.spills;
    const bool isKnown = std::ranges::any_of(kept, [&](const Candidate &other) {
      return other.choice.cascade == choice.cascade && other.choice.spills == choice.spills;
    });
    const bool isWorse = !isOwn && std::ranges::any_of(kept, [&](const Candidate &other) {
      return other.choice.cascade.end == choice.cascade.end && other.choice.spills == choice.spills;
    });
    size_t &count = choice.fits ? fitting : tooLarge;
    if (isKnown || isWorse || count == (choice.fits ? kMostFitting : kMostTooLarge))
      continue;
    ++count;
    kept.push_back(std::move(candidate));
  }
  list = std::move(kept);
}

// --- What follows an alternative.

/// Plays on as the plan does, and compares the clocks. False: what follows cannot run after it.
bool PlanReview::finish(Candidate &candidate) {
  CascadeChoice &choice = candidate.choice;
  State state = std::move(candidate.after);
  uint32_t border = choice.cascade.end;
  auto next = std::ranges::lower_bound(taken_, border, {}, [](const Taken &taken) { return taken.cascade().first; });
  const bool mustFit = choice.fits;
  const auto nextBorder = [&] {
    return next != taken_.end() ? next->cascade().first : uint32_t(problem_.operations.size());
  };
  for (; border < nextBorder(); ++border)
    if (!runAlone(state, border, choice.neededBytes, mustFit))
      return false;
  for (size_t played = 0; played < kHorizon && next != taken_.end(); ++played, ++next) {
    const auto step = steps_.step(*next->range, next->way, state.spills, next->spills);
    if (!step || (mustFit && step->neededBytes > limits_.budget))
      return false;
    choice.neededBytes = std::max(choice.neededBytes, step->neededBytes);
    state = stepFrom(state, *step, next->spills, next->cascade().first, next->cascade().end);
  }
  border = nextBorder();
  const State &ofPlan = next != taken_.end() ? next->before : end_;
  choice.moreCycles = int64_t(rest_.cycles(state.clock, border)) - int64_t(rest_.cycles(ofPlan.clock, border));
  return true;
}

/// The fastest way of one operation, with its results in SRAM if they fit.
bool PlanReview::runAlone(State &state, uint32_t operation, uint64_t &neededBytes, bool mustFit) {
  const CascadeRange &range = ways_.of(operation, operation + 1);
  const std::vector<uint32_t> results = resultsThatLive(range, operation + 1);
  std::optional<State> best;
  uint64_t bestBytes = 0;
  for (const std::vector<uint32_t> &spills : {std::vector<uint32_t>(), results})
    for (const CascadeWay &way : range.ways) {
      const auto step = steps_.step(range, way, state.spills, spills);
      if (!step || (mustFit && step->neededBytes > limits_.budget))
        continue;
      State after = stepFrom(state, *step, spills, operation, operation + 1);
      if (best && rest_.cycles(best->clock, operation + 1) <= rest_.cycles(after.clock, operation + 1))
        continue;
      best = std::move(after);
      bestBytes = step->neededBytes;
    }
  if (!best)
    return false;
  state = std::move(*best);
  neededBytes = std::max(neededBytes, bestBytes);
  return true;
}

} // namespace avocet::compiler::schedule
