//===- RunSteps.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace avocet::fuzz {

using Phase = ExecutionSlot::Phase;

/// The code of a call that starts the execution; others may follow when it runs.
int World::expectedStart(const ExecutionSlot &slot) const {
  if (slot.phase == Phase::Running || (slot.phase == Phase::Done && !slot.isReusable))
    return api::kBadState;
  return slot.isComplete() ? api::kOk : api::kBadData;
}

/// Something writes a memory, perhaps before a run that is in flight reads it.
void World::forgetInputsInFlight() {
  for (const auto &slot : executions_)
    if (slot->phase == Phase::Running &&
        std::ranges::any_of(slot->inputs, [](const auto &input) { return input.memory != nullptr; }))
      slot->values.reset();
}

/// Keeps the values of the inputs, if nothing else can change them before the end.
void World::noteStart(ExecutionSlot &slot) {
  slot.values.reset();
  if (slot.isStrange || std::ranges::any_of(slot.outputs, [](const auto &output) { return output.memory != nullptr; }))
    forgetInputsInFlight();
  if (slot.compilation->graph == nullptr || slot.isStrange)
    return;
  const bool usesMemory = std::ranges::any_of(slot.inputs, [](const auto &input) { return input.memory != nullptr; }) ||
                          slot.outputs[0].memory != nullptr;
  if (usesMemory && isAnythingRunning())
    return;
  std::vector<std::vector<uint8_t>> values;
  for (size_t i = 0; i < slot.inputs.size(); ++i) {
    const ArgumentSlot &input = slot.inputs[i];
    const auto *first = input.memory != nullptr
                            ? reinterpret_cast<const uint8_t *>(input.memory->file->floats()) + input.offset
                            : input.buffer.data();
    const size_t bytes = slot.compilation->graph->inputBytes(i);
    values.emplace_back(first, first + bytes);
    // Any bytes may lie in memories; only small integers have one right result.
    for (size_t at = 0; input.memory != nullptr && at + sizeof(float) <= bytes; at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, values.back().data() + at, sizeof(value));
      if (!(value >= -8 && value <= 8) || value != static_cast<float>(static_cast<int>(value)))
        return;
    }
    if (slot.compilation->graph->isCondition(i) && values.back()[0] > 1)
      return;
  }
  slot.values = std::move(values);
}

/// Compares the result.
void World::noteEnd(ExecutionSlot &slot, int code) {
  slot.phase = Phase::Done;
  slot.isRight = code == api::kOk;
  const bool mayFail = slot.isStrange || slot.hasTimeout || slot.compilation->graph == nullptr ||
                       (slot.event != nullptr && slot.event->mayFail);
  slot.event = nullptr; // which holds the slot
  expectCode("a run", code);
  if (!mayFail)
    expect("a run", code, {api::kOk});
  if (code != api::kOk || !slot.values.has_value())
    return;
  const ArgumentSlot &output = slot.outputs[0];
  if (output.memory != nullptr && isAnythingRunning())
    return;
  const std::vector<float> expected = slot.compilation->graph->evaluate(*slot.values);
  const auto *answer = output.memory != nullptr
                           ? reinterpret_cast<const uint8_t *>(output.memory->file->floats()) + output.offset
                           : output.buffer.data();
  for (size_t i = 0; i < expected.size(); ++i) {
    float value = 0;
    std::memcpy(&value, answer + i * sizeof(value), sizeof(value));
    if (std::bit_cast<uint32_t>(value) == std::bit_cast<uint32_t>(expected[i]))
      continue;
    std::fprintf(stderr, "fuzz target: wrong result of %s: element %zu is %.9g instead of %.9g\n",
                 slot.compilation->graph->fingerprint().c_str(), i, value, expected[i]);
    std::abort();
  }
}

