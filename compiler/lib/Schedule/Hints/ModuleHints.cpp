//===- ModuleHints.cpp - The hints of a module as pins ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleHints.h"

#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Remarks.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mlir;

namespace avocet::compiler::schedule {

namespace {

InFlightDiagnostic errorAt(Location location, uint32_t hint) {
  return emitError(location) << "hint " << hint + 1 << ": ";
}

LogicalResult report(const PlacedProblem &placed, const std::vector<PinError> &errors) {
  for (const PinError &error : errors)
    errorAt(placed.operations[error.operation]->getLoc(), error.hint) << error.message;
  return success(errors.empty());
}

/// All operators that a hint names.
std::vector<OperatorRef> refsOf(const Hint &hint) {
  struct Collector {
    std::vector<OperatorRef> operator()(const CascadeHint &cascade) const {
      std::vector<OperatorRef> refs = cascade.spills.value_or(std::vector<OperatorRef>());
      refs.insert(refs.begin(), {cascade.first, cascade.last});
      return refs;
    }
    std::vector<OperatorRef> operator()(const CutHint &cut) const { return {cut.last}; }
    std::vector<OperatorRef> operator()(const ResultHint &result) const { return {result.result}; }
    std::vector<OperatorRef> operator()(const BlockHint &block) const { return {block.of}; }
    std::vector<OperatorRef> operator()(const TransfersHint &transfers) const { return {transfers.of}; }
  };
  return std::visit(Collector(), hint);
}

/// Turns the hints of one section into pins. The first error of a hint is reported.
class Pinner {
public:
  Pinner(const LayerTable &layers, func::FuncOp function, PlacedProblem &placed)
      : layers_(layers), function_(function), placed_(placed), pins_(placed.problem.pins) {
    const uint32_t first = layers.firstLayerOf(function.getSymName());
    for (uint32_t i = 0; i < placed.problem.operations.size(); ++i)
      operations_[first + placed.problem.operations[i].layer].push_back(i);
  }

  bool add(uint32_t number, const Hint &hint) {
    number_ = number;
    failed_ = false;
    std::visit([this](const auto &each) { pin(each); }, hint);
    return !failed_;
  }

private:
  void fail(uint32_t operation, const Twine &message) {
    if (!failed_)
      errorAt(placed_.operations[operation]->getLoc(), number_) << message;
    failed_ = true;
  }
  void contradict(uint32_t operation, uint32_t other) {
    fail(operation, "it contradicts hint " + Twine(other + 1) + "; leave out one of them");
  }

  /// The operations that a reference means, in order; empty after an error.
  std::vector<uint32_t> operationsOf(const OperatorRef &ref) {
    const auto found = operations_.find(layers_.find(ref).layer);
    if (found == operations_.end()) {
      if (!failed_)
        errorAt(function_.getLoc(), number_)
            << ref.text() << " has no operation in the schedule: it only moves data in place";
      failed_ = true;
      return {};
    }
    const std::vector<uint32_t> &all = found->second;
    if (!ref.operation)
      return all;
    if (*ref.operation < all.size())
      return {all[*ref.operation]};
    fail(all.front(), ref.text() + " has " + Twine(all.size()) + " operations; 'operation' must be less");
    return {};
  }

  void pin(const CascadeHint &hint) {
    const std::vector<uint32_t> first = operationsOf(hint.first), last = operationsOf(hint.last);
    if (first.empty() || last.empty())
      return;
    CascadePin pin{first.front(), last.back() + 1, hint.rows, hint.parts, hint.ahead, hint.pieces, {}, number_};
    if (pin.first >= pin.end)
      return fail(pin.first,
                  hint.last.text() + " comes before " + hint.first.text() + " in the schedule; exchange them");
    if (hint.first == hint.last && pin.end - pin.first != first.size())
      return fail(pin.first, "the operations of " + hint.first.text() +
                                 " do not follow each other in the schedule; name the first and the last operator");
    if (hint.spills) {
      std::set<uint32_t> tensors;
      for (const OperatorRef &spill : *hint.spills)
        if (const std::optional<uint32_t> tensor = resultOf(spill))
          tensors.insert(*tensor);
      pin.spills.emplace(tensors.begin(), tensors.end());
    }
    if (const CascadePin *other = overlapped(pin))
      return contradict(std::max(pin.first, other->first), other->hint);
    if (!failed_)
      pins_.cascades.emplace(pin.first, std::move(pin));
  }

  const CascadePin *overlapped(const CascadePin &pin) const {
    if (const CascadePin *before = pins_.cascadeWith(pin.first))
      return before;
    const auto next = pins_.cascades.lower_bound(pin.first);
    return next != pins_.cascades.end() && next->first < pin.end ? &next->second : nullptr;
  }

  void pin(const CutHint &hint) {
    const std::vector<uint32_t> last = operationsOf(hint.last);
    if (!last.empty() && last.back() + 1 < placed_.problem.operations.size())
      pins_.cuts.try_emplace(last.back() + 1, number_);
  }

