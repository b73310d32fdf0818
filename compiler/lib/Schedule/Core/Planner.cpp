//===- Planner.cpp - Choice of cascades and residencies ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

#include "avocet/compiler/Support/Cancel.h"

#include "Pieces/Piece.h"
#include "TensorResidency.h"
#include "avocet/compiler/Schedule/Core/Lowering.h"
#include "avocet/compiler/Schedule/Core/RowFlow.h"

#include <algorithm>
#include <numeric>

namespace avocet::compiler::schedule {

namespace {

/// Maximum length of a cascade, and the stripe heights to try.
constexpr uint32_t kLongestCascade = 14;
constexpr uint32_t kStripes[] = {2, 4, 6, 8, 12, 16, 28};

/// Maximum number of stripes of a cascade. Tensors with more rows have short rows, many of which fit in SRAM.
constexpr uint32_t kMostStripes = 16384;

bool isTooFine(uint32_t rows, uint32_t height) { return height / rows > kMostStripes; }

/// Cycles that a tile saves if the previous tile is of another stripe: roughly the fill and drain of the engine's
/// pipeline. The tile keeps at least kLeastShare of its time.
constexpr double kHidden = 60, kLeastShare = 0.93;

/// Factor on the time of a cascade whose constants are loaded in too large a group.
constexpr double kAwkward = 1.5;

} // namespace

class Planner::Search {
public:
  Search(const Problem &problem, TileCosts &costs)
      : problem_(problem), costs_(costs), residency_(problem), everyTensor_(problem.tensors.size()) {
    std::iota(everyTensor_.begin(), everyTensor_.end(), 0);
    for (const Operation &op : problem.operations)
      constants_.push_back(alignUp(constantBytes(problem, op, 0, op.outputs[0].shape.channels)));
  }

  std::variant<Plan, Misfit> run(const PlannerOptions &options) {
    if (options.budget != options_.budget || options.pieces != options_.pieces || options.isolated != options_.isolated)
      known_.clear();
    options_ = options;
    if (options.isolated)
      spillEverything();
    for (;;) { // every round spills a tensor or ends the loop
      const std::vector<Choice> path = bestPath();
      if (isCancelled())
        return Misfit{};
      const Choice *worst = worstOf(path);
      if (!worst)
        return planOf(path);
      if (!spillAlong(path))
        return Misfit{worst->cascade.first, worst->memory, problem_.target->sram().bytes};
    }
  }

private:
  struct Choice {
    Cascade cascade;
    double cycles = 0;
    uint64_t memory = 0;   ///< bytes of SRAM
    uint64_t kept = 0;     ///< part of `memory` that is not constants, and so is unavailable for prefetch
    uint64_t overflow = 0; ///< bytes above the budget
    uint64_t group = 0;    ///< cascades of one operation: bytes of the constants that are loaded together
  };
  /// The alternatives to run a range of operations as one cascade.
  using Choices = std::vector<Choice>;

  double costOf(const Choice &choice) const {
    const double awkward = choice.group > options_.largestGroup ? kAwkward : 1;
    const double priced = double(options_.constantsAreFree ? choice.kept : choice.memory);
    return choice.cycles * awkward * (1 + options_.memoryPrice * priced / double(problem_.target->sram().bytes));
  }

  Choice evaluate(const Cascade &cascade, uint64_t resident) {
    Choice choice{cascade};
    residency_.setResidencies(cascade.first, cascade.end, scratch_.residencies);
    RowFlow flow = flowCascade(problem_, scratch_, cascade, true);
    choice.memory = resident + ringBytes(problem_, flow);
    choice.kept = choice.memory;
    choice.memory += constantsOf(cascade);
    double cycles = 0;
    if (cascade.channelParts > 1)
      cycles = double(costs_.inParts(cascade.first, cascade.channelParts));
    else
      cycles = stripeCycles(cascade, flow);
    cycles = std::max(cycles, moved(flow, false)) + moved(flow, true);
    choice.cycles = cycles;
    if (cascade.end == cascade.first + 1)
      choice.group = constants_[cascade.first] / cascade.channelParts;
    choice.overflow = choice.memory > options_.budget ? choice.memory - options_.budget : 0;
    return choice;
  }

  /// Constants of one convolution in parts need space for two parts at a time.
  uint64_t constantsOf(const Cascade &cascade) const {
    uint64_t bytes = 0;
    for (uint32_t i = cascade.first; i < cascade.end; ++i)
      bytes += constants_[i];
    if (cascade.channelParts == 1)
      return bytes;
    const Operation &op = problem_.operations[cascade.first];
    return 2 * alignUp(constantBytes(problem_, op, 0, channelOfPart(op, 1, cascade.channelParts)));
  }

