//===- Run.cpp - One execution of a request, step by step -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/Run.h"

#include "avocet/firmware_iface/Power.h"
#include "avocet/hal/extensions/Attributes.h"
#include "avocet/hal/types/Tracing.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/types/VerboseLog.h"
#include "avocet/runtime/IndexCheck.h"
#include "model/PreparedModel.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::hal {

Outcome checkOptions(const ExecutionOptions &options) {
  AVOCET_RETURN_IF_ERROR(validate(options.measure));
  AVOCET_RETURN_IF_ERROR(validate(options.deadline));
  AVOCET_RETURN_IF_ERROR(validateLoopTimeout(options.loopTimeoutDuration));
  if (options.hints.empty() && options.extensionNameToPrefix.empty())
    return success();
  AVOCET_RETURN_IF_ERROR(validate(options.hints, options.extensionNameToPrefix));
  return checkExecutionAttributes(options);
}

ExecutionOutcome failed(const Error &error) {
  ExecutionOutcome outcome;
  outcome.status = error.code;
  outcome.message = error.message;
  return outcome;
}

QueuePlaces::QueuePlaces(uint32_t depth) : free_(std::clamp<ptrdiff_t>(depth, 1, kMaxDepth)) {}

Result<QueuePlaces::Lease> QueuePlaces::take(bool mayWait, const CallLimit &limit) {
  if (free_.try_acquire())
    return Lease(*this);
  if (!mayWait)
    return error(ErrorStatus::ResourceExhaustedTransient, "the queue of the model is full");
  if (!limit.await([&](Duration time) { return free_.try_acquire_for(time); }))
    return limit.whyOver("while the queue of the model was full");
  return Lease(*this);
}

Run::Run(PreparedModel &model, const RequestView &view, const ExecutionOptions &options, PinnedPools *pinned)
    : model_(model), view_(view), options_(options),
      start_(options.measure == MeasureTiming::Yes ? OptionalTimePoint(model.client().core().clock().now())
                                                   : std::nullopt),
      bindings_(model.client(), model.memory(), view, pinned) {}

Run::~Run() { giveBack(); }

Outcome Run::prepare(const Conditions &conditions) {
  AVOCET_RETURN_IF_ERROR(model_.client().checkPresence());
  AVOCET_RETURN_IF_ERROR(applyExecutionAttributes(options_));
  const CallLimit limit = model_.client().limit(options_.deadline);
  if (limit.hasPassed())
    return error(ErrorStatus::MissedDeadlinePersistent, "the deadline has passed");
  AVOCET_ASSIGN_OR_RETURN(charge_, model_.client().executions()->take(1));
  AVOCET_ASSIGN_OR_RETURN(program_, model_.programs().find(view_, limit));
  AVOCET_RETURN_IF_ERROR(resolveOutputs());
  AVOCET_RETURN_IF_ERROR(predict());
  Result<QueuePlaces::Lease> place = model_.places().take(conditions.mayWait, limit);
  if (!place)
    return place.error();
  place_.emplace(std::move(*place));
  AVOCET_ASSIGN_OR_RETURN(slot_, program_->takeSlot(&view_));
  return bind(conditions.inputsMayBePending);
}

/// Whether the output's region has the bytes; a buffer checks its extents itself.
bool Run::holds(size_t output, uint64_t bytes) const {
  const RequestArgument &argument = view_.output(output);
  return argument.hasNoValue || view_.bufferOf(argument) != nullptr || argument.location.length >= bytes;
}

Outcome Run::checkSufficient() const {
  if (std::ranges::all_of(shapes_, &OutputShape::isSufficient))
    return success();
  return error(ErrorStatus::OutputInsufficientSize, "request: the region of an output is too small");
}

/// Takes the extents from the program and checks whether the regions are large enough. If numbers of rows depend on
/// data, an insufficient output fails the request only after the run, since its answer has all extents.
Outcome Run::resolveOutputs() {
  for (size_t i = 0; i < view_.numOutputs(); ++i) {
    OutputShape shape{program_->outputDimensions(i), true};
    const bool isOpen = program_->rows().of(i).has_value();
    if (isOpen)
      shape.dimensions.front() = 0;
    std::optional<std::vector<uint32_t>> combined = combineDimensions(shape.dimensions, view_.output(i).dimensions);
    if (!combined)
      return invalidArgument(fmt::format("request: output {}: its dimensions are not those of the result", i));
    shape.dimensions = std::move(*combined);
    shape.isSufficient = isOpen || holds(i, program_->model().output(i).bytes);
    shapes_.push_back(std::move(shape));
  }
  return program_->rows().isEmpty() ? checkSufficient() : success();
}

