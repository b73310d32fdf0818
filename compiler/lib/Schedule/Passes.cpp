//===- Passes.cpp - The phases as passes ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Schedule.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace avocet::compiler {

namespace {

using Work = LogicalResult (*)(ModuleOp, const TargetPtr &);

/// A pass that calls a function on the module. The target comes from the caller or, by name, from the command line.
class ModuleWork : public PassWrapper<ModuleWork, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ModuleWork)

  ModuleWork(StringRef name, StringRef text, Work work, TargetPtr given)
      : name_(name), text_(text), work_(work), given_(std::move(given)) {}
  ModuleWork(const ModuleWork &other)
      : PassWrapper(other), name_(other.name_), text_(other.text_), work_(other.work_), given_(other.given_) {}

  StringRef getArgument() const override { return name_; }
  StringRef getDescription() const override { return text_; }
  StringRef getName() const override { return name_; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<npu::NpuDialect, func::FuncDialect>();
  }

  void runOnOperation() override {
    TargetPtr target = given_;
    if (!target) {
      auto loaded = firmware::Target::load(name);
      if (!loaded.isOk()) {
        getOperation().emitError(loaded.status().message());
        return signalPassFailure();
      }
      target = std::move(loaded).value();
    }
    if (failed(work_(getOperation(), target)))
      signalPassFailure();
  }

  Option<std::string> name{*this, "target", llvm::cl::desc("name of a target or path of a target file"),
                           llvm::cl::init("e256")};

private:
  StringRef name_, text_;
  Work work_;
  TargetPtr given_;
};

std::unique_ptr<Pass> make(StringRef name, StringRef text, Work work, TargetPtr target) {
  return std::make_unique<ModuleWork>(name, text, work, std::move(target));
}

LogicalResult placedBorder(ModuleOp module, const TargetPtr &) { return verifyPlaced(module); }
LogicalResult scheduledBorder(ModuleOp module, const TargetPtr &) { return verifyScheduled(module); }

} // namespace

std::unique_ptr<Pass> createSchedulePass(TargetPtr target) {
  return make("npu-schedule", "Schedule a placed function as an npu.program", scheduleModule, std::move(target));
}

std::unique_ptr<Pass> createAllocatePass(TargetPtr target) {
  return make("npu-allocate", "Assign addresses to the buffers of an npu.program", allocateModule, std::move(target));
}

void registerSchedulePasses() {
  registerPass([] { return createSchedulePass(); });
  registerPass([] { return createAllocatePass(); });
  registerPass(
      [] { return make("npu-verify-placed", "Check that a module is what place leaves", placedBorder, nullptr); });
  registerPass([] {
    return make("npu-verify-scheduled", "Check that a module is what schedule leaves", scheduledBorder, nullptr);
  });
  registerPass([] {
    return make("npu-verify-allocated", "Check that a module is what allocate leaves", verifyAllocated, nullptr);
  });
}

} // namespace avocet::compiler
