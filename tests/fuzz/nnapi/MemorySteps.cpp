//===- MemorySteps.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include <sys/mman.h>

namespace avocet::fuzz {

void World::makeMemory() {
  if (memories_.size() >= 6)
    return;
  auto slot = std::make_shared<MemorySlot>();
  constexpr size_t kSizes[] = {256, 8, 160, 4096};
  slot->bytes = bytes_.pick(kSizes);
  slot->file = std::make_unique<api::SharedFile>(slot->bytes);
  for (size_t i = 0; i < std::min<size_t>(slot->bytes / 4, 64); ++i)
    slot->file->floats()[i] = static_cast<float>(bytes_.isAtEnd() ? i % 5 : bytes_.below(5));
  ANeuralNetworksMemory *made = nullptr;
  if (bytes_.oneIn(3)) {
    const AvocetHardwareBuffer buffer{AVOCET_HARDWARE_BUFFER_MAGIC, slot->file->descriptor(), 0, slot->bytes};
    expect("createFromAHardwareBuffer",
           ANeuralNetworksMemory_createFromAHardwareBuffer(reinterpret_cast<const AHardwareBuffer *>(&buffer), &made),
           {api::kOk});
  } else {
    slot->isReadOnly = bytes_.oneIn(6);
    const int protection = slot->isReadOnly ? PROT_READ : PROT_READ | PROT_WRITE;
    expect("createFromFd",
           ANeuralNetworksMemory_createFromFd(slot->bytes, protection, slot->file->descriptor(), 0, &made), {api::kOk});
  }
  slot->handle.reset(made);
  memories_.push_back(std::move(slot));
}

void World::makeStrangeMemory() {
  const api::SharedFile file(64);
  constexpr size_t kSizes[] = {0, 1, 64, 65, 4096, SIZE_MAX};
  constexpr int kProtections[] = {0, PROT_READ, PROT_READ | PROT_WRITE, PROT_EXEC, -1};
  const int descriptors[] = {file.descriptor(), -1, 1 << 20, 0};
  const size_t size = bytes_.pick(kSizes), offset = bytes_.pick(kSizes);
  const int protection = bytes_.pick(kProtections), descriptor = bytes_.pick(descriptors);
  ANeuralNetworksMemory *made = nullptr;
  const int code = ANeuralNetworksMemory_createFromFd(size, protection, descriptor, offset, &made);
  expectCode("createFromFd", code);
  if ((code == api::kOk) != (made != nullptr))
    expect("createFromFd gave a memory with an error", code, {});
  if (descriptor < 0 || descriptor == 1 << 20 || size == 0 || protection <= 0)
    expect("createFromFd", code, {api::kBadData});
  const api::Memory owner(made);
  const AvocetHardwareBuffer buffer{bytes_.oneIn(2) ? AVOCET_HARDWARE_BUFFER_MAGIC : bytes_.word(), descriptor,
                                    bytes_.below(2), size};
  ANeuralNetworksMemory *other = nullptr;
  expectCode("createFromAHardwareBuffer", ANeuralNetworksMemory_createFromAHardwareBuffer(
                                              reinterpret_cast<const AHardwareBuffer *>(&buffer), &other));
  ANeuralNetworksMemory_free(other);
}

void World::copyMemory() {
  const auto from = any(memories_), to = any(memories_);
  if (from == nullptr)
    return;
  const bool isQuiet = !isAnythingRunning();
  const int code = ANeuralNetworksMemory_copy(from->handle.get(), to->handle.get());
  expectCode("Memory_copy", code);
  forgetInputsInFlight();
  if (from == to)
    return expect("Memory_copy to itself", code, {api::kOk});
  using Value = MemorySlot::Value;
  if (from->file != nullptr && to->file != nullptr)
    return expect("Memory_copy", code, {from->bytes == to->bytes && !to->isReadOnly ? api::kOk : api::kBadData});
  if (from->file == nullptr && from->value == Value::None && isQuiet)
    expect("Memory_copy of a memory without a value", code, {api::kBadData});
  if (from->file == nullptr && to->file != nullptr && code == api::kOk && from->value == Value::Known &&
      !std::equal(from->contents.begin(), from->contents.end(), reinterpret_cast<const uint8_t *>(to->file->floats())))
    expect("Memory_copy gave other bytes", code, {});
  if (to->file != nullptr)
    return;
  to->value = !isQuiet ? Value::Unknown : code != api::kOk ? Value::None : Value::Known;
  if (to->value == Value::Known && from->file != nullptr) {
    const auto *first = reinterpret_cast<const uint8_t *>(from->file->floats());
    to->contents.assign(first, first + from->bytes);
  } else if (to->value == Value::Known) {
    to->value = from->value;
    to->contents = from->contents;
  }
}

void World::makeDesc() {
  if (descs_.size() >= 4)
    return;
  ANeuralNetworksMemoryDesc *made = nullptr;
  expect("MemoryDesc_create", ANeuralNetworksMemoryDesc_create(&made), {api::kOk});
  auto slot = std::make_shared<DescSlot>();
  slot->handle.reset(made);
  descs_.push_back(std::move(slot));
  for (uint32_t count = bytes_.below(4); count != 0; --count)
    editDesc();
}

void World::editDesc() {
  const auto slot = any(descs_);
  if (slot == nullptr)
    return;
  ANeuralNetworksMemoryDesc *raw = slot->handle.get();
  const uint32_t choice = bytes_.below(8);
  if (choice < 5) {
    const auto compilation = any(compilations_);
    if (compilation == nullptr)
      return;
    constexpr float kFrequencies[] = {1, 1, 1, 0.5f, 0, -1, 2};
    const float frequency = bytes_.pick(kFrequencies);
    const uint32_t index = bytes_.below(4);
    const bool isOutput = choice == 0;
    const int code = isOutput
                         ? ANeuralNetworksMemoryDesc_addOutputRole(raw, compilation->handle.get(), index, frequency)
                         : ANeuralNetworksMemoryDesc_addInputRole(raw, compilation->handle.get(), index, frequency);
    const bool isWrong = compilation->state != State::Finished || frequency <= 0 || frequency > 1 ||
                         index >= (isOutput ? compilation->numOutputs : compilation->numInputs);
    if (slot->isFinished)
      return expect("a role of a finished descriptor", code, {api::kBadState});
    expect("a role", code, {isWrong || code != api::kOk ? api::kBadData : api::kOk});
    slot->numRoles += code == api::kOk ? 1 : 0;
    return;
  }
  if (choice == 5) {
    const uint32_t extents[] = {bytes_.below(4) * 20, bytes_.below(3)};
    const int code = ANeuralNetworksMemoryDesc_setDimensions(raw, bytes_.below(3), extents);
    return expect(
        "setDimensions", code,
        {slot->isFinished || code != api::kOk ? (slot->isFinished ? api::kBadState : api::kBadData) : api::kOk});
  }
  const int expected = slot->isFinished ? api::kBadState : slot->numRoles == 0 ? api::kBadData : api::kOk;
  expect("MemoryDesc_finish", ANeuralNetworksMemoryDesc_finish(raw), {expected});
  slot->isFinished |= expected == api::kOk;
}

void World::makeRoleMemory() {
  const auto desc = any(descs_);
  if (desc == nullptr || memories_.size() >= 6)
    return;
  ANeuralNetworksMemory *made = nullptr;
  const int code = ANeuralNetworksMemory_createFromDesc(desc->handle.get(), &made);
  expectCode("createFromDesc", code);
  if (!desc->isFinished)
    expect("createFromDesc", code, {api::kBadState});
  else if (code != api::kOk)
    expect("createFromDesc", code, {api::kFailed});
  if (code != api::kOk)
    return;
  auto slot = std::make_shared<MemorySlot>();
  slot->handle.reset(made);
  memories_.push_back(slot);
  // Uses it where it fits: executions of the harness know its value no longer.
  for (const auto &execution : executions_) {
    if (execution->phase != ExecutionSlot::Phase::Preparing)
      continue;
    for (size_t i = 0; i < execution->inputs.size() + execution->outputs.size(); ++i) {
      const bool isOutput = i >= execution->inputs.size();
      const size_t index = isOutput ? i - execution->inputs.size() : i;
      ArgumentSlot &argument = isOutput ? execution->outputs[index] : execution->inputs[index];
      const auto number = static_cast<int32_t>(index);
      const int set =
          isOutput ? ANeuralNetworksExecution_setOutputFromMemory(execution->handle.get(), number, nullptr, made, 0, 0)
                   : ANeuralNetworksExecution_setInputFromMemory(execution->handle.get(), number, nullptr, made, 0, 0);
      expect("a memory of a descriptor", set,
             {argument.isSet    ? api::kBadState
              : set == api::kOk ? set
                                : api::kBadData});
      if (set != api::kOk)
        continue;
      argument.isSet = execution->isAnySet = execution->isStrange = true;
      argument.memory = slot;
      slot->value = MemorySlot::Value::Unknown;
    }
  }
}

} // namespace avocet::fuzz
