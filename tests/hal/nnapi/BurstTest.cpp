//===- BurstTest.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <gtest/gtest.h>

#include <future>

namespace avocet::nnapi::testing {
namespace {

class BurstTest : public ::testing::Test {
protected:
  int run(const Addition &addition) { return ANeuralNetworksExecution_burstCompute(addition.get(), burst_.get()); }
  Compilation compilation_ = compile(addModel());
  Burst burst_ = burstOf(compilation_);
};

TEST_F(BurstTest, NullAndUnfinishedAreRefused) {
  const Addition addition(compilation_);
  ANeuralNetworksBurst *made = nullptr;
  EXPECT_EQ(kNull, ANeuralNetworksBurst_create(nullptr, &made));
  EXPECT_EQ(kNull, ANeuralNetworksBurst_create(compilation_.get(), nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_burstCompute(addition.get(), nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_burstCompute(nullptr, burst_.get()));
  EXPECT_EQ(kBadState, ANeuralNetworksBurst_create(compilationOf(addModel()).get(), &made));
  EXPECT_EQ(nullptr, made);
  ANeuralNetworksBurst_free(nullptr);
}

TEST_F(BurstTest, OtherCompilationIsBadData) {
  const Compilation other = compile(addModel());
  Addition addition(other);
  EXPECT_EQ(kBadData, run(addition));
  EXPECT_EQ(kOk, ANeuralNetworksExecution_compute(addition.get())); // it was not used up
}

TEST_F(BurstTest, ManyExecutionsCompute) {
  for (int i = 0; i < 50; ++i) {
    Addition addition(compilation_);
    ASSERT_EQ(kOk, run(addition));
    ASSERT_TRUE(addition.isRight());
  }
}

TEST_F(BurstTest, FailedExecutionDoesNotBlockTheNext) {
  Addition late(compilation_), good(compilation_);
  NEED(ANeuralNetworksExecution_setTimeout(late.get(), 1));
  EXPECT_NE(kOk, run(late));
  EXPECT_EQ(kBadState, run(late));
  EXPECT_EQ(kOk, run(good));
  EXPECT_TRUE(good.isRight());
}

TEST_F(BurstTest, BusyBurstIsBadState) {
  for (int i = 0; i < 10; ++i) {
    Addition first(compilation_), second(compilation_);
    auto other = std::async(std::launch::async, [&] { return run(second); });
    const int a = run(first), b = other.get();
    EXPECT_TRUE(a == kOk || b == kOk);
    EXPECT_TRUE(a == kOk || a == kBadState) << a;
    EXPECT_TRUE(b == kOk || b == kBadState) << b;
    EXPECT_TRUE(a != kOk || first.isRight());
    EXPECT_TRUE(b != kOk || second.isRight());
  }
}

/// The sum of a memory's first two values with themselves.
float doubled(const Compilation &compilation, const Memory &memory, const Burst &burst) {
  float output[2] = {};
  const Execution execution = executionOf(compilation);
  for (int32_t i = 0; i < 2; ++i)
    NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), i, nullptr, memory.get(), 0, 8));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output, 8));
  NEED(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()));
  return output[0];
}

TEST_F(BurstTest, MemoriesMayBeFreedBeforeTheBurst) {
  for (float value : {1.0f, 2.0f, 3.0f}) {
    const SharedFile file(64);
    file.floats()[0] = value;
    const Memory memory = file.memory();
    EXPECT_EQ(2 * value, doubled(compilation_, memory, burst_));
    EXPECT_EQ(2 * value, doubled(compilation_, memory, burst_));
  }
}

TEST_F(BurstTest, MemoryServesSeveralBursts) {
  const SharedFile file(64);
  const Memory memory = file.memory();
  Burst second = burstOf(compilation_);
  file.floats()[0] = 4;
  EXPECT_EQ(8, doubled(compilation_, memory, burst_));
  EXPECT_EQ(8, doubled(compilation_, memory, second));
  burst_.reset();
  file.floats()[0] = 5;
  EXPECT_EQ(10, doubled(compilation_, memory, second));
}

TEST_F(BurstTest, CompilationMayBeFreedBeforeTheBurst) {
  Addition addition(compilation_);
  compilation_.reset();
  EXPECT_EQ(kOk, run(addition));
  EXPECT_TRUE(addition.isRight());
}

} // namespace
} // namespace avocet::nnapi::testing
