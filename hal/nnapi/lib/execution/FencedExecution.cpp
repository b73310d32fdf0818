//===- FencedExecution.cpp - Executions that wait for sync fences ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/Execution.h"

#include "avocet/base/Log.h"

#include <algorithm>
#include <system_error>
#include <thread>

namespace avocet::nnapi {
namespace {

/// Fences of the dependencies; waits here for those without one. OP_FAILED: one of these has failed.
ApiResult<std::vector<hal::SyncFence>> fencesOf(std::span<const std::shared_ptr<Event>> dependencies) {
  std::vector<hal::SyncFence> fences;
  for (const std::shared_ptr<Event> &dependency : dependencies) {
    if (dependency->fence().has_value()) {
      fences.push_back(*dependency->fence());
      continue;
    }
    if (auto outcome = dependency->wait(); !outcome.isOk())
      return opFailed("a dependency has failed: " + outcome.error().message);
  }
  return fences;
}

/// On a new thread; without one (the process has too many), here.
template <typename Work> void runInBackground(Work work) {
  auto shared = std::make_shared<Work>(std::move(work));
  try {
    std::thread([shared] { (*shared)(); }).detach();
  } catch (const std::system_error &) {
    (*shared)();
  }
}

} // namespace

ApiResult<hal::FencedLaunch> Execution::launchAfter(std::span<const std::shared_ptr<Event>> dependencies,
                                                    uint64_t timeout) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<hal::SyncFence> fences, fencesOf(dependencies));
  hal::FencedOptions fenced;
  fenced.execution = options();
  if (timeout != 0)
    fenced.timeoutAfterFence = hal::Duration(std::min<uint64_t>(timeout, hal::Duration::max().count()));
  auto launch = compilation_->prepared()->executeFenced(request_->request(), fences, fenced);
  if (!launch)
    return fromHal(launch.error());
  return std::move(*launch);
}

/// Completes the event when the run has ended. Values for pointers must be copied first, so that the event then has a
/// fence of its own instead of the device's.
std::shared_ptr<Event> Execution::follow(hal::FencedLaunch launch) {
  std::optional<hal::SyncFence> visible = launch.fence;
  std::optional<hal::FenceSignaler> signaler;
  if (request_->hasPointerOutputs()) {
    visible.reset();
    if (auto own = hal::FenceSignaler::create()) {
      visible = own->first;
      signaler = std::move(own->second);
    }
  }
  if (launch.fence.handle() == nullptr)
    visible.reset();
  auto event = std::make_shared<Event>(std::move(visible));
  {
    std::lock_guard lock(mutex_);
    running_ = event;
  }
  auto finish = [self = shared_from_this(), event, launch, signaler = std::move(signaler)]() mutable {
    ApiOutcome outcome = self->finishFenced(launch);
    // Before the event, so that the fence has signaled when a wait for the event returns.
    if (signaler.has_value())
      outcome.isOk() ? signaler->signal() : signaler->fail();
    event->complete(std::move(outcome));
  };
  if (launch.fence.handle() == nullptr || runsInCaller())
    finish();
  else
    runInBackground(std::move(finish));
  return event;
}

ApiOutcome Execution::finishFenced(const hal::FencedLaunch &launch) {
  const hal::FenceState state = launch.fence.wait({});
  auto times = launch.info->executionInfo();
  hal::ExecutionOutcome outcome;
  if (!times) {
    outcome.status = times.error().code;
    outcome.message = times.error().message;
  } else if (state != hal::FenceState::Signaled) {
    outcome.status = hal::ErrorStatus::GeneralFailure;
    outcome.message = "the fence of the execution ended with an error";
  }
  return end(outcome, times.isOk() ? &*times : nullptr);
}

ApiResult<std::shared_ptr<Event>> Execution::startAfter(std::span<const std::shared_ptr<Event>> dependencies,
                                                        uint64_t timeout) {
  AVOCET_RETURN_IF_ERROR(checkFenceable(timeout));
  AVOCET_RETURN_IF_ERROR(begin(ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS));
  const RunGuard guard(*this);
  AVOCET_RETURN_IF_ERROR(bind());
  auto launch = launchAfter(dependencies, timeout);
  if (!launch.isOk())
    return std::move(abort(std::move(launch).error())).error();
  return follow(std::move(*launch));
}

ApiOutcome Execution::checkFenceable(uint64_t timeout) const {
  if (timeout != 0 && !compilation_->choseOneDevice())
    return badData("a time-out needs a compilation for exactly one device");
  return arguments_.checkOutputsSpecified();
}

} // namespace avocet::nnapi