  std::optional<uint32_t> resultOf(const OperatorRef &ref) {
    std::set<uint32_t> tensors;
    const std::vector<uint32_t> operations = operationsOf(ref);
    for (uint32_t operation : operations) {
      const auto &outputs = placed_.problem.operations[operation].outputs;
      if (ref.output < outputs.size())
        tensors.insert(outputs[ref.output].id);
    }
    if (!operations.empty() && tensors.empty())
      fail(operations.front(), ref.text() + " has no output " + Twine(ref.output) + "; outputs are counted from 0");
    else if (tensors.size() > 1)
      fail(operations.front(), ref.text() + " has " + Twine(operations.size()) +
                                   " operations with different results; add 'operation': 0 to " +
                                   Twine(operations.size() - 1));
    return tensors.size() == 1 ? std::optional(*tensors.begin()) : std::nullopt;
  }

  void pin(const ResultHint &hint) {
    const std::optional<uint32_t> tensor = resultOf(hint.result);
    if (!tensor)
      return;
    const auto [entry, isNew] = pins_.memories.try_emplace(*tensor, MemoryPin{hint.inDram, number_});
    if (entry->second.inDram != hint.inDram)
      contradict(operationsOf(hint.result).front(), entry->second.hint);
  }

  void pin(const BlockHint &hint) {
    for (uint32_t operation : operationsOf(hint.of))
      if (hint.extents) {
        const auto [entry, isNew] = pins_.blocks.try_emplace(operation, BlockPin{*hint.extents, number_});
        if (!isNew && !(entry->second.block == *hint.extents))
          contradict(operation, entry->second.hint);
      } else {
        const auto [entry, isNew] = pins_.shifts.try_emplace(operation, ShiftPin{*hint.doublings, number_});
        if (!isNew && entry->second.shift != *hint.doublings)
          contradict(operation, entry->second.hint);
      }
  }

  void pin(const TransfersHint &hint) {
    if (pins_.order && pins_.order->order != hint.order)
      contradict(operationsOf(hint.of).front(), pins_.order->hint);
    pins_.order = OrderPin{hint.order, number_};
  }

  const LayerTable &layers_;
  func::FuncOp function_;
  PlacedProblem &placed_;
  Pins &pins_;
  std::map<uint32_t, std::vector<uint32_t>> operations_; ///< by layer of the module
  uint32_t number_ = 0;                                  ///< of the hint
  bool failed_ = false;
};

} // namespace

FailureOr<ModuleHints> ModuleHints::of(ModuleOp module) {
  ModuleHints result;
  const Attribute attribute = module->getAttr(attrs::kHints);
  if (attribute || wantsRemarks(module.getContext()))
    result.layers_ = LayerTable(module);
  if (!attribute)
    return result;
  FailureOr<std::vector<Hint>> hints = readHints(module.getLoc(), attribute);
  if (failed(hints))
    return failure();
  result.hints_ = std::move(*hints);
  if (failed(result.checkNames(module.getLoc())))
    return failure();
  return result;
}

LogicalResult ModuleHints::checkNames(Location location) const {
  bool ok = true;
  for (uint32_t i = 0; i < hints_.size(); ++i) {
    StringRef section;
    for (const OperatorRef &ref : refsOf(hints_[i])) {
      const LayerTable::Found found = layers_.find(ref);
      std::string error = found.error;
      if (error.empty() && !section.empty() && section != layers_.sectionOf(found.layer))
        error =
            ref.text() + " is in another part of the network, between branches and loops, than the operators before it";
      if (!error.empty()) {
        errorAt(location, i) << error;
        ok = false;
        break;
      }
      section = layers_.sectionOf(found.layer);
    }
  }
  return success(ok);
}

LogicalResult ModuleHints::pin(func::FuncOp function, PlacedProblem &placed) const {
  if (hints_.empty())
    return success();
  Pinner pinner(layers_, function, placed);
  bool ok = true;
  for (uint32_t i = 0; i < hints_.size(); ++i)
    if (layers_.sectionOf(layers_.find(refsOf(hints_[i]).front()).layer) == function.getSymName())
      ok &= pinner.add(i, hints_[i]);
  if (!ok)
    return failure();
  return report(placed, checkPins(placed.problem));
}

LogicalResult refusePins(func::FuncOp function, const PlacedProblem &placed, uint32_t operation) {
  const Problem &problem = placed.problem;
  const std::vector<PinError> tooLarge = pinsTooLarge(problem);
  if (!tooLarge.empty())
    return report(placed, tooLarge);
  if (operation >= placed.operations.size())
    return function.emitError(
        "no schedule follows the hints: the buffers of every plan that does find no places in SRAM; "
        "let fewer results stay there, or make cascades with fewer rows");
  InFlightDiagnostic error =
      emitError(placed.operations[operation]->getLoc())
      << "no schedule follows the hints: this operation and what must be in SRAM meanwhile do not fit in "
      << problem.target->sram().bytes << " bytes";
  for (const PinError &pin : pinsAbout(problem, operation))
    error.attachNote() << "hint " << pin.hint + 1 << " " << pin.message;
  return error;
}

} // namespace avocet::compiler::schedule
