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
constexpr uint32_t kMostDraws = 4000, kMostPlayed = 600, kMostSimulated = 150;

/// Level 3 ends after as many played changes without a gain.
constexpr uint32_t kMostPlayedInVain = 250;

class Search {
public:
  Search(const Problem &problem, const SearchEffort &effort, SearchHost &host)
      : problem_(problem), effort_(effort), host_(host), scheduler_(problem) {
    if (effort_.isOver)
      effort_.level = SearchEffort::kMostLevel;
  }

  Result<std::variant<Sequence, Misfit>> run() {
    AVOCET_RETURN_IF_ERROR(effort_.level < 2 ? predict() : simulatePlans());
    if (best_ && effort_.level >= 3)
      AVOCET_RETURN_IF_ERROR(climb());
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
  };

  bool isOver() const { return isCancelled() || (effort_.isOver && effort_.isOver()); }

  void report(const Candidate &candidate, bool isKept) {
    host_.report({candidate.played.what, candidate.predicted(), candidate.simulated, isKept});
  }

  /// Levels 0 and 1: among equals, the first plan.
  Status predict() {
    scheduler_.tryPlans(planSettings(effort_.level), [&](PlayedPlan played) {
      const bool isKept = !best_ || played.ordered.cycles < best_->predicted();
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
    const auto isFaster = [](const Candidate &a, const Candidate &b) { return a.predicted() < b.predicted(); };
    const auto collect = [&](PlayedPlan played) { candidates.push_back({std::move(played), {}}); };
    const auto settings = planSettings(2);
    const size_t atLevel1 = planSettings(SearchEffort::kDefaultLevel).size();
    scheduler_.tryPlans(settings.first(atLevel1), collect);
    if (candidates.empty() || isCancelled())
      return Status::ok();
    std::ranges::iter_swap(candidates.begin(), std::ranges::min_element(candidates, isFaster));
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
        AVOCET_RETURN_IF_ERROR(consider(std::move(candidates[order[i]])));
    return Status::ok();
  }

  /// Simulates the candidate, and keeps it if it is the fastest.
  Status consider(Candidate candidate) {
    Result<uint64_t> cycles = host_.simulate(candidate.played.ordered.sequence);
    if (!cycles)
      return std::move(cycles).status().withContext("alternative '" + candidate.played.what + "'");
    candidate.simulated = *cycles;
    ++numSimulated_;
    const bool isKept = !best_ || *cycles < *best_->simulated;
    report(candidate, isKept);
    if (isKept)
      best_ = std::move(candidate);
    return Status::ok();
  }

  /// Changes the best schedule. A change is simulated only if its prediction is better than that of the best schedule.
  Status climb() {
    PlanChanges changes(problem_, scheduler_.costs());
    uint32_t numPlayed = 0, inVain = 0;
    for (uint32_t draw = 0; isGoingOn(draw, numPlayed, inVain); ++draw) {
      std::optional<PlanChange> change = changes.draw(best_->played.plan, best_->played.order);
      if (!change)
        continue;
      ++numPlayed, ++inVain;
      std::optional<PlayedPlan> played = scheduler_.play(change->what, std::move(change->plan), change->order);
      if (!played || isCancelled())
        continue;
      Candidate candidate{std::move(*played), {}};
      if (candidate.predicted() >= best_->predicted()) {
        report(candidate, false);
        continue;
      }
      const uint64_t before = *best_->simulated;
      AVOCET_RETURN_IF_ERROR(consider(std::move(candidate)));
      if (*best_->simulated < before)
        inVain = 0;
    }
    return Status::ok();
  }

  bool isGoingOn(uint32_t draw, uint32_t numPlayed, uint32_t inVain) const {
    if (isOver() || effort_.isOver)
      return !isOver();
    return draw < kMostDraws && numPlayed < kMostPlayed && numSimulated_ < kMostSimulated && inVain < kMostPlayedInVain;
  }

  const Problem &problem_;
  SearchEffort effort_;
  SearchHost &host_;
  Scheduler scheduler_;
  std::optional<Candidate> best_;
  uint32_t numSimulated_ = 0;
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