void World::runSynchronously(ExecutionSlot &slot) {
  const int start = expectedStart(slot);
  const auto burst = bytes_.oneIn(2) ? any(bursts_) : nullptr;
  const bool isForeign = burst != nullptr && burst->compilation != slot.compilation;
  if (start == api::kOk && !isForeign)
    noteStart(slot);
  const int code = burst != nullptr ? ANeuralNetworksExecution_burstCompute(slot.handle.get(), burst->handle.get())
                                    : ANeuralNetworksExecution_compute(slot.handle.get());
  if (isForeign)
    return expect("burstCompute of another compilation", code, {api::kBadData});
  if (start != api::kOk)
    return expect("compute", code, {start});
  slot.event = nullptr;
  noteEnd(slot, code);
}

void World::startAsynchronously(const std::shared_ptr<ExecutionSlot> &slot) {
  const int start = expectedStart(*slot);
  if (start == api::kOk)
    noteStart(*slot);
  ANeuralNetworksEvent *made = nullptr;
  const int code = ANeuralNetworksExecution_startCompute(slot->handle.get(), &made);
  if (start != api::kOk || slot->compilation->graph == nullptr || slot->isStrange)
    expectCode("startCompute", code);
  else
    expect("startCompute", code, {api::kOk});
  if (start != api::kOk)
    expect("startCompute", code, {start});
  if (code != api::kOk)
    return start == api::kOk ? noteEnd(*slot, code) : void();
  auto event = std::make_shared<EventSlot>();
  event->handle.reset(made);
  event->execution = slot;
  slot->event = event;
  slot->phase = Phase::Running;
  events_.push_back(std::move(event));
}

/// Chooses events that a run waits for, and notes in `event` what follows from them.
std::vector<const ANeuralNetworksEvent *> World::chooseDependencies(EventSlot &event) {
  std::vector<const ANeuralNetworksEvent *> dependencies;
  for (uint32_t count = bytes_.below(4); count != 0; --count) {
    const auto other = any(events_);
    if (other == nullptr)
      continue;
    dependencies.push_back(other->handle.get());
    event.gates.insert(event.gates.end(), other->gates.begin(), other->gates.end());
    const ExecutionSlot *before = other->execution.get();
    event.mayFail |=
        other->mayFail || (before != nullptr && (before->hasTimeout || before->isStrange || !before->isRight ||
                                                 before->compilation->graph == nullptr));
  }
  return dependencies;
}

/// A fenced run that was not refused for its duration, but gave no event.
void World::noteRefusal(const std::shared_ptr<ExecutionSlot> &slot, bool mayFail, int code) {
  const Graph *graph = slot->compilation->graph.get();
  // An output of unknown size is refused before anything else.
  if (graph != nullptr && !graph->isOpen && !mayFail && !slot->hasTimeout && !slot->isStrange)
    expect("startComputeWithDependencies", code, {api::kOk});
  if (code == api::kBadData) {
    // Whether it was used up depends on the reason.
    executions_.erase(std::ranges::find(executions_, slot));
    return;
  }
  slot->phase = Phase::Done;
  slot->isRight = false;
}

void World::startFenced(const std::shared_ptr<ExecutionSlot> &slot) {
  auto event = std::make_shared<EventSlot>();
  const std::vector<const ANeuralNetworksEvent *> dependencies = chooseDependencies(*event);
  constexpr uint64_t kDurations[] = {0, 0, 0, 1, UINT64_MAX};
  const uint64_t duration = bytes_.pick(kDurations);
  const int start = expectedStart(*slot);
  if (start == api::kOk)
    noteStart(*slot);
  // What a dependency writes is not known now.
  if (!dependencies.empty() &&
      std::ranges::any_of(slot->inputs, [](const auto &input) { return input.memory != nullptr; }))
    slot->values.reset();
  ANeuralNetworksEvent *made = nullptr;
  const int code = ANeuralNetworksExecution_startComputeWithDependencies(
      slot->handle.get(), dependencies.data(), static_cast<uint32_t>(dependencies.size()), duration, &made);
  expectCode("startComputeWithDependencies", code);
  if (duration != 0 && !slot->compilation->isOneDevice)
    return expect("startComputeWithDependencies with a duration", code, {api::kBadData});
  if (start != api::kOk)
    return expect("startComputeWithDependencies", code, {start, api::kBadData}); // outputs are checked first
  if (code != api::kOk)
    return noteRefusal(slot, event->mayFail, code);
  event->mayFail |= duration == 1;
  event->handle.reset(made);
  event->execution = slot;
  slot->event = event;
  slot->phase = Phase::Running;
  events_.push_back(std::move(event));
}

