//===- Planner.cpp - Choice of sections and homes ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "avocet/compiler/Support/Cancel.h"

#include "Lowering.h"
#include "RowFlow.h"

#include <algorithm>

namespace avocet::compiler::schedule {

namespace {

/// Longest section that is tried, and the stripe heights.
constexpr uint32_t kLongestSection = 14;
constexpr uint32_t kStripes[] = {2, 4, 6, 8, 12, 16, 28};

/// What a tile saves when the one before it is of another stripe: the fill and drain of the engine's pipeline, roughly,
/// and at most this share of its time.
constexpr double kHidden = 60, kLeastShare = 0.93;

/// Factor on the time of a section whose constants come in too large a group.
constexpr double kAwkward = 1.5;

/// First writer and last reader of each tensor, by operation.
struct Range {
  uint32_t writer = 0, reader = 0;
  bool isWritten = false;
};

} // namespace

class Planner::Search {
public:
  Search(const Problem &problem, TileCosts &costs)
      : problem_(problem), costs_(costs), spilled_(problem.tensors.size(), false) {
    findRanges();
  }

  std::variant<Plan, Misfit> run(const PlannerOptions &options) {
    if (options.budget != options_.budget)
      known_.clear();
    options_ = options;
    for (;;) { // every round spills a tensor or ends
      const std::vector<Choice> path = bestPath();
      if (isCancelled())
        return Misfit{};
      const Choice *worst = worstOf(path);
      if (!worst)
        return planOf(path);
      if (!spillAlong(path))
        return Misfit{worst->section.first, worst->memory, problem_.target->sram().bytes};
    }
  }

private:
  struct Choice {
    Section section;
    double cycles = 0;
    uint64_t memory = 0;   ///< bytes of SRAM
    uint64_t kept = 0;     ///< those of them that are no constants: what is not there for loading ahead
    uint64_t overflow = 0; ///< bytes above the budget
    uint64_t group = 0;    ///< bytes of the constants that come at once, of sections of one operation
  };
  /// The ways to run a range of operations as one section.
  using Choices = std::vector<Choice>;

  double costOf(const Choice &choice) const {
    const double awkward = choice.group > options_.largestGroup ? kAwkward : 1;
    const double priced = double(options_.constantsAreFree ? choice.kept : choice.memory);
    return choice.cycles * awkward * (1 + options_.memoryPrice * priced / double(problem_.target->sram().bytes));
  }

  void findRanges() {
    const uint32_t count = uint32_t(problem_.operations.size());
    ranges_.resize(problem_.tensors.size());
    for (uint32_t i = 0; i < count; ++i) {
      const Operation &op = problem_.operations[i];
      for (const Operand &input : op.inputs)
        if (!input.isConstant)
          ranges_[input.id].reader = std::max(ranges_[input.id].reader, i);
      if (op.dynamicScale != kNone)
        ranges_[op.dynamicScale].reader = std::max(ranges_[op.dynamicScale].reader, i);
      for (const Operand &output : op.outputs)
        ranges_[output.id] = {i, i, true};
      constants_.push_back(alignUp(constantBytes(problem_, op, 0, op.outputs[0].shape.channels)));
    }
    // Bytes that cross the border in front of each operation, as differences.
    std::vector<int64_t> change(count + 2, 0);
    for (size_t t = 0; t < ranges_.size(); ++t)
      if (ranges_[t].isWritten && ranges_[t].reader > ranges_[t].writer) {
        change[ranges_[t].writer + 1] += int64_t(bytesOf(t));
        change[ranges_[t].reader + 1] -= int64_t(bytesOf(t));
      }
    crossing_.assign(count + 1, 0);
    for (uint32_t i = 1; i <= count; ++i)
      crossing_[i] = crossing_[i - 1] + change[i];
  }

  uint64_t bytesOf(size_t tensor) const { return alignUp(problem_.tensors[tensor].shape.bytes()); }

  /// A home for every tensor as seen by section [first, end).
  void setHomes(uint32_t first, uint32_t end) {
    scratch_.homes.resize(problem_.tensors.size(), Home::Sram);
    for (uint32_t i = first; i < end; ++i) {
      const Operation &op = problem_.operations[i];
      for (const Operand &input : op.inputs)
        if (!input.isConstant)
          scratch_.homes[input.id] = homeIn(input.id, first, end);
      if (op.dynamicScale != kNone)
        scratch_.homes[op.dynamicScale] = homeIn(op.dynamicScale, first, end);
      for (const Operand &output : op.outputs)
        scratch_.homes[output.id] = homeIn(output.id, first, end);
    }
  }

