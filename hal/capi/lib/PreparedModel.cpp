//===- PreparedModel.cpp - A prepared model of the C library ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedModel.h"

#include <fmt/format.h>
#include <map>
#include <mutex>

namespace avocet::hal::capi {
namespace {

class ReusableExecution : public IExecution {
public:
  ReusableExecution(BoundExecution bound, MeasureTiming measure) : bound_(std::move(bound)), measure_(measure) {}

  ExecutionOutcome compute(const OptionalTimePoint &deadline) override {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      return failedOutcome(invalidArgument("the execution is being computed"));
    if (auto left = timeUntil(deadline); !left)
      return failedOutcome(left.error());
    const int code = bound_.model->api->table->ANeuralNetworksExecution_compute(bound_.execution.get());
    return outcomeOf(bound_, code, "Execution_compute", measure_);
  }

private:
  std::mutex mutex_;
  const BoundExecution bound_;
  const MeasureTiming measure_;
};

} // namespace

ExecutionOutcome PreparedModel::execute(const Request &request, const ExecutionOptions &options) {
  auto bound = bindRequest(model_, request, options, Use::Once);
  if (!bound)
    return failedOutcome(bound.error());
  const int code = model_->api->table->ANeuralNetworksExecution_compute(bound->execution.get());
  return outcomeOf(*bound, code, "Execution_compute", options.measure);
}

ExecutionOutcome PreparedModel::runAsynchronously(const Request &request, const ExecutionOptions &options) {
  auto bound = bindRequest(model_, request, options, Use::Once);
  if (!bound)
    return failedOutcome(bound.error());
  const Api &api = *model_->api;
  auto event = createObject<ANeuralNetworksEvent>(
      api.table->ANeuralNetworksEvent_free, "Execution_startCompute",
      [&](ANeuralNetworksEvent **made) { return api.startCompute(bound->execution.get(), made); });
  if (!event)
    return failedOutcome(event.error());
  const int code = api.table->ANeuralNetworksEvent_wait(event->get());
  return outcomeOf(*bound, code, "Event_wait", options.measure);
}

ErrorStatus PreparedModel::executeAsynchronously(const Request &request, const ExecutionOptions &options,
                                                 ExecutionCallback callback) {
  const ExecutionOutcome outcome = runAsynchronously(request, options);
  callback(outcome);
  return outcome.status;
}

Result<std::shared_ptr<IExecution>> PreparedModel::createReusableExecution(const Request &request,
                                                                           const ExecutionOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(BoundExecution bound, bindRequest(model_, request, options, Use::Reusable));
  return std::shared_ptr<IExecution>(std::make_shared<ReusableExecution>(std::move(bound), options.measure));
}

Result<FencedLaunch> PreparedModel::executeFenced(const Request &request, const std::vector<SyncFence> &waitFor,
                                                  const FencedOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(BoundExecution bound, bindRequest(model_, request, options.execution, Use::Once));
  return launchAfter(std::move(bound), waitFor, options.timeoutAfterFence, options.execution.measure);
}

Result<std::shared_ptr<IBurst>> PreparedModel::configureBurst() { return makeBurst(model_); }

namespace {

using OwnedBurst = Owned<ANeuralNetworksBurst>;

class Burst : public IBurst {
public:
  Burst(SharedModel model, OwnedBurst burst) : model_(std::move(model)), burst_(std::move(burst)) {}

  ExecutionOutcome execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                           const ExecutionOptions &options) override;
  Outcome releaseMemoryResource(int64_t identifier) override;

private:
  Result<SharedApiMemory> keep(int64_t identifier, const Memory &memory);

  const SharedModel model_;
  std::mutex mutex_;
  std::map<int64_t, SharedApiMemory> kept_; ///< freed after the burst
  const OwnedBurst burst_;
};

/// The library keeps what it mapped for a memory as long as the memory lives.
Result<SharedApiMemory> Burst::keep(int64_t identifier, const Memory &memory) {
  if (const auto found = kept_.find(identifier); found != kept_.end())
    return found->second;
  AVOCET_ASSIGN_OR_RETURN(SharedApiMemory made, makeSharedMemory(*model_->api, memory));
  if (identifier >= 0)
    kept_.emplace(identifier, made);
  return made;
}

Outcome checkIdentifiers(const Request &request, const std::vector<int64_t> &identifiers) {
  if (identifiers.size() != request.pools.size())
    return invalidArgument(fmt::format("{} memory identifiers for {} pools", identifiers.size(), request.pools.size()));
  for (int64_t identifier : identifiers)
    if (identifier < -1)
      return invalidArgument(fmt::format("memory identifier {} is below -1", identifier));
  return success();
}

ExecutionOutcome Burst::execute(const Request &request, const std::vector<int64_t> &memoryIdentifiers,
                                const ExecutionOptions &options) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock)
    return failedOutcome(generalFailure("another execution of the burst runs"));
  if (Outcome checked = checkIdentifiers(request, memoryIdentifiers); !checked)
    return failedOutcome(checked.error());
  auto bound = bindRequest(model_, request, options, Use::Once,
                           [&](size_t pool, const Memory &memory) { return keep(memoryIdentifiers[pool], memory); });
  if (!bound)
    return failedOutcome(bound.error());
  const int code = model_->api->table->ANeuralNetworksExecution_burstCompute(bound->execution.get(), burst_.get());
  return outcomeOf(*bound, code, "Execution_burstCompute", options.measure);
}

Outcome Burst::releaseMemoryResource(int64_t identifier) {
  if (identifier < -1)
    return invalidArgument(fmt::format("memory identifier {} is below -1", identifier));
  std::lock_guard lock(mutex_);
  kept_.erase(identifier);
  return success();
}

} // namespace

Result<std::shared_ptr<IBurst>> makeBurst(SharedModel model) {
  const NnApiSLDriverImplFL7 &table = *model->api->table;
  AVOCET_ASSIGN_OR_RETURN(OwnedBurst burst,
                          createObject<ANeuralNetworksBurst>(
                              table.ANeuralNetworksBurst_free, "Burst_create", [&](ANeuralNetworksBurst **made) {
                                return table.ANeuralNetworksBurst_create(model->compilation.get(), made);
                              }));
  return std::shared_ptr<IBurst>(std::make_shared<Burst>(std::move(model), std::move(burst)));
}

} // namespace avocet::hal::capi
