//===- FencedExecution.cpp - An execution that nobody waits for ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FencedExecution.h"

#include "Lift.h"
#include "avocet/firmware_iface/JobRing.h"
#include "avocet/hal/Tracing.h"
#include "avocet/hal/Utils.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace avocet::hal {
namespace {

Error missed() {
  return error(ErrorStatus::MissedDeadlineTransient, "fenced execution: the deadline passed before its end");
}

Error fenceFailed() { return generalFailure("fenced execution: a fence that it waited for went to its error state"); }

bool isComplete(Operand operand, const RequestArgument &argument) {
  std::optional<std::vector<uint32_t>> dimensions = combineDimensions(operand.dimensions, argument.dimensions);
  if (!dimensions)
    return false;
  operand.dimensions = std::move(*dimensions);
  return isFullySpecified(operand);
}

/// The caller hands the outputs on before they exist: their sizes have to be known now.
Outcome checkOutputs(const Signature &signature, const RequestView &view) {
  for (size_t i = 0; i < view.numOutputs(); ++i)
    if (!view.isOutputOmitted(i) && !isComplete(signature.output(i), view.output(i)))
      return invalidArgument(fmt::format("fenced execution: the dimensions of output {} are not all known", i));
  return success();
}

Outcome checkFences(const std::vector<SyncFence> &fences) {
  for (size_t i = 0; i < fences.size(); ++i)
    if (fences[i].state() == FenceState::Error)
      return invalidArgument(fmt::format("fenced execution: fence {} is in its error state", i));
  return success();
}

} // namespace

FencedExecution::FencedExecution(FencedCall call, FencedRegistry::Identity identity, FenceSignaller signaller)
    : deadline_(call.deadline), timeoutAfterFence_(call.timeoutAfterFence), identity_(identity),
      signaller_(std::move(signaller)) {
  held_->model = std::move(call.model);
  held_->bound = std::move(call.bound);
  held_->whenEnded = std::move(call.whenEnded);
  for (const SyncFence &fence : call.waitFor)
    if (fence.state() != FenceState::Signalled)
      active_.push_back(fence);
}

Result<FencedLaunch> FencedExecution::launch(FencedCall call) {
  HalSpan span(TraceLayer::Driver, TracePhase::Execution, "executeFenced");
  AVOCET_HAL_RETURN_IF_ERROR(checkOutputs(call.model->signature(), *call.bound->view));
  AVOCET_HAL_RETURN_IF_ERROR(checkFences(call.waitFor));
  AVOCET_HAL_ASSIGN_OR_RETURN(auto ends, FenceSignaller::create());
  auto execution =
      std::make_shared<FencedExecution>(std::move(call), ends.first.identity().value(), std::move(ends.second));
  AVOCET_HAL_RETURN_IF_ERROR(execution->start());
  return FencedLaunch{std::move(ends.first), std::move(execution)};
}

Outcome FencedExecution::start() {
  const ClientState &client = held_->model->client();
  ExecutionOptions options = held_->bound->options;
  options.deadline = deadline_;
  held_->run = std::make_shared<Run>(*held_->model, *held_->bound->view, options);
  if (active_.empty() || !held_->model->programs().readsValues())
    AVOCET_HAL_RETURN_IF_ERROR(prepare());
  AVOCET_HAL_ASSIGN_OR_RETURN(held_->awaited, client.awaitedFences()->take(active_.size()));
  core().fenced().add(identity_, weak_from_this());
  if (Outcome watched = watch(chooseHostFences()); !watched) {
    withdraw();
    return watched;
  }
  followPredecessors();
  held_->whenGone = std::make_unique<WhenGone>(client.whenGone(), [execution = weak_from_this()] {
    if (auto self = execution.lock())
      self->fail(generalFailure("the client has gone"));
  });
  active_.clear();
  endLaunch();
  return success();
}

void FencedExecution::followPredecessors() {
  for (const auto &predecessor : held_->predecessors) {
    {
      std::lock_guard lock(mutex_);
      ++unready_;
    }
    if (!predecessor->joinQueue(shared_from_this()))
      becomeReady();
  }
}

void FencedExecution::endLaunch() {
  std::optional<Error> overrule;
  {
    std::lock_guard lock(mutex_);
    stage_ = Stage::Waiting;
    overrule = std::exchange(overrule_, std::nullopt);
  }
  if (overrule)
    fail(*overrule);
  becomeReady();
}

Outcome FencedExecution::prepare() {
  Run::Conditions conditions;
  conditions.mayWait = false;
  conditions.inputsMayBePending = !active_.empty();
  AVOCET_HAL_RETURN_IF_ERROR(run().prepare(conditions));
  writesDirectly_ = !run().copiesOutputs();
  isPrepared_ = true;
  return success();
}

/// What the device cannot wait for. The others become predecessors.
std::vector<SyncFence> FencedExecution::chooseHostFences() {
  std::vector<SyncFence> hostFences;
  const bool readsDirectly = isPrepared_ && !run().copiesInputs();
  for (const SyncFence &fence : active_) {
    std::shared_ptr<FencedExecution> own = readsDirectly ? core().fenced().find(fence) : nullptr;
    if (own != nullptr && own->writesDirectly_ && held_->predecessors.size() < firmware::kMaxDependencies)
      held_->predecessors.push_back(std::move(own));
    else
      hostFences.push_back(fence);
  }
  return hostFences;
}

