//===- PreparedNetwork.cpp -----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedNetwork.h"

#include "avocet/hal/types/CacheFiles.h"
#include "avocet/session/Elapsed.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace avocet::tool {

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
      return session::statusOfHal(prepared.error());
    model = std::move(*prepared);
  }
  AVOCET_RETURN_IF_ERROR(made.prepareFromFiles(device, network, count));
  AVOCET_ASSIGN_OR_RETURN(made.request_, session::HalRequest::make(compiled));
  auto calls = makeCalls(kind, std::move(model), made.request_.request());
  if (!calls)
    return session::statusOfHal(calls.error()).withContext(fmt::format("{} calls", toString(kind)));
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
    return session::statusOfHal(written.error());
  for (uint32_t i = 0; i < count; ++i) {
    const auto start = Clock::now();
    auto prepared = device.prepareModelFromCache({}, files);
    if (!prepared)
      return session::statusOfHal(prepared.error()).withContext("from the cache files");
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
    return session::statusOfHal({outcome.status, outcome.message});
  if (outcome.timing.timeOnDevice)
    times.device = session::milliseconds(outcome.timing.timeOnDevice);
  return times;
}

} // namespace avocet::tool
