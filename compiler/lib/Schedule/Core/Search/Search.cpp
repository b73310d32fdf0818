//===- Search.cpp - Search for a faster schedule ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search.h"

#include "PlanChanges.h"
#include "Scheduler.h"
#include "TensorUses.h"

#include "avocet/compiler/Support/Cancel.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace avocet::compiler::schedule {

namespace {

/// Level 1 plans networks of more operations with so many settings only, as each takes its time.
constexpr size_t kManyOperations = 512, kFewSettings = 2;

/// Level 2 simulates the schedule of level 1 and this number of others.
constexpr size_t kMostSimulatedPlans = 4;

/// Level 2 then tries other blocks for so many operations of the array, those with the most cycles, as long as the
/// sequences that it plays have together at most so many steps.
constexpr size_t kBlockOperations = 8;
constexpr uint64_t kMostBlockSteps = 200'000;

/// The blocks that it tries: as large as those of the plan, with half of one extent and twice another.
constexpr kernels::BlockShift kBlockTrials[] = {{0, -1, 1}, {0, 1, -1}, {-1, 1, 0}, {-1, 0, 1}, {1, 0, -1}, {1, -1, 0}};

/// Changes that level 3 draws, and those that it plays and simulates at most.
constexpr uint32_t kMostDraws = 100'000, kMostPlayed = 15'000, kMostSimulated = 1200;

/// Steps of all sequences together that level 3 plays and simulates at most: large networks get fewer changes.
constexpr uint64_t kMostPlayedSteps = 4'000'000, kMostSimulatedSteps = 400'000;

/// A walk ends after as many played changes without a gain, and returns to its best schedule after a part of them.
constexpr uint32_t kMostPlayedInVain = 1000, kReturnAfter = 100;

/// Walks of level 3, each from another schedule of the planner if there are so many.
constexpr size_t kMostRounds = 4;

/// The part by which the current schedule may be worse than the best one.
constexpr uint64_t kWalkSlack = 1000;

/// The part by which the prediction of a change may be worse than that of the current schedule. Few changes with a
/// worse prediction are gains, and a simulation costs as much as ten predictions; so they wait until others are rare.
constexpr uint64_t predictionSlack(uint32_t inVain) { return inVain < 200 ? 4000 : inVain < 500 ? 500 : 100; }

/// Plans of further settings that level 3 simulates, and from which its changes take ranges, at most; and the part by
/// which the prediction of a simulated one may be worse than that of the best schedule.
constexpr size_t kMostSimulatedDonors = 8, kMostDonors = 24;
constexpr uint64_t kDonorSlack = 100;

/// Settings of the planner between two looks at the time.
constexpr size_t kSettingsAtOnce = 6;

/// Plans that were played, by a hash.
class PlayedPlans {
public:
  /// False if it is there already.
  bool add(const Plan &plan, const TransferOptions &order) {
    uint64_t hash = order.prefetch ? order.slackSteps : kNone;
    const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15u ^ hash >> 29; };
    for (const Cascade &cascade : plan.cascades) {
      mix(uint64_t(cascade.first) << 32 | cascade.end);
      mix(uint64_t(cascade.stripeRows) << 32 | uint64_t(cascade.channelParts) << 1 | cascade.ahead);
    }
    for (Residency residency : plan.residencies)
      mix(uint64_t(residency));
    for (size_t i = 0; i < plan.blocks.size(); ++i)
      if (const kernels::BlockShift &shift = plan.blocks[i]; shift != kernels::BlockShift())
        mix(uint64_t(i) << 24 | uint64_t(uint8_t(shift.height)) << 16 | uint64_t(uint8_t(shift.width)) << 8 |
            uint8_t(shift.channels));
    return hashes_.insert(hash).second;
  }

private:
  std::unordered_set<uint64_t> hashes_;
};

class Search {
public:
  Search(const Problem &problem, const SearchEffort &effort, SearchHost &host)
      : problem_(problem), effort_(effort), host_(host), scheduler_(problem, effort.threads) {
    if (effort_.isOver)
      effort_.level = SearchEffort::kMostLevel;
  }