/// Call-backs may come before this returns.
Outcome FencedExecution::watch(const std::vector<SyncFence> &hostFences) {
  auto self = shared_from_this();
  if (!hostFences.empty()) {
    ++unready_;
    auto ended = [self](FenceWatch::End end) { self->fencesEnded(end); };
    AVOCET_HAL_ASSIGN_OR_RETURN(FenceWatch::Ticket ticket, core().fences().await(hostFences, {}, std::move(ended)));
    keep(ticket);
  }
  if (deadline_)
    setTimer(core(), *deadline_);
  if (timeoutAfterFence_) {
    auto signalled = [execution = weak_from_this()](FenceWatch::End) {
      if (auto waiting = execution.lock())
        waiting->startTimeout();
    };
    AVOCET_HAL_ASSIGN_OR_RETURN(FenceWatch::Ticket ticket, core().fences().await(active_, {}, std::move(signalled)));
    keep(ticket);
  }
  return success();
}

/// The launch failed: the execution was never there.
void FencedExecution::withdraw() {
  std::vector<FenceWatch::Ticket> tickets;
  {
    std::lock_guard lock(mutex_);
    stage_ = Stage::Over;
    isAnswered_ = true;
    tickets.swap(tickets_);
  }
  core().fenced().remove(identity_);
  for (FenceWatch::Ticket ticket : tickets)
    core().fences().cancel(ticket);
}

void FencedExecution::keep(FenceWatch::Ticket ticket) {
  std::lock_guard lock(mutex_);
  tickets_.push_back(ticket);
}

/// A deadline that cannot be watched is still the device's.
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
  if (end != FenceWatch::End::Signalled)
    return fail(fenceFailed());
  {
    std::lock_guard lock(mutex_);
    fencesSignalled_ = SteadyClock::now();
  }
  becomeReady();
}

/// False: it was submitted, or never will be.
bool FencedExecution::joinQueue(std::shared_ptr<FencedExecution> successor) {
  std::lock_guard lock(mutex_);
  const bool mustWait = !isAnswered_ && (stage_ == Stage::Waiting || stage_ == Stage::Submitting);
  if (mustWait)
    successors_.push_back(std::move(successor));
  return mustWait;
}

/// The submitting thread uses the run: the job may end meanwhile, but nobody looks at it before.
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

/// This may be the watch's thread, which does not wait for the compiler, nor for the file system of a client's pool.
void FencedExecution::submitLater() {
  leaveToHost(*held_, [self = shared_from_this()] {
    Outcome prepared = self->isPrepared_ ? success() : withoutExceptions([&] { return self->prepare(); });
    prepared ? self->submit() : self->endWithoutJob(prepared.error());
  });
}

/// As soon as the task is posted it may let go everything that `held` holds.
void FencedExecution::leaveToHost(const Holdings &held, const std::function<void()> &task) {
  ClientState &client = held.model->client();
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

/// Its successors find out from the answer.
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
    AVOCET_HAL_RETURN_IF_ERROR(predecessor->pin(run));
    if (run == nullptr)
      continue;
    pinned.push_back(predecessor);
    after.push_back(run->job().fence().get());
  }
  if (after.empty() && timeoutAfterFence_)
    run().tighten(later(core().clock().now(), *timeoutAfterFence_));
  runtime::Fence &fence = *run().job().fence();
  fence.onNextSignal([self = shared_from_this()](const runtime::JobOutcome &job) {
    if (job.state != firmware::JobState::Pending)
      self->jobEnded(job.state != firmware::JobState::Complete);
  });
  Outcome submitted = run().submit(after);
  if (!submitted)
    fence.onNextSignal({});
  return submitted;
}

/// For a successor that is being submitted: keeps the job from being used again; unpin() afterwards. No run: it has
/// ended well.
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

/// Once, behind the end of the job, when no thread uses the run. This may be a thread of the device, which must not
/// copy what was staged, and could not wait for itself should a damaged pool have to be unmapped.
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
  SteadyClock::time_point fenced;
  {
    std::lock_guard lock(mutex_);
    fenced = fencesSignalled_;
  }
  for (const auto &predecessor : held_->predecessors) {
    std::lock_guard lock(predecessor->mutex_);
    fenced = std::max(fenced, predecessor->ended_);
  }
  return {run.timing(run.start()), run.timing(fenced)};
}

/// Something other than the job ends the execution: the answer comes at once, the job ends on its own.
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
    ended_ = SteadyClock::now();
    successors.swap(successors_);
  }
  core().fenced().remove(identity_);
  if (held_->whenEnded)
    held_->whenEnded();
  result ? signaller_.signal() : signaller_.fail();
  for (const auto &successor : successors)
    successor->becomeReady();
}

/// What may call the device when it goes, or wait for another thread, does not go on a thread of the device.
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
  leaveToHost(*held, [held] {});
}

Result<FencedTimes> FencedExecution::executionInfo() {
  std::lock_guard lock(mutex_);
  if (!result_)
    return result_.error();
  return times_;
}

} // namespace avocet::hal
