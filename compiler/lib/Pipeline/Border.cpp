//===- Border.cpp - Contract of each phase's result -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelinePasses.h"

#include "Import/Common/BorderTensors.h"
#include "Schedule/Schedule.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_BORDERPASS
#include "PipelinePasses.h.inc"

namespace {

/// Dialects whose operations may remain after a phase; builtin.module is always present.
llvm::ArrayRef<llvm::StringLiteral> dialectsAfter(Phase phase) {
  static constexpr llvm::StringLiteral kGraph[] = {"func", "nn"};
  static constexpr llvm::StringLiteral kPlaced[] = {"func", "npu"};
  static constexpr llvm::StringLiteral kScheduled[] = {"npu"};
  static constexpr llvm::StringLiteral kCommands[] = {"cmd"};
  switch (phase) {
  case Phase::Import:
  case Phase::Nn:
    return kGraph;
  case Phase::Place:
    return kPlaced;
  case Phase::Schedule:
  case Phase::Allocate:
    return kScheduled;
  case Phase::Cmd:
    return kCommands;
  }
  llvm_unreachable("all phases are listed");
}

LogicalResult verifyDialects(ModuleOp module, Phase phase) {
  llvm::ArrayRef<llvm::StringLiteral> allowed = dialectsAfter(phase);
  bool ok = true;
  module.getBodyRegion().walk([&](Operation *op) {
    // From the end of place on, the module also holds the control program of the sections.
    const bool isControl = isa<cmd::ControlOp>(op) && phase >= Phase::Place;
    if (isControl || llvm::is_contained(allowed, op->getName().getDialectNamespace()))
      return;
    std::string_view name = nameOf(phase);
    op->emitOpError("is not allowed after the phase ") << StringRef(name.data(), name.size());
    ok = false;
  });
  return success(ok);
}

/// Fails unless the module holds exactly one operation, of type Op.
template <typename Op> LogicalResult verifyOnly(ModuleOp module) {
  if (llvm::hasSingleElement(*module.getBody()) && isa<Op>(module.getBody()->front()))
    return success();
  return module.emitError("must hold one ") << Op::getOperationName() << " and no other operation";
}

/// Modules of users have passed no importer.
LogicalResult verifyFunction(ModuleOp module) {
  auto function = cast<func::FuncOp>(module.getBody()->front());
  return checkBorder(function.getLoc(), {function.getNumArguments(), function.getNumResults()});
}

/// Checks the module's own level after the phase.
LogicalResult verifyLevel(ModuleOp module, Phase phase, const TargetPtr &target) {
  switch (phase) {
  case Phase::Import:
  case Phase::Nn:
    return success(succeeded(verifyOnly<func::FuncOp>(module)) && succeeded(verifyFunction(module)));
  case Phase::Place:
    return verifyPlaced(module);
  case Phase::Schedule:
    return verifyScheduled(module, target);
  case Phase::Allocate:
    return verifyAllocated(module, target);
  case Phase::Cmd:
    return verifyOnly<cmd::ProgramOp>(module);
  }
  llvm_unreachable("all phases are listed");
}

struct Border : impl::BorderPassBase<Border> {
  using BorderPassBase::BorderPassBase;
  Border() = default;
  Border(Phase phase, TargetPtr target) : given_(std::move(target)) { phaseName = std::string(nameOf(phase)); }

  void runOnOperation() override {
    Result<Phase> phase = phaseNamed(phaseName.getValue());
    if (!phase) {
      getOperation().emitError(phase.status().message());
      return signalPassFailure();
    }
    TargetPtr target = passTarget(getOperation(), given_, targetName);
    if (!target || failed(verifyBorder(getOperation(), *phase, target)))
      return signalPassFailure();
    notePhase(getOperation(), *phase);
  }

private:
  TargetPtr given_;
};

} // namespace

LogicalResult verifyBorder(ModuleOp module, Phase phase, const TargetPtr &target) {
  if (failed(verifyDialects(module, phase)) || failed(verify(module)))
    return failure();
  return verifyLevel(module, phase, target);
}

std::unique_ptr<Pass> createBorderPass(Phase phase, TargetPtr target) {
  return std::make_unique<Border>(phase, std::move(target));
}

} // namespace avocet::compiler
