//===- FencedExecution.cpp - Executions that wait for fences ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fence/FencedExecution.h"

#include "avocet/hal/types/SaturatedTime.h"
#include "device/HalResult.h"

#include <algorithm>
#include <utility>

namespace avocet::hal {
namespace {

Error missed() {
  return error(ErrorStatus::MissedDeadlineTransient, "fenced execution: the deadline passed before its end");
}

Error fenceFailed() { return generalFailure("fenced execution: a fence that it waited for is in its error state"); }

} // namespace

/// If the timer cannot be set, the device still enforces the deadline.
void FencedExecution::setTimer(DeviceCore &core, TimePoint deadline) {
  auto passed = [execution = weak_from_this()](FenceWatch::End) {
    if (auto self = execution.lock())
      self->fail(missed());
  };
  if (Result<FenceWatch::Ticket> ticket = core.fences().at(deadline, std::move(passed)))
    keep(*ticket);
}

void FencedExecution::startTimeout() {
  std::shared_ptr<Holdings> held;
  {
    std::lock_guard lock(mutex_);
    held = held_;
  }
  if (held == nullptr)
    return;
  DeviceCore &core = held->model->client().core();
  setTimer(core, later(core.clock().now(), *timeoutAfterFence_));
}

void FencedExecution::fencesEnded(FenceWatch::End end) {
  if (end != FenceWatch::End::Signaled)
    return fail(fenceFailed());
  {
    std::lock_guard lock(mutex_);
    fencesSignaled_ = clock_.now();
  }
  becomeReady();
}

/// False: it was submitted, or is over and answered. A successor waits for the answer of one that is over without a
/// job, since its run is being destroyed.
bool FencedExecution::joinQueue(std::shared_ptr<FencedExecution> successor) {
  std::lock_guard lock(mutex_);
  const bool mustWait = !isAnswered_ && stage_ != Stage::Submitted;
  if (mustWait)
    successors_.push_back(std::move(successor));
  return mustWait;
}

/// The pin keeps the run for the submitting thread: if the job ends meanwhile, its result is handled after the unpin.
void FencedExecution::becomeReady() {
  {
    std::lock_guard lock(mutex_);
    if (--unready_ != 0 || stage_ != Stage::Waiting)
      return;
    stage_ = Stage::Submitting;
    ++pins_;
  }
  isPrepared_ && !run().copiesInputs() ? submit() : submitLater();
}

/// The caller may be the watch's thread, which must not wait for the compiler or the file system of a client's pool.
void FencedExecution::submitLater() {
  leaveToHost(*held_, [self = shared_from_this()] {
    Outcome prepared = self->isPrepared_ ? success() : withoutExceptions([&] { return self->prepare(); });
    prepared ? self->submit() : self->endWithoutJob(prepared.error());
  });
}

/// Once posted, the task may release everything in `held`.
void FencedExecution::leaveToHost(const Holdings &held, const std::function<void()> &task) {
  ClientState &client = held.model->client();
  const TraceRequestScope scope(request_); // which the task takes over
  if (!client.fencedWork().post(task))
    client.core().fences().post(task); // no thread could be started
}

void FencedExecution::submit() {
  Executions pinned, successors;
  Outcome submitted = withoutExceptions([&] { return submitRun(pinned); });
  for (const auto &predecessor : pinned)
    predecessor->unpin();
  if (!submitted)
    return endWithoutJob(submitted.error());
  std::optional<Error> overrule;
  {
    std::lock_guard lock(mutex_);
    stage_ = Stage::Submitted;
    successors.swap(successors_);
    overrule = std::exchange(overrule_, std::nullopt);
  }
  if (overrule)
    fail(*overrule);
  unpin();
  for (const auto &successor : successors)
    successor->becomeReady();
}

/// The answer notifies its successors.
void FencedExecution::endWithoutJob(const Error &error) {
  {
    std::lock_guard lock(mutex_);
    stage_ = Stage::Over;
    --pins_;
  }
  complete(error);
}

Outcome FencedExecution::submitRun(Executions &pinned) {
  std::vector<runtime::Fence *> after;
  for (const auto &predecessor : held_->predecessors) {
    std::shared_ptr<Run> run;
    AVOCET_RETURN_IF_ERROR(predecessor->pin(run));
    if (run == nullptr)
      continue;
    pinned.push_back(predecessor);
    after.push_back(run->job().fence().get());
  }
  std::vector<int> syncFiles;
  for (const SyncFence &fence : held_->syncFiles)
    syncFiles.push_back(fence.handle()->get());
  if (after.empty() && syncFiles.empty() && timeoutAfterFence_)
    run().tighten(later(core().clock().now(), *timeoutAfterFence_));
  runtime::Fence &fence = *run().job().fence();
  fence.onNextSignal([self = shared_from_this()](const runtime::JobOutcome &job) {
    if (job.state != firmware::JobState::Pending)
      self->jobEnded(job.state != firmware::JobState::Complete);
  });
  FileDescriptor end;
  Outcome submitted = run().submit({after, syncFiles, writesDirectly_ ? &end : nullptr});
  if (!submitted)
    fence.onNextSignal({});
  if (end.isValid())
    if (Result<SyncFence> adopted = SyncFence::adopt(std::make_shared<const FileDescriptor>(std::move(end)))) {
      std::lock_guard lock(mutex_);
      end_ = std::move(*adopted);
    }
  return submitted;
}

/// For a successor that is being submitted: prevents reuse of the job until unpin(). Null run: it has ended with
/// success.
Outcome FencedExecution::pin(std::shared_ptr<Run> &run) {
  std::lock_guard lock(mutex_);
  if (isAnswered_ || hasEnded_)
    return (isAnswered_ ? result_.isOk() : !hasFailed_) ? success() : Outcome(fenceFailed());
  ++pins_;
  run = held_->run;
  return success();
}

void FencedExecution::unpin() {
  {
    std::lock_guard lock(mutex_);
    if (--pins_ != 0 || !hasEnded_)
      return;
  }
  settle();
}

void FencedExecution::jobEnded(bool hasFailed) {
  {
    std::lock_guard lock(mutex_);
    hasEnded_ = true;
    hasFailed_ = hasFailed;
    if (pins_ != 0)
      return;
  }
  settle();
}

/// Called once, after the end of the job, when no thread uses the run. The caller may be a thread of the device. That
/// thread must not copy staged outputs, and would deadlock if a damaged pool had to be unmapped.
void FencedExecution::settle() {
  leaveToHost(*held_, [self = shared_from_this()] { self->complete(self->run().result()); });
}

void FencedExecution::complete(const Outcome &result) {
  FencedTimes times;
  if (result && run().options().measure == MeasureTiming::Yes)
    times = timesOf(run());
  ExecutionOutcome outcome = answered([&] { return run().finish(result); });
  answer(outcome.isOk() ? success() : Outcome(error(outcome.status, outcome.message)), times);
  release();
}

FencedTimes FencedExecution::timesOf(const Run &run) const {
  TimePoint fenced;
  {
    std::lock_guard lock(mutex_);
    fenced = fencesSignaled_;
  }
  for (const auto &predecessor : held_->predecessors) {
    std::lock_guard lock(predecessor->mutex_);
    fenced = std::max(fenced, predecessor->ended_);
  }
  return {run.timing(run.start()), run.timing(fenced)};
}

/// Ends the execution for another reason than its job: answers at once; the job ends by itself.
void FencedExecution::fail(const Error &error) {
  bool wasWaiting = false;
  {
    std::lock_guard lock(mutex_);
    if (isAnswered_ || hasEnded_ || stage_ == Stage::Over)
      return;
    if (stage_ == Stage::Launching || stage_ == Stage::Submitting) {
      overrule_ = error;
      return;
    }
    wasWaiting = stage_ == Stage::Waiting;
    if (wasWaiting)
      stage_ = Stage::Over;
    else
      ++pins_;
  }
  if (wasWaiting)
    return complete(error);
  answer(error, {});
  (void)run().job().cancel();
  unpin();
}

void FencedExecution::answer(const Outcome &result, const FencedTimes &times) {
  Executions successors;
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(isAnswered_, true))
      return;
    result_ = result;
    times_ = times;
    ended_ = clock_.now();
    successors.swap(successors_);
  }
  held_->awaited.release(); // a client that sees the fence may launch the next
  if (held_->whenEnded)
    held_->whenEnded();
  {
    std::lock_guard lock(mutex_);
    isSettled_ = true;
  }
  settled_.notify_all();
  core().fenced().remove(identity_);
  result ? signaler_.signal() : signaler_.fail();
  for (const auto &successor : successors)
    successor->becomeReady();
}

/// Destroys the holdings on the client's thread, since their destructors may call the device or wait for another
/// thread.
void FencedExecution::release() {
  std::vector<FenceWatch::Ticket> tickets;
  std::shared_ptr<Holdings> held;
  {
    std::lock_guard lock(mutex_);
    tickets.swap(tickets_);
    held.swap(held_);
  }
  FenceWatch &fences = held->model->client().core().fences();
  for (FenceWatch::Ticket ticket : tickets)
    fences.cancel(ticket);
  auto last = std::make_shared<std::shared_ptr<Holdings>>(std::move(held));
  leaveToHost(**last, [last] { last->reset(); });
}

void FencedExecution::awaitSettled() {
  std::unique_lock lock(mutex_);
  if (!end_ || isSettled_ || end_->state() == FenceState::Active)
    return;
  settled_.wait(lock, [this] { return isSettled_; });
}

Result<FencedTimes> FencedExecution::executionInfo() {
  awaitSettled();
  std::lock_guard lock(mutex_);
  if (!result_)
    return result_.error();
  return times_;
}

} // namespace avocet::hal
