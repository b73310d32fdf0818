//===- CompilerGate.cpp - The driver's interface to the compiler -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/CompilerGate.h"

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/VerboseLog.h"

#include <chrono>
#include <fmt/core.h>

namespace avocet::hal {
namespace {

std::string summaryOf(const compiler::Verdict &verdict, const std::string &outcome) {
  if (!verdict.refusals.empty())
    return fmt::format("{} operations refused", verdict.refusals.size());
  return verdict.status.isOk() ? outcome : verdict.status.toString();
}

std::string summaryOf(const compiler::CompileResult &result) {
  return summaryOf(
      result, fmt::format("{} bytes of program, {} of constants", result.modelCache.size(), result.dataCache.size()));
}

std::string summaryOf(const compiler::Verdict &verdict) { return summaryOf(verdict, "all operations accepted"); }

template <typename Request>
Request requestFor(const std::string &target, std::span<const uint8_t> model,
                   const std::vector<std::span<const uint8_t>> &pools, const CallLimit &limit,
                   compiler::InputFormat format) {
  Request request;
  request.modelPath = "model";
  request.modelBytes = model;
  request.format = format;
  request.pools = pools;
  request.target = target;
  request.cancelled = [&limit] { return limit.isOver(); };
  return request;
}

} // namespace

template <typename Answer, typename Run>
Result<Answer> CompilerGate::observe(std::string_view what, std::string_view detail, Run &&run) {
  const auto start = std::chrono::steady_clock::now();
  Result<Answer> answer = run();
  const auto time = std::chrono::steady_clock::now() - start;
  runs_ += 1;
  nanoseconds_ += static_cast<uint64_t>(time.count());
  if (answer && answer->status.code() == StatusCode::Internal && answer->refusals.empty())
    noteCompilerError("driver", fmt::format("{} for {}", what, target_), answer->status.message());
  if (isVerbose(VerboseTag::Compilation))
    writeVerbose(VerboseTag::Compilation, fmt::format("{} for {} {}{}, {:.1f} ms: {}", what, target_, place(), detail,
                                                      std::chrono::duration<double, std::milli>(time).count(),
                                                      answer ? summaryOf(*answer) : answer.error().message));
  return answer;
}

Result<compiler::CompileResult> CompilerGate::compile(std::span<const uint8_t> model,
                                                      const std::vector<std::span<const uint8_t>> &pools,
                                                      const CallLimit &limit, const CompileOrder &order) {
  auto request = requestFor<compiler::CompileRequest>(target_, model, pools, limit, order.format);
  request.isSpecialized = order.isSpecialized;
  request.optimize = order.optimize;
  return observe<compiler::CompileResult>(
      order.isSpecialized ? "compilation for the shapes of an execution" : "compilation",
      fmt::format(", level {}", order.optimize), [&] { return run(request, order.isBackground); });
}

Result<compiler::Verdict> CompilerGate::judge(std::span<const uint8_t> model,
                                              const std::vector<std::span<const uint8_t>> &pools,
                                              const CallLimit &limit, compiler::InputFormat format) {
  auto request = requestFor<compiler::JudgeRequest>(target_, model, pools, limit, format);
  return observe<compiler::Verdict>("support query", "", [&] { return run(request); });
}

static std::string firstWords(const compiler::Verdict &verdict) {
  for (const compiler::Diagnostic &diagnostic : verdict.diagnostics)
    if (diagnostic.severity == compiler::Severity::Error)
      return diagnostic.message;
  return std::string(verdict.status.message());
}

Error errorOf(const compiler::Verdict &verdict, const CallLimit &limit) {
  if (verdict.isTooLarge) // a retry cannot succeed
    return error(ErrorStatus::ResourceExhaustedPersistent, firstWords(verdict));
  switch (verdict.status.code()) {
  case StatusCode::Aborted:
    return limit.whyOver("while the model was compiled");
  case StatusCode::DataLoss:
    return invalidArgument(firstWords(verdict));
  case StatusCode::ResourceExhausted:
    return fromStatus(verdict.status);
  default:
    return generalFailure(firstWords(verdict));
  }
}

} // namespace avocet::hal