  Result<std::variant<Sequence, Misfit>> run() {
    AVOCET_RETURN_IF_ERROR(effort_.level < 2 ? predict() : simulatePlans());
    if (best_ && effort_.level >= 2)
      AVOCET_RETURN_IF_ERROR(tryBlocks());
    if (best_ && effort_.level >= 3)
      AVOCET_RETURN_IF_ERROR(climb());
    if (best_ && host_.wantsDecisions() && !isCancelled())
      host_.decided(scheduler_.decisionsOf(best_->played));
    if (best_ && !problem_.pins.isEmpty() && !isCancelled() &&
        !followsPins(problem_.pins, TensorUses(problem_), best_->played.plan, best_->played.order))
      return internalError("the schedule does not follow the hints");
    if (best_)
      best_->played.ordered.sequence.cycles = best_->predicted();
    if (best_)
      return std::variant<Sequence, Misfit>(std::move(best_->played.ordered.sequence));
    if (!problem_.pins.isEmpty() && !isCancelled()) // runIsolated() follows none
      return std::variant<Sequence, Misfit>(Misfit{scheduler_.furthest(), 0, problem_.target->sram().bytes});
    return scheduler_.runIsolated();
  }

private:
  struct Candidate {
    PlayedPlan played;
    std::optional<uint64_t> simulated;
    uint64_t predicted() const { return played.ordered.cycles; }
    uint64_t numSteps() const { return played.ordered.sequence.steps.size(); }
  };

  static bool isSame(const Candidate &a, const Candidate &b) {
    const auto &x = a.played.ordered.sequence, &y = b.played.ordered.sequence;
    return a.predicted() == b.predicted() &&
           std::ranges::equal(x.buffers, y.buffers,
                              [](const Buffer &p, const Buffer &q) { return p.address == q.address; }) &&
           std::ranges::equal(x.steps, y.steps, [](const Step &p, const Step &q) { return p.command == q.command; });
  }

  bool isOver() const { return isCancelled() || (effort_.isOver && effort_.isOver()); }

  void report(const Candidate &candidate, bool isKept) {
    host_.report({candidate.played.what, candidate.predicted(), candidate.simulated, isKept});
  }

  /// Levels 0 and 1: among equals, the first plan.
  Status predict() {
    const auto settings = planSettings(effort_.level);
    const bool isLarge = problem_.operations.size() > kManyOperations;
    scheduler_.tryPlans(settings.first(isLarge ? std::min(settings.size(), kFewSettings) : settings.size()),
                        [&](PlayedPlan played) {
                          const bool isKept = !best_ || isBetter(played.ordered, best_->played.ordered);
                          Candidate candidate{std::move(played), {}};
                          report(candidate, isKept);
                          if (isKept)
                            best_ = std::move(candidate);
                        });
    return Status::ok();
  }

  /// First simulates the schedule of level 1, so that the result is never worse.
  Status simulatePlans() {
    std::vector<Candidate> candidates;
    const auto isFirst = [](const Candidate &a, const Candidate &b) {
      return isBetter(a.played.ordered, b.played.ordered);
    };
    const auto collect = [&](PlayedPlan played) { candidates.push_back({std::move(played), {}}); };
    const auto settings = planSettings(2);
    const size_t atLevel1 = planSettings(SearchEffort::kDefaultLevel).size();
    scheduler_.tryPlans(settings.first(atLevel1), collect);
    if (candidates.empty() || isCancelled())
      return Status::ok();
    std::ranges::iter_swap(candidates.begin(), std::ranges::min_element(candidates, isFirst));
    if (!isOver())
      scheduler_.tryPlans(settings.subspan(atLevel1), collect);
    if (effort_.level >= 3)
      for (const Candidate &candidate : candidates)
        plans_.push_back(candidate.played.plan);
    std::vector<size_t> order(candidates.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin() + 1, order.end(), [&](size_t a, size_t b) {
      return std::pair(candidates[a].predicted(), a) < std::pair(candidates[b].predicted(), b);
    });
    for (size_t i = 0; i < order.size() && (i == 0 || !isOver()); ++i)
      if (i > kMostSimulatedPlans)
        report(candidates[order[i]], false);
      else
        AVOCET_RETURN_IF_ERROR(consider(candidates[order[i]]));
    return Status::ok();
  }

