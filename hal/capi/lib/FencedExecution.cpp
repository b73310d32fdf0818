//===- FencedExecution.cpp - Objects that are freed after fences ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PreparedModel.h"
#include "avocet/base/Log.h"
#include "avocet/hal/types/SyncFence.h"

#include <list>
#include <memory>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace avocet::hal::capi {
namespace {

/// Between looks at the waiting objects if the process has no descriptor left for an event.
constexpr int kMillisecondsWithoutEvent = 100;

struct Waiting {
  std::vector<SyncFence> fences; ///< the last one is polled
  std::shared_ptr<void> object;

  bool isOver() {
    while (!fences.empty() && fences.back().state() != FenceState::Active)
      fences.pop_back();
    return fences.empty();
  }
};

/// The objects that wait, and a detached thread while there are any.
class LateRelease {
public:
  /// Never destroyed, since the thread may still wait when the process ends.
  static LateRelease &instance() {
    static auto *instance = new LateRelease;
    return *instance;
  }

  void add(Waiting waiting) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(waiting));
    const uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof(one));
    if (hasThread_)
      return;
    try {
      std::thread([this] { run(); }).detach();
      hasThread_ = true;
    } catch (const std::system_error &) { // the next object tries again
      logMessage(LogLevel::Warning, "nnapi", "no thread can be started that frees the objects of an execution");
    }
  }

private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
      std::list<Waiting> over = takeOver();
      const std::vector<pollfd> polled = over.empty() ? descriptors() : std::vector<pollfd>();
      lock.unlock();
      if (over.empty())
        await(polled);
      over.clear(); // may wait for executions to end
      lock.lock();
    }
    hasThread_ = false;
  }

  std::list<Waiting> takeOver() {
    std::list<Waiting> over;
    for (auto entry = waiting_.begin(); entry != waiting_.end();) {
      auto next = std::next(entry);
      if (entry->isOver())
        over.splice(over.end(), waiting_, entry);
      entry = next;
    }
    return over;
  }

  std::vector<pollfd> descriptors() const {
    std::vector<pollfd> polled = {{wake_.get(), POLLIN, 0}};
    for (const Waiting &waiting : waiting_)
      polled.push_back({waiting.fences.back().handle()->get(), POLLIN | POLLRDHUP, 0});
    return polled;
  }

  /// The descriptors stay open: only this thread removes entries.
  void await(std::vector<pollfd> polled) const {
    (void)::poll(polled.data(), polled.size(), wake_.isValid() ? -1 : kMillisecondsWithoutEvent);
    uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof(count));
  }

  const FileDescriptor wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::mutex mutex_; ///< guards the members below
  std::list<Waiting> waiting_;
  bool hasThread_ = false;
};

/// Drops a reference once none of the fences is active: at once, or later on a thread of the process. To free an event
/// of the C library waits for its fence, which may belong to a process that never signals it; no caller may wait for
/// that. What still waits when the process ends is not freed. Does not block on the fences. Thread-safe.
void releaseAfter(std::vector<SyncFence> fences, std::shared_ptr<void> object) {
  Waiting waiting{std::move(fences), std::move(object)};
  if (!waiting.isOver())
    LateRelease::instance().add(std::move(waiting));
}

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

/// Events for fences that have a descriptor; others have signaled.
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
