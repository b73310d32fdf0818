//===- DividedSession.cpp - Runs a divided network ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DividedSession.h"

#include "avocet/base/Trace.h"
#include "avocet/runtime/Processor.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <set>

namespace avocet::session {

std::string_view toString(StepPlace place) {
  switch (place) {
  case StepPlace::Device:
    return "device";
  case StepPlace::Cpu:
    return "cpu";
  case StepPlace::Application:
    return "call-back";
  }
  return "?";
}

Result<std::unique_ptr<DeviceSession>> openHere(const LoadedModel &model, const LocalOptions &options) {
  if (model.divided) {
    AVOCET_ASSIGN_OR_RETURN(auto divided, DividedSession::open(model, options));
    return std::unique_ptr<DeviceSession>(std::move(divided));
  }
  AVOCET_ASSIGN_OR_RETURN(auto whole, LocalSession::open(model, options));
  return std::unique_ptr<DeviceSession>(std::move(whole));
}

namespace {

LocalOptions processorOptions(const LocalOptions &options) {
  LocalOptions local = valuesOnly();
  local.threads = runtime::processorThreads();
  local.acceptsBadIndices = options.acceptsBadIndices;
  local.loopTimeoutNs = options.loopTimeoutNs;
  return local;
}

cache::OperandView viewOf(const cache::Operand &tensor) {
  return {tensor.name,
          tensor.type,
          tensor.shape,
          tensor.bytes,
          tensor.quantization.scales,
          tensor.quantization.zeroPoints,
          tensor.quantization.axis};
}

void add(firmware::JobCounters &sum, const firmware::JobCounters &part) {
  using Numbers = std::array<uint64_t, sizeof(firmware::JobCounters) / sizeof(uint64_t)>;
  auto numbers = std::bit_cast<Numbers>(sum);
  std::ranges::transform(numbers, std::bit_cast<Numbers>(part), numbers.begin(), std::plus());
  sum = std::bit_cast<firmware::JobCounters>(numbers);
}

std::string titleOf(const DividedStep &step) {
  return step.number ? fmt::format("operator {} {}", *step.number, step.kind) : step.kind;
}

} // namespace

Result<std::unique_ptr<DividedSession>> DividedSession::open(const LoadedModel &model, const LocalOptions &options) {
  std::unique_ptr<DividedSession> session(new DividedSession(model));
  AVOCET_RETURN_IF_ERROR(session->states_.allocate());
  AVOCET_RETURN_IF_ERROR(session->openSteps(options));
  session->findUses();
  AVOCET_RETURN_IF_ERROR(session->placeValues());
  AVOCET_RETURN_IF_ERROR(session->placeResults());
  AVOCET_RETURN_IF_ERROR(session->placeStates());
  return session;
}

Status DividedSession::openSteps(const LocalOptions &options) {
  computes_ = options.functional;
  properties_.backend = toString(StepPlace::Cpu);
  properties_.computes = computes_;
  properties_.measures = false;
  const auto isDevice = [](const DividedStep &each) { return each.place == StepPlace::Device; };
  if (options.backend.starts_with("recorder:") && std::ranges::count_if(network_->steps, isDevice) > 1)
    return unsupported("a recording has one network, and operators on the host divide this one; choose another back "
                       "end");
  for (const DividedStep &planned : network_->steps)
    AVOCET_RETURN_IF_ERROR(openStep(planned, options));
  return Status::ok();
}

Status DividedSession::openStep(const DividedStep &planned, const LocalOptions &options) {
  Step step;
  if (planned.place != StepPlace::Application) {
    const bool isDevice = planned.place == StepPlace::Device;
    AVOCET_ASSIGN_OR_RETURN(step.session,
                            LocalSession::open(planned.model, isDevice ? options : processorOptions(options)));
    if (isDevice)
      properties_ = step.session->device();
  }
  const auto views = [&](const std::vector<size_t> &values) {
    std::vector<CallTensor> tensors;
    for (const size_t value : values)
      tensors.push_back({viewOf(network_->values[value].tensor), {}});
    return tensors;
  };
  step.inputs = views(planned.inputs);
  step.outputs = views(planned.outputs);
  step.copiesInput.resize(planned.inputs.size());
  step.copiesOutput.resize(planned.outputs.size());
  steps_.push_back(std::move(step));
  return Status::ok();
}

void DividedSession::findUses() {
  uses_.resize(network_->values.size());
  for (size_t step = 0; step < steps_.size(); ++step) {
    const DividedStep &planned = network_->steps[step];
    for (size_t i = 0; i < planned.inputs.size(); ++i)
      uses_[planned.inputs[i]].push_back({step, i, true});
    for (size_t i = 0; i < planned.outputs.size(); ++i)
      uses_[planned.outputs[i]].push_back({step, i, false});
  }
}

/// The first output of several that are one value, and of no input or constant, is in its memory.
Status DividedSession::placeResults() {
  std::set<size_t> direct;
  results_.reserve(network_->outputs.size()); // memory keeps the addresses of its owners
  for (size_t i = 0; i < network_->outputs.size(); ++i) {
    const size_t value = network_->outputs[i];
    ResultPlace place;
    place.value = value;
    place.isDirect =
        std::ranges::any_of(uses_[value], [](const Use &use) { return !use.isInput; }) && direct.insert(value).second;
    results_.push_back(std::move(place));
    ResultPlace &placed = results_.back();
    if (i >= numOutputs())
      continue; // placeStates()
    if (placed.isDirect)
      placed.own = std::move(own_[value]);
    else {
      AVOCET_ASSIGN_OR_RETURN(placed.own, ValueMemory::make(network_->values[value].tensor.bytes));
    }
    AVOCET_RETURN_IF_ERROR(setResult(placed, {placed.own.bytes(), &placed.own}));
  }
  return Status::ok();
}

Status DividedSession::placeValues() {
  memory_.resize(network_->values.size());
  own_.resize(memory_.size());
  for (size_t value = 0; value < memory_.size(); ++value) {
    const auto states = std::span(network_->inputs).subspan(numInputs());
    if (std::ranges::find(states, value) != states.end())
      continue; // placeStates()
    const DividedValue &planned = network_->values[value];
    AVOCET_ASSIGN_OR_RETURN(own_[value], ValueMemory::make(planned.tensor.bytes));
    std::ranges::copy(planned.constant, own_[value].bytes().begin());
    AVOCET_RETURN_IF_ERROR(setMemory(value, {own_[value].bytes(), &own_[value]}));
  }
  return Status::ok();
}

Status DividedSession::placeStates() {
  for (size_t i = 0; i < states_.count(); ++i) {
    const size_t value = network_->inputs[numInputs() + i];
    AVOCET_RETURN_IF_ERROR(setMemory(value, {states_.current(i).bytes(), &states_.current(i)}));
    AVOCET_RETURN_IF_ERROR(setResult(results_[numOutputs() + i], {states_.next(i).bytes(), &states_.next(i)}));
  }
  return Status::ok();
}

Status DividedSession::setResult(ResultPlace &place, const Memory &memory) {
  place.memory = memory;
  return place.isDirect ? setMemory(place.value, memory) : Status::ok();
}

Status DividedSession::setMemory(size_t value, const Memory &memory) {
  memory_[value] = memory;
  for (const Use &use : uses_[value])
    AVOCET_RETURN_IF_ERROR(bind(use, memory.bytes));
  return Status::ok();
}

Status DividedSession::bind(const Use &use, std::span<uint8_t> memory) {
  Step &step = steps_[use.step];
  (use.isInput ? step.inputs : step.outputs)[use.index].bytes = memory;
  if (!step.session)
    return Status::ok();
  const auto place = [&](std::span<uint8_t> bytes) {
    return use.isInput ? step.session->bindInput(use.index, bytes) : step.session->bindOutput(use.index, bytes);
  };
  Status status = place(memory);
  const bool isCopied = status.code() == StatusCode::Unsupported;
  (use.isInput ? step.copiesInput : step.copiesOutput)[use.index] = isCopied;
  return isCopied ? place({}) : status;
}

static Status checkAddress(std::span<uint8_t> memory) {
  if (reinterpret_cast<uintptr_t>(memory.data()) % kMemoryAlignment == 0)
    return Status::ok();
  return unsupported(fmt::format("memory is not at a multiple of {}", kMemoryAlignment));
}

Status DividedSession::bindInput(size_t index, std::span<uint8_t> memory) {
  AVOCET_RETURN_IF_ERROR(checkAddress(memory));
  const size_t value = network_->inputs[index];
  return setMemory(value, memory.empty() ? Memory{own_[value].bytes(), &own_[value]} : Memory{memory, nullptr});
}

Status DividedSession::bindOutput(size_t index, std::span<uint8_t> memory) {
  AVOCET_RETURN_IF_ERROR(checkAddress(memory));
  ResultPlace &place = results_[index];
  return setResult(place, memory.empty() ? Memory{place.own.bytes(), &place.own} : Memory{memory, nullptr});
}

Status DividedSession::cancel() {
  isCancelled_ = true;
  for (const Step &step : steps_)
    if (step.session)
      AVOCET_RETURN_IF_ERROR(step.session->cancel());
  return Status::ok();
}

Status DividedSession::reset() {
  states_.reset();
  return Status::ok();
}

/// Memory of the application's operator is that of the session or of the caller, whose other bytes must stay.
Status DividedSession::checkMarks(const DividedStep &planned) const {
  for (const auto *values : {&planned.inputs, &planned.outputs})
    for (const size_t value : *values)
      if (const ValueMemory *owner = memory_[value].owner; owner && !owner->isMarkWhole())
        return internalError(fmt::format("{}: its call-back wrote beyond the end of '{}', which has {} bytes",
                                         titleOf(planned), network_->values[value].tensor.name,
                                         memory_[value].bytes.size()));
  return Status::ok();
}

Status DividedSession::call(size_t index) try {
  const DividedStep &planned = network_->steps[index];
  const Step &step = steps_[index];
  const Status status = planned.compute({planned.custom, planned.attributes, step.inputs, step.outputs, network_});
  return status.isOk() ? checkMarks(planned) : Status(status).withContext(titleOf(planned));
} catch (const std::exception &error) {
  return internalError(fmt::format("{}: {}", titleOf(network_->steps[index]), error.what()));
}

Result<RunRecord> DividedSession::runStep(size_t index) {
  const DividedStep &planned = network_->steps[index];
  Step &step = steps_[index];
  RunRecord record;
  if (planned.place != StepPlace::Device && !computes_)
    return record; // values have no meaning
  const TraceSpan span(planned.place == StepPlace::Device ? "network" : planned.kind);
  const auto start = std::chrono::steady_clock::now();
  if (!step.session) {
    AVOCET_RETURN_IF_ERROR(call(index));
    record.hostMs = millisecondsSince(start);
    return record;
  }
  for (size_t i = 0; i < step.inputs.size(); ++i)
    if (step.copiesInput[i])
      std::ranges::copy(step.inputs[i].bytes, step.session->input(i).begin());
  AVOCET_ASSIGN_OR_RETURN(record, step.session->run());
  for (size_t i = 0; i < step.outputs.size(); ++i)
    if (step.copiesOutput[i])
      std::ranges::copy(step.session->output(i), step.outputs[i].bytes.begin());
  record.hostMs = millisecondsSince(start);
  return record;
}

Status DividedSession::copyResults() {
  for (const ResultPlace &place : results_)
    if (!place.isDirect)
      std::ranges::copy(memory_[place.value].bytes, place.memory.bytes.begin());
  return Status::ok();
}

Result<RunRecord> DividedSession::run() {
  isCancelled_ = false;
  RunRecord record;
  if (const Trace *trace = Trace::active())
    record.submitted = trace->now();
  const TraceSpan span("run");
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (isCancelled_)
      return Status(StatusCode::Aborted, "the run was cancelled");
    AVOCET_ASSIGN_OR_RETURN(RunRecord step, runStep(i));
    if (network_->steps[i].place == StepPlace::Device)
      add(record.outcome.counters, step.outcome.counters);
    record.steps.push_back(std::move(step));
  }
  AVOCET_RETURN_IF_ERROR(copyResults());
  states_.advance();
  AVOCET_RETURN_IF_ERROR(placeStates());
  record.hostMs = millisecondsSince(start);
  return record;
}

Status DividedSession::finish() {
  for (const Step &step : steps_)
    if (step.session)
      AVOCET_RETURN_IF_ERROR(step.session->finish());
  return Status::ok();
}

} // namespace avocet::session
