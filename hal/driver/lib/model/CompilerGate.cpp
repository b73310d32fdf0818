//===- CompilerGate.cpp - The driver's interface to the compiler -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/CompilerGate.h"

#include <fmt/core.h>

namespace avocet::hal {

Result<compiler::CompileResult> CompilerGate::compile(std::span<const uint8_t> model,
                                                      const std::vector<std::span<const uint8_t>> &pools,
                                                      const CallLimit &limit, compiler::InputFormat format,
                                                      CompilerTask task) {
  compiler::CompileRequest request;
  request.modelPath = "model";
  request.modelBytes = model;
  request.format = format;
  request.pools = pools;
  request.target = target_;
  request.supportOnly = task == CompilerTask::CheckSupport;
  request.isSpecialised = task == CompilerTask::Specialise;
  request.cancelled = [&limit] { return limit.isOver(); };
  return run(request);
}

static std::string firstWords(const compiler::CompileResult &result) {
  for (const compiler::Diagnostic &diagnostic : result.diagnostics)
    if (diagnostic.severity == compiler::Severity::Error)
      return diagnostic.message;
  return std::string(result.status.message());
}

Error errorOf(const compiler::CompileResult &result, const CallLimit &limit) {
  if (result.isTooLarge) // a retry cannot succeed
    return error(ErrorStatus::ResourceExhaustedPersistent, firstWords(result));
  switch (result.status.code()) {
  case StatusCode::Aborted:
    return limit.whyOver("while the model was compiled");
  case StatusCode::DataLoss:
    return invalidArgument(firstWords(result));
  case StatusCode::ResourceExhausted:
    return fromStatus(result.status);
  default:
    return generalFailure(firstWords(result));
  }
}

} // namespace avocet::hal
