//===- ThreadSteps.cpp --------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Several threads on objects that are finished, which the library allows.

#include "World.h"

#include <cstring>
#include <thread>
#include <unistd.h>

namespace avocet::fuzz {
namespace {

/// What the threads share. None of it is changed or freed meanwhile.
struct Shared {
  std::vector<std::shared_ptr<CompilationSlot>> compilations; ///< finished, with graphs
  std::vector<std::shared_ptr<BurstSlot>> bursts;
  std::vector<std::shared_ptr<ModelSlot>> models; ///< finished
  std::vector<std::shared_ptr<EventSlot>> events; ///< that end by themselves
  std::vector<std::shared_ptr<MemorySlot>> files; ///< that nothing writes
  std::shared_ptr<ExecutionSlot> reusable;        ///< may be null
};

template <typename T> std::shared_ptr<T> anyOf(const std::vector<std::shared_ptr<T>> &table, Bytes &bytes) {
  return table.empty() ? nullptr : table[bytes.below(static_cast<uint32_t>(table.size()))];
}

/// One execution of its own: arguments, a run in any way, the right result.
class OwnRun {
public:
  OwnRun(const std::shared_ptr<CompilationSlot> &compilation, Bytes &bytes)
      : graph_(*compilation->graph), bytes_(bytes), execution_(api::executionOf(compilation->handle)) {
    const api::Type type(ANEURALNETWORKS_TENSOR_FLOAT32, {graph_.length});
    const ANeuralNetworksOperandType *given = graph_.isOpen ? type.get() : nullptr;
    for (size_t i = 0; i < graph_.numInputs(); ++i) {
      std::vector<uint8_t> &input = inputs_.emplace_back(graph_.inputBytes(i));
      if (graph_.isCondition(i))
        input[0] = bytes_.byte() & 1;
      for (size_t at = 0; at + sizeof(float) <= input.size(); at += sizeof(float)) {
        const float value = static_cast<float>(bytes_.byte() % 17) - 8;
        std::memcpy(input.data() + at, &value, sizeof(value));
      }
    }
    for (size_t i = 0; i < inputs_.size(); ++i)
      NEED(ANeuralNetworksExecution_setInput(execution_.get(), static_cast<int32_t>(i), given, inputs_[i].data(),
                                             inputs_[i].size()));
    output_.resize(graph_.length);
    NEED(ANeuralNetworksExecution_setOutput(execution_.get(), 0, given, output_.data(), graph_.outputBytes()));
  }

  void run(const std::shared_ptr<BurstSlot> &burst) {
    if (burst != nullptr) {
      const int code = ANeuralNetworksExecution_burstCompute(execution_.get(), burst->handle.get());
      expect("burstCompute", code, {api::kOk, api::kBadState});
      return code == api::kOk ? check() : void();
    }
    ANeuralNetworksEvent *event = nullptr;
    switch (bytes_.below(3)) {
    case 0:
      expect("compute", ANeuralNetworksExecution_compute(execution_.get()), {api::kOk});
      return check();
    case 1:
      expect("startCompute", ANeuralNetworksExecution_startCompute(execution_.get(), &event), {api::kOk});
      break;
    default:
      expect("startComputeWithDependencies",
             ANeuralNetworksExecution_startComputeWithDependencies(execution_.get(), nullptr, 0, 0, &event),
             {api::kOk});
    }
    const api::Event owner(event);
    expect("Event_wait", ANeuralNetworksEvent_wait(event), {api::kOk});
    check();
  }

private:
  void check() const {
    if (output_ != graph_.evaluate(inputs_))
      expect("a run in a thread gave a wrong result", -1, {});
  }

