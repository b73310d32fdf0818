//===- Planner.cpp - Choice of cascades and residencies ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "CascadeWays.h"
#include "Isolation.h"
#include "Lowering.h"
#include "PlanSteps.h"
#include "Review/PlanReview.h"
#include "avocet/compiler/Support/Cancel.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace avocet::compiler::schedule {

namespace {

/// Operations of which no thread has begun. One thread takes the first and the other one the last, so that both end at
/// the same time, and only operations near their meeting point have tiles whose costs both compute.
class Rest {
public:
  explicit Rest(uint32_t count) : end_(count) {}
  std::optional<uint32_t> takeFirst() {
    const std::lock_guard lock(mutex_);
    return first_ < end_ ? std::optional(first_++) : std::nullopt;
  }
  std::optional<uint32_t> takeLast() {
    const std::lock_guard lock(mutex_);
    return first_ < end_ ? std::optional(--end_) : std::nullopt;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    end_ = first_;
  }

private:
  std::mutex mutex_;
  uint32_t first_ = 0, end_;
};

} // namespace

void findWaysInParallel(const Problem &problem, const TensorUses &uses, uint64_t budget, uint64_t leastAvoided,
                        CascadeWays &ways, TileCosts &costs) {
  const uint32_t count = uint32_t(problem.operations.size());
  if (count <= CascadeWays::kLongestCascade)
    return;
  Rest rest(count);
  TileCosts otherCosts(problem);
  CascadeWays otherWays(problem, uses, otherCosts, budget, leastAvoided);
  std::thread thread;
  try {
    thread = std::thread([&] {
      while (const std::optional<uint32_t> first = rest.takeLast())
        otherWays.findAll(*first);
    });
  } catch (const std::system_error &) {
    return; // the planner finds the ways when it asks for them
  }
  while (const std::optional<uint32_t> first = rest.takeFirst()) {
    if (isCancelled())
      rest.clear();
    ways.findAll(*first);
  }
  thread.join();
  ways.absorb(otherWays);
  costs.absorb(otherCosts);
}

namespace {

/// Most tensors of a border for which every set of spills is a state of its own.
constexpr size_t kMostChoices = 3;

/// A review also looks at ways that would fit in so many times the memory.
constexpr uint64_t kWiderMemory = 4;

/// A plan of the operations before a border.
struct Partial {
  PlanClock clock;
  Spills spills;           ///< empty once all plans that continue this one are there
  uint32_t parent = kNone; ///< index of the plan without the last cascade
  Cascade cascade;
  std::vector<uint32_t> newSpills; ///< results of the cascade that go to DRAM
  uint64_t key = 0;                ///< a lower bound of the whole network's time, lower is better
};

} // namespace

class Planner::Search {
public:
  Search(const Problem &problem, TileCosts &costs, uint64_t budget, uint64_t leastAvoided)
      : problem_(problem), uses_(problem), costs_(costs), ways_(problem, uses_, costs, budget, leastAvoided),
        steps_(problem, uses_), rest_(problem, costs), budget_(budget), leastAvoided_(leastAvoided),
        numOperations_(uint32_t(problem.operations.size())) {
    findPressure();
  }

  std::variant<Plan, Misfit> run(const PlannerOptions &options) {
    options_ = options;
    if (options.threads > 1 && !options.isolated && !areWaysKnown_) {
      findWaysInParallel(problem_, uses_, budget_, leastAvoided_, ways_, costs_);
      areWaysKnown_ = true;
    }
    partials_.clear();
    tightest_.reset();
    borders_.assign(numOperations_ + 1, {});
    borders_[0].push_back(addPartial({}));
    uint32_t reached = 0;
    for (uint32_t border = 0; border < numOperations_; ++border) {
      if (isCancelled())
        return Misfit{};
      if (!borders_[border].empty())
        reached = border;
      extendAll(border);
      for (uint32_t index : borders_[border])
        partials_[index].spills = {};
    }
    if (borders_[numOperations_].empty())
      return Misfit{reached, ways_.leastBytes(reached), budget_};
    return planOf(bestOf(borders_[numOperations_]));
  }

  std::optional<uint32_t> tightest() const { return tightest_; }