  double stripeCycles(const Cascade &cascade, const RowFlow &flow) {
    std::vector<uint32_t> stripes(cascade.end - cascade.first, 0);
    for (const FlowEvent &event : flow.events)
      if (!event.isLoad)
        ++stripes[event.id - cascade.first];
    double cycles = 0;
    for (uint32_t i = cascade.first; i < cascade.end; ++i) {
      const uint32_t height = problem_.operations[i].outputs[0].shape.height;
      const uint32_t count = std::max(1u, stripes[i - cascade.first]);
      const double busy = double(costs_.inStripes(i, (height + count - 1) / count));
      cycles += cascade.ahead ? std::max(busy - count * kHidden, busy * kLeastShare) : busy;
    }
    return cycles;
  }

  /// Cycles of the off-chip port for the cascade's own transfers: all of them, or only those of spilled tensors. The
  /// former overlap the computation; the latter are extra work that another plan would not have.
  double moved(const RowFlow &flow, bool onlySpills) const {
    double cycles = 0;
    for (auto &[tensor, kept] : flow.tensors)
      if ((kept.loaded || kept.stored) && (!onlySpills || residency_.isSpilled(tensor)))
        cycles += double(problem_.target->dram().bandwidth.cyclesFor(problem_.tensors[tensor].shape.bytes()));
    return onlySpills ? cycles / 2 : cycles;
  }

  static bool anyFits(const Choices &choices) {
    return std::any_of(choices.begin(), choices.end(), [](const Choice &choice) { return choice.overflow == 0; });
  }

  /// Independent of the price of memory, so that plans at several prices share the result.
  Choices waysToRun(uint32_t first, uint32_t end) {
    Choices choices;
    const uint64_t resident = residency_.residentBytes(first, end);
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
        if (rows < height && !isTooFine(rows, height))
          choices.push_back(evaluate({op, op + 1, rows, 1}, resident));
    if (!anyFits(choices))
      addEverything(choices, op, height, resident);
    if (options_.pieces && !anyFits(choices))
      addPieces(choices, op, resident);
  }

  void runTogether(Choices &choices, uint32_t first, uint32_t end, uint32_t height, uint64_t resident) {
    for (bool ahead : {false, true})
      for (uint32_t rows : kStripes) {
        if (rows >= height)
          break;
        if (isTooFine(rows, height))
          continue;
        choices.push_back(evaluate({first, end, rows, 1, ahead}, resident));
        if (choices.back().overflow) // more rows need more memory
          break;
      }
    if (height <= kStripes[0])
      choices.push_back(evaluate({first, end, height, 1}, resident));
    if (!anyFits(choices) && height > 1 && !isTooFine(1, height))
      choices.push_back(evaluate({first, end, 1, 1}, resident));
  }

  /// Bytes without any rows: a lower bound for a cascade of these operations.
  uint64_t lowerBound(uint32_t first, uint32_t end, uint64_t resident) const {
    uint64_t bytes = resident;
    for (uint32_t i = first; i < end; ++i)
      bytes += constants_[i];
    return bytes;
  }

  bool touchesDram(uint32_t op) const {
    for (const Operand &input : problem_.operations[op].inputs)
      if (!input.isConstant && (problem_.tensors[input.id].networkInput != kNone || residency_.isSpilled(input.id)))
        return true;
    for (const Operand &output : problem_.operations[op].outputs)
      if (residency_.isSpilled(output.id))
        return true;
    return false;
  }

  /// Parts of the output channels: large weights need not be loaded before the work begins, nor stay until it ends.
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

  /// Tries rows and parts down to the smallest tiles: one row, one granule of channels.
  void addEverything(Choices &choices, uint32_t first, uint32_t height, uint64_t resident) {
    const Operation &op = problem_.operations[first];
    const uint32_t granules =
        op.channelGranule ? (op.outputs[0].shape.channels + op.channelGranule - 1) / op.channelGranule : 1;
    for (uint32_t rows = height; rows > 0 && !isTooFine(rows, height); rows /= 2)
      for (uint32_t parts = 1; parts <= granules; parts *= 4)
        choices.push_back(evaluate({first, first + 1, rows, parts}, resident));
  }

  /// Adds boxes of operands outside SRAM, for rows that are too large or that cannot be cut.
  void addPieces(Choices &choices, uint32_t op, uint64_t resident) {
    uint32_t inside = 0;
    for (uint32_t tensor : tensorsOf(op))
      if (residency_.residencyIn(tensor, op, op + 1) == Residency::Sram) {
        ++inside;
        resident -= std::min(resident, residency_.bytesOf(tensor));
      }
    const uint64_t room = options_.budget - std::min(options_.budget, resident);
    const std::optional<Pieces> pieces = room ? splitOperation(problem_, op, room) : std::nullopt;
    if (!pieces)
      return;
    Choice choice{{op, op + 1, problem_.operations[op].outputs[0].shape.height, 1, false, room}};
    choice.memory = choice.kept = resident + pieces->memory;
    choice.cycles = double(pieces->portCycles);
    choice.overflow = inside; // requests no memory, but requires these tensors to be spilled
    choices.push_back(choice);
  }

