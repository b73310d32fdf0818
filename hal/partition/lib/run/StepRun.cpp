//===- StepRun.cpp - One step of an execution -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "run/StepRun.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::hal::partition {

ExecutionOutcome BurstCaller::call(const std::shared_ptr<IPreparedModel> &model, const Request &request,
                                   const std::vector<int64_t> &identifiers, const ExecutionOptions &options) {
  auto [place, isNew] = bursts_.try_emplace(model);
  if (isNew)
    if (auto burst = model->configureBurst())
      place->second = std::move(burst).value();
  return place->second != nullptr ? place->second->execute(request, identifiers, options)
                                  : model->execute(request, options);
}

void BurstCaller::release(int64_t identifier) {
  for (auto &[model, burst] : bursts_)
    if (burst != nullptr)
      (void)burst->releaseMemoryResource(identifier); // unknown ones are accepted
}

namespace {

/// First guess for a value of unknown size.
constexpr uint64_t kFirstBytes = 1024;
/// Each repetition at least doubles an output, so that this reaches every size.
constexpr int kMaxRepetitions = 40;

/// Bytes of a shape in which 0 is an extent; empty for types of extensions.
std::optional<uint64_t> bytesOf(OperandType type, const std::vector<uint32_t> &dimensions) {
  if (std::ranges::find(dimensions, 0U) != dimensions.end())
    return 0;
  return getNonExtensionSize(type, dimensions);
}

/// Identifiers of the arena's memories in bursts; even numbers belong to the caller's.
int64_t arenaIdentifier(const Area &area) { return area.identifier() * 2 + 1; }

} // namespace

const Operand &StepRun::outputOperand(size_t output) const {
  const Subgraph &main = step_.plan.model.main;
  return main.operands[main.outputIndexes[output]];
}

uint32_t StepRun::poolIndex(const RequestPool &pool, int64_t identifier) {
  const auto place = std::ranges::find(request_.pools, pool);
  const auto index = static_cast<uint32_t>(place - request_.pools.begin());
  if (place == request_.pools.end()) {
    request_.pools.push_back(pool);
    identifiers_.push_back(identifier);
  }
  return index;
}

Outcome StepRun::addInputs() {
  const Subgraph &main = step_.plan.model.main;
  for (size_t i = 0; i < step_.plan.inputs.size(); ++i) {
    const Value &value = frame_.values[step_.plan.inputs[i]];
    RequestArgument argument;
    argument.hasNoValue = value.state == Value::State::Omitted;
    if (value.state == Value::State::Unset || value.state == Value::State::Empty)
      return generalFailure(
          fmt::format("operand {} between two steps is empty, and a request cannot pass it", step_.plan.inputs[i]));
    const Operand &operand = main.operands[main.inputIndexes[i]];
    if (!argument.hasNoValue && !combineDimensions(operand.dimensions, value.dimensions))
      return invalidArgument(fmt::format("operand {} of shape {} has a value of shape {}", step_.plan.inputs[i],
                                         toString(operand.dimensions), toString(value.dimensions)));
    if (!argument.hasNoValue) {
      argument.location = value.location;
      argument.location.poolIndex = poolIndex(value.pool, value.identifier);
      if (!isFullySpecified(operand))
        argument.dimensions = value.dimensions;
    }
    request_.inputs.push_back(std::move(argument));
  }
  return success();
}

Outcome StepRun::placeInArena(size_t output, uint64_t bytes) {
  if (findOperandType(outputOperand(output).type) == nullptr)
    return generalFailure(
        fmt::format("{} cannot be passed between steps: its size is not known", toString(outputOperand(output).type)));
  auto area = context_.arena.allocate(bytes);
  if (!area)
    return area.error();
  Value &value = outputs_[output];
  value = Value();
  value.area = std::move(area).value();
  value.pool = value.area->memory();
  value.identifier = arenaIdentifier(*value.area);
  const std::optional<uint64_t> exact = bytesOf(outputOperand(output).type, outputOperand(output).dimensions);
  value.location = {0, value.area->offset(), exact.value_or(0) != 0 ? *exact : value.area->size(), 0};
  RequestArgument &argument = request_.outputs[output];
  argument = {};
  argument.location = value.location;
  argument.location.poolIndex = poolIndex(value.pool, value.identifier);
  return success();
}

