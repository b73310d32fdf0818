//===- Schedule.cpp - Phase schedule ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Schedule.h"
#include "avocet/compiler/Refusal.h"
#include "avocet/compiler/Schedule/Core/Feasibility.h"
#include "avocet/compiler/Schedule/Core/Sequence.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/ProgramAttrs.h"

#include "ModuleSearch.h"
#include "ProgramWriter.h"
#include "avocet/compiler/Schedule/Core/TileCommand.h"

#include "avocet/kernels/Kernel.h"

using namespace mlir;

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
  reason.advice = "choose a target with more on-chip memory, or run this operator on the host";
  emitRefusal(placed.operations[misfit.operation]->getLoc(), reason);
  return failure();
}

LogicalResult checkFunction(func::FuncOp function, const TargetPtr &target) {
  auto placed = schedule::buildProblem(function, target);
  if (failed(placed) || failed(checkLegal(*placed)))
    return failure();
  bool ok = true;
  for (uint32_t i = 0; i < placed->operations.size() && !isCancelled(); ++i)
    if (auto misfit = schedule::misfitAlone(placed->problem, i))
      ok &= succeeded(refuse(function, *placed, *misfit));
  return success(ok && !isCancelled());
}

LogicalResult scheduleFunction(func::FuncOp function, const TargetPtr &target, schedule::ModuleSearch &search) {
  auto placed = schedule::buildProblem(function, target);
  if (failed(placed) || failed(checkLegal(*placed)))
    return failure();
  search.enter(function, *placed);
  auto answer = schedule::searchSchedule(placed->problem, search.effort(), search);
  if (isCancelled())
    return failure();
  if (!answer)
    return function.emitError(answer.status().message());
  if (const auto *misfit = std::get_if<schedule::Misfit>(&*answer))
    return refuse(function, *placed, *misfit);
  schedule::writeProgram(function, *placed, std::get<schedule::Sequence>(*answer));
  function.erase();
  return success(!isCancelled());
}

LogicalResult scheduleModule(ModuleOp module, const TargetPtr &target, const ScheduleSearch &search) {
  if (failed(verifyPlaced(module)))
    return failure();
  schedule::ModuleSearch host(module, target, search);
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (failed(scheduleFunction(function, target, host)))
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
