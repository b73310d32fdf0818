//===- Search.cpp - Search for a faster schedule ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/Search.h"

#include "PlanChanges.h"
#include "Scheduler.h"

#include "avocet/compiler/Support/Cancel.h"

#include <algorithm>
#include <numeric>

namespace avocet::compiler::schedule {

namespace {

/// Level 2 simulates the schedule of level 1 and this number of others.
constexpr size_t kMostSimulatedPlans = 4;

/// Changes that level 3 draws, and those that it plays and simulates at most.
constexpr uint32_t kMostDraws = 40000, kMostPlayed = 5000, kMostSimulated = 1000;

/// Steps of all sequences together that level 3 plays and simulates at most: large networks get fewer changes.
constexpr uint64_t kMostPlayedSteps = 2'000'000, kMostSimulatedSteps = 200'000;

/// Level 3 ends after as many played changes without a gain, and returns to the best schedule after a part of them.
constexpr uint32_t kMostPlayedInVain = 1000, kReturnAfter = 100;

/// Parts by which the prediction of a change may be worse than that of the current schedule, and by which the current
/// schedule may be worse than the best one.
constexpr uint64_t kPredictionSlack = 100, kWalkSlack = 1000;

class Search {
public:
  Search(const Problem &problem, const SearchEffort &effort, SearchHost &host)
      : problem_(problem), effort_(effort), host_(host), scheduler_(problem, effort.threads) {
    if (effort_.isOver)
      effort_.level = SearchEffort::kMostLevel;
  }

  Result<std::variant<Sequence, Misfit>> run() {
    AVOCET_RETURN_IF_ERROR(effort_.level < 2 ? predict() : simulatePlans());
    if (best_ && effort_.level >= 3)
      AVOCET_RETURN_IF_ERROR(climb());
    if (best_)
      best_->played.ordered.sequence.cycles = best_->predicted();
    if (best_)
      return std::variant<Sequence, Misfit>(std::move(best_->played.ordered.sequence));
    if (std::optional<Sequence> isolated = scheduler_.runIsolated())
      return std::variant<Sequence, Misfit>(std::move(*isolated));
    return std::variant<Sequence, Misfit>(scheduler_.misfit());
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
    scheduler_.tryPlans(planSettings(effort_.level), [&](PlayedPlan played) {
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

  /// Changes the current schedule, which may be a little slower than the best one. A change is simulated if its
  /// prediction is not clearly worse than that of the current schedule.
  Status climb() {
    PlanChanges changes(problem_, scheduler_.costs());
    Candidate current = *best_;
    uint32_t numPlayed = 0, inVain = 0;
    for (uint32_t draw = 0; isGoingOn(draw, numPlayed, inVain); ++draw) {
      std::optional<PlanChange> change = changes.draw(current.played.plan, current.played.order);
      if (!change)
        continue;
      ++numPlayed, ++inVain;
      playedSteps_ += current.numSteps();
      if (inVain % kReturnAfter == 0)
        current = *best_;
      std::optional<PlayedPlan> played = scheduler_.play(change->what, std::move(change->plan), change->order);
      if (!played || isCancelled())
        continue;
      Candidate candidate{std::move(*played), {}};
      if (candidate.predicted() > current.predicted() + current.predicted() / kPredictionSlack ||
          isSame(candidate, current)) {
        report(candidate, false);
        continue;
      }
      const uint64_t before = *best_->simulated;
      AVOCET_RETURN_IF_ERROR(consider(candidate));
      if (*best_->simulated < before)
        inVain = 0;
      if (*candidate.simulated <= before + before / kWalkSlack)
        current = std::move(candidate);
    }
    return Status::ok();
  }

  bool isGoingOn(uint32_t draw, uint32_t numPlayed, uint32_t inVain) const {
    if (isOver() || effort_.isOver)
      return !isOver();
    return draw < kMostDraws && numPlayed < std::min(kMostPlayed, effort_.mostChanges) &&
           numSimulated_ < kMostSimulated && playedSteps_ < kMostPlayedSteps && simulatedSteps_ < kMostSimulatedSteps &&
           inVain < kMostPlayedInVain;
  }

  const Problem &problem_;
  SearchEffort effort_;
  SearchHost &host_;
  Scheduler scheduler_;
  std::optional<Candidate> best_;
  uint32_t numSimulated_ = 0;
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
