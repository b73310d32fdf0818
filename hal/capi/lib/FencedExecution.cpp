//===- FencedExecution.cpp ------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LateRelease.h"
#include "PreparedModel.h"

namespace avocet::hal::capi {
namespace {

/// An execution and the events that belong to it. Members are freed from the back: to free an event waits for it, and
/// an execution must not be freed before it has ended.
struct Started {
  BoundExecution bound;
  std::vector<OwnedEvent> dependencies;
  OwnedEvent event{nullptr, nullptr};
};

/// An execution in flight. At its end, also after a start that failed, the execution is freed when all fences have
/// ended; the thread that drops it does not wait.
class FencedExecution : public IFencedExecution {
public:
  FencedExecution(BoundExecution bound, std::vector<SyncFence> fences, MeasureTiming measure)
      : started_(std::make_shared<Started>(Started{std::move(bound), {}})), fences_(std::move(fences)),
        measure_(measure) {}

  ~FencedExecution() override {
    fences_.push_back(fence_);
    releaseAfter(std::move(fences_), std::move(started_));
  }

  Result<SyncFence> start(const OptionalDuration &timeoutAfterFence);

  Result<FencedTimes> executionInfo() override {
    if (fence_.state() == FenceState::Active)
      return generalFailure("the execution has not ended");
    AVOCET_RETURN_IF_ERROR(check(api().table->ANeuralNetworksEvent_wait(started_->event.get()), "Event_wait"));
    FencedTimes times;
    if (measure_ == MeasureTiming::Yes) {
      AVOCET_ASSIGN_OR_RETURN(times.launched, timesOf(started_->bound, false));
      AVOCET_ASSIGN_OR_RETURN(times.fenced, timesOf(started_->bound, true));
    }
    return times;
  }

private:
  const Api &api() const { return *started_->bound.model->api; }
  Outcome makeDependencies();

  std::shared_ptr<Started> started_;
  std::vector<SyncFence> fences_; ///< that it waits for
  const MeasureTiming measure_;
  SyncFence fence_;
};

/// Events for fences that have a descriptor; others have signalled.
Outcome FencedExecution::makeDependencies() {
  for (const SyncFence &fence : fences_) {
    if (!fence.handle())
      continue;
    AVOCET_ASSIGN_OR_RETURN(
        OwnedEvent event,
        createObject<ANeuralNetworksEvent>(
            api().table->ANeuralNetworksEvent_free, "Event_createFromSyncFenceFd", [&](ANeuralNetworksEvent **made) {
              return api().table->ANeuralNetworksEvent_createFromSyncFenceFd(fence.handle()->get(), made);
            }));
    started_->dependencies.push_back(std::move(event));
  }
  return success();
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

Result<SyncFence> FencedExecution::start(const OptionalDuration &timeoutAfterFence) {
  AVOCET_RETURN_IF_ERROR(makeDependencies());
  std::vector<const ANeuralNetworksEvent *> dependencies;
  for (const OwnedEvent &event : started_->dependencies)
    dependencies.push_back(event.get());
  const uint64_t timeout = timeoutAfterFence ? static_cast<uint64_t>(timeoutAfterFence->count()) : 0;
  AVOCET_ASSIGN_OR_RETURN(
      started_->event,
      createObject<ANeuralNetworksEvent>(api().table->ANeuralNetworksEvent_free,
                                         "Execution_startComputeWithDependencies", [&](ANeuralNetworksEvent **made) {
                                           return api().table->ANeuralNetworksExecution_startComputeWithDependencies(
                                               started_->bound.execution.get(), dependencies.data(),
                                               static_cast<uint32_t>(dependencies.size()), timeout, made);
                                         }));
  AVOCET_ASSIGN_OR_RETURN(fence_, fenceOf(api(), started_->event.get()));
  return fence_;
}

} // namespace

Result<FencedLaunch> launchAfter(BoundExecution execution, const std::vector<SyncFence> &waitFor,
                                 const OptionalDuration &timeoutAfterFence, MeasureTiming measure) {
  auto info = std::make_shared<FencedExecution>(std::move(execution), waitFor, measure);
  AVOCET_ASSIGN_OR_RETURN(SyncFence fence, info->start(timeoutAfterFence));
  return FencedLaunch{std::move(fence), std::move(info)};
}

} // namespace avocet::hal::capi