  /// The operations of the array with the most cycles, most first.
  std::vector<uint32_t> costliestOnArray() {
    std::vector<std::pair<uint64_t, uint32_t>> costs;
    for (uint32_t i = 0; i < problem_.operations.size(); ++i)
      if (!problem_.operations[i].isOnDsp())
        costs.emplace_back(scheduler_.costs().inStripes(i, problem_.operations[i].outputs[0].shape.height).cycles, i);
    std::ranges::sort(costs, std::greater());
    std::vector<uint32_t> operations;
    for (size_t i = 0; i < std::min(costs.size(), kBlockOperations); ++i)
      operations.push_back(costs[i].second);
    return operations;
  }

  /// Changes blocks of the best plan one after the other, as long as its prediction gets better; then simulates it.
  Status tryBlocks() {
    const TensorUses uses(problem_);
    std::optional<Candidate> changed;
    uint64_t steps = 0;
    for (const uint32_t operation : costliestOnArray())
      for (const kernels::BlockShift &shift : kBlockTrials) {
        const Candidate &from = changed ? *changed : *best_;
        steps += from.numSteps();
        if (isOver() || steps > kMostBlockSteps)
          break;
        if (std::optional<Candidate> next = withBlock(uses, from, operation, shift);
            next && next->predicted() < from.predicted())
          changed = std::move(next);
      }
    return changed && !isCancelled() ? consider(*changed) : Status::ok();
  }

  std::optional<Candidate> withBlock(const TensorUses &uses, const Candidate &from, uint32_t operation,
                                     const kernels::BlockShift &shift) {
    Plan plan = from.played.plan;
    plan.blocks.resize(problem_.operations.size());
    if (plan.blocks[operation] == shift)
      return std::nullopt;
    plan.blocks[operation] = shift;
    if (!followsPins(problem_.pins, uses, plan, from.played.order))
      return std::nullopt;
    std::optional<PlayedPlan> played =
        scheduler_.play("other blocks of the operations with the most cycles", std::move(plan), from.played.order);
    return played ? std::optional(Candidate{std::move(*played), {}}) : std::nullopt;
  }

  /// Simulates the candidate, and keeps it if it is the fastest.
  Status consider(Candidate &candidate) {
    Result<uint64_t> cycles = host_.simulate(candidate.played.ordered.sequence);
    if (!cycles)
      return std::move(cycles).status().withContext("alternative '" + candidate.played.what + "'");
    candidate.simulated = *cycles;
    ++numSimulated_;
    simulatedSteps_ += candidate.numSteps();
    const bool isKept = !best_ || *cycles < *best_->simulated;
    report(candidate, isKept);
    if (isKept)
      best_ = candidate;
    return Status::ok();
  }

  /// Plays the plans of more settings, and simulates the best ones. All of them give ranges to later changes.
  Status widen(PlanChanges &changes) {
    for (Plan &plan : plans_)
      changes.addDonor(std::move(plan));
    const auto settings = planSettings(3).subspan(planSettings(2).size());
    std::vector<Candidate> found;
    for (size_t i = 0; i < settings.size() && !isOver(); i += kSettingsAtOnce)
      scheduler_.tryMore(settings.subspan(i, std::min(kSettingsAtOnce, settings.size() - i)),
                         [&](PlayedPlan played) { found.push_back({std::move(played), {}}); });
    std::ranges::sort(found, {}, [](const Candidate &of) { return std::pair(of.predicted(), of.played.what); });
    found.erase(found.begin() + ptrdiff_t(std::min(found.size(), kMostDonors)), found.end());
    for (size_t i = 0; i < found.size() && !isOver(); ++i) {
      changes.addDonor(found[i].played.plan);
      if (i < kMostSimulatedDonors && isPromising(found[i], *best_, kDonorSlack))
        AVOCET_RETURN_IF_ERROR(consider(found[i]));
      else
        report(found[i], false);
      if (found[i].simulated && starts_.size() < kMostRounds)
        starts_.push_back(found[i]);
    }
    return Status::ok();
  }

