//===- Schedule.cpp - Phase schedule ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Connects the search for schedules with the callbacks of ScheduleSearch: an alternative of one section becomes a
// scheduled copy of the module. Sections that come later have their default schedules in it.
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "Hints/ModuleHints.h"
#include "ProblemBuilder.h"
#include "ProgramWriter.h"
#include "Schedule/Core/Feasibility.h"
#include "Schedule/Core/Sequence.h"
#include "Schedule/Core/TileCommand.h"
#include "ScheduleRemarks.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Refusal.h"
#include "avocet/compiler/Support/Remarks.h"
#include "avocet/kernels/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstring>
#include <map>
#include <string>

using namespace mlir;

namespace avocet::compiler::schedule {
namespace {

class ModuleSearch : public SearchHost {
public:
  /// All must outlive the object.
  ModuleSearch(mlir::ModuleOp module, const TargetPtr &target, const ScheduleSearch &search, const LayerTable &layers)
      : module_(module), target_(target), search_(search), layers_(layers) {}

  const SearchEffort &effort() const { return search_.effort; }

  /// The section that the next alternatives are for, not yet replaced by a program. `placed` must outlive the search
  /// for it.
  void enter(mlir::func::FuncOp function, const PlacedProblem &placed) {
    current_ = function.getSymName().str();
    placed_ = &placed;
  }

  Result<uint64_t> simulate(const Sequence &sequence) override;
  void report(const Alternative &alternative) override;
  bool wantsDecisions() const override;
  void decided(const PlanDecisions &decisions) override;

private:
  Status writeSection(mlir::func::FuncOp function, const Sequence *sequence);

  mlir::ModuleOp module_;
  const TargetPtr &target_;
  const ScheduleSearch &search_;
  const LayerTable &layers_;
  std::string current_;
  const PlacedProblem *placed_ = nullptr;    ///< of the current section
  std::map<std::string, Sequence> defaults_; ///< of later sections
};

/// The lowest level of effort whose search tries thousands of plans.
static constexpr uint32_t kManyPlans = 3;

Result<uint64_t> ModuleSearch::simulate(const Sequence &sequence) {
  OwningOpRef<ModuleOp> copy = module_.clone();
  for (auto function : llvm::make_early_inc_range(copy->getOps<func::FuncOp>()))
    AVOCET_RETURN_IF_ERROR(writeSection(function, function.getSymName() == current_ ? &sequence : nullptr));
  return search_.simulate(*copy);
}

void ModuleSearch::report(const Alternative &alternative) {
  if (search_.report)
    search_.report(alternative);
  if (wantsDecisions() && (alternative.isKept || alternative.simulatedCycles || search_.effort.level < kManyPlans))
    emitRemark(module_.lookupSymbol(current_)->getLoc(), alternative);
}

bool ModuleSearch::wantsDecisions() const { return wantsRemarks(module_->getContext()); }

void ModuleSearch::decided(const PlanDecisions &decisions) {
  emitRemarks(*placed_, decisions, layers_, layers_.firstLayerOf(current_));
}

/// Replaces a function by its program; without a sequence, by that of the default schedule.
Status ModuleSearch::writeSection(func::FuncOp function, const Sequence *sequence) {
  auto placed = buildProblem(function, target_);
  if (failed(placed))
    return internalError("the operations of a section cannot be read");
  if (!sequence) {
    auto [entry, isNew] = defaults_.try_emplace(function.getSymName().str());
    if (isNew) {
      auto answer = makeSchedule(placed->problem);
      if (std::holds_alternative<Misfit>(answer))
        return failedPrecondition("another section of the network does not fit on chip");
      entry->second = std::move(std::get<Sequence>(answer));
    }
    sequence = &entry->second;
  }
  writeProgram(function, *placed, *sequence);
  function.erase();
  return Status::ok();
}

} // namespace

} // namespace avocet::compiler::schedule

