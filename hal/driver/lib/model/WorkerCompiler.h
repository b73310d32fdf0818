//===- WorkerCompiler.h - The compiler in separate processes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_WORKERCOMPILER_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_WORKERCOMPILER_H

#include "avocet/hal/worker/CompileWorkers.h"
#include "model/CompilerGate.h"

#include <memory>
#include <string>

namespace avocet::hal {

/// Runs each compilation in a separate process. Several devices may share the workers.
class WorkerCompiler final : public CompilerGate {
public:
  WorkerCompiler(std::shared_ptr<CompileWorkers> workers, std::string target)
      : CompilerGate(std::move(target)), workers_(std::move(workers)) {}

private:
  Result<compiler::CompileResult> run(compiler::CompileRequest &request, bool isBackground) override {
    return workers_->compile(request, isBackground ? Urgency::Background : Urgency::Foreground);
  }
  Result<compiler::Verdict> run(compiler::JudgeRequest &request) override { return workers_->judge(request); }
  std::string_view place() const override { return "in a worker process"; }

  const std::shared_ptr<CompileWorkers> workers_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_WORKERCOMPILER_H
