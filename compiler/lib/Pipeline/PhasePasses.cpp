//===- PhasePasses.cpp - Passes that belong to no one level -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhasePasses.h"

#include "avocet/compiler/Conversion/NpuToCmd.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Loads a target; on failure emits an error at the operation and returns null.
TargetPtr loadTarget(Operation *op, StringRef name) {
  Result<TargetPtr> target = firmware::Target::load(std::string_view(name.data(), name.size()));
  if (target)
    return *target;
  op->emitError(target.status().message());
  return nullptr;
}

class NpuToCmdPass : public PassWrapper<NpuToCmdPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NpuToCmdPass)

  explicit NpuToCmdPass(TargetPtr target = nullptr) : target_(std::move(target)) {}
  NpuToCmdPass(const NpuToCmdPass &other) : PassWrapper(other), target_(other.target_) {}

  StringRef getArgument() const override { return "npu-to-cmd"; }
  StringRef getName() const override { return getArgument(); }
  StringRef getDescription() const override {
    return "Split an allocated program into one command stream per engine, ordered by semaphores";
  }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<cmd::CmdDialect>(); }

  void runOnOperation() override {
    TargetPtr target = target_ ? target_ : loadNamedTarget();
    if (!target || failed(convertNpuToCmd(getOperation(), *target)))
      signalPassFailure();
  }

private:
  TargetPtr loadNamedTarget() {
    if (!targetName_.empty())
      return loadTarget(getOperation(), targetName_);
    auto programs = getOperation().getOps<npu::ProgramOp>();
    if (!programs.empty())
      return loadTarget(*programs.begin(), (*programs.begin()).getTarget());
    getOperation().emitError("holds no npu.program that names a target");
    return nullptr;
  }

  TargetPtr target_;
  Option<std::string> targetName_{*this, "target",
                                  llvm::cl::desc("Name of a target or path of a target file; default: the program's")};
};

class BorderPass : public PassWrapper<BorderPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BorderPass)

  BorderPass() = default;
  BorderPass(Phase phase, TargetPtr target) : target_(std::move(target)) { phaseName_ = std::string(nameOf(phase)); }
  BorderPass(const BorderPass &other) : PassWrapper(other), target_(other.target_) {}

  StringRef getArgument() const override { return "avocet-border"; }
  StringRef getName() const override { return getArgument(); }
  StringRef getDescription() const override { return "Check that a module is what a phase leaves, and note the phase"; }

  void runOnOperation() override {
    Result<Phase> phase = phaseNamed(phaseName_.getValue());
    if (!phase) {
      getOperation().emitError(phase.status().message());
      return signalPassFailure();
    }
    if (failed(verifyBorder(getOperation(), *phase, target_)))
      return signalPassFailure();
    notePhase(getOperation(), *phase);
  }

private:
  TargetPtr target_;
  Option<std::string> phaseName_{*this, "phase", llvm::cl::desc("Name of the phase")};
};

class CompilePass : public PassWrapper<CompilePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CompilePass)

  CompilePass() = default;
  CompilePass(const CompilePass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "avocet-compile"; }
  StringRef getName() const override { return getArgument(); }
  StringRef getDescription() const override { return "The phases of the compiler, from start-at to stop-after"; }
  void getDependentDialects(DialectRegistry &registry) const override { registerDialects(registry); }

  void runOnOperation() override {
    if (failed(compileModule()))
      signalPassFailure();
  }

private:
  LogicalResult compileModule() {
    TargetPtr target = loadTarget(getOperation(), targetName_);
    FailureOr<Phase> last = phase(stopAfter_.getValue());
    FailureOr<Phase> start = startAt_.empty() ? phaseOf(getOperation()) : phase(startAt_.getValue());
    if (!target || failed(last) || failed(start))
      return failure();
    for (int next = static_cast<int>(*start) + 1; next <= static_cast<int>(*last); ++next) {
      OpPassManager manager(ModuleOp::getOperationName());
      buildPhase(manager, static_cast<Phase>(next), target);
      if (failed(runPipeline(manager, getOperation())))
        return failure();
    }
    return success();
  }

  FailureOr<Phase> phase(const std::string &name) {
    Result<Phase> phase = phaseNamed(name);
    if (!phase)
      return getOperation().emitError(phase.status().message());
    return *phase;
  }

  Option<std::string> targetName_{*this, "target", llvm::cl::init("e256"),
                                  llvm::cl::desc("Name of a target or path of a target file")};
  Option<std::string> startAt_{*this, "start-at",
                               llvm::cl::desc("Last phase that the module has passed; default: its attribute")};
  Option<std::string> stopAfter_{*this, "stop-after", llvm::cl::init("cmd"), llvm::cl::desc("Last phase to run")};
};

} // namespace

std::unique_ptr<Pass> createNpuToCmdPass(TargetPtr target) { return std::make_unique<NpuToCmdPass>(std::move(target)); }

std::unique_ptr<Pass> createBorderPass(Phase phase, TargetPtr target) {
  return std::make_unique<BorderPass>(phase, std::move(target));
}

std::unique_ptr<Pass> createCompilePass() { return std::make_unique<CompilePass>(); }

} // namespace avocet::compiler
