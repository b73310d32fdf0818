//===- CompiledModel.cpp - A finished compilation and its arguments ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledModel.h"

#include <algorithm>
#include <fmt/format.h>
#include <sys/mman.h>

namespace avocet::hal::capi {

BufferToken BufferTable::add(const SharedApiMemory &memory) {
  std::lock_guard lock(mutex_);
  const BufferToken token{++last_};
  memories_[token] = memory;
  return token;
}

void BufferTable::remove(BufferToken token) {
  std::lock_guard lock(mutex_);
  memories_.erase(token);
}

SharedApiMemory BufferTable::find(BufferToken token) const {
  std::lock_guard lock(mutex_);
  const auto found = memories_.find(token);
  return found == memories_.end() ? nullptr : found->second;
}

namespace {

class Buffer : public IBuffer {
public:
  Buffer(SharedApi api, std::shared_ptr<BufferTable> table, SharedApiMemory memory)
      : api_(std::move(api)), table_(std::move(table)), memory_(std::move(memory)), token_(table_->add(memory_)) {}
  ~Buffer() override { table_->remove(token_); }

  BufferToken token() const override { return token_; }
  Outcome copyTo(const SharedMemory &memory) override;
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) override;

private:
  Result<OwnedMemory> open(const SharedMemory &memory) const {
    return memory ? makeMemory(*api_, *memory, PROT_READ | PROT_WRITE) : invalidArgument("the memory is null");
  }

  const SharedApi api_;
  const std::shared_ptr<BufferTable> table_;
  const SharedApiMemory memory_;
  const BufferToken token_;
};

/// The C interface has one code for a buffer without a value and for a wrong size; the first is what callers test for.
Outcome Buffer::copyTo(const SharedMemory &memory) {
  AVOCET_ASSIGN_OR_RETURN(OwnedMemory target, open(memory));
  Outcome copied = check(api_->table->ANeuralNetworksMemory_copy(memory_.get(), target.get()), "Memory_copy");
  if (copied.code() == ErrorStatus::InvalidArgument)
    return generalFailure(copied.error().message);
  return copied;
}

Outcome Buffer::copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &) {
  AVOCET_ASSIGN_OR_RETURN(OwnedMemory source, open(memory));
  return check(api_->table->ANeuralNetworksMemory_copy(source.get(), memory_.get()), "Memory_copy");
}

} // namespace

std::shared_ptr<IBuffer> makeBuffer(SharedApi api, std::shared_ptr<BufferTable> table, SharedApiMemory memory) {
  return std::make_shared<Buffer>(std::move(api), std::move(table), std::move(memory));
}

namespace {

/// Sets the arguments of one execution.
class Binder {
public:
  Binder(BoundExecution &bound, const Request &request) : bound_(bound), request_(request) {}
  Outcome makeMemories(const MemoryMaker &makeMemory);
  Outcome setOptions(const ExecutionOptions &options, Use use);
  Outcome setArguments();

private:
  const NnApiSLDriverImplFL7 &table() const { return *bound_.model->api->table; }
  ANeuralNetworksExecution *execution() const { return bound_.execution.get(); }
  Outcome setInput(size_t index);
  Outcome setOutput(size_t index);
  Result<ANeuralNetworksMemory *> memoryOf(const RequestArgument &argument) const;
  bool usesPadding() const;

