//===- Execution.cpp - One run of a program for a request -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "CompilerGate.h"
#include "Lift.h"
#include "avocet/hal/Tracing.h"
#include "avocet/hal/Utils.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>

namespace avocet::hal {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// A slot that goes back to its program.
class SlotLease {
public:
  SlotLease(Program &program, IdleWatch &idle, std::unique_ptr<JobSlot> slot)
      : program_(program), idle_(idle), slot_(std::move(slot)) {}
  ~SlotLease() {
    program_.giveBack(std::move(slot_), idle_.now());
    idle_.touch();
  }
  JobSlot *operator->() { return slot_.get(); }

private:
  Program &program_;
  IdleWatch &idle_;
  std::unique_ptr<JobSlot> slot_;
};

class Execution {
public:
  Execution(Program &program, runtime::Queue &queue, IdleWatch &idle, const RequestView &view,
            const ExecutionOptions &options)
      : program_(program), queue_(queue), idle_(idle), view_(view), options_(options) {}

  ExecutionOutcome run() {
    ExecutionOutcome outcome;
    if (Outcome shapes = resolveOutputs(outcome); !shapes)
      return failed(shapes.error());
    if (!outcome.isOk())
      return outcome;
    avocet::Result<std::unique_ptr<JobSlot>> slot = program_.takeSlot();
    if (!slot)
      return failed(fromStatus(slot.status()));
    SlotLease lease(program_, idle_, std::move(slot).value());
    if (Outcome result = runOn(lease); !result)
      return failed(result.error());
    if (options_.measure == MeasureTiming::Yes)
      outcome.timing = timingOf(lease);
    return outcome;
  }

private:
  /// Extents as the program has them, and whether the regions are large enough.
  Outcome resolveOutputs(ExecutionOutcome &outcome) {
    for (size_t i = 0; i < view_.numOutputs(); ++i) {
      OutputShape shape{program_.outputDimensions(i), true};
      const RequestArgument &argument = view_.output(i);
      if (!combineDimensions(shape.dimensions, argument.dimensions))
        return invalidArgument(fmt::format("request: output {}: its dimensions are not those of the result", i));
      if (!argument.hasNoValue)
        shape.isSufficient = argument.location.length >= program_.model().output(i).bytes;
      if (!shape.isSufficient)
        outcome.status = ErrorStatus::OutputInsufficientSize;
      outcome.outputShapes.push_back(std::move(shape));
    }
    if (!outcome.isOk())
      outcome.message = "request: the region of an output is too small";
    return success();
  }

  Outcome runOn(SlotLease &slot) {
    AVOCET_HAL_RETURN_IF_ERROR(readInputs(slot));
    AVOCET_HAL_RETURN_IF_ERROR(submitAndWait(slot));
    HalSpan span(TraceLayer::Driver, TracePhase::Results, "write outputs");
    for (size_t i = 0; i < view_.numOutputs(); ++i)
      if (!view_.isOutputOmitted(i))
        AVOCET_HAL_RETURN_IF_ERROR(view_.writeOutput(i, slot->output(i)));
    return success();
  }

  /// Omitted inputs have no number in the program.
  Outcome readInputs(SlotLease &slot) {
    HalSpan span(TraceLayer::Driver, TracePhase::InputsAndOutputs, "read inputs");
    size_t number = 0;
    for (size_t i = 0; i < view_.numInputs(); ++i) {
      if (view_.isInputOmitted(i))
        continue;
      std::span<uint8_t> bytes = slot->input(number++);
      if (bytes.size() != view_.inputBytes(i))
        return generalFailure(
            fmt::format("request: input {} has {} bytes, its program takes {}", i, view_.inputBytes(i), bytes.size()));
      AVOCET_HAL_RETURN_IF_ERROR(view_.readInput(i, bytes));
    }
    return success();
  }

  Outcome submitAndWait(SlotLease &slot) {
    HalSpan span(TraceLayer::Driver, TracePhase::Computation, "run");
    slot->job().setWatchdog(watchdogCycles());
    slot->job().setLoopTimeout(static_cast<uint64_t>(effectiveLoopTimeout(options_.loopTimeoutDuration).count()));
    AVOCET_HAL_RETURN_IF_ERROR(lift(queue_.submit(slot->job())));
    runtime::Fence &fence = *slot->job().fence();
    if (!options_.deadline)
      fence.wait();
    else if (!fence.waitFor(*options_.deadline - BootClock::now()).isOk())
      return error(ErrorStatus::MissedDeadlineTransient, "the deadline passed while the device was working");
    return lift(statusOf(fence.outcome()));
  }

  /// What is left until the deadline in device cycles, so that a job that misses it does not hold the device. 0: the
  /// device's own limit.
  uint64_t watchdogCycles() const {
    if (!options_.deadline)
      return 0;
    double seconds = std::chrono::duration<double>(*options_.deadline - BootClock::now()).count();
    double cycles = seconds * static_cast<double>(clockHz());
    return static_cast<uint64_t>(std::clamp(cycles, 1.0, 1e18));
  }

  uint64_t clockHz() const { return program_.clockHz(); }

  /// The simulator's device may need more of its own time than the host needed for it: the driver's time contains the
  /// device's all the same.
  Timing timingOf(SlotLease &slot) const {
    const runtime::JobOutcome &job = slot->job().fence()->outcome();
    Timing timing;
    timing.timeInDriver = std::chrono::duration_cast<Duration>(SteadyClock::now() - start_);
    if (job.endCycle <= job.startCycle)
      return timing;
    double nanoseconds = static_cast<double>(job.endCycle - job.startCycle) * 1e9 / static_cast<double>(clockHz());
    timing.timeOnDevice = Duration(static_cast<int64_t>(nanoseconds));
    timing.timeInDriver = std::max(*timing.timeInDriver, *timing.timeOnDevice);
    return timing;
  }

  Program &program_;
  runtime::Queue &queue_;
  IdleWatch &idle_;
  const RequestView &view_;
  const ExecutionOptions &options_;
  const SteadyClock::time_point start_ = SteadyClock::now();
};

} // namespace

ExecutionOutcome failed(const Error &error) {
  ExecutionOutcome outcome;
  outcome.status = error.code;
  outcome.message = error.message;
  return outcome;
}

ExecutionOutcome runProgram(Program &program, runtime::Queue &queue, IdleWatch &idle, const RequestView &view,
                            const ExecutionOptions &options) {
  return Execution(program, queue, idle, view, options).run();
}

} // namespace avocet::hal
