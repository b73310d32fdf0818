//===- CompilePass.cpp - The phases as one pass -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelinePasses.h"

#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_COMPILEPASS
#include "PipelinePasses.h.inc"

namespace {

struct Compile : impl::CompilePassBase<Compile> {
  using CompilePassBase::CompilePassBase;

  void runOnOperation() override {
    if (failed(compileModule()))
      signalPassFailure();
  }

private:
  LogicalResult compileModule() {
    TargetPtr target = passTarget(getOperation(), nullptr, targetName);
    FailureOr<Phase> last = phase(stopAfter);
    FailureOr<Phase> start = startAt.empty() ? phaseOf(getOperation()) : phase(startAt);
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
};

} // namespace
} // namespace avocet::compiler
