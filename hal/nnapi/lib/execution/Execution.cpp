//===- Execution.cpp - One use of a compilation -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/Execution.h"

#include "avocet/hal/types/SaturatedTime.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/VerboseLog.h"
#include "telemetry/Counters.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>

namespace avocet::nnapi {

ApiResult<std::shared_ptr<Burst>> Burst::create(std::shared_ptr<const Compilation> compilation) {
  AVOCET_RETURN_IF_ERROR(compilation->checkUsable());
  auto burst = compilation->prepared()->configureBurst();
  if (!burst)
    return fromHal(burst.error());
  return std::shared_ptr<Burst>(new Burst(std::move(compilation), std::move(*burst)));
}

ApiResult<std::shared_ptr<Event>> Event::fromDescriptor(int fd) {
  if (fd <= 0)
    return badData(fmt::format("descriptor {} is no sync fence", fd));
  AVOCET_ASSIGN_OR_RETURN(hal::SharedHandle copy, duplicateDescriptor(fd));
  auto fence = hal::SyncFence::adopt(std::move(copy));
  if (!fence)
    return fromHal(fence.error());
  auto event = std::make_shared<Event>(std::move(*fence));
  event->isForeign_ = true;
  return event;
}

void Event::complete(ApiOutcome outcome) {
  std::lock_guard lock(mutex_);
  outcome_ = std::move(outcome);
  completed_.notify_all();
}

ApiOutcome Event::wait() {
  if (isForeign_)
    return fence_->wait({}) == hal::FenceState::Signaled ? success()
                                                         : ApiOutcome(opFailed("the sync fence ended with an error"));
  std::unique_lock lock(mutex_);
  completed_.wait(lock, [&] { return outcome_.has_value(); });
  return *outcome_;
}

ApiResult<int> Event::duplicateFence() const {
  if (!fence_.has_value() || fence_->handle() == nullptr)
    return badData("the event has no sync fence");
  auto copy = fence_->handle()->duplicate();
  if (!copy)
    return fromStatus(copy.error());
  return copy->release();
}

namespace {

ApiOutcome outcomeOf(const hal::ExecutionOutcome &outcome) {
  if (outcome.isOk())
    return success();
  return ApiError{codeFor(outcome.status), outcome.message};
}

hal::Duration durationOf(uint64_t nanoseconds) {
  return hal::Duration(std::min<uint64_t>(nanoseconds, hal::Duration::max().count()));
}

void noteEnd(const Compilation &compilation, const hal::ExecutionOutcome &outcome) {
  hal::verbose(compilation.isOnCpu() ? hal::VerboseTag::CpuExe : hal::VerboseTag::Execution, "execution on {}: {} {}",
               compilation.onlyDevice() == nullptr ? "several devices" : compilation.onlyDevice()->name(),
               hal::toString(outcome.status), outcome.message);
}

} // namespace

ApiResult<std::shared_ptr<Execution>> Execution::create(std::shared_ptr<const Compilation> compilation) {
  AVOCET_RETURN_IF_ERROR(compilation->checkUsable());
  return std::shared_ptr<Execution>(new Execution(std::move(compilation)));
}

ApiOutcome Execution::checkPreparing() const {
  std::lock_guard lock(mutex_);
  return state_ == State::Preparation ? success() : ApiOutcome(badState("the execution has been started"));
}

ApiOutcome Execution::setArgument(bool isOutput, int32_t index, const ANeuralNetworksOperandType *type,
                                  ValuePlace place) {
  AVOCET_RETURN_IF_ERROR(checkPreparing());
  return arguments_.set(isOutput, index, type, std::move(place));
}

ApiOutcome Execution::setPadding(bool enable) {
  AVOCET_RETURN_IF_ERROR(checkPreparing());
  return arguments_.setPadding(enable);
}

ApiOutcome Execution::setReusable(bool reusable) {
  AVOCET_RETURN_IF_ERROR(checkPreparing());
  isReusable_ = reusable;
  return success();
}

ApiOutcome Execution::setTimeout(uint64_t nanoseconds) {
  AVOCET_RETURN_IF_ERROR(checkPreparing());
  if (!compilation_->choseOneDevice())
    return badData("a time-out needs a compilation for exactly one device");
  timeout_.reset();
  if (nanoseconds != 0)
    timeout_ = durationOf(nanoseconds);
  return success();
}

ApiOutcome Execution::setLoopTimeout(uint64_t nanoseconds) {
  AVOCET_RETURN_IF_ERROR(checkPreparing());
  settings_.loopTimeoutDuration = std::min(durationOf(nanoseconds), hal::kMaximumLoopTimeout);
  return success();
}

ApiOutcome Execution::setMeasure(bool measure) {
  AVOCET_RETURN_IF_ERROR(checkPreparing());
  if (!compilation_->choseOneDevice())
    return badData("measured durations need a compilation for exactly one device");
  settings_.measure = measure ? hal::MeasureTiming::Yes : hal::MeasureTiming::No;
  return success();
}

ApiOutcome Execution::addHint(const std::string &extension, uint16_t code, std::span<const uint8_t> value) {
  AVOCET_RETURN_IF_ERROR(checkPreparing());
  if (!compilation_->choseOneDevice())
    return badData("an attribute of an extension needs a compilation for exactly one device");
  return addHintTo(settings_.hints, settings_.extensionNameToPrefix, *compilation_->options().devices.front(),
                   extension, code, value);
}

/// The fence of a fenced run may signal shortly before the run is noted as ended. The application knows that it has
/// ended, so calls wait for the note.
void Execution::settle() const {
  std::shared_ptr<Event> running;
  {
    std::lock_guard lock(mutex_);
    if (state_ == State::Computing)
      running = running_.lock();
  }
  if (running != nullptr && running->fence().has_value() && running->fence()->state() != hal::FenceState::Active)
    (void)running->wait();
}

ApiOutcome Execution::begin(ANeuralNetworksDiagnosticExecutionMode mode) {
  settle();
  std::lock_guard lock(mutex_);
  if (state_ == State::Computing)
    return badState("the execution is being computed");
  if (state_ == State::Completed && !isReusable_)
    return badState("the execution has been computed, and is not reusable");
  AVOCET_RETURN_IF_ERROR(arguments_.checkComplete());
  state_ = State::Computing;
  running_.reset();
  start_ = {mode, {}};
  fencedTimes_.reset();
  return success();
}

void Execution::report(ResultCode code, const RunStart &start, const hal::Timing &timing) const {
  if (!diagnostics::isEnabled())
    return;
  auto nanoseconds = [](const hal::OptionalDuration &time) {
    return time.has_value() ? static_cast<uint64_t>(time->count()) : UINT64_MAX;
  };
  diagnostics::report({compilation_->facts(), code, start.mode, start.timer.nanoseconds(),
                       nanoseconds(timing.timeInDriver), nanoseconds(timing.timeOnDevice)});
}

ApiOutcome Execution::end(const hal::ExecutionOutcome &outcome, const hal::FencedTimes *times) {
  request_->copyOut(outcome);
  noteEnd(*compilation_, outcome);
  ++(outcome.isOk() ? Counters::instance().executions : Counters::instance().failedExecutions);
  std::unique_lock lock(mutex_);
  outcome_ = outcome;
  if (times != nullptr) {
    fencedTimes_ = *times;
    outcome_.timing = times->launched;
  }
  state_ = State::Completed;
  // A reusable execution may start again on another thread as soon as the lock is free.
  const RunStart start = start_;
  const hal::Timing timing = outcome_.timing;
  lock.unlock();
  report(codeFor(outcome.status), start, timing);
  return outcomeOf(outcome);
}

/// Ends a run that was never given to a device.
ApiOutcome Execution::abort(ApiError error) {
  std::unique_lock lock(mutex_);
  outcome_ = {hal::ErrorStatus::GeneralFailure, error.message, {}, {}};
  state_ = State::Completed;
  const RunStart start = start_;
  lock.unlock();
  report(error.code, start, {});
  return error;
}

/// Memory ran out during a run: the execution must not stay in the state of one.
Execution::RunGuard::~RunGuard() {
  if (std::uncaught_exceptions() == before_)
    return;
  std::lock_guard lock(execution_.mutex_);
  execution_.outcome_ = {};
  execution_.outcome_.status = hal::ErrorStatus::ResourceExhaustedTransient;
  execution_.state_ = State::Completed;
}

/// Not for fenced runs: a dependency may write the memory before the run.
ApiOutcome Execution::checkReadable() {
  ApiOutcome readable = arguments_.checkReadable();
  return readable.isOk() ? success() : abort(std::move(readable).error());
}

bool Execution::isComputing() const {
  settle();
  std::lock_guard lock(mutex_);
  return state_ == State::Computing;
}

ApiResult<uint64_t> Execution::duration(int32_t code) const {
  settle();
  std::lock_guard lock(mutex_);
  if (code < ANEURALNETWORKS_DURATION_ON_HARDWARE || code > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
    return badData(fmt::format("duration code {}; it must be 0 to 3", code));
  if (state_ != State::Completed || !outcome_.isOk())
    return badState("the execution has not ended with success");
  if (settings_.measure != hal::MeasureTiming::Yes)
    return badState("the execution was not measured");
  const bool isFenced = code >= ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE;
  const hal::Timing timing = isFenced && fencedTimes_.has_value() ? fencedTimes_->fenced : outcome_.timing;
  const bool isOnDevice =
      code == ANEURALNETWORKS_DURATION_ON_HARDWARE || code == ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE;
  const hal::OptionalDuration time = isOnDevice ? timing.timeOnDevice : timing.timeInDriver;
  return time.has_value() ? static_cast<uint64_t>(time->count()) : UINT64_MAX;
}

ApiResult<hal::OutputShape> Execution::outputShape(int32_t index) const {
  settle();
  std::lock_guard lock(mutex_);
  if (state_ != State::Completed)
    return badState("the execution has not ended");
  if (!outcome_.isOk() && outcome_.status != hal::ErrorStatus::OutputInsufficientSize)
    return badState("the execution has failed, so the shapes of its outputs are not known");
  if (index < 0 || static_cast<size_t>(index) >= arguments_.outputs().size())
    return badData(fmt::format("output {} of a model with {}", index, arguments_.outputs().size()));
  const auto position = static_cast<size_t>(index);
  if (position < outcome_.outputShapes.size())
    return outcome_.outputShapes[position];
  // A fenced run reports no shapes; all of them are known before it.
  const std::vector<uint32_t> &given = arguments_.outputs()[position].dimensions;
  const hal::Subgraph &main = compilation_->model().main;
  return hal::OutputShape{given.empty() ? main.operands[main.outputIndexes[position]].dimensions : given, true};
}

} // namespace avocet::nnapi
