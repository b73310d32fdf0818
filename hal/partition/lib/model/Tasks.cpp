//===- Tasks.cpp - Threads for executions -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Tasks.h"

#include "avocet/hal/types/SaturatedTime.h"
#include "avocet/hal/types/Validation.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace avocet::hal::partition {

/// The state whose task the thread runs.
static thread_local const void *currentState = nullptr;

void Tasks::wait() {
  const size_t own = currentState == state_.get() ? 1 : 0;
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->running == own; });
}

void Tasks::run(const std::shared_ptr<State> &state, std::function<void()> task) {
  currentState = state.get();
  task();
  task = nullptr; // may drop the last reference to the owner
  std::scoped_lock lock(state->mutex);
  --state->running;
  state->changed.notify_all();
}

bool Tasks::start(std::function<void()> task) {
  std::scoped_lock lock(state_->mutex);
  if (state_->running == kMaxTasks)
    return false;
  try {
    std::thread([state = state_, task = std::move(task)]() mutable { run(state, std::move(task)); }).detach();
  } catch (const std::system_error &) {
    return false;
  }
  ++state_->running;
  return true;
}

namespace {

class FencedInfo final : public IFencedExecution {
public:
  Result<FencedTimes> executionInfo() override {
    std::scoped_lock lock(mutex_);
    return result_ ? *result_ : generalFailure("the fenced execution has not ended");
  }
  void set(Result<FencedTimes> result) {
    std::scoped_lock lock(mutex_);
    result_ = std::move(result);
  }

private:
  std::mutex mutex_; ///< guards result_
  std::optional<Result<FencedTimes>> result_;
};

struct FencedTask {
  std::vector<SyncFence> waitFor;
  FencedOptions options;
  std::function<ExecutionOutcome(const ExecutionOptions &)> run;
  FenceSignaler signaler;
  std::shared_ptr<FencedInfo> info;
  TimePoint launched = BootClock::now();

  Outcome waitForFences() const {
    for (size_t i = 0; i < waitFor.size(); ++i) {
      const OptionalTimePoint &deadline = options.execution.deadline;
      const OptionalDuration left = deadline ? OptionalDuration(*deadline - BootClock::now()) : std::nullopt;
      const FenceState state = waitFor[i].wait(left);
      if (state == FenceState::Error)
        return generalFailure(fmt::format("awaited fence {} is in its error state", i));
      if (state == FenceState::Active)
        return error(ErrorStatus::MissedDeadlineTransient,
                     fmt::format("the deadline passed before fence {} signaled", i));
    }
    return success();
  }

  Result<FencedTimes> work() {
    AVOCET_RETURN_IF_ERROR(waitForFences());
    const TimePoint begin = BootClock::now();
    ExecutionOptions left = options.execution;
    if (options.timeoutAfterFence) {
      const TimePoint end = later(begin, *options.timeoutAfterFence);
      left.deadline = left.deadline ? std::min(*left.deadline, end) : end;
    }
    const ExecutionOutcome outcome = run(left);
    if (!outcome.isOk())
      return error(outcome.status, outcome.message);
    FencedTimes times;
    if (!outcome.timing.timeOnDevice)
      return times;
    const TimePoint end = BootClock::now();
    // A simulated device states longer times than the host needs for them.
    const Duration least = outcome.timing.timeInDriver.value_or(*outcome.timing.timeOnDevice);
    times.launched = {outcome.timing.timeOnDevice, std::max<Duration>(end - launched, least)};
    times.fenced = {outcome.timing.timeOnDevice, std::max<Duration>(end - begin, least)};
    return times;
  }

  void operator()() {
    Result<FencedTimes> result = work();
    run = nullptr;
    const bool isOk = result.isOk();
    info->set(std::move(result));
    isOk ? signaler.signal() : signaler.fail();
  }
};

Outcome checkFences(const std::vector<SyncFence> &waitFor) {
  for (size_t i = 0; i < waitFor.size(); ++i)
    if (waitFor[i].state() == FenceState::Error)
      return invalidArgument(fmt::format("awaited fence {} is in its error state", i));
  return success();
}

} // namespace

Result<FencedLaunch> launchFenced(Tasks &tasks, const std::vector<SyncFence> &waitFor, const FencedOptions &options,
                                  std::function<ExecutionOutcome(const ExecutionOptions &)> run) {
  AVOCET_RETURN_IF_ERROR(checkFences(waitFor));
  AVOCET_RETURN_IF_ERROR(validate(options.timeoutAfterFence));
  AVOCET_ASSIGN_OR_RETURN(auto fence, FenceSignaler::create());
  auto info = std::make_shared<FencedInfo>();
  auto task = std::make_shared<FencedTask>(FencedTask{waitFor, options, std::move(run), std::move(fence.second), info});
  if (!tasks.start([task] { (*task)(); }))
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("more than {} executions run, or no thread can be started", Tasks::kMaxTasks));
  return FencedLaunch{fence.first, info};
}

} // namespace avocet::hal::partition
