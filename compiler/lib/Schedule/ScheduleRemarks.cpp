//===- ScheduleRemarks.cpp - Decisions of a schedule as remarks -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleRemarks.h"

#include "Hints/HintWriter.h"
#include "Schedule/Core/Plan.h"
#include "avocet/compiler/Support/Remarks.h"

using namespace mlir;
using mlir::remark::metric;

namespace avocet::compiler::schedule {

namespace {

constexpr llvm::StringLiteral kCascade = "cascade", kBlock = "block", kLayer = "layer", kPlan = "plan",
                              kTransfers = "transfers";

std::string count(uint64_t number, StringRef one, StringRef many) {
  return std::to_string(number) + " " + (number == 1 ? one : many).str();
}

/// "with the next 2 operations, 8 of 56 rows at a time; 1 result goes off chip".
std::string describe(const Problem &problem, const CascadeChoice &choice) {
  const Cascade &cascade = choice.cascade;
  const uint32_t more = cascade.end - cascade.first - 1;
  std::string text =
      more ? "with the next " + (more == 1 ? "operation" : std::to_string(more) + " operations") : std::string("alone");
  if (cascade.pieceBytes)
    return text + ", in pieces of at most " + std::to_string(cascade.pieceBytes) + " bytes";
  const uint32_t height = problem.operations[cascade.end - 1].outputs[0].shape.height;
  if (cascade.stripeRows < height)
    text += ", " + std::to_string(cascade.stripeRows) + " of " + std::to_string(height) + " rows at a time";
  else
    text += ", all rows at once";
  if (cascade.channelParts > 1)
    text += ", in " + std::to_string(cascade.channelParts) + " parts of the output channels";
  if (cascade.ahead)
    text += ", each operation one stripe ahead of its readers";
  if (!choice.spills.empty())
    text += "; " + count(choice.spills.size(), "result goes", "results go") + " off chip";
  return text;
}

std::string describe(const firmware::Block &block) {
  return std::to_string(block.height) + " x " + std::to_string(block.width) + " x " + std::to_string(block.channels);
}

class Emitter {
public:
  Emitter(const PlacedProblem &placed, const PlanDecisions &decisions, const LayerTable &layers, uint32_t firstLayer)
      : placed_(placed), decisions_(decisions), hints_(layers, placed.problem, firstLayer), firstLayer_(firstLayer) {}

  void run() const {
    for (const CascadeDecision &decision : decisions_.cascades)
      emit(decision);
    for (const BlockDecision &decision : decisions_.blocks)
      emit(decision);
    if (decisions_.order != TransferOptions() && !placed_.operations.empty())
      emitOrder();
    emitLayers();
  }

private:
  Location locationOf(uint32_t operation) const { return placed_.operations[operation]->getLoc(); }
  uint32_t layerOf(uint32_t operation) const { return firstLayer_ + placed_.problem.operations[operation].layer; }

  static std::string says(uint32_t hint, StringRef what) { return ("hint " + Twine(hint + 1) + " says " + what).str(); }

  std::string reasonFor(const CascadeDecision &decision) const {
    if (const CascadePin *pin = placed_.problem.pins.cascadeAt(decision.taken.cascade.first))
      return says(pin->hint, "so");
    if (decision.taken.cascade.pieceBytes)
      return "no plan of whole operations fits in SRAM";
    const auto fits = [](const CascadeChoice &choice) { return choice.fits; };
    if (decision.others.empty())
      return "every other way is worse in all figures";
    if (llvm::none_of(decision.others, fits))
      return "nothing else fits in SRAM";
    if (decision.others.front().moreCycles >= 0)
      return "fewest predicted cycles";
    return "belongs to the plan that was fastest when it was played tile by tile";
  }

  std::string reasonAgainst(const CascadeChoice &choice) const {
    if (!choice.fits)
      return "does not fit in SRAM";
    if (const CascadePin *pin = placed_.problem.pins.cascadeAt(choice.cascade.first))
      return says(pin->hint, "otherwise");
    if (choice.moreCycles == 0)
      return "as many predicted cycles";
    return choice.moreCycles > 0 ? "more predicted cycles" : "in no plan that was faster when it was played";
  }

