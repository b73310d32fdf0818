//===- FencedExecution.cpp ------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedModel.h"

#include <fmt/format.h>

namespace avocet::hal::capi {
namespace {

/// An execution in flight. Its end waits for the event, since an execution must not be freed before.
class FencedExecution : public IFencedExecution {
public:
  FencedExecution(BoundExecution bound, std::vector<OwnedEvent> dependencies, OwnedEvent event, MeasureTiming measure)
      : bound_(std::move(bound)), dependencies_(std::move(dependencies)), event_(std::move(event)), measure_(measure) {}

  void setFence(SyncFence fence) { fence_ = std::move(fence); }

  Result<FencedTimes> executionInfo() override {
    if (fence_.state() == FenceState::Active)
      return generalFailure("the execution has not ended");
    AVOCET_RETURN_IF_ERROR(check(bound_.model->api->table->ANeuralNetworksEvent_wait(event_.get()), "Event_wait"));
    FencedTimes times;
    if (measure_ == MeasureTiming::Yes) {
      AVOCET_ASSIGN_OR_RETURN(times.launched, timesOf(bound_, false));
      AVOCET_ASSIGN_OR_RETURN(times.fenced, timesOf(bound_, true));
    }
    return times;
  }

private:
  const BoundExecution bound_;
  const std::vector<OwnedEvent> dependencies_; ///< to free an event waits for it
  const OwnedEvent event_;                     ///< freed before the execution
  const MeasureTiming measure_;
  SyncFence fence_;
};

/// Events for fences that have a descriptor; others have signalled.
Result<std::vector<OwnedEvent>> eventsFor(const Api &api, const std::vector<SyncFence> &fences) {
  std::vector<OwnedEvent> events;
  for (const SyncFence &fence : fences) {
    if (!fence.handle())
      continue;
    AVOCET_ASSIGN_OR_RETURN(
        OwnedEvent event,
        createObject<ANeuralNetworksEvent>(
            api.table->ANeuralNetworksEvent_free, "Event_createFromSyncFenceFd", [&](ANeuralNetworksEvent **made) {
              return api.table->ANeuralNetworksEvent_createFromSyncFenceFd(fence.handle()->get(), made);
            }));
    events.push_back(std::move(event));
  }
  return events;
}

/// An empty fence if the event has none: its execution has ended.
Result<SyncFence> fenceOf(const Api &api, const ANeuralNetworksEvent *event) {
  int fd = -1;
  const int code = api.table->ANeuralNetworksEvent_getSyncFenceFd(event, &fd);
  if (code == ANEURALNETWORKS_BAD_DATA && fd < 0)
    return SyncFence();
  AVOCET_RETURN_IF_ERROR(check(code, "Event_getSyncFenceFd"));
  return SyncFence::adopt(std::make_shared<const FileDescriptor>(fd));
}

} // namespace

Result<FencedLaunch> launchAfter(BoundExecution execution, const std::vector<SyncFence> &waitFor,
                                 const OptionalDuration &timeoutAfterFence, MeasureTiming measure) {
  const SharedApi api = execution.model->api;
  AVOCET_ASSIGN_OR_RETURN(std::vector<OwnedEvent> events, eventsFor(*api, waitFor));
  std::vector<const ANeuralNetworksEvent *> dependencies;
  for (const OwnedEvent &event : events)
    dependencies.push_back(event.get());
  const uint64_t timeout = timeoutAfterFence ? static_cast<uint64_t>(timeoutAfterFence->count()) : 0;
  AVOCET_ASSIGN_OR_RETURN(
      OwnedEvent event,
      createObject<ANeuralNetworksEvent>(api->table->ANeuralNetworksEvent_free,
                                         "Execution_startComputeWithDependencies", [&](ANeuralNetworksEvent **made) {
                                           return api->table->ANeuralNetworksExecution_startComputeWithDependencies(
                                               execution.execution.get(), dependencies.data(),
                                               static_cast<uint32_t>(dependencies.size()), timeout, made);
                                         }));
  const ANeuralNetworksEvent *started = event.get();
  auto info = std::make_shared<FencedExecution>(std::move(execution), std::move(events), std::move(event), measure);
  AVOCET_ASSIGN_OR_RETURN(SyncFence fence, fenceOf(*api, started));
  info->setFence(fence);
  return FencedLaunch{std::move(fence), std::move(info)};
}

} // namespace avocet::hal::capi