  BoundExecution &bound_;
  const Request &request_;
};

Outcome Binder::makeMemories(const MemoryMaker &makeMemory) {
  for (size_t i = 0; i < request_.pools.size(); ++i) {
    if (const auto *token = std::get_if<BufferToken>(&request_.pools[i])) {
      bound_.memories.push_back(bound_.model->buffers->find(*token));
      if (!bound_.memories.back())
        return invalidArgument(fmt::format("pool {} names no buffer of this device", i));
      continue;
    }
    const SharedMemory &memory = std::get<SharedMemory>(request_.pools[i]);
    if (!memory)
      return invalidArgument(fmt::format("pool {} is null", i));
    AVOCET_ASSIGN_OR_RETURN(SharedApiMemory made,
                            makeMemory ? makeMemory(i, *memory) : makeSharedMemory(*bound_.model->api, *memory));
    bound_.memories.push_back(std::move(made));
  }
  return success();
}

bool Binder::usesPadding() const {
  const auto isPadded = [](const RequestArgument &argument) { return argument.location.padding > 0; };
  return std::ranges::any_of(request_.inputs, isPadded) || std::ranges::any_of(request_.outputs, isPadded);
}

Outcome Binder::setOptions(const ExecutionOptions &options, Use use) {
  if (!options.hints.empty())
    return invalidArgument("hints cannot be passed to the C library");
  AVOCET_ASSIGN_OR_RETURN(const uint64_t timeout, timeUntil(options.deadline));
  AVOCET_RETURN_IF_ERROR(
      check(table().ANeuralNetworksExecution_setTimeout(execution(), timeout), "Execution_setTimeout"));
  if (options.measure == MeasureTiming::Yes)
    AVOCET_RETURN_IF_ERROR(
        check(table().ANeuralNetworksExecution_setMeasureTiming(execution(), true), "Execution_setMeasureTiming"));
  if (options.loopTimeoutDuration)
    AVOCET_RETURN_IF_ERROR(check(table().ANeuralNetworksExecution_setLoopTimeout(
                                     execution(), static_cast<uint64_t>(options.loopTimeoutDuration->count())),
                                 "Execution_setLoopTimeout"));
  if (use == Use::Reusable)
    AVOCET_RETURN_IF_ERROR(
        check(table().ANeuralNetworksExecution_setReusable(execution(), true), "Execution_setReusable"));
  if (usesPadding())
    AVOCET_RETURN_IF_ERROR(check(table().ANeuralNetworksExecution_enableInputAndOutputPadding(execution(), true),
                                 "Execution_enableInputAndOutputPadding"));
  return success();
}

Result<ANeuralNetworksMemory *> Binder::memoryOf(const RequestArgument &argument) const {
  if (argument.location.poolIndex >= bound_.memories.size())
    return invalidArgument(
        fmt::format("an argument is in pool {} of {}", argument.location.poolIndex, bound_.memories.size()));
  return bound_.memories[argument.location.poolIndex].get();
}

/// The operand with the extents of the argument; `type` is null if the argument gives none.
struct ArgumentType {
  ArgumentType(const Operand &operand, const std::vector<uint32_t> &dimensions)
      : type{static_cast<int32_t>(operand.type), static_cast<uint32_t>(dimensions.size()), dimensions.data(),
             operand.scale, operand.zeroPoint},
        isGiven(!dimensions.empty()) {}
  const ANeuralNetworksOperandType *get() const { return isGiven ? &type : nullptr; }
  ANeuralNetworksOperandType type;
  bool isGiven;
};

Outcome Binder::setInput(size_t index) {
  const RequestArgument &argument = request_.inputs[index];
  const auto number = static_cast<int32_t>(index);
  if (argument.hasNoValue)
    return check(table().ANeuralNetworksExecution_setInput(execution(), number, nullptr, nullptr, 0),
                 "Execution_setInput");
  AVOCET_ASSIGN_OR_RETURN(ANeuralNetworksMemory * memory, memoryOf(argument));
  const ArgumentType type(bound_.model->inputs[index], argument.dimensions);
  return check(table().ANeuralNetworksExecution_setInputFromMemory(
                   execution(), number, type.get(), memory, argument.location.offset,
                   argument.location.length + argument.location.padding),
               "Execution_setInputFromMemory");
}

Outcome Binder::setOutput(size_t index) {
  const RequestArgument &argument = request_.outputs[index];
  const auto number = static_cast<int32_t>(index);
  if (argument.hasNoValue)
    return check(table().ANeuralNetworksExecution_setOutput(execution(), number, nullptr, nullptr, 0),
                 "Execution_setOutput");
  AVOCET_ASSIGN_OR_RETURN(ANeuralNetworksMemory * memory, memoryOf(argument));
  const ArgumentType type(bound_.model->outputs[index], argument.dimensions);
  return check(table().ANeuralNetworksExecution_setOutputFromMemory(
                   execution(), number, type.get(), memory, argument.location.offset,
                   argument.location.length + argument.location.padding),
               "Execution_setOutputFromMemory");
}

Outcome Binder::setArguments() {
  const CompiledModel &model = *bound_.model;
  if (request_.inputs.size() != model.inputs.size() || request_.outputs.size() != model.outputs.size())
    return invalidArgument(fmt::format("{} inputs and {} outputs for a model with {} and {}", request_.inputs.size(),
                                       request_.outputs.size(), model.inputs.size(), model.outputs.size()));
  for (size_t i = 0; i < request_.inputs.size(); ++i)
    AVOCET_RETURN_IF_ERROR(setInput(i));
  for (size_t i = 0; i < request_.outputs.size(); ++i)
    AVOCET_RETURN_IF_ERROR(setOutput(i));
  return success();
}

/// OUTPUT_INSUFFICIENT_SIZE for the outputs that were too small.
Result<OutputShape> shapeOf(const BoundExecution &bound, int32_t index) {
  const NnApiSLDriverImplFL7 &table = *bound.model->api->table;
  ANeuralNetworksExecution *execution = bound.execution.get();
  const auto mayBe = [](int code) {
    return code == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE ? ANEURALNETWORKS_NO_ERROR : code;
  };
  uint32_t rank = 0;
  const int code = table.ANeuralNetworksExecution_getOutputOperandRank(execution, index, &rank);
  AVOCET_RETURN_IF_ERROR(check(mayBe(code), "Execution_getOutputOperandRank"));
  OutputShape shape{std::vector<uint32_t>(rank), code == ANEURALNETWORKS_NO_ERROR};
  if (rank > 0) // a scalar has no dimensions to ask for
    AVOCET_RETURN_IF_ERROR(check(
        mayBe(table.ANeuralNetworksExecution_getOutputOperandDimensions(execution, index, shape.dimensions.data())),
        "Execution_getOutputOperandDimensions"));
  return shape;
}

Result<std::vector<OutputShape>> shapesOf(const BoundExecution &bound) {
  std::vector<OutputShape> shapes;
  for (size_t i = 0; i < bound.model->outputs.size(); ++i) {
    AVOCET_ASSIGN_OR_RETURN(OutputShape shape, shapeOf(bound, static_cast<int32_t>(i)));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Result<OptionalDuration> durationOf(const BoundExecution &bound, int32_t code) {
  uint64_t nanoseconds = 0;
  AVOCET_RETURN_IF_ERROR(
      check(bound.model->api->table->ANeuralNetworksExecution_getDuration(bound.execution.get(), code, &nanoseconds),
            "Execution_getDuration"));
  return nanoseconds == UINT64_MAX ? OptionalDuration() : Duration(nanoseconds);
}

} // namespace

Result<SharedApiMemory> makeSharedMemory(const Api &api, const Memory &memory) {
  AVOCET_ASSIGN_OR_RETURN(OwnedMemory made, makeMemory(api, memory, PROT_READ | PROT_WRITE));
  return SharedApiMemory(std::move(made));
}

Result<BoundExecution> bindRequest(const SharedModel &model, const Request &request, const ExecutionOptions &options,
                                   Use use, const MemoryMaker &makeMemory) {
  const NnApiSLDriverImplFL7 &table = *model->api->table;
  AVOCET_ASSIGN_OR_RETURN(
      OwnedExecution execution,
      createObject<ANeuralNetworksExecution>(
          table.ANeuralNetworksExecution_free, "Execution_create", [&](ANeuralNetworksExecution **made) {
            return table.ANeuralNetworksExecution_create(model->compilation.get(), made);
          }));
  BoundExecution bound{model, {}, std::move(execution)};
  Binder binder(bound, request);
  AVOCET_RETURN_IF_ERROR(binder.makeMemories(makeMemory));
  AVOCET_RETURN_IF_ERROR(binder.setOptions(options, use));
  AVOCET_RETURN_IF_ERROR(binder.setArguments());
  return bound;
}

ExecutionOutcome failedOutcome(const Error &error) { return {error.code, error.message, {}, {}}; }

Result<Timing> timesOf(const BoundExecution &execution, bool isFenced) {
  Timing timing;
  AVOCET_ASSIGN_OR_RETURN(timing.timeOnDevice,
                          durationOf(execution, isFenced ? ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE
                                                         : ANEURALNETWORKS_DURATION_ON_HARDWARE));
  AVOCET_ASSIGN_OR_RETURN(
      timing.timeInDriver,
      durationOf(execution, isFenced ? ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER : ANEURALNETWORKS_DURATION_IN_DRIVER));
  return timing;
}

ExecutionOutcome outcomeOf(const BoundExecution &execution, int code, std::string_view call, MeasureTiming measure) {
  ExecutionOutcome outcome;
  if (Outcome checked = check(code, call); !checked)
    outcome = failedOutcome(checked.error());
  if (!outcome.isOk() && outcome.status != ErrorStatus::OutputInsufficientSize)
    return outcome;
  auto shapes = shapesOf(execution);
  if (!shapes)
    return failedOutcome(shapes.error());
  outcome.outputShapes = std::move(*shapes);
  if (outcome.isOk() && measure == MeasureTiming::Yes) {
    auto times = timesOf(execution, false);
    if (!times)
      return failedOutcome(times.error());
    outcome.timing = *times;
  }
  return outcome;
}

} // namespace avocet::hal::capi