namespace avocet::compiler {

#define GEN_PASS_DEF_SCHEDULEPASS
#include "avocet/compiler/Schedule/SchedulePasses.h.inc"

namespace {

/// The operation's name in the network, for refusals.
std::string networkName(func::FuncOp function, uint32_t layer) {
  auto layers = function->getAttrOfType<ArrayAttr>(npu::NpuDialect::kLayersAttr);
  if (layers && layer < layers.size())
    if (auto op = cast<DictionaryAttr>(layers[layer]).getAs<StringAttr>(attrs::kLayerOp))
      return op.str();
  return "operation";
}

/// Fails unless the kernels accept every operation, on whole tensors; reports all errors.
LogicalResult checkLegal(const schedule::PlacedProblem &placed) {
  bool ok = true;
  for (uint32_t i = 0; i < placed.operations.size() && !isCancelled(); ++i) {
    firmware::CommandBody command = schedule::wholeCommand(placed.problem, i);
    const kernels::Kernel *kernel = kernels::findKernel(command);
    Status status = kernel ? kernel->check(*placed.problem.target, command) : internalError("no such kernel");
    if (!status.isOk())
      placed.operations[i]->emitOpError(status.message());
    ok &= status.isOk();
  }
  return success(ok);
}

LogicalResult refuse(func::FuncOp function, const schedule::PlacedProblem &placed, const schedule::Misfit &misfit) {
  RefusalReason reason;
  reason.operation = networkName(function, placed.problem.operations[misfit.operation].layer);
  reason.rule = "bytes of on-chip memory for the smallest tile";
  reason.value = std::to_string(misfit.needed);
  reason.limit = std::to_string(misfit.limit);
  reason.advice = "choose a target with more on-chip memory, or run this operator on the host (--fallback cpu)";
  emitRefusal(placed.operations[misfit.operation]->getLoc(), reason);
  return failure();
}

/// Refuses the operations that do not even fit alone.
LogicalResult checkFits(func::FuncOp function, const schedule::PlacedProblem &placed) {
  bool ok = true;
  for (uint32_t i = 0; i < placed.operations.size() && !isCancelled(); ++i)
    if (auto misfit = schedule::misfitAlone(placed.problem, i))
      ok &= succeeded(refuse(function, placed, *misfit));
  return success(ok && !isCancelled());
}

LogicalResult checkFunction(func::FuncOp function, const TargetPtr &target) {
  auto placed = schedule::buildProblem(function, target);
  if (failed(placed) || failed(checkLegal(*placed)))
    return failure();
  return checkFits(function, *placed);
}

LogicalResult scheduleFunction(func::FuncOp function, const TargetPtr &target, const schedule::ModuleHints &hints,
                               schedule::ModuleSearch &search) {
  auto placed = schedule::buildProblem(function, target);
  if (failed(placed) || failed(checkLegal(*placed)) || failed(hints.pin(function, *placed)))
    return failure();
  search.enter(function, *placed);
  auto answer = schedule::searchSchedule(placed->problem, search.effort(), search);
  if (isCancelled())
    return failure();
  if (!answer)
    return function.emitError(answer.status().message());
  if (const auto *misfit = std::get_if<schedule::Misfit>(&*answer)) {
    if (placed->problem.pins.isEmpty())
      return refuse(function, *placed, *misfit);
    return failed(checkFits(function, *placed)) ? failure()
                                                : schedule::refusePins(function, *placed, misfit->operation);
  }
  schedule::writeProgram(function, *placed, std::get<schedule::Sequence>(*answer));
  function.erase();
  return success(!isCancelled());
}

LogicalResult scheduleModule(ModuleOp module, const TargetPtr &target, const ScheduleSearch &search) {
  if (failed(verifyPlaced(module)))
    return failure();
  const FailureOr<schedule::ModuleHints> hints = schedule::ModuleHints::of(module);
  if (failed(hints))
    return failure();
  module->removeAttr(attrs::kHints);
  schedule::ModuleSearch host(module, target, search, hints->layers());
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (failed(scheduleFunction(function, target, *hints, host)))
      return failure();
  return success();
}

struct Schedule : impl::SchedulePassBase<Schedule> {
  using SchedulePassBase::SchedulePassBase;
  Schedule() = default;
  Schedule(TargetPtr target, ScheduleSearch search) : given_(std::move(target)), search_(std::move(search)) {}

  void runOnOperation() override {
    TargetPtr target = passTarget(getOperation(), given_, targetName);
    if (!target || failed(scheduleModule(getOperation(), target, search_)))
      signalPassFailure();
  }

private:
  TargetPtr given_;
  ScheduleSearch search_;
};

} // namespace

LogicalResult checkSchedulable(ModuleOp module, const TargetPtr &target) {
  bool ok = true;
  for (auto function : module.getOps<func::FuncOp>())
    ok &= succeeded(checkFunction(function, target));
  return success(ok);
}

std::unique_ptr<Pass> createSchedulePass(TargetPtr target, ScheduleSearch search) {
  return std::make_unique<Schedule>(std::move(target), std::move(search));
}

} // namespace avocet::compiler

namespace avocet::compiler::schedule {

LogicalResult copyConstant(ElementsAttr data, uint64_t source, std::span<uint8_t> target) {
  ArrayRef<char> raw;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(data)) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return failure();
    raw = blob->getData();
  } else if (auto dense = dyn_cast<DenseElementsAttr>(data)) {
    raw = dense.getRawData();
    if (dense.isSplat() && !raw.empty()) { // stored as one element
      for (size_t i = 0; i < target.size(); ++i)
        target[i] = uint8_t(raw[(source + i) % raw.size()]);
      return success();
    }
  }
  if (source > raw.size() || target.size() > raw.size() - source)
    return failure();
  std::memcpy(target.data(), raw.data() + source, target.size());
  return success();
}

} // namespace avocet::compiler::schedule