  Home homeIn(uint32_t tensor, uint32_t first, uint32_t end) const {
    const Range &range = ranges_[tensor];
    const Tensor &t = problem_.tensors[tensor];
    if (t.networkInput != kNone)
      return Home::Dram;
    const bool inside = range.isWritten && range.writer >= first && range.reader < end;
    if (inside)
      return t.networkOutputs.empty() ? Home::Ring : Home::Dram;
    return spilled_[tensor] ? Home::Dram : Home::Sram;
  }

  /// Tensors whole in SRAM while [first, end) runs: those that cross it or its borders.
  uint64_t residentBytes(uint32_t first, uint32_t end) const {
    int64_t bytes = crossing_[first];
    for (uint32_t i = first; i < end; ++i)
      for (const Operand &output : problem_.operations[i].outputs)
        if (ranges_[output.id].reader >= end)
          bytes += int64_t(bytesOf(output.id));
    for (uint32_t tensor : spills_) {
      const Range &range = ranges_[tensor];
      if (range.writer < end && range.reader >= first && !(range.writer >= first && range.reader < end))
        bytes -= int64_t(bytesOf(tensor));
    }
    return uint64_t(std::max<int64_t>(bytes, 0));
  }

  Choice evaluate(const Section &section, uint64_t resident) {
    Choice choice{section};
    setHomes(section.first, section.end);
    RowFlow flow = flowSection(problem_, scratch_, section, true);
    choice.memory = resident;
    for (auto &[tensor, kept] : flow.tensors)
      choice.memory += alignUp(uint64_t(kept.ringRows) * problem_.tensors[tensor].shape.rowBytes());
    choice.kept = choice.memory;
    choice.memory += constantsOf(section);
    double cycles = 0;
    if (section.channelParts > 1)
      cycles = double(costs_.inParts(section.first, section.channelParts));
    else
      cycles = stripeCycles(section, flow);
    cycles = std::max(cycles, moved(flow, false)) + moved(flow, true);
    choice.cycles = cycles;
    if (section.end == section.first + 1)
      choice.group = constants_[section.first] / section.channelParts;
    choice.overflow = choice.memory > options_.budget ? choice.memory - options_.budget : 0;
    return choice;
  }

  /// Constants of one convolution in parts need room for two parts at a time.
  uint64_t constantsOf(const Section &section) const {
    uint64_t bytes = 0;
    for (uint32_t i = section.first; i < section.end; ++i)
      bytes += constants_[i];
    if (section.channelParts == 1)
      return bytes;
    const Operation &op = problem_.operations[section.first];
    return 2 * alignUp(constantBytes(problem_, op, 0, channelOfPart(op, 1, section.channelParts)));
  }

  double stripeCycles(const Section &section, const RowFlow &flow) {
    std::vector<uint32_t> stripes(section.end - section.first, 0);
    for (const FlowEvent &event : flow.events)
      if (!event.isLoad)
        ++stripes[event.id - section.first];
    double cycles = 0;
    for (uint32_t i = section.first; i < section.end; ++i) {
      const uint32_t height = problem_.operations[i].outputs[0].shape.height;
      const uint32_t count = std::max(1u, stripes[i - section.first]);
      const double busy = double(costs_.inStripes(i, (height + count - 1) / count));
      cycles += section.ahead ? std::max(busy - count * kHidden, busy * kLeastShare) : busy;
    }
    return cycles;
  }

  /// Cycles of the off-chip port for the section's own transfers, all of them or those of spilled tensors. The former
  /// run beside the computation; the latter are work that another plan would not have.
  double moved(const RowFlow &flow, bool onlySpills) const {
    double cycles = 0;
    for (auto &[tensor, kept] : flow.tensors)
      if ((kept.loaded || kept.stored) && (!onlySpills || spilled_[tensor]))
        cycles += double(problem_.target->dram().bandwidth.cyclesFor(problem_.tensors[tensor].shape.bytes()));
    return onlySpills ? cycles / 2 : cycles;
  }

