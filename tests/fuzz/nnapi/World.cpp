//===- World.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include "Program.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace avocet::fuzz {

void expect(const char *call, int code, std::initializer_list<int> allowed) {
  if (std::ranges::find(allowed, code) != allowed.end())
    return;
  std::fprintf(stderr, "fuzz target: %s returned %d\n", call, code);
  std::abort();
}

void expectCode(const char *call, int code) {
  if (code < ANEURALNETWORKS_NO_ERROR || code > ANEURALNETWORKS_DEAD_OBJECT)
    expect(call, code, {});
}

Gate::~Gate() {
  for (int end : {descriptor, other})
    if (end >= 0)
      close(end);
}

void Gate::open() {
  const uint64_t one = 1;
  if (!isOpen && write(other >= 0 ? other : descriptor, &one, sizeof(one)) != sizeof(one))
    std::abort();
  isOpen = true;
}

bool EventSlot::isGated() const {
  return std::ranges::any_of(gates, [](const auto &gate) { return !gate->isOpen; });
}

bool ExecutionSlot::isComplete() const {
  auto isSet = [](const ArgumentSlot &argument) { return argument.isSet; };
  return std::ranges::all_of(inputs, isSet) && std::ranges::all_of(outputs, isSet);
}

const std::vector<const ANeuralNetworksDevice *> &devices() {
  static const auto kList = api::allDevices();
  return kList;
}

bool World::isAnythingRunning() const {
  return std::ranges::any_of(executions_,
                             [](const auto &slot) { return slot->phase == ExecutionSlot::Phase::Running; });
}

void World::step() {
  using Step = void (World::*)();
  static constexpr Step kSteps[] = {
      &World::makeModel,         &World::makeModel,      &World::makeCompilation,   &World::makeCompilation,
      &World::finishCompilation, &World::makeExecution,  &World::makeExecution,     &World::makeExecution,
      &World::runExecution,      &World::runExecution,   &World::runExecution,      &World::runExecution,
      &World::runExecution,      &World::awaitEvent,     &World::awaitEvent,        &World::setUpExecution,
      &World::askExecution,      &World::askExecution,   &World::makeBurst,         &World::makeGate,
      &World::openGate,          &World::useEvent,       &World::makeMemory,        &World::copyMemory,
      &World::makeDesc,          &World::editDesc,       &World::editDesc,          &World::makeRoleMemory,
      &World::runThreads,        &World::freeSomething,  &World::freeSomething,     &World::passNull,
      &World::setUpCompilation,  &World::useClosedModel, &World::makeStrangeMemory, &World::useClosedCompilation,
      &World::editModel,         &World::makeWildModel,  &World::askForSupport,     &World::setStrangeArgument,
  };
  (this->*bytes_.pick(kSteps))();
}

void World::run() {
  constexpr int kMaxSteps = 80;
  for (int count = 0; count < kMaxSteps && !bytes_.isAtEnd(); ++count)
    step();
}

namespace {

/// Takes an object out of its table; the library frees it when the last user of the slot has gone.
template <typename T> void freeHandle(std::vector<std::shared_ptr<T>> &table, Bytes &bytes) {
  if (table.empty())
    return;
  const auto place = table.begin() + bytes.below(static_cast<uint32_t>(table.size()));
  (*place)->handle.reset();
  table.erase(place);
}

} // namespace

void World::freeExecution(size_t index) {
  std::shared_ptr<ExecutionSlot> slot = executions_[index];
  if (slot->phase == ExecutionSlot::Phase::Running && slot->event->isGated()) {
    ANeuralNetworksExecution_free(slot->handle.get()); // is ignored
    return;
  }
  if (slot->phase == ExecutionSlot::Phase::Running)
    settle(*slot->event);
  slot->handle.reset();
  executions_.erase(executions_.begin() + static_cast<std::ptrdiff_t>(index));
}

void World::freeSomething() {
  switch (bytes_.below(8)) {
  case 0:
    return freeHandle(models_, bytes_);
  case 1:
    return freeHandle(compilations_, bytes_);
  case 2:
  case 3:
    if (!executions_.empty())
      freeExecution(bytes_.below(static_cast<uint32_t>(executions_.size())));
    return;
  case 4:
    return freeHandle(bursts_, bytes_);
  case 5:
    return freeHandle(descs_, bytes_);
  case 6:
    // Buffers and files of runs in flight must stay; the handle need not.
    return freeHandle(memories_, bytes_);
  default:
    if (events_.empty())
      return;
    const size_t index = bytes_.below(static_cast<uint32_t>(events_.size()));
    settle(*events_[index]); // the library waits too
    events_[index]->handle.reset();
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

World::~World() {
  for (const auto &gate : gates_)
    gate->open();
  for (const auto &event : events_)
    settle(*event);
}

void prepareProcess() {
  setenv("AVOCET_NNAPI_DEVICES", "embedded", 1);
  setenv("AVOCET_LOG", "off", 0);
}

void performProgram(std::span<const uint8_t> bytes) {
  World world{Bytes(bytes)};
  world.run();
}

} // namespace avocet::fuzz
