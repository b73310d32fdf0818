//===- Computation.cpp - Runs that wait for no fences ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs that wait for no fences: synchronous, in a burst, in the background.

#include "execution/Execution.h"

#include "avocet/hal/types/SaturatedTime.h"
#include "avocet/hal/types/Tracing.h"
#include "device/DebugSettings.h"
#include "telemetry/Counters.h"

namespace avocet::nnapi {
namespace {

/// The layer and phase of the computation itself, which the spans of the driver divide.
hal::HalSpan computation(const Compilation &compilation) {
  return {compilation.isOnCpu() ? hal::TraceLayer::Cpu : hal::TraceLayer::Runtime, hal::TracePhase::Computation,
          "compute"};
}

} // namespace

ApiOutcome Execution::bind() {
  if (arguments_.hasOpenInputs()) {
    reusable_.reset();
    request_.reset();
  }
  if (request_ == nullptr) {
    auto request = BoundRequest::bind(arguments_, *compilation_);
    if (!request.isOk())
      return abort(std::move(request).error());
    request_ = std::move(*request);
  }
  request_->copyIn();
  return success();
}

hal::ExecutionOptions Execution::options() const {
  hal::ExecutionOptions options = settings_;
  if (timeout_.has_value())
    options.deadline = hal::later(hal::BootClock::now(), *timeout_);
  return options;
}

hal::ExecutionOutcome Execution::run() {
  const hal::HalSpan span = computation(*compilation_);
  const std::shared_ptr<hal::IPreparedModel> &model = compilation_->prepared();
  const hal::ExecutionOptions options = this->options();
  if (!isReusable_)
    return model->execute(request_->request(), options);
  if (reusable_ == nullptr) {
    auto made = model->createReusableExecution(request_->request(), settings_);
    if (!made)
      return model->execute(request_->request(), options);
    reusable_ = std::move(*made);
  }
  return reusable_->compute(options.deadline);
}

hal::ExecutionOutcome Execution::runIn(Burst &burst) {
  const hal::HalSpan span = computation(*compilation_);
  return burst.hal()->execute(request_->request(), request_->identifiersFor(burst.hal()), options());
}

ApiOutcome Execution::compute() {
  AVOCET_RETURN_IF_ERROR(begin(ANNDIAG_EXECUTION_MODE_SYNC));
  const RunGuard guard(*this);
  AVOCET_RETURN_IF_ERROR(checkReadable());
  AVOCET_RETURN_IF_ERROR(bind());
  return end(run());
}

ApiOutcome Execution::computeIn(Burst &burst) {
  if (&burst.compilation() != compilation_.get())
    return badData("the burst is of another compilation");
  if (!burst.tryBegin())
    return badState("the burst runs another execution");
  const struct Turn {
    ~Turn() { burst.end(); }
    Burst &burst;
  } turn{burst};
  AVOCET_RETURN_IF_ERROR(begin(ANNDIAG_EXECUTION_MODE_BURST));
  const RunGuard guard(*this);
  AVOCET_RETURN_IF_ERROR(checkReadable());
  AVOCET_RETURN_IF_ERROR(bind());
  ApiOutcome ended = end(runIn(burst));
  if (ended.isOk())
    ++Counters::instance().burstExecutions;
  return ended;
}

bool Execution::runsInCaller() const {
  const DebugSettings &settings = DebugSettings::instance();
  return settings.runsInCaller || (settings.runsCpuInCaller && compilation_->isOnCpu());
}

ApiResult<std::shared_ptr<Event>> Execution::start() {
  AVOCET_RETURN_IF_ERROR(begin(ANNDIAG_EXECUTION_MODE_ASYNC));
  const RunGuard guard(*this);
  AVOCET_RETURN_IF_ERROR(checkReadable());
  AVOCET_RETURN_IF_ERROR(bind());
  auto event = std::make_shared<Event>();
  if (runsInCaller()) {
    event->complete(end(run()));
    return event;
  }
  // The callback reports a refused launch too.
  (void)compilation_->prepared()->executeAsynchronously(
      request_->request(), options(), [self = shared_from_this(), event](const hal::ExecutionOutcome &outcome) {
        event->complete(self->end(outcome));
      });
  return event;
}

} // namespace avocet::nnapi
