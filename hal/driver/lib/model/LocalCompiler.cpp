//===- LocalCompiler.cpp - The compiler in this process ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/LocalCompiler.h"

#include "device/HalResult.h"
#include "model/Simulation.h"

namespace avocet::hal {

Result<compiler::LoadedCompiler> LocalCompiler::load() {
  std::lock_guard lock(mutex_);
  if (!compiler_) {
    AVOCET_ASSIGN_OR_RETURN(compiler_, toHalResult(compiler::LoadedCompiler::load(library_)));
  }
  return *compiler_;
}

Result<compiler::CompileResult> LocalCompiler::run(compiler::CompileRequest &request, bool /*isBackground*/) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, load());
  if (request.optimise > compiler::kDefaultOptimise)
    request.simulate = [this](std::span<const uint8_t> model, std::span<const uint8_t> data) {
      return simulatedCycles(target(), model, data);
    };
  request.sourceMap = inspect_ != nullptr;
  compiler::CompileResult result = compiler.compile(request);
  if (inspect_ && result.status.isOk() && !result.modelCache.empty())
    AVOCET_RETURN_IF_ERROR(toHalResult(inspect_(result)));
  return result;
}

Result<compiler::Verdict> LocalCompiler::run(compiler::JudgeRequest &request) {
  AVOCET_ASSIGN_OR_RETURN(compiler::LoadedCompiler compiler, load());
  return compiler.judge(request);
}

} // namespace avocet::hal