  /// The distinct tensors of an operation.
  std::vector<uint32_t> tensorsOf(uint32_t index) const {
    const Operation &op = problem_.operations[index];
    std::vector<uint32_t> tensors;
    for (const Operand &output : op.outputs)
      tensors.push_back(output.id);
    for (const Operand &input : op.inputs)
      if (!input.isConstant && std::find(tensors.begin(), tensors.end(), input.id) == tensors.end())
        tensors.push_back(input.id);
    return tensors;
  }

  std::vector<Choice> bestPath() {
    const uint32_t count = uint32_t(problem_.operations.size());
    std::vector<double> cost(count + 1, 1e300);
    std::vector<Choice> choices(count + 1);
    cost[0] = 0;
    // Overflow outweighs any time, so that the path with the least overflow shows which tensors to spill.
    constexpr double kOverflowPrice = 1e9;
    const uint32_t longest = options_.isolated ? 1 : kLongestCascade;
    for (uint32_t first = 0; first < count && !isCancelled(); ++first)
      for (uint32_t end = first + 1; end <= std::min(count, first + longest); ++end) {
        if (end > first + 1 && !joins(first, end - 1))
          break;
        for (const Choice &choice : cascade(first, end)) {
          const double total = cost[first] + costOf(choice) + kOverflowPrice * double(choice.overflow);
          if (total < cost[end])
            cost[end] = total, choices[end] = choice;
        }
      }
    std::vector<Choice> path;
    for (uint32_t end = count; end > 0; end = path.back().cascade.first)
      path.push_back(choices[end]);
    std::reverse(path.begin(), path.end());
    return path;
  }

  /// Operations that need all rows at once cannot be in a cascade with stripes.
  bool joins(uint32_t first, uint32_t op) const {
    return problem_.operations[first].rowWise && problem_.operations[op].rowWise &&
           problem_.operations[op].outputs[0].shape.height > 1;
  }

  const Choices &cascade(uint32_t first, uint32_t end) {
    const uint64_t key = uint64_t(first) * (kLongestCascade + 1) + (end - first);
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

  /// Spills for every cascade that is too large, unless an earlier spill of this round may already help it. False if
  /// nothing is left to spill.
  bool spillAlong(const std::vector<Choice> &path) {
    uint32_t helpedUpTo = 0;
    bool spilled = false;
    for (const Choice &choice : path) {
      if (!choice.overflow || (spilled && choice.cascade.first <= helpedUpTo))
        continue;
      if (uint32_t victim = victimOf(choice); victim != kNone) {
        residency_.spill(victim);
        spilled = true;
        forget(residency_.usageOf(victim));
        helpedUpTo = std::max(helpedUpTo, residency_.usageOf(victim).reader);
      }
    }
    return spilled;
  }

  void spillEverything() {
    for (uint32_t tensor : everyTensor_) {
      const TensorResidency::Usage &usage = residency_.usageOf(tensor);
      if (usage.isWritten && usage.reader > usage.writer && !residency_.isSpilled(tensor))
        residency_.spill(tensor);
    }
  }

  /// The largest tensor that the cascade can spill to DRAM, or kNone. Pieces spill only their own operands.
  uint32_t victimOf(const Choice &choice) const {
    const uint32_t first = choice.cascade.first, end = choice.cascade.end;
    return residency_.victimOf(choice.cascade.pieceBytes ? tensorsOf(first) : everyTensor_, first, end);
  }

  /// Removes cached cascades that the spill changes.
  void forget(const TensorResidency::Usage &range) {
    std::erase_if(known_, [&](const auto &entry) {
      const uint32_t first = uint32_t(entry.first / (kLongestCascade + 1));
      const uint32_t end = first + uint32_t(entry.first % (kLongestCascade + 1));
      return first <= range.reader && end > range.writer;
    });
  }

  Plan planOf(const std::vector<Choice> &path) const {
    Plan plan;
    for (const Choice &choice : path)
      plan.cascades.push_back(choice.cascade);
    plan.residencies = residenciesOf(problem_, plan.cascades);
    for (uint32_t tensor : residency_.spills())
      if (plan.residencies[tensor] == Residency::Sram)
        plan.residencies[tensor] = Residency::Dram;
    return plan;
  }

  const Problem &problem_;
  TileCosts &costs_;
  PlannerOptions options_;
  TensorResidency residency_;
  std::vector<uint32_t> everyTensor_;
  std::vector<uint64_t> constants_;             ///< bytes by operation
  Plan scratch_;                                ///< residencies for the cascade being evaluated
  std::unordered_map<uint64_t, Choices> known_; ///< by first operation and length
};

Planner::Planner(const Problem &problem, TileCosts &costs) : search_(std::make_unique<Search>(problem, costs)) {}
Planner::~Planner() = default;

std::variant<Plan, Misfit> Planner::plan(const PlannerOptions &options) { return search_->run(options); }

} // namespace avocet::compiler::schedule