/// The region must have the value's exact size if that is known; a region that is too small is not used.
Outcome StepRun::placeAt(size_t output, const Destination &destination, bool &fits) {
  const Operand &operand = outputOperand(output);
  const auto dimensions = combineDimensions(operand.dimensions, destination.dimensions);
  if (!dimensions)
    return invalidArgument(fmt::format("output of shape {}, but the request gives {}", toString(operand.dimensions),
                                       toString(destination.dimensions)));
  const std::optional<uint64_t> exact = getNonExtensionSize(operand.type, *dimensions);
  const bool isBuffer = std::holds_alternative<BufferToken>(destination.pool);
  fits = isBuffer || exact.value_or(0) <= destination.location.length;
  if (!fits)
    return success();
  Value &value = outputs_[output];
  value.pool = destination.pool;
  value.identifier = destination.identifier;
  value.location = destination.location;
  if (!isBuffer && exact.value_or(0) != 0)
    value.location.length = *exact;
  value.isAtDestination = true;
  RequestArgument &argument = request_.outputs[output];
  argument.location = value.location;
  argument.location.poolIndex = poolIndex(value.pool, value.identifier);
  if (!isFullySpecified(operand))
    argument.dimensions = *dimensions;
  return success();
}

Outcome StepRun::addOutputs() {
  outputs_.resize(step_.plan.outputs.size());
  request_.outputs.resize(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const Operand &operand = outputOperand(i);
    const auto &destination = frame_.destinations[step_.plan.outputs[i]];
    bool fits = false;
    if (destination)
      AVOCET_RETURN_IF_ERROR(placeAt(i, *destination, fits));
    const uint64_t known = getNonExtensionSize(operand).value_or(0);
    if (!fits)
      AVOCET_RETURN_IF_ERROR(placeInArena(i, known != 0 ? known : std::max(step_.sizes[i].load(), kFirstBytes)));
  }
  return success();
}

BufferFinder StepRun::bufferFinder() const {
  return [this](uint32_t, bool, BufferToken token) { return context_.buffers.find(step_.plan.device, token); };
}

ExecutionOutcome StepRun::callOnCpu(const std::shared_ptr<IPreparedModel> &copy, ErrorStatus failure) {
  if (!usesBuffer(request_))
    return context_.caller.call(copy, request_, identifiers_, context_.options);
  return executeWithCopies(*copy, step_.plan.model, request_, context_.options, bufferFinder(), failure);
}

ExecutionOutcome StepRun::call() {
  ExecutionOutcome outcome = context_.caller.call(step_.prepared, request_, identifiers_, context_.options);
  if (outcome.isOk() && usesBuffer(request_))
    forgetKept(request_, bufferFinder());
  if (!mayRepeat(outcome.status) || !step_.cpu->isPossible())
    return outcome;
  auto copy = step_.cpu->get();
  if (!copy)
    return outcome;
  logFallback("execution of a step", *step_.plan.device, {outcome.status, outcome.message});
  ExecutionOutcome repeated = callOnCpu(*copy, outcome.status);
  if (repeated.isOk() || !mayRepeat(repeated.status))
    return repeated;
  outcome.message += "; on the CPU: " + repeated.message;
  return outcome;
}