  static bool anyFits(const Choices &choices) {
    return std::any_of(choices.begin(), choices.end(), [](const Choice &choice) { return choice.overflow == 0; });
  }

  /// Does not depend on the price of memory, so that plans at several prices share the work.
  Choices waysToRun(uint32_t first, uint32_t end) {
    Choices choices;
    const uint64_t resident = residentBytes(first, end);
    const uint32_t height = problem_.operations[end - 1].outputs[0].shape.height;
    if (end == first + 1)
      runAlone(choices, first, height, resident);
    else if (lowerBound(first, end, resident) <= options_.budget)
      runTogether(choices, first, end, height, resident);
    return choices;
  }

  void runAlone(Choices &choices, uint32_t op, uint32_t height, uint64_t resident) {
    choices.push_back(evaluate({op, op + 1, height, 1}, resident));
    addParts(choices, op, height, resident);
    if (!anyFits(choices) || touchesDram(op))
      for (uint32_t rows : kStripes)
        if (rows < height)
          choices.push_back(evaluate({op, op + 1, rows, 1}, resident));
    if (!anyFits(choices))
      addEverything(choices, op, height, resident);
  }

  void runTogether(Choices &choices, uint32_t first, uint32_t end, uint32_t height, uint64_t resident) {
    for (bool ahead : {false, true})
      for (uint32_t rows : kStripes) {
        if (rows >= height)
          break;
        choices.push_back(evaluate({first, end, rows, 1, ahead}, resident));
        if (choices.back().overflow) // more rows need more
          break;
      }
    if (height <= kStripes[0])
      choices.push_back(evaluate({first, end, height, 1}, resident));
    if (!anyFits(choices) && height > 1)
      choices.push_back(evaluate({first, end, 1, 1}, resident));
  }

  /// Rows of nothing: what a section of these operations needs at the very least.
  uint64_t lowerBound(uint32_t first, uint32_t end, uint64_t resident) const {
    uint64_t bytes = resident;
    for (uint32_t i = first; i < end; ++i)
      bytes += constants_[i];
    return bytes;
  }

  bool touchesDram(uint32_t op) const {
    for (const Operand &input : problem_.operations[op].inputs)
      if (!input.isConstant && (problem_.tensors[input.id].networkInput != kNone || spilled_[input.id]))
        return true;
    for (const Operand &output : problem_.operations[op].outputs)
      if (spilled_[output.id])
        return true;
    return false;
  }

  /// Parts of the output channels: large weights need not come before the work begins, nor stay until it ends.
  void addParts(Choices &choices, uint32_t first, uint32_t height, uint64_t resident) {
    const Operation &op = problem_.operations[first];
    if (!op.channelGranule)
      return;
    const uint64_t partCycles = 8192;
    const firmware::Rate rate = problem_.target->dram().bandwidth;
    const uint64_t partBytes = std::max<uint64_t>(4096, partCycles * rate.count / rate.cycles);
    const uint32_t granules = (op.outputs[0].shape.channels + op.channelGranule - 1) / op.channelGranule;
    const uint32_t cores = problem_.target->mac().cores;
    const uint32_t parts = uint32_t(std::min<uint64_t>(granules / cores, constants_[first] / partBytes));
    for (uint32_t count = parts; count > 1; count /= 2)
      choices.push_back(evaluate({first, first + 1, height, count}, resident));
  }

  /// The smallest tiles that there are: one row, one granule of channels.
  void addEverything(Choices &choices, uint32_t first, uint32_t height, uint64_t resident) {
    const Operation &op = problem_.operations[first];
    const uint32_t granules =
        op.channelGranule ? (op.outputs[0].shape.channels + op.channelGranule - 1) / op.channelGranule : 1;
    for (uint32_t rows = height; rows > 0; rows /= 2)
      for (uint32_t parts = 1; parts <= granules; parts *= 4)
        choices.push_back(evaluate({first, first + 1, rows, parts}, resident));
  }