  std::vector<CascadeDecision> review(const Plan &plan, double roomShare) {
    CascadeWays wideWays(problem_, uses_, costs_, problem_.target->sram().bytes * kWiderMemory, leastAvoided_);
    return PlanReview(problem_, uses_, ways_, wideWays, rest_, {budget_, leastAvoided_, roomShare}).review(plan);
  }

private:
  /// Spilling is worth a try only if the SRAM is short at some time while the tensor lives.
  void findPressure() {
    std::vector<bool> isShort(numOperations_, false);
    for (uint32_t i = 0; i < numOperations_; ++i) {
      uint64_t bytes = uses_.crossingBytes(i);
      for (uint32_t tensor : uses_.writtenBy(i))
        bytes += uses_.crosses(tensor, i) ? 0 : uses_.bytesOf(tensor);
      const Operation &op = problem_.operations[i];
      bytes += constantBytes(problem_, op, 0, op.outputs[0].shape.channels);
      isShort[i] = bytes > budget_;
    }
    std::vector<uint32_t> shortBefore(numOperations_ + 1, 0);
    for (uint32_t i = 0; i < numOperations_; ++i)
      shortBefore[i + 1] = shortBefore[i] + isShort[i];
    underPressure_.assign(problem_.tensors.size(), false);
    for (uint32_t t = 0; t < problem_.tensors.size(); ++t)
      if (const auto &range = uses_.of(t); range.isWritten)
        underPressure_[t] = shortBefore[range.reader + 1] > shortBefore[range.writer];
  }

  void setKey(Partial &partial, uint32_t border) const { partial.key = rest_.cycles(partial.clock, border); }

  // --- Partial plans of a border.

  uint32_t addPartial(Partial partial) {
    partials_.push_back(std::move(partial));
    return uint32_t(partials_.size() - 1);
  }

  uint32_t bestOf(const std::vector<uint32_t> &border) const {
    return *std::min_element(border.begin(), border.end(), [&](uint32_t a, uint32_t b) {
      return partials_[a].clock.cycles() < partials_[b].clock.cycles();
    });
  }

  /// Keeps the best plans of each state; for a border with many states, those of the best states and of the one with
  /// the most bytes in DRAM, from which the rest can always be planned if it can be at all.
  void keep(Partial partial, uint32_t border) {
    std::vector<uint32_t> &list = borders_[border];
    uint32_t sameState = 0, worst = kNone;
    for (uint32_t i = 0; i < list.size(); ++i) {
      const Partial &other = partials_[list[i]];
      if (other.spills != partial.spills)
        continue;
      if (other.clock.computed() <= partial.clock.computed() && other.clock.position() <= partial.clock.position())
        return;
      if (partial.clock.computed() <= other.clock.computed() && partial.clock.position() <= other.clock.position()) {
        replace(list, i, std::move(partial));
        return;
      }
      ++sameState;
      if (worst == kNone || partials_[list[worst]].key < other.key)
        worst = i;
    }
    if (sameState < options_.width)
      list.push_back(addPartial(std::move(partial)));
    else if (partial.key < partials_[list[worst]].key)
      replace(list, worst, std::move(partial));
  }

  void replace(std::vector<uint32_t> &list, uint32_t index, Partial partial) {
    partials_[list[index]] = std::move(partial); // nothing refers to it: plans of later borders come later
  }

