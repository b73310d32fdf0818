//===- ExecutionSteps.cpp -----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include <cstring>

namespace avocet::fuzz {

using Phase = ExecutionSlot::Phase;

void World::makeExecution() {
  const auto compilation = any(compilations_);
  if (compilation == nullptr || executions_.size() >= 8)
    return;
  ANeuralNetworksExecution *made = nullptr;
  const int code = ANeuralNetworksExecution_create(compilation->handle.get(), &made);
  expect("Execution_create", code, {compilation->state == State::Finished ? api::kOk : api::kBadState});
  if (code != api::kOk)
    return;
  auto slot = std::make_shared<ExecutionSlot>();
  slot->handle.reset(made);
  slot->compilation = compilation;
  slot->inputs.resize(compilation->numInputs);
  slot->outputs.resize(compilation->numOutputs);
  executions_.push_back(slot);
  const uint8_t settings = bytes_.byte();
  if ((settings & 3) == 3) {
    slot->isReusable = true;
    expect("setReusable", ANeuralNetworksExecution_setReusable(made, true), {api::kOk});
  }
  if ((settings & 12) == 12) {
    slot->isMeasured = compilation->isOneDevice;
    expect("setMeasureTiming", ANeuralNetworksExecution_setMeasureTiming(made, true),
           {compilation->isOneDevice ? api::kOk : api::kBadData});
  }
  if ((settings & 48) == 48) {
    slot->isPadded = true;
    expect("enablePadding", ANeuralNetworksExecution_enableInputAndOutputPadding(made, true), {api::kOk});
  }
  if ((settings & 192) != 192)
    setArguments(*slot);
}

void World::setArguments(ExecutionSlot &slot) {
  if (slot.phase != Phase::Preparing)
    return;
  if (slot.compilation->graph == nullptr)
    return setWildArguments(slot);
  for (size_t i = 0; i < slot.inputs.size(); ++i)
    setArgument(slot, false, i);
  setArgument(slot, true, 0);
}

/// Values that fit if the model says how long they are.
void World::setWildArguments(ExecutionSlot &slot) {
  slot.isStrange = true;
  for (size_t i = 0; i < slot.inputs.size() + slot.outputs.size(); ++i) {
    const bool isOutput = i >= slot.inputs.size();
    const size_t index = isOutput ? i - slot.inputs.size() : i;
    ArgumentSlot &argument = isOutput ? slot.outputs[index] : slot.inputs[index];
    if (argument.isSet)
      continue;
    argument.buffer.resize((isOutput ? slot.compilation->outputBytes : slot.compilation->inputBytes)[index]);
    for (uint8_t &byte : argument.buffer)
      byte = isOutput ? 0 : bytes_.byte();
    const auto number = static_cast<int32_t>(index);
    const int code = isOutput ? ANeuralNetworksExecution_setOutput(slot.handle.get(), number, nullptr,
                                                                   argument.buffer.data(), argument.buffer.size())
                              : ANeuralNetworksExecution_setInput(slot.handle.get(), number, nullptr,
                                                                  argument.buffer.data(), argument.buffer.size());
    expect("an argument of a wild model", code, {code == api::kOk ? code : api::kBadData});
    argument.isSet = code == api::kOk;
    slot.isAnySet |= argument.isSet;
  }
}

namespace {

/// Devices refuse an output over an input. `output` lies in a memory.
bool overlapsInput(const ExecutionSlot &slot, const ArgumentSlot &output, size_t bytes) {
  const Graph &graph = *slot.compilation->graph;
  for (size_t i = 0; i < slot.inputs.size(); ++i)
    if (slot.inputs[i].memory == output.memory && slot.inputs[i].offset < output.offset + bytes &&
        output.offset < slot.inputs[i].offset + graph.inputBytes(i))
      return true;
  return false;
}

} // namespace

/// A right value at a pointer, in a file or in a memory of a descriptor, unless the argument is set.
void World::setArgument(ExecutionSlot &slot, bool isOutput, size_t index) {
  ArgumentSlot &argument = (isOutput ? slot.outputs : slot.inputs)[index];
  const Graph &graph = *slot.compilation->graph;
  if (argument.isSet)
    return;
  const size_t bytes = isOutput ? graph.outputBytes() : graph.inputBytes(index);
  const api::Type type(ANEURALNETWORKS_TENSOR_FLOAT32, {graph.length});
  const bool hasType = graph.isOpen && (!isOutput || !bytes_.oneIn(4));
  const ANeuralNetworksOperandType *given = hasType ? type.get() : nullptr;
  ANeuralNetworksExecution *raw = slot.handle.get();
  const auto number = static_cast<int32_t>(index);
  const auto memory = bytes_.oneIn(3) ? any(memories_) : nullptr;
  int code = api::kOk;
  if (memory == nullptr || memory->file == nullptr) {
    const size_t length = bytes + (slot.isPadded ? 4 * bytes_.below(4) : 0);
    argument.buffer.resize(length);
    if (graph.isCondition(index) && !isOutput) {
      argument.buffer[0] = bytes_.byte() & 1;
    } else if (!isOutput) {
      for (size_t i = 0; i + sizeof(float) <= length; i += sizeof(float)) {
        const float value = static_cast<float>(bytes_.byte() % 17) - 8;
        std::memcpy(argument.buffer.data() + i, &value, sizeof(value));
      }
    }
    code = isOutput ? ANeuralNetworksExecution_setOutput(raw, number, given, argument.buffer.data(), length)
                    : ANeuralNetworksExecution_setInput(raw, number, given, argument.buffer.data(), length);
    expect("setInput or setOutput", code, {api::kOk});
  } else {
    argument.offset = 4 * bytes_.below(16);
    code = isOutput ? ANeuralNetworksExecution_setOutputFromMemory(raw, number, given, memory->handle.get(),
                                                                   argument.offset, bytes)
                    : ANeuralNetworksExecution_setInputFromMemory(raw, number, given, memory->handle.get(),
                                                                  argument.offset, bytes);
    expect("setInputFromMemory or setOutputFromMemory", code,
           {argument.offset + bytes <= memory->bytes ? api::kOk : api::kBadData});
    argument.memory = code == api::kOk ? memory : nullptr;
    slot.isStrange |= isOutput && code == api::kOk && (memory->isReadOnly || overlapsInput(slot, argument, bytes));
  }
  argument.isSet = code == api::kOk;
  slot.isAnySet |= argument.isSet;
}

/// Sets an argument to values that are wrong in any number of ways. `buffer` has 256 bytes.
int World::passStrangeValue(ANeuralNetworksExecution *raw, bool isOutput, int32_t index,
                            const ANeuralNetworksMemory *memory, std::vector<uint8_t> &buffer) {
  const uint32_t extents[] = {bytes_.below(4), bytes_.below(64)};
  const ANeuralNetworksOperandType type{static_cast<int32_t>(bytes_.below(18)), bytes_.below(3),
                                        bytes_.oneIn(4) ? nullptr : extents, 0, static_cast<int32_t>(bytes_.below(2))};
  const ANeuralNetworksOperandType *given = bytes_.oneIn(2) ? &type : nullptr;
  // Above 256 bytes only lengths that the library must refuse.
  constexpr size_t kLengths[] = {0, 1, 4, 8, 160, 256, SIZE_MAX, size_t{1} << 32};
  const size_t length = bytes_.pick(kLengths), offset = bytes_.oneIn(4) ? SIZE_MAX - 3 : bytes_.below(64);
  if (memory != nullptr)
    return isOutput ? ANeuralNetworksExecution_setOutputFromMemory(raw, index, given, memory, offset, length)
                    : ANeuralNetworksExecution_setInputFromMemory(raw, index, given, memory, offset, length);
  return isOutput ? ANeuralNetworksExecution_setOutput(raw, index, given, buffer.data(), length)
                  : ANeuralNetworksExecution_setInput(raw, index, given, buffer.data(), length);
}

void World::setStrangeArgument() {
  const auto slot = any(executions_);
  if (slot == nullptr)
    return;
  const bool isOutput = bytes_.oneIn(2);
  auto &arguments = isOutput ? slot->outputs : slot->inputs;
  const int32_t index = static_cast<int32_t>(bytes_.below(6)) - 1;
  const auto memory = bytes_.oneIn(2) ? any(memories_) : nullptr;
  const bool isInRange = index >= 0 && static_cast<size_t>(index) < arguments.size();
  ArgumentSlot unused;
  ArgumentSlot &argument = isInRange ? arguments[static_cast<size_t>(index)] : unused;
  std::vector<uint8_t> buffer(256);
  const int code =
      passStrangeValue(slot->handle.get(), isOutput, index, memory == nullptr ? nullptr : memory->handle.get(), buffer);
  expectCode("a strange argument", code);
  if (slot->phase != Phase::Preparing)
    expect("an argument of a started execution", code, {api::kBadState});
  else if (!isInRange)
    expect("an argument that the model has not", code, {api::kBadData});
  else if (argument.isSet)
    expect("an argument that is set", code, {api::kBadState});
  if (code != api::kOk)
    return;
  argument.isSet = slot->isAnySet = slot->isStrange = true;
  argument.buffer = std::move(buffer);
  argument.memory = memory;
}

void World::setUpExecution() {
  const auto slot = any(executions_);
  if (slot == nullptr)
    return;
  ANeuralNetworksExecution *raw = slot->handle.get();
  const bool isOpen = slot->phase == Phase::Preparing, isOne = slot->compilation->isOneDevice;
  const auto code = [&](bool isRight) { return !isOpen ? api::kBadState : isRight ? api::kOk : api::kBadData; };
  const uint8_t value = bytes_.byte();
  constexpr uint64_t kDurations[] = {0, 1, 10'000'000, UINT64_MAX};
  switch (bytes_.below(7)) {
  case 0: {
    const uint64_t duration = kDurations[value % 4];
    if (isOpen && isOne)
      slot->hasTimeout = value % 4 == 1 || value % 4 == 2;
    return expect("setTimeout", ANeuralNetworksExecution_setTimeout(raw, duration), {code(isOne)});
  }
  case 1:
    // A loop ends within this time, if it is not so short that the device cannot begin.
    return expect("setLoopTimeout",
                  ANeuralNetworksExecution_setLoopTimeout(raw, value == 0 ? UINT64_MAX : 5'000'000'000), {code(true)});
  case 2:
    if (isOpen)
      slot->isReusable = (value & 1) != 0;
    return expect("setReusable", ANeuralNetworksExecution_setReusable(raw, (value & 1) != 0), {code(true)});
  case 3:
    if (isOpen && isOne)
      slot->isMeasured = (value & 1) != 0;
    return expect("setMeasureTiming", ANeuralNetworksExecution_setMeasureTiming(raw, (value & 1) != 0), {code(isOne)});
  case 4: {
    const bool isLate = isOpen && slot->isAnySet;
    if (isOpen && !isLate)
      slot->isPadded = (value & 1) != 0;
    return expect("enablePadding", ANeuralNetworksExecution_enableInputAndOutputPadding(raw, (value & 1) != 0),
                  {isLate ? api::kBadState : code(true)});
  }
  case 5:
    return expect("addExtensionAttribute",
                  ANeuralNetworksExecution_addExtensionAttribute(raw, "no.such.extension", 0, &value, 1),
                  {code(false)});
  default:
    return setArguments(*slot);
  }
}

void World::askExecution() {
  const auto slot = any(executions_);
  if (slot == nullptr)
    return;
  ANeuralNetworksExecution *raw = slot->handle.get();
  const int32_t index = static_cast<int32_t>(bytes_.below(4)) - 1;
  const bool isDone = slot->phase == Phase::Done, mayEnd = slot->phase == Phase::Running && !slot->event->isGated();
  uint32_t answer[64] = {};
  uint64_t duration = 0;
  int code = 0;
  const uint32_t choice = bytes_.below(3);
  if (choice == 0)
    code = ANeuralNetworksExecution_getOutputOperandRank(raw, index, answer);
  else if (choice == 1)
    code = ANeuralNetworksExecution_getOutputOperandDimensions(raw, index, answer);
  else
    code = ANeuralNetworksExecution_getDuration(raw, index, &duration);
  expectCode("a getter of an execution", code);
  if (choice == 2 && index < 0)
    return expect("getDuration of a wrong code", code, {api::kBadData});
  if (!isDone && !mayEnd)
    return expect("a getter of an execution that has not ended", code, {api::kBadState});
  if (!isDone || slot->compilation->graph == nullptr || slot->isStrange)
    return;
  if (choice == 2)
    return expect("getDuration", code, {slot->isRight && slot->isMeasured ? api::kOk : api::kBadState});
  if (!slot->isRight)
    return expect("a getter of a failed execution", code, {api::kBadState, api::kTooSmall, api::kBadData});
  expect("getOutputOperandRank or Dimensions", code, {index == 0 ? api::kOk : api::kBadData});
  if (code == api::kOk)
    expect(choice == 0 ? "a rank" : "an extent", static_cast<int>(answer[0]),
           {choice == 0 ? 1 : static_cast<int>(slot->compilation->graph->length)});
}

} // namespace avocet::fuzz