/// Takes the numbers of rows from a run.
Outcome Run::resolveRows() {
  for (size_t i = 0; i < shapes_.size(); ++i) {
    const std::optional<size_t> count = program_->rows().of(i);
    if (!count)
      continue;
    int32_t rows = 0;
    std::ranges::copy(slot_->stagedOutput(*count), reinterpret_cast<uint8_t *>(&rows));
    const uint32_t most = program_->outputDimensions(i).front();
    if (rows < 0 || static_cast<uint32_t>(rows) > most)
      return generalFailure(fmt::format("output {} has {} rows, at most {} are possible", i, rows, most));
    uint32_t &extent = shapes_[i].dimensions.front();
    if (extent != 0 && extent != static_cast<uint32_t>(rows))
      return generalFailure(fmt::format("request: output {} has {} rows, its dimensions have {}", i, rows, extent));
    extent = static_cast<uint32_t>(rows);
    shapes_[i].isSufficient = holds(i, program_->model().output(i).bytes / most * extent);
  }
  return checkSufficient();
}

Outcome Run::bind(bool inputsMayBePending) {
  HalSpan span(TraceLayer::Driver, TracePhase::InputsAndOutputs, "bind inputs and outputs");
  AVOCET_RETURN_IF_ERROR(bindings_.bindInputs(*slot_, *program_, inputsMayBePending));
  return bindings_.bindOutputs(*slot_, *program_, shapes_);
}

Outcome Run::readInputs() {
  HalSpan span(TraceLayer::Driver, TracePhase::InputsAndOutputs, "read inputs");
  return bindings_.readInputs(*slot_);
}

/// Refuses launches that cannot meet their deadline by the compiler's prediction.
Outcome Run::predict() const {
  if (!options_.deadline)
    return success();
  const DeviceCore &core = model_.client().core();
  const firmware::PowerModel &power = core.target().power();
  const ExpectedWork work = expectedWork();
  const auto wake = static_cast<uint64_t>(static_cast<double>(work.wake.count()) / core.target().nanoseconds(1));
  const Prediction prediction{defaultCyclesOf(power, program_->model().predictedCycles(), power.fastestLevel()),
                              work.backlogCycles + wake, program_->clockHz()};
  return checkLaunch(options_.deadline, core.clock().now(), prediction);
}

ExpectedWork Run::expectedWork() const {
  runtime::Device &device = *model_.client().core().device();
  return {program_->expectedCycles(), device.backlogCycles(model_.queue().priority()), device.power().wakeTime()};
}

Result<runtime::SubmitOptions> Run::submitOptions(const Order &order) const {
  runtime::SubmitOptions options;
  options.after = order.after;
  options.syncFiles = order.syncFiles;
  options.endFile = order.endFile;
  options.cancelled = model_.client().whenGone();
  options.clockLevel = model_.clockLevel();
  if (!options_.deadline)
    return options;
  options.deadline = *options_.deadline - model_.client().core().clock().now();
  if (*options.deadline <= Duration::zero())
    return error(ErrorStatus::MissedDeadlineTransient,
                 "the deadline passed before the job was submitted to the device");
  options.clockLevel = levelFor(model_.client().core().target(), model_.clockLevel(), options.deadline, expectedWork());
  return options;
}

/// For the device, 0 means its own default; for a client, 0 means no time. Therefore 0 becomes 1 ns.
void Run::setLoopTimeout() {
  const Duration asked = options_.loopTimeoutDuration.value_or(kDefaultLoopTimeout);
  job().setLoopTimeout(static_cast<uint64_t>(std::max(asked, Duration(1)).count()));
}

Outcome Run::submit(const Order &order) {
  AVOCET_RETURN_IF_ERROR(readInputs());
  setLoopTimeout();
  AVOCET_ASSIGN_OR_RETURN(runtime::SubmitOptions options, submitOptions(order));
  noteSubmission();
  return toHalResult(model_.queue().submit(job(), options));
}

/// The clock of a simulated device runs slower than the host's, so the host's clock is checked too. A job that exceeds
/// the deadline ends by itself and keeps its memory until then.
Outcome Run::wait() {
  std::stop_callback whenGone(model_.client().whenGone(), [this] { (void)job().cancel(); });
  runtime::Fence &fence = *job().fence();
  const CallLimit limit = model_.client().limit(options_.deadline);
  if (!options_.deadline)
    fence.wait();
  else if (!limit.await([&](Duration time) { return fence.waitFor(time).isOk(); })) {
    (void)job().cancel();
    return limit.whyOver("while the device was working");
  }
  return result();
}

/// Only without a deadline may the job run on this thread, since the thread could not return at the deadline.
Outcome Run::submitAndWait() {
  HalSpan span(TraceLayer::Driver, TracePhase::Computation, "run");
  if (options_.deadline) {
    AVOCET_RETURN_IF_ERROR(submit());
    return wait();
  }
  AVOCET_RETURN_IF_ERROR(readInputs());
  setLoopTimeout();
  AVOCET_ASSIGN_OR_RETURN(runtime::SubmitOptions options, submitOptions({}));
  noteSubmission();
  std::stop_callback whenGone(model_.client().whenGone(), [this] { (void)job().cancel(); });
  if (avocet::Status ended = model_.queue().run(job(), options);
      !ended.isOk() && job().fence()->outcome().state == firmware::JobState::Pending)
    return toHalResult(ended); // it was never submitted
  return result();
}