Outcome StepRun::enlarge(const ExecutionOutcome &outcome) {
  if (outcome.outputShapes.size() != outputs_.size())
    return generalFailure(
        fmt::format("{}: an output is too small, but no shapes were given", step_.plan.device->name()));
  bool hasChanged = false;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const OutputShape &shape = outcome.outputShapes[i];
    if (shape.isSufficient)
      continue;
    if (std::holds_alternative<BufferToken>(outputs_[i].pool))
      return generalFailure(fmt::format("{}: a buffer of the device is too small", step_.plan.device->name()));
    const uint64_t now = outputs_[i].isAtDestination ? 0 : outputs_[i].area->size();
    const uint64_t needed = getNonExtensionSize(outputOperand(i).type, shape.dimensions).value_or(0);
    const bool isFixed = isFullySpecified(outputOperand(i));
    if ((isFixed && now != 0) || (needed != 0 && needed <= now))
      return generalFailure(fmt::format("{}: output {} has its {} bytes, but the device asks for more",
                                        step_.plan.device->name(), i, now));
    AVOCET_RETURN_IF_ERROR(placeInArena(i, needed != 0 ? needed : std::max(2 * now, kFirstBytes)));
    hasChanged = true;
  }
  return hasChanged ? success() : Outcome(generalFailure(outcome.message));
}

Outcome StepRun::setOutput(size_t output, const std::vector<uint32_t> &dimensions) {
  const Operand &operand = outputOperand(output);
  Value &value = outputs_[output];
  const bool isTokenOutput = std::holds_alternative<BufferToken>(value.pool);
  std::optional<uint64_t> bytes = bytesOf(operand.type, dimensions);
  if (findOperandType(operand.type) == nullptr)
    bytes = value.location.length; // of an extension; only the device knows its size
  if (!combineDimensions(operand.dimensions, dimensions) || (isTensor(operand.type) && dimensions.empty()) || !bytes ||
      (!isTokenOutput && *bytes > value.location.length))
    return generalFailure(fmt::format("{}: output {} of shape {} has {} bytes and shape {} in the model",
                                      step_.plan.device->name(), output, toString(dimensions), value.location.length,
                                      toString(operand.dimensions)));
  value.dimensions = dimensions;
  value.state = *bytes == 0 ? Value::State::Empty : Value::State::Set;
  if (!isTokenOutput)
    value.location.length = *bytes;
  uint64_t known = step_.sizes[output].load();
  while (known < *bytes && !step_.sizes[output].compare_exchange_weak(known, *bytes))
    ;
  frame_.values[step_.plan.outputs[output]] = std::move(value);
  return success();
}

Outcome StepRun::finish(const ExecutionOutcome &outcome) {
  addTimes(outcome.timing);
  if (!outcome.outputShapes.empty() && outcome.outputShapes.size() != outputs_.size())
    return generalFailure(fmt::format("{}: {} output shapes for {} outputs", step_.plan.device->name(),
                                      outcome.outputShapes.size(), outputs_.size()));
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const std::vector<uint32_t> &given = request_.outputs[i].dimensions;
    const std::vector<uint32_t> known = given.empty() ? outputOperand(i).dimensions : given;
    AVOCET_RETURN_IF_ERROR(setOutput(i, outcome.outputShapes.empty() ? known : outcome.outputShapes[i].dimensions));
  }
  return success();
}

void StepRun::addTimes(const Timing &timing) {
  context_.isTimed = context_.isTimed && timing.timeOnDevice && timing.timeInDriver;
  if (!context_.isTimed)
    return;
  *context_.timing.timeOnDevice += *timing.timeOnDevice;
  *context_.timing.timeInDriver += *timing.timeInDriver;
}

bool StepRun::readsComputedValue() const {
  return std::ranges::any_of(step_.plan.inputs, [&](uint32_t input) { return frame_.values[input].area != nullptr; });
}

Outcome StepRun::run() {
  AVOCET_RETURN_IF_ERROR(addInputs());
  AVOCET_RETURN_IF_ERROR(addOutputs());
  for (int i = 0; i < kMaxRepetitions; ++i) {
    const ExecutionOutcome outcome = call();
    if (outcome.isOk())
      return finish(outcome);
    context_.refusedComputedValue = outcome.status == ErrorStatus::InvalidArgument && readsComputedValue();
    if (outcome.status != ErrorStatus::OutputInsufficientSize)
      return error(outcome.status, fmt::format("step on {}: {}", step_.plan.device->name(), outcome.message));
    AVOCET_RETURN_IF_ERROR(enlarge(outcome));
  }
  return generalFailure(fmt::format("{}: an output grows without end", step_.plan.device->name()));
}

} // namespace avocet::hal::partition
