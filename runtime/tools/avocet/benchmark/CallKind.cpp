//===- CallKind.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallKind.h"

namespace avocet::tool {
namespace {

using hal::ExecutionOutcome;

/// Of the only pool of a request.
constexpr int64_t kMemoryIdentifier = 1;

hal::ExecutionOptions measured() {
  hal::ExecutionOptions options;
  options.measure = hal::MeasureTiming::Yes;
  return options;
}

ExecutionOutcome failed(const hal::Error &error) {
  ExecutionOutcome outcome;
  outcome.status = error.code;
  outcome.message = error.message;
  return outcome;
}

ExecutionOutcome executeFenced(hal::IPreparedModel &model, const hal::Request &request) {
  const auto launched = model.executeFenced(request, {}, {.execution = measured(), .timeoutAfterFence = {}});
  if (!launched)
    return failed(launched.error());
  (void)launched->fence.wait({}); // an error is that of the execution
  const auto times = launched->info->executionInfo();
  if (!times)
    return failed(times.error());
  ExecutionOutcome outcome;
  outcome.timing = times->launched;
  return outcome;
}

} // namespace

std::string_view toString(CallKind kind) {
  switch (kind) {
  case CallKind::Single:
    return "single";
  case CallKind::Reusable:
    return "reusable";
  case CallKind::Burst:
    return "burst";
  case CallKind::Fenced:
    return "fenced";
  }
  return "";
}

hal::Result<ExecuteOnce> makeCalls(CallKind kind, std::shared_ptr<hal::IPreparedModel> model, hal::Request request) {
  switch (kind) {
  case CallKind::Single:
    break;
  case CallKind::Reusable: {
    AVOCET_ASSIGN_OR_RETURN(auto execution, model->createReusableExecution(request, measured()));
    return ExecuteOnce([execution = std::move(execution)] { return execution->compute({}); });
  }
  case CallKind::Burst: {
    AVOCET_ASSIGN_OR_RETURN(auto burst, model->configureBurst());
    return ExecuteOnce([burst = std::move(burst), request = std::move(request)] {
      return burst->execute(request, {kMemoryIdentifier}, measured());
    });
  }
  case CallKind::Fenced:
    return ExecuteOnce(
        [model = std::move(model), request = std::move(request)] { return executeFenced(*model, request); });
  }
  return ExecuteOnce(
      [model = std::move(model), request = std::move(request)] { return model->execute(request, measured()); });
}

} // namespace avocet::tool
