//===- PreparedModel.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedModel.h"

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

} // namespace avocet::hal::capi