/// New values at pointers, between runs.
void World::changeInputs(ExecutionSlot &slot) {
  for (size_t i = 0; i < slot.inputs.size(); ++i)
    if (!slot.compilation->graph->isCondition(i) && slot.inputs[i].buffer.size() >= sizeof(float)) {
      const float value = static_cast<float>(bytes_.below(17)) - 8;
      std::memcpy(slot.inputs[i].buffer.data(), &value, sizeof(value));
    }
}

void World::runExecution() {
  const auto slot = any(executions_);
  if (slot == nullptr)
    return;
  if (slot->phase == Phase::Running && !slot->event->isGated())
    settle(*slot->event); // else the code would depend on the time
  if (slot->phase != Phase::Running && !slot->isStrange && slot->compilation->graph != nullptr && bytes_.oneIn(3))
    changeInputs(*slot);
  switch (bytes_.below(4)) {
  case 0:
    return startAsynchronously(slot);
  case 1:
    return startFenced(slot);
  default:
    return runSynchronously(*slot);
  }
}

void World::makeGate() {
  if (gates_.size() >= 3)
    return;
  auto gate = std::make_shared<Gate>();
  int ends[2] = {-1, -1};
  if (bytes_.oneIn(2))
    gate->descriptor = eventfd(0, EFD_CLOEXEC);
  else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0)
    gate->descriptor = ends[0], gate->other = ends[1];
  ANeuralNetworksEvent *made = nullptr;
  expect("createFromSyncFenceFd", ANeuralNetworksEvent_createFromSyncFenceFd(gate->descriptor, &made), {api::kOk});
  auto event = std::make_shared<EventSlot>();
  event->handle.reset(made);
  event->gates = {gate};
  events_.push_back(std::move(event));
  gates_.push_back(std::move(gate));
}

void World::openGate() {
  if (const auto gate = any(gates_))
    gate->open();
}

/// Opens all gates before the event, waits, and notes the end of its execution.
void World::settle(EventSlot &event) {
  for (const auto &gate : event.gates)
    gate->open();
  const int code = ANeuralNetworksEvent_wait(event.handle.get());
  expectCode("Event_wait", code);
  if (event.execution != nullptr && event.execution->phase == Phase::Running && event.execution->event.get() == &event)
    noteEnd(*event.execution, code);
  else if (event.execution == nullptr)
    expect("wait for a fence", code, {api::kOk});
}

void World::awaitEvent() {
  if (const auto event = any(events_))
    settle(*event);
}

/// Makes events of the fences of events.
void World::useEvent() {
  const auto event = any(events_);
  if (event == nullptr || events_.size() >= 16)
    return;
  int descriptor = -5;
  const int code = ANeuralNetworksEvent_getSyncFenceFd(event->handle.get(), &descriptor);
  expect("getSyncFenceFd", code, {api::kOk, api::kBadData});
  if (code != api::kOk) {
    if (descriptor != -1 || event->execution == nullptr)
      expect("getSyncFenceFd without a fence", code, {});
    return;
  }
  ANeuralNetworksEvent *made = nullptr;
  expect("createFromSyncFenceFd", ANeuralNetworksEvent_createFromSyncFenceFd(descriptor, &made), {api::kOk});
  close(descriptor);
  auto copy = std::make_shared<EventSlot>();
  copy->handle.reset(made);
  copy->gates = event->gates;
  copy->mayFail = true; // whether the execution fails is known later
  copy->execution = event->execution;
  events_.push_back(std::move(copy));
}

} // namespace avocet::fuzz
