//===- LocalSession.cpp - One network on a device of this process ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/session/LocalSession.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/Trace.h"
#include "avocet/cache/LayerNames.h"
#include "avocet/runtime/IndexCheck.h"
#include "avocet/runtime/SimBackend.h"
#include "avocet/session/DividedNetwork.h"
#include "avocet/session/Session.h"

#include "FaultReason.h"

#include <chrono>
#include <fmt/core.h>

namespace avocet::session {

using namespace avocet::runtime;

static Result<std::shared_ptr<Device>> openBackend(const BackendOptions &backendOptions, const LocalOptions &options) {
  if (!options.observer)
    return Device::open(options.backend.empty() ? knobText(knobs::kBackend) : options.backend, backendOptions);
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, openObservedSimBackend(backendOptions, options.observer));
  return Device::adopt(std::move(backend));
}

Result<std::unique_ptr<LocalSession>> LocalSession::open(const LoadedModel &model, const LocalOptions &options) {
  std::unique_ptr<LocalSession> session(new LocalSession(model.artefacts.model, model.target));
  session->acceptsBadIndices_ = options.acceptsBadIndices;
  AVOCET_RETURN_IF_ERROR(session->openDevice(model, options));
  AVOCET_RETURN_IF_ERROR(session->prepare(model, options));
  return session;
}

Status LocalSession::openDevice(const LoadedModel &model, const LocalOptions &options) {
  BackendOptions backendOptions;
  backendOptions.target = model.target;
  backendOptions.functional = options.functional;
  backendOptions.timing = options.timing;
  backendOptions.threads = options.threads;
  backendOptions.trace = options.profile;
  if (options.profile)
    backendOptions.profileSink = [this](const firmware::JobProfile &profile) { profile_ = profile; };
  AVOCET_ASSIGN_OR_RETURN(device_, openBackend(backendOptions, options));
  AVOCET_ASSIGN_OR_RETURN(context_, Context::create(device_));
  AVOCET_ASSIGN_OR_RETURN(queue_, Queue::create(context_));
  return Status::ok();
}

Result<LocalSession::Place> LocalSession::makeOperand(const cache::OperandView &operand, Access access) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, Buffer::create(device_, operand.bytes));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<BufferMapping> mapping, context_->map(std::move(buffer), access));
  return Place{std::move(mapping), {}};
}

/// Devices map whole pages, so that the buffer begins at the page of the memory's first byte.
Status LocalSession::bindOperand(Place &place, size_t index, std::span<uint8_t> memory, Bind bind) {
  if (memory.empty()) {
    AVOCET_RETURN_IF_ERROR((*job_.*bind)(index, place.own, 0));
    place.foreign = {};
    return Status::ok();
  }
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  if (address % kMemoryAlignment != 0)
    return unsupported(fmt::format("memory at {:#x} is not at a multiple of {}", address, kMemoryAlignment));
  const size_t before = address % kPageBytes;
  const Access access = place.own->access();
  AVOCET_ASSIGN_OR_RETURN(
      std::shared_ptr<Buffer> buffer,
      Buffer::importMemory(device_, {memory.data() - before, memory.size() + before}, access != Access::Read));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<BufferMapping> mapping, context_->map(std::move(buffer), access));
  AVOCET_RETURN_IF_ERROR((*job_.*bind)(index, std::move(mapping), before));
  place.foreign = memory;
  return Status::ok();
}

Status LocalSession::bindInput(size_t index, std::span<uint8_t> memory) {
  return bindOperand(inputs_[index], index, memory, &Job::bindInput);
}

Status LocalSession::bindOutput(size_t index, std::span<uint8_t> memory) {
  return bindOperand(outputs_[index], index, memory, &Job::bindOutput);
}

Status LocalSession::prepare(const LoadedModel &model, const LocalOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<const Executable> executable,
                          Executable::load(context_, model_, *model.artefacts.data));
  AVOCET_ASSIGN_OR_RETURN(job_, Job::create(executable));
  job_->setLoopTimeout(options.loopTimeoutNs);
  for (size_t i = 0; i < numInputs(); ++i) {
    AVOCET_ASSIGN_OR_RETURN(Place place, makeOperand(model_->input(i), Access::Read));
    AVOCET_RETURN_IF_ERROR(job_->bindInput(i, place.own));
    inputs_.push_back(std::move(place));
  }
  for (size_t i = 0; i < numOutputs(); ++i) {
    AVOCET_ASSIGN_OR_RETURN(Place place, makeOperand(model_->output(i), Access::Write));
    AVOCET_RETURN_IF_ERROR(job_->bindOutput(i, place.own));
    outputs_.push_back(std::move(place));
  }
  AVOCET_ASSIGN_OR_RETURN(state_, ModelState::create(executable));
  return state_->bind(*job_);
}

Status LocalSession::reset() {
  state_->reset();
  return Status::ok();
}

Status LocalSession::withPlace(const Status &status, const JobOutcome &outcome) const {
  std::string message = status.message();
  if (outcome.faultLayer < model_->numLayers())
    message += fmt::format(" (layer '{}')", cache::layerNames(*model_)[outcome.faultLayer]);
  if (const std::string reason = faultReason(*model_, *target_, outcome); !reason.empty())
    message += ": " + reason;
  return {status.code(), message};
}

Result<RunRecord> LocalSession::run() {
  RunRecord record;
  if (const Trace *trace = Trace::active())
    record.submitted = trace->now();
  TraceSpan span("run");
  const auto start = std::chrono::steady_clock::now();
  Status status = queue_->run(*job_);
  record.hostMs = millisecondsSince(start);
  record.outcome = job_->fence()->outcome();
  if (!status.isOk())
    return withPlace(status, record.outcome);
  if (!acceptsBadIndices_)
    AVOCET_RETURN_IF_ERROR(runtime::checkIndices(record.outcome, *model_));
  AVOCET_RETURN_IF_ERROR(state_->advance(*job_));
  record.profile = std::move(profile_);
  return record;
}

Status checkIndices(const LoadedModel &model, const RunRecord &record) {
  if (!model.divided)
    return runtime::checkIndices(record.outcome, *model.artefacts.model);
  for (size_t i = 0; i < record.steps.size(); ++i)
    if (const DividedStep &step = model.divided->steps[i]; step.place != StepPlace::Application)
      AVOCET_RETURN_IF_ERROR(runtime::checkIndices(record.steps[i].outcome, *step.model.artefacts.model));
  return Status::ok();
}

LocalOptions valuesOnly() {
  LocalOptions options;
  options.backend = "sim";
  options.timing = false;
  return options;
}

Result<TimedRun> runTimed(const LoadedModel &model, Profiling profiling) {
  LocalOptions options;
  options.backend = "sim";
  options.functional = false;
  options.profile = profiling == Profiling::On;
  AVOCET_ASSIGN_OR_RETURN(const std::unique_ptr<LocalSession> session, LocalSession::open(model, options));
  AVOCET_RETURN_IF_ERROR(session->reset());
  AVOCET_ASSIGN_OR_RETURN(RunRecord record, session->run());
  return TimedRun{std::move(record), session->device()};
}

} // namespace avocet::session