Outcome Run::result() const {
  const CallLimit limit = model_.client().limit(options_.deadline);
  const runtime::JobOutcome job = this->job().fence()->outcome();
  if (job.fault == firmware::FaultCode::Cancelled && limit.isOver())
    return limit.whyOver("while the device was working");
  AVOCET_RETURN_IF_ERROR(answerOf(job, options_.deadline.has_value()));
  return model_.programs().demandsIndices() ? toHalResult(runtime::checkIndices(job, program_->model())) : success();
}

OptionalDuration Run::timeOnDevice() const {
  const runtime::JobOutcome job = slot_->job().fence()->outcome();
  if (job.endCycle <= job.startCycle)
    return std::nullopt;
  const double nanoseconds =
      static_cast<double>(job.endCycle - job.startCycle) * 1e9 / static_cast<double>(program_->clockHz());
  return Duration(static_cast<int64_t>(nanoseconds));
}

/// A simulated device may count more time than the host; the driver's time must still include the device's.
Timing Run::timing(TimePoint start) const {
  Timing timing;
  timing.timeInDriver = model_.client().core().clock().now() - start;
  timing.timeOnDevice = timeOnDevice();
  if (timing.timeOnDevice)
    timing.timeInDriver = std::max(*timing.timeInDriver, *timing.timeOnDevice);
  return timing;
}

Outcome Run::settle(const Outcome &result) {
  AVOCET_RETURN_IF_ERROR(result);
  HalSpan span(TraceLayer::Driver, TracePhase::Results, "settle outputs");
  AVOCET_RETURN_IF_ERROR(resolveRows());
  return bindings_.finish(*slot_, *program_, shapes_);
}

bool Run::isTraced() const { return model_.client().core().trace() != nullptr && Trace::active() != nullptr; }

void Run::noteSubmission() {
  if (isTraced())
    submitted_ = model_.client().core().clock().now();
}

void Run::traceJob() {
  const Trace *trace = Trace::active();
  if (!isTraced() || trace == nullptr || slot_ == nullptr || !submitted_)
    return;
  JobTrace *jobs = model_.client().core().trace();
  const std::chrono::duration<double, std::micro> age = model_.client().core().clock().now() - *submitted_;
  jobs->write(job().fence()->outcome(), program_->model(), model_.client().core().target(), trace->now() - age.count());
}

/// The time between start and end that the job did not run is that of jobs of higher priority.
void Run::logEnd(const ExecutionOutcome &outcome) const {
  writeVerbose(VerboseTag::Execution, fmt::format("execution: {} {}", toString(outcome.status), outcome.message));
  const runtime::JobOutcome job = slot_ != nullptr ? this->job().fence()->outcome() : runtime::JobOutcome();
  if (job.endCycle <= job.startCycle)
    return;
  const uint64_t all = job.endCycle - job.startCycle;
  const uint64_t counted = firmware::defaultCyclesOf(model_.client().core().target().power(), job.counters.cycles,
                                                     this->job().fence()->clockLevel());
  const uint64_t own = counted == 0 ? all : std::min(counted, all);
  writeVerbose(VerboseTag::Execution,
               fmt::format("job: {} cycles; waited {} cycles for other jobs; {}", own,
                           job.startCycle - std::min(job.arrivalCycle, job.startCycle),
                           own == all ? "not preempted" : fmt::format("preempted for {} cycles", all - own)));
}

ExecutionOutcome Run::finish(const Outcome &result) {
  Outcome done = settle(result);
  ExecutionOutcome outcome = done ? ExecutionOutcome() : failed(done.error());
  if (done && options_.measure == MeasureTiming::Yes)
    outcome.timing = timing(start());
  if (done)
    program_->noteCycles(job().fence()->outcome().counters.cycles);
  if (done && LayerTimes::isEnabled())
    if (const OptionalDuration time = timeOnDevice())
      LayerTimes::addJob(*time);
  if (done || done.code() == ErrorStatus::OutputInsufficientSize)
    outcome.outputShapes = std::move(shapes_);
  model_.client().core().counters().executionsEver += 1;
  if (!outcome.isOk())
    model_.client().core().counters().executionsFailed += 1;
  traceJob();
  if (isVerbose(VerboseTag::Execution))
    logEnd(outcome);
  giveBack();
  return outcome;
}

void Run::giveBack() {
  bindings_.abandon();
  if (slot_ != nullptr) {
    IdleWatch &idle = model_.client().core().idle();
    program_->giveBack(std::move(slot_), idle.now());
    idle.touch();
  }
  place_.reset();
  charge_.release();
}

} // namespace avocet::hal