  const Graph &graph_;
  Bytes &bytes_;
  const api::Execution execution_;
  std::vector<std::vector<uint8_t>> inputs_;
  std::vector<float> output_;
};

void useReusable(const Shared &shared, Bytes &bytes) {
  if (shared.reusable == nullptr)
    return;
  ANeuralNetworksExecution *raw = shared.reusable->handle.get();
  uint32_t rank = 0;
  uint64_t duration = 0;
  switch (bytes.below(4)) {
  case 0:
    return expect("getOutputOperandRank", ANeuralNetworksExecution_getOutputOperandRank(raw, 0, &rank),
                  {api::kOk, api::kBadState});
  case 1:
    return expect("getDuration", ANeuralNetworksExecution_getDuration(raw, 0, &duration), {api::kOk, api::kBadState});
  case 2: {
    ANeuralNetworksEvent *event = nullptr;
    expect("startCompute", ANeuralNetworksExecution_startCompute(raw, &event), {api::kOk, api::kBadState});
    return ANeuralNetworksEvent_free(event);
  }
  default:
    return expect("compute", ANeuralNetworksExecution_compute(raw), {api::kOk, api::kBadState});
  }
}

void useEvents(const Shared &shared, Bytes &bytes) {
  const auto event = anyOf(shared.events, bytes);
  if (event == nullptr)
    return;
  int descriptor = -1;
  if (ANeuralNetworksEvent_getSyncFenceFd(event->handle.get(), &descriptor) == api::kOk)
    close(descriptor);
  expectCode("Event_wait", ANeuralNetworksEvent_wait(event->handle.get()));
}

void useModels(const Shared &shared, Bytes &bytes) {
  const auto model = anyOf(shared.models, bytes);
  if (model == nullptr)
    return;
  std::unique_ptr<bool[]> supported(new bool[4096]());
  expect("getSupportedOperations",
         ANeuralNetworksModel_getSupportedOperationsForDevices(
             model->handle.get(), devices().data(), static_cast<uint32_t>(devices().size()), supported.get()),
         {api::kOk});
  ANeuralNetworksCompilation *made = nullptr;
  expect("Compilation_create", ANeuralNetworksCompilation_create(model->handle.get(), &made), {api::kOk});
  if (bytes.oneIn(6))
    expectCode("Compilation_finish", ANeuralNetworksCompilation_finish(made));
  ANeuralNetworksCompilation_free(made);
}

void useMemories(const Shared &shared, Bytes &bytes) {
  const auto compilation = anyOf(shared.compilations, bytes);
  ANeuralNetworksMemoryDesc *desc = nullptr;
  ANeuralNetworksMemory *memory = nullptr;
  NEED(ANeuralNetworksMemoryDesc_create(&desc));
  expect("addInputRole", ANeuralNetworksMemoryDesc_addInputRole(desc, compilation->handle.get(), 0, 1), {api::kOk});
  NEED(ANeuralNetworksMemoryDesc_finish(desc));
  expectCode("createFromDesc", ANeuralNetworksMemory_createFromDesc(desc, &memory));
  if (const auto file = anyOf(shared.files, bytes)) {
    const api::SharedFile own(file->bytes);
    expect("Memory_copy", ANeuralNetworksMemory_copy(file->handle.get(), own.memory().get()), {api::kOk});
    if (memory != nullptr)
      expectCode("Memory_copy", ANeuralNetworksMemory_copy(file->handle.get(), memory));
  }
  ANeuralNetworksMemory_free(memory);
  ANeuralNetworksMemoryDesc_free(desc);
}

void runThread(const Shared &shared, Bytes bytes) {
  for (int count = 0; count < 6 && !bytes.isAtEnd(); ++count) {
    const uint32_t choice = bytes.below(8);
    const auto burst = anyOf(shared.bursts, bytes);
    if (choice == 0 && burst != nullptr)
      OwnRun(burst->compilation, bytes).run(burst);
    else if (choice < 3)
      OwnRun(anyOf(shared.compilations, bytes), bytes).run(nullptr);
    else if (choice < 5)
      useReusable(shared, bytes);
    else if (choice == 5)
      useEvents(shared, bytes);
    else if (choice == 6)
      useModels(shared, bytes);
    else
      useMemories(shared, bytes);
  }
}

template <typename T, typename Condition>
std::vector<std::shared_ptr<T>> those(const std::vector<std::shared_ptr<T>> &table, Condition condition) {
  std::vector<std::shared_ptr<T>> chosen;
  std::ranges::copy_if(table, std::back_inserter(chosen), [&](const auto &slot) { return condition(*slot); });
  return chosen;
}

bool isUsable(const CompilationSlot &slot) { return slot.state == State::Finished && slot.graph != nullptr; }

bool isReusableForAll(const ExecutionSlot &slot) {
  return slot.isReusable && slot.isComplete() && !slot.isStrange && !slot.hasTimeout && isUsable(*slot.compilation) &&
         slot.phase != ExecutionSlot::Phase::Running && slot.outputs[0].memory == nullptr;
}

} // namespace

void World::runThreads() {
  Shared shared;
  shared.compilations = those(compilations_, isUsable);
  if (shared.compilations.empty())
    return;
  shared.bursts = those(bursts_, [](const BurstSlot &slot) {
    return isUsable(*slot.compilation) && slot.compilation->handle != nullptr;
  });
  shared.models = those(models_, [](const ModelSlot &slot) { return slot.state == State::Finished; });
  shared.events = those(events_, [](const EventSlot &slot) { return !slot.isGated(); });
  if (!isAnythingRunning())
    shared.files = those(memories_, [](const MemorySlot &slot) { return slot.file != nullptr; });
  if (auto list = those(executions_, isReusableForAll); !list.empty())
    shared.reusable = list.front();
  std::vector<std::jthread> threads;
  for (uint32_t count = 2 + bytes_.below(2); count != 0; --count)
    threads.emplace_back([&shared, part = bytes_.split(24)] { runThread(shared, part); });
  threads.clear();
  if (shared.reusable == nullptr)
    return;
  noteStart(*shared.reusable);
  shared.reusable->event = nullptr;
  noteEnd(*shared.reusable, ANeuralNetworksExecution_compute(shared.reusable->handle.get()));
}

} // namespace avocet::fuzz
