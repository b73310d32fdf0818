//===- PreparedNetwork.cpp - A network on one device of the HAL ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedNetwork.h"

#include "avocet/hal/types/CacheFiles.h"
#include "avocet/hal/types/ErrorText.h"
#include "avocet/session/Session.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

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

using Clock = std::chrono::steady_clock;

Result<PreparedNetwork> PreparedNetwork::prepare(hal::IDevice &device, const hal::Model &network,
                                                 const cache::ModelCache &compiled, uint32_t count, CallKind kind) {
  PreparedNetwork made;
  std::shared_ptr<hal::IPreparedModel> model;
  for (uint32_t i = 0; i < count; ++i) {
    model.reset(); // a device limits the prepared models of a client
    const auto start = Clock::now();
    auto prepared = device.prepareModel(network, {});
    made.prepareMs_.push_back(session::millisecondsSince(start));
    if (!prepared)
      return toStatus(prepared.error());
    model = std::move(*prepared);
  }
  AVOCET_RETURN_IF_ERROR(made.prepareFromFiles(device, network, count));
  AVOCET_ASSIGN_OR_RETURN(made.request_, session::HalRequest::make(compiled));
  auto calls = makeCalls(kind, std::move(model), made.request_.request());
  if (!calls)
    return toStatus(calls.error()).withContext(fmt::format("{} calls", toString(kind)));
  made.execute_ = std::move(*calls);
  return made;
}

Status PreparedNetwork::prepareFromFiles(hal::IDevice &device, const hal::Model &network, uint32_t count) {
  const hal::NumberOfCacheFiles needed = device.numberOfCacheFilesNeeded();
  if (needed.numModelCache + needed.numDataCache == 0)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(const hal::CacheFiles files, hal::makeCacheFiles(device, "avocet benchmark"));
  hal::PrepareOptions options;
  options.cache = files;
  if (auto written = device.prepareModel(network, options); !written)
    return toStatus(written.error());
  for (uint32_t i = 0; i < count; ++i) {
    const auto start = Clock::now();
    auto prepared = device.prepareModelFromCache({}, files);
    if (!prepared)
      return toStatus(prepared.error()).withContext("from the cache files");
    warmStartMs_.push_back(session::millisecondsSince(start));
  }
  return Status::ok();
}

Result<RunTimes> PreparedNetwork::run(const std::vector<std::vector<uint8_t>> &inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    std::ranges::copy(inputs[i], request_.input(i).begin());
  const auto start = Clock::now();
  const hal::ExecutionOutcome outcome = execute_();
  RunTimes times;
  times.host = session::millisecondsSince(start);
  if (!outcome.isOk())
    return toStatus(hal::Error{outcome.status, outcome.message});
  if (outcome.timing.timeOnDevice)
    times.device = session::milliseconds(outcome.timing.timeOnDevice);
  return times;
}

} // namespace avocet::tool