  /// Drops states before a border is extended.
  void prune(std::vector<uint32_t> &list) const {
    const size_t most = size_t(options_.width) * 4;
    if (list.size() <= most)
      return;
    std::sort(list.begin(), list.end(),
              [&](uint32_t a, uint32_t b) { return std::pair(partials_[a].key, a) < std::pair(partials_[b].key, b); });
    auto roomiest = std::max_element(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
      return partials_[a].spills.bytes() < partials_[b].spills.bytes();
    });
    if (size_t(roomiest - list.begin()) >= most)
      std::swap(*roomiest, list[most - 1]);
    list.resize(most);
  }

  // --- Transitions.

  void extendAll(uint32_t border) {
    prune(borders_[border]);
    if (borders_[border].empty())
      return;
    if (const CascadePin *pin = problem_.pins.cascadeAt(border))
      return extendAsPinned(*pin);
    const uint32_t longest = options_.isolated ? 1 : CascadeWays::kLongestCascade;
    for (uint32_t end = border + 1; end <= std::min(numOperations_, border + longest); ++end) {
      if (end > border + 1 && !ways_.joins(border, end))
        break;
      extendTo(border, end);
    }
    if (const std::optional<uint32_t> end = options_.isolated ? std::nullopt : ways_.longJoin(border))
      extendTo(border, *end);
    if (options_.pieces)
      for (uint32_t index : std::vector<uint32_t>(borders_[border]))
        extendByPieces(index, border);
  }

  /// A cascade that must run as it does may need all of the memory; and more by the sums of bytes, which are too high
  /// if buffers follow each other at one place. Then the addresses decide.
  void extendAsPinned(const CascadePin &pin) {
    for (const uint64_t budget : {uint64_t{problem_.target->sram().bytes}, uint64_t{UINT64_MAX}}) {
      pinnedBudget_ = budget;
      for (uint32_t index : std::vector<uint32_t>(borders_[pin.first]))
        if (pin.pieceBytes)
          extendByPieces(index, pin.first);
        else
          extend(index, pin.first, pin.end, pinnedRange(pin));
      if (!borders_[pin.end].empty())
        return;
      tightest_ = tightest_.value_or(pin.first);
    }
  }

  /// The ways that a pin leaves, also those that are not worthwhile otherwise.
  const CascadeRange &pinnedRange(const CascadePin &pin) {
    auto [entry, isNew] = pinned_.try_emplace(pin.first);
    if (!isNew)
      return entry->second;
    CascadeRange &range = entry->second;
    CascadeWays ways(problem_, uses_, costs_, problem_.target->sram().bytes, 0);
    range = ways.of(pin.first, pin.end);
    std::erase_if(range.ways, [&](const CascadeWay &way) { return !pin.admits(way.cascade); });
    for (const Cascade &cascade : pinnedCascades(problem_, pin))
      for (CascadeWay &way : ways.bothWays(cascade))
        range.ways.push_back(std::move(way));
    return range;
  }

  void extendTo(uint32_t border, uint32_t end) {
    if (!mayBeCascade(problem_.pins, uses_, border, end))
      return;
    const CascadeRange &range = ways_.of(border, end);
    if (end > border + 1 && !range.isWorthwhile(options_.leastAvoided))
      return;
    for (uint32_t index : std::vector<uint32_t>(borders_[border]))
      extend(index, border, end, range);
  }

  void extend(uint32_t index, uint32_t border, uint32_t end, const CascadeRange &range) {
    std::vector<uint32_t> choices, fixed; // tensors that may, and that must be in DRAM afterwards
    for (const auto [tensor, isRead, staysInSram] : range.borders) {
      if (!isRead && staysInSram && pinnedInDram(border, tensor) == true)
        return;
      if (isRead || staysInSram || uses_.of(tensor).reader < end || uses_.isOnlyStored(tensor))
        continue;
      const std::optional<bool> pinned = pinnedInDram(border, tensor);
      if (options_.isolated || pinned == true)
        fixed.push_back(tensor);
      else if (!pinned && mayBeSpilled(tensor))
        choices.push_back(tensor);
    }
    const size_t sets = choices.size() > kMostChoices ? 2 : size_t(1) << choices.size();
    for (size_t set = 0; set < sets; ++set) {
      std::vector<uint32_t> spilled = fixed;
      for (size_t i = 0; i < choices.size(); ++i)
        if (choices.size() > kMostChoices ? set : set >> i & 1)
          spilled.push_back(choices[i]);
      for (const CascadeWay &way : range.ways)
        if (end > border + 1 || !isAwkward(way, range))
          tryWay(index, border, range, way, spilled);
    }
  }

  /// Whether another way loads its constants in smaller groups.
  bool isAwkward(const CascadeWay &way, const CascadeRange &range) const {
    return way.firstBytes > options_.largestGroup &&
           std::any_of(range.ways.begin(), range.ways.end(),
                       [&](const CascadeWay &other) { return other.firstBytes <= options_.largestGroup; });
  }

  /// Whether a result of the cascade at the border must be in DRAM, or must not.
  std::optional<bool> pinnedInDram(uint32_t border, uint32_t tensor) const {
    if (const CascadePin *pin = problem_.pins.cascadeAt(border); pin && pin->spills)
      return std::ranges::binary_search(*pin->spills, tensor);
    const auto memory = problem_.pins.memories.find(tensor);
    return memory == problem_.pins.memories.end() ? std::nullopt : std::optional(memory->second.inDram);
  }

  bool mayBeSpilled(uint32_t tensor) const { return options_.pieces || underPressure_[tensor]; }

  uint64_t budgetAt(uint32_t border) const { return problem_.pins.cascadeAt(border) ? pinnedBudget_ : budget_; }

  void tryWay(uint32_t index, uint32_t border, const CascadeRange &range, const CascadeWay &way,
              const std::vector<uint32_t> &newSpills) {
    const Partial &from = partials_[index];
    std::optional<PlanStep> step = steps_.step(range, way, from.spills, newSpills);
    if (!step || step->neededBytes > budgetAt(border))
      return;
    Partial to{from.clock, steps_.after(from.spills, newSpills, border, way.cascade.end), index, way.cascade,
               newSpills};
    step->load.freeBytes = uint64_t(options_.roomShare * double(budget_ - std::min(budget_, step->neededBytes)));
    to.clock.add(*problem_.target, step->load);
    setKey(to, way.cascade.end);
    keep(std::move(to), way.cascade.end);
  }

  /// Boxes of operands outside SRAM, for rows that are too large or that cannot be cut.
  void extendByPieces(uint32_t index, uint32_t op) {
    uint64_t resident = uses_.crossingBytes(op) - partials_[index].spills.bytes();
    for (const auto *tensors : {&uses_.readBy(op), &uses_.writtenBy(op)})
      for (uint32_t tensor : *tensors)
        if (uses_.crosses(tensor, op) && !partials_[index].spills.contains(tensor))
          return;
    const CascadePin *pin = problem_.pins.cascadeAt(op);
    const uint64_t budget = budgetAt(op), free = budget - std::min(budget, resident);
    const uint64_t room = pin ? pin->pieceBytes.value_or(0) : free;
    const Pieces *pieces = room > free ? nullptr : piecesOf(op, room);
    if (!pieces)
      return;
    const Cascade cascade{op, op + 1, problem_.operations[op].outputs[0].shape.height, 1, false, room};
    std::vector<uint32_t> spilled;
    for (uint32_t tensor : uses_.writtenBy(op))
      if (uses_.of(tensor).reader > op && uses_.of(tensor).writer == op && !uses_.isOnlyStored(tensor)) {
        if (pinnedInDram(op, tensor) == false)
          return;
        spilled.push_back(tensor);
      }
    Partial to{partials_[index].clock, steps_.after(partials_[index].spills, spilled, op, op + 1), index, cascade,
               spilled};
    const uint64_t bytes =
        pieces->portCycles * problem_.target->dram().bandwidth.count / problem_.target->dram().bandwidth.cycles;
    to.clock.add(*problem_.target, {.cycles = pieces->portCycles, .movedBytes = bytes});
    setKey(to, op + 1);
    keep(std::move(to), op + 1);
  }

  const Pieces *piecesOf(uint32_t op, uint64_t room) {
    auto [entry, isNew] = pieces_.try_emplace({op, room});
    if (isNew && room && (problem_.pins.cascadeAt(op) || ways_.leastBytes(op) > budget_))
      entry->second = splitOperation(problem_, op, room);
    return entry->second ? &*entry->second : nullptr;
  }

  // --- The result.

  Plan planOf(uint32_t last) const {
    Plan plan;
    std::vector<uint32_t> spills;
    for (uint32_t index = last; partials_[index].parent != kNone; index = partials_[index].parent) {
      plan.cascades.push_back(partials_[index].cascade);
      const std::vector<uint32_t> &tensors = partials_[index].newSpills;
      spills.insert(spills.end(), tensors.begin(), tensors.end());
    }
    std::reverse(plan.cascades.begin(), plan.cascades.end());
    plan.residencies = residenciesOf(problem_, plan.cascades);
    for (uint32_t tensor : spills)
      if (plan.residencies[tensor] == Residency::Sram)
        plan.residencies[tensor] = Residency::Dram;
    for (const auto &[operation, pin] : problem_.pins.shifts) {
      plan.blocks.resize(numOperations_);
      plan.blocks[operation] = pin.shift;
    }
    return plan;
  }

  const Problem &problem_;
  TensorUses uses_;
  TileCosts &costs_;
  CascadeWays ways_;
  PlanSteps steps_;
  RestBound rest_;
  bool areWaysKnown_ = false;
  uint64_t budget_, leastAvoided_;
  uint64_t pinnedBudget_ = 0;
  std::optional<uint32_t> tightest_; ///< first operation of the first pinned cascade that needs more by the sums
  uint32_t numOperations_;
  PlannerOptions options_;
  std::vector<bool> underPressure_; ///< by tensor
  std::vector<Partial> partials_;
  std::vector<std::vector<uint32_t>> borders_;                            ///< partial plans by border
  std::map<std::pair<uint32_t, uint64_t>, std::optional<Pieces>> pieces_; ///< by operation and room
  std::map<uint32_t, CascadeRange> pinned_;                               ///< by first operation of the pin
};

Planner::Planner(const Problem &problem, TileCosts &costs, uint64_t budget, uint64_t leastAvoided)
    : search_(std::make_unique<Search>(problem, costs, budget, leastAvoided)) {}
Planner::~Planner() = default;

std::vector<CascadeDecision> Planner::review(const Plan &plan, double roomShare) {
  return search_->review(plan, roomShare);
}

std::optional<uint32_t> Planner::tightest() const { return search_->tightest(); }

std::variant<Plan, Misfit> Planner::plan(const PlannerOptions &options) { return search_->run(options); }

} // namespace avocet::compiler::schedule