  static bool isPromising(const Candidate &candidate, const Candidate &current, uint64_t slack) {
    return candidate.predicted() <= current.predicted() + current.predicted() / slack && !isSame(candidate, current);
  }

  /// Walks from the best schedule, and then from others of the planner, until the effort is spent.
  Status climb() {
    PlanChanges changes(problem_, scheduler_.costs());
    AVOCET_RETURN_IF_ERROR(widen(changes));
    starts_.insert(starts_.begin(), *best_);
    for (size_t round = 0; isGoingOn() && (effort_.isOver || round < kMostRounds); ++round)
      AVOCET_RETURN_IF_ERROR(walk(changes, starts_[round % starts_.size()]));
    return Status::ok();
  }

  /// Changes the current schedule, which may be a little slower than the best one of the walk. A change is simulated if
  /// its prediction is not clearly worse than that of the current schedule.
  Status walk(PlanChanges &changes, const Candidate &start) {
    Candidate top = start, current = start;
    for (uint32_t inVain = 0; isGoingOn() && inVain < kMostPlayedInVain; ++numDraws_) {
      std::optional<PlanChange> change = changes.draw(current.played.plan, current.played.order);
      if (!change || !known_.add(change->plan, change->order))
        continue;
      ++numPlayed_, ++inVain;
      playedSteps_ += current.numSteps();
      if (inVain % kReturnAfter == 0)
        current = top;
      std::optional<PlayedPlan> played = scheduler_.play(change->what, std::move(change->plan), change->order);
      if (!played || isCancelled())
        continue;
      Candidate candidate{std::move(*played), {}};
      if (!isPromising(candidate, current, predictionSlack(inVain))) {
        report(candidate, false);
        continue;
      }
      const uint64_t before = *top.simulated;
      AVOCET_RETURN_IF_ERROR(consider(candidate));
      if (*candidate.simulated < before) {
        inVain = 0;
        top = candidate;
      }
      if (*candidate.simulated <= before + before / kWalkSlack)
        current = std::move(candidate);
    }
    return Status::ok();
  }

  bool isGoingOn() const {
    if (isOver() || effort_.isOver)
      return !isOver();
    return numDraws_ < kMostDraws && numPlayed_ < std::min(kMostPlayed, effort_.mostChanges) &&
           numSimulated_ < kMostSimulated && playedSteps_ < kMostPlayedSteps && simulatedSteps_ < kMostSimulatedSteps;
  }

  const Problem &problem_;
  SearchEffort effort_;
  SearchHost &host_;
  Scheduler scheduler_;
  std::optional<Candidate> best_;
  std::vector<Plan> plans_;       ///< of level 2
  std::vector<Candidate> starts_; ///< of walks: the best schedule, then others by predicted cycles
  PlayedPlans known_;
  uint32_t numDraws_ = 0, numPlayed_ = 0, numSimulated_ = 0;
  uint64_t playedSteps_ = 0, simulatedSteps_ = 0;
};

/// For callers that want the default level.
struct NoHost : SearchHost {
  Result<uint64_t> simulate(const Sequence &) override { return internalError("level 1 does not simulate"); }
  void report(const Alternative &) override {}
};

} // namespace

Result<std::variant<Sequence, Misfit>> searchSchedule(const Problem &problem, const SearchEffort &effort,
                                                      SearchHost &host) {
  return Search(problem, effort, host).run();
}

std::variant<Sequence, Misfit> makeSchedule(const Problem &problem) {
  NoHost host;
  return *searchSchedule(problem, {}, host);
}

} // namespace avocet::compiler::schedule