  void emit(const CascadeDecision &decision) const {
    const Cascade &taken = decision.taken.cascade;
    const auto options = remarkOptions(remarks::kSchedule, kCascade);
    const auto addTo = [&](remark::detail::InFlightRemark remark, const CascadeChoice &choice,
                           const std::string &reason) {
      remark << metric(remarks::kChoice, describe(placed_.problem, choice)) << metric(remarks::kReason, reason)
             << metric(remarks::kChange, choice.moreCycles) << metric(remarks::kNeedsBytes, choice.neededBytes)
             << metric(remarks::kHasBytes, decisions_.limitBytes) << metric(remarks::kLayer, layerOf(taken.first))
             << metric(remarks::kLastLayer, layerOf(choice.cascade.end - 1));
      if (choice.fits)
        remark << metric(remarks::kHint, hints_.cascade(choice));
    };
    const Location location = locationOf(taken.first);
    addTo(remark::passed(location, options), decision.taken, reasonFor(decision));
    for (const CascadeChoice &choice : decision.others)
      addTo(choice.fits ? remark::missed(location, options) : remark::failed(location, options), choice,
            reasonAgainst(choice));
  }

  void emit(const BlockDecision &decision) const {
    const auto options = remarkOptions(remarks::kSchedule, kBlock);
    const auto addTo = [&](remark::detail::InFlightRemark remark, const kernels::BlockChoice &choice, StringRef reason,
                           const std::string &hint) {
      remark << metric(remarks::kChoice, describe(choice.block)) << metric(remarks::kReason, reason.str())
             << metric(remarks::kCycles, choice.cycles) << metric(remarks::kLayer, layerOf(decision.operation));
      if (!hint.empty())
        remark << metric(remarks::kHint, hint);
    };
    const Location location = locationOf(decision.operation);
    const bool isFastest = decision.others.empty() || decision.others.front().cycles >= decision.taken.cycles;
    const auto pin = placed_.problem.pins.blocks.find(decision.operation);
    const bool isPinned = pin != placed_.problem.pins.blocks.end();
    addTo(remark::passed(location, options), decision.taken,
          isPinned    ? says(pin->second.hint, "so")
          : isFastest ? "fewest cycles of the tile"
                      : "less waiting for neighbors and transfers",
          hintForTaken(decision.operation));
    for (const kernels::BlockChoice &choice : decision.others)
      addTo(remark::missed(location, options), choice,
            isPinned                                ? says(pin->second.hint, "otherwise")
            : choice.cycles > decision.taken.cycles ? "more cycles"
                                                    : "more waiting for neighbors or transfers",
            hints_.block(decision.operation, choice.block));
  }

  /// Blocks follow from the cascades, except for those that a hint or a search has changed.
  std::string hintForTaken(uint32_t operation) const {
    if (const auto pin = placed_.problem.pins.blocks.find(operation); pin != placed_.problem.pins.blocks.end())
      return hints_.block(operation, pin->second.block);
    if (decisions_.shifts.empty() || decisions_.shifts[operation] == kernels::BlockShift())
      return "";
    return hints_.doublings(operation, decisions_.shifts[operation]);
  }

  void emitOrder() const {
    const TransferOptions &order = decisions_.order;
    std::string choice = "slack of " + count(order.slackSteps, "tile", "tiles");
    if (!order.prefetch)
      choice += ", constants loaded just before their use";
    remark::passed(locationOf(0), remarkOptions(remarks::kSchedule, kTransfers))
        << metric(remarks::kChoice, choice) << metric(remarks::kHint, hints_.transfers(order));
  }

  /// At the first operation of each layer.
  void emitLayers() const {
    auto rest = decisions_.layerCycles;
    for (uint32_t i = 0; i < placed_.operations.size(); ++i)
      if (const auto entry = rest.extract(placed_.problem.operations[i].layer))
        remark::analysis(locationOf(i), remarkOptions(remarks::kSchedule, kLayer))
            << metric(remarks::kCycles, entry.mapped()) << metric(remarks::kLayer, layerOf(i));
  }

  const PlacedProblem &placed_;
  const PlanDecisions &decisions_;
  const HintWriter hints_;
  const uint32_t firstLayer_;
};

} // namespace

void emitRemarks(const PlacedProblem &placed, const PlanDecisions &decisions, const LayerTable &layers,
                 uint32_t firstLayer) {
  Emitter(placed, decisions, layers, firstLayer).run();
}

void emitRemark(Location section, const Alternative &alternative) {
  const auto options = remarkOptions(remarks::kSchedule, kPlan);
  auto remark = alternative.isKept ? remark::passed(section, options) : remark::missed(section, options);
  remark << metric(remarks::kChoice, alternative.what)
         << metric(remarks::kReason, std::string(alternative.isKept ? "the best so far" : "another plan is better"))
         << metric(remarks::kCycles, alternative.simulatedCycles.value_or(alternative.predictedCycles));
}

} // namespace avocet::compiler::schedule
