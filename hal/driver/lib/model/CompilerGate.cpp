//===- CompilerGate.cpp - The driver's interface to the compiler -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/CompilerGate.h"

#include "avocet/hal/types/CompilerErrors.h"
#include "avocet/hal/types/VerboseLog.h"

#include <chrono>
#include <fmt/core.h>

namespace avocet::hal {
namespace {

std::string_view nameOf(CompilerTask task) {
  constexpr std::string_view kNames[] = {"compilation", "compilation for the shapes of an execution", "support query"};
  return kNames[static_cast<size_t>(task)];
}

std::string summaryOf(const compiler::CompileResult &result) {
  if (!result.refusals.empty())
    return fmt::format("{} operations refused", result.refusals.size());
  if (!result.status.isOk())
    return result.status.toString();
  return fmt::format("{} bytes of program, {} of constants", result.modelCache.size(), result.dataCache.size());
}

} // namespace

Result<compiler::CompileResult> CompilerGate::compile(std::span<const uint8_t> model,
                                                      const std::vector<std::span<const uint8_t>> &pools,
                                                      const CallLimit &limit, const CompileOrder &order) {
  compiler::CompileRequest request;
  request.modelPath = "model";
  request.modelBytes = model;
  request.format = order.format;
  request.pools = pools;
  request.target = target_;
  request.supportOnly = order.task == CompilerTask::CheckSupport;
  request.isSpecialised = order.task == CompilerTask::Specialise;
  request.optimise = order.optimise;
  request.cancelled = [&limit] { return limit.isOver(); };
  const auto start = std::chrono::steady_clock::now();
  Result<compiler::CompileResult> result = run(request, order.isBackground);
  const auto time = std::chrono::steady_clock::now() - start;
  runs_ += 1;
  nanoseconds_ += static_cast<uint64_t>(time.count());
  if (result && result->status.code() == StatusCode::Internal && result->refusals.empty())
    noteCompilerError("driver", fmt::format("{} for {}", nameOf(order.task), target_), result->status.message());
  if (isVerbose(VerboseTag::Compilation))
    writeVerbose(VerboseTag::Compilation,
                 fmt::format("{} for {} {}, level {}, {:.1f} ms: {}", nameOf(order.task), target_, place(),
                             request.optimise, std::chrono::duration<double, std::milli>(time).count(),
                             result ? summaryOf(*result) : result.error().message));
  return result;
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
