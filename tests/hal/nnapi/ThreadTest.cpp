//===- ThreadTest.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace avocet::nnapi::testing {
namespace {

constexpr int kThreads = 4, kRuns = 10;

template <typename Work> void runInThreads(Work work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&work, i] { work(i); });
}

TEST(ThreadTest, OneCompilationServesAllThreads) {
  const Compilation compilation = compile(addModel());
  std::atomic<int> right = 0;
  runInThreads([&](int) {
    for (int i = 0; i < kRuns; ++i) {
      Addition addition(compilation);
      if (ANeuralNetworksExecution_compute(addition.get()) == kOk && addition.isRight())
        ++right;
    }
  });
  EXPECT_EQ(kThreads * kRuns, right);
}

TEST(ThreadTest, OneModelIsCompiledByAllThreads) {
  const Model model = addModel();
  std::atomic<int> right = 0;
  runInThreads([&](int) {
    const Compilation compilation = compile(model);
    Addition addition(compilation);
    if (ANeuralNetworksExecution_compute(addition.get()) == kOk && addition.isRight())
      ++right;
  });
  EXPECT_EQ(kThreads, right);
}

TEST(ThreadTest, BurstsRunBesideEachOther) {
  const Compilation compilation = compile(addModel());
  std::atomic<int> right = 0;
  runInThreads([&](int) {
    const Burst burst = burstOf(compilation);
    for (int i = 0; i < kRuns; ++i) {
      Addition addition(compilation);
      if (ANeuralNetworksExecution_burstCompute(addition.get(), burst.get()) == kOk && addition.isRight())
        ++right;
    }
  });
  EXPECT_EQ(kThreads * kRuns, right);
}

TEST(ThreadTest, ReusedExecutionRunsForOneThreadAtTime) {
  const Compilation compilation = compile(addModel());
  Addition addition(compilation, true);
  std::atomic<int> strange = 0, right = 0;
  runInThreads([&](int) {
    for (int i = 0; i < kRuns; ++i) {
      const int code = ANeuralNetworksExecution_compute(addition.get());
      ++(code == kOk ? right : strange);
      strange -= code == kBadState ? 1 : 0;
    }
  });
  EXPECT_EQ(0, strange);
  EXPECT_GT(right, 0);
  EXPECT_TRUE(addition.isRight());
}

TEST(ThreadTest, EventIsAwaitedByAllThreads) {
  const Compilation compilation = compile(addModel());
  for (int i = 0; i < kRuns; ++i) {
    Addition addition(compilation);
    ANeuralNetworksEvent *event = nullptr;
    NEED(ANeuralNetworksExecution_startCompute(addition.get(), &event));
    const Event owner(event);
    std::atomic<int> right = 0;
    runInThreads([&](int) {
      if (ANeuralNetworksEvent_wait(event) == kOk && addition.isRight())
        ++right;
    });
    EXPECT_EQ(kThreads, right);
  }
}

TEST(ThreadTest, EverythingIsFreedRightAfterTheWait) {
  // The library's own threads then drop the last references, which must not wait for themselves.
  for (int i = 0; i < kRuns; ++i)
    for (bool isFenced : {false, true}) {
      Model model = addModel();
      Compilation compilation = compile(model);
      auto addition = std::make_unique<Addition>(compilation);
      ANeuralNetworksEvent *event = nullptr;
      NEED(isFenced ? ANeuralNetworksExecution_startComputeWithDependencies(addition->get(), nullptr, 0, 0, &event)
                    : ANeuralNetworksExecution_startCompute(addition->get(), &event));
      model.reset();
      compilation.reset();
      EXPECT_EQ(kOk, ANeuralNetworksEvent_wait(event));
      EXPECT_TRUE(addition->isRight());
      addition.reset();
      ANeuralNetworksEvent_free(event);
    }
}

TEST(ThreadTest, MemoriesAreSharedByThreads) {
  const Compilation compilation = compile(addModel());
  const SharedFile file(64);
  const Memory memory = file.memory();
  file.floats()[0] = 2, file.floats()[1] = 3;
  std::atomic<int> right = 0;
  runInThreads([&](int) {
    const Burst burst = burstOf(compilation);
    for (int i = 0; i < kRuns; ++i) {
      float output[2] = {};
      const Execution execution = executionOf(compilation);
      for (int32_t input = 0; input < 2; ++input)
        NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), input, nullptr, memory.get(), 0, 8));
      NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output, 8));
      if (ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()) == kOk && output[1] == 6)
        ++right;
    }
  });
  EXPECT_EQ(kThreads * kRuns, right);
}

} // namespace
} // namespace avocet::nnapi::testing