  std::vector<Choice> bestPath() {
    const uint32_t count = uint32_t(problem_.operations.size());
    std::vector<double> cost(count + 1, 1e300);
    std::vector<Choice> choices(count + 1);
    cost[0] = 0;
    // A byte too many is worse than any time; the path with the least overflow then shows what to spill.
    constexpr double kOverflowPrice = 1e9;
    for (uint32_t first = 0; first < count && !isCancelled(); ++first)
      for (uint32_t end = first + 1; end <= std::min(count, first + kLongestSection); ++end) {
        if (end > first + 1 && !joins(first, end - 1))
          break;
        for (const Choice &choice : section(first, end)) {
          const double total = cost[first] + costOf(choice) + kOverflowPrice * double(choice.overflow);
          if (total < cost[end])
            cost[end] = total, choices[end] = choice;
        }
      }
    std::vector<Choice> path;
    for (uint32_t end = count; end > 0; end = path.back().section.first)
      path.push_back(choices[end]);
    std::reverse(path.begin(), path.end());
    return path;
  }

  /// Operations that need all rows at once end the use of stripes.
  bool joins(uint32_t first, uint32_t op) const {
    return problem_.operations[first].rowWise && problem_.operations[op].rowWise &&
           problem_.operations[op].outputs[0].shape.height > 1;
  }

  const Choices &section(uint32_t first, uint32_t end) {
    const uint64_t key = uint64_t(first) * (kLongestSection + 1) + (end - first);
    auto [entry, isNew] = known_.try_emplace(key);
    if (isNew)
      entry->second = waysToRun(first, end);
    return entry->second;
  }

  static const Choice *worstOf(const std::vector<Choice> &path) {
    const Choice *worst = nullptr;
    for (const Choice &choice : path)
      if (choice.overflow && (!worst || choice.overflow > worst->overflow))
        worst = &choice;
    return worst;
  }

  /// Spills for every section that is too large, but not where a spill of this round may have helped already. False if
  /// nothing is left to spill.
  bool spillAlong(const std::vector<Choice> &path) {
    uint32_t helpedUpTo = 0;
    const size_t before = spills_.size();
    for (const Choice &choice : path) {
      if (!choice.overflow || (spills_.size() > before && choice.section.first <= helpedUpTo))
        continue;
      if (uint32_t victim = victimOf(choice); victim != kNone) {
        spilled_[victim] = true;
        spills_.push_back(victim);
        forget(ranges_[victim]);
        helpedUpTo = std::max(helpedUpTo, ranges_[victim].reader);
      }
    }
    return spills_.size() > before;
  }

  /// The largest tensor in the section's way that can live in DRAM, or kNone.
  uint32_t victimOf(const Choice &choice) const {
    uint32_t victim = kNone;
    for (uint32_t t = 0; t < ranges_.size(); ++t) {
      const Range &range = ranges_[t];
      const bool crosses = range.isWritten && range.writer < choice.section.end &&
                           range.reader >= choice.section.first && range.reader > range.writer;
      if (crosses && !spilled_[t] && problem_.tensors[t].networkOutputs.empty() &&
          (victim == kNone || bytesOf(t) > bytesOf(victim)))
        victim = t;
    }
    return victim;
  }

  /// Sections that the spill changes are evaluated again.
  void forget(const Range &range) {
    std::erase_if(known_, [&](const auto &entry) {
      const uint32_t first = uint32_t(entry.first / (kLongestSection + 1));
      const uint32_t end = first + uint32_t(entry.first % (kLongestSection + 1));
      return first <= range.reader && end > range.writer;
    });
  }

  Plan planOf(const std::vector<Choice> &path) const {
    Plan plan;
    for (const Choice &choice : path)
      plan.sections.push_back(choice.section);
    plan.homes = homesOf(problem_, plan.sections);
    for (uint32_t tensor : spills_)
      if (plan.homes[tensor] == Home::Sram)
        plan.homes[tensor] = Home::Dram;
    return plan;
  }

  const Problem &problem_;
  TileCosts &costs_;
  PlannerOptions options_;
  std::vector<Range> ranges_;       ///< by tensor
  std::vector<uint64_t> constants_; ///< bytes by operation
  std::vector<int64_t> crossing_;   ///< bytes by border
  std::vector<bool> spilled_;
  std::vector<uint32_t> spills_;
  Plan scratch_;                                ///< homes of the section that is being evaluated
  std::unordered_map<uint64_t, Choices> known_; ///< by first operation and length
};

Planner::Planner(const Problem &problem, TileCosts &costs) : search_(std::make_unique<Search>(problem, costs)) {}
Planner::~Planner() = default;

std::variant<Plan, Misfit> Planner::plan(const PlannerOptions &options) { return search_->run(options); }

} // namespace avocet::compiler::schedule
