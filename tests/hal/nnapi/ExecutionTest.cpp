//===- ExecutionTest.cpp ------------------------------------------------===//
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

enum class Way { Synchronous, Asynchronous, Burst, Fenced };
constexpr Way kWays[] = {Way::Synchronous, Way::Asynchronous, Way::Burst, Way::Fenced};

int waitFor(int started, ANeuralNetworksEvent *event) {
  const Event owner(event);
  return started == kOk ? ANeuralNetworksEvent_wait(event) : started;
}

/// Computes in one of the ways and waits.
int compute(Way way, const Compilation &compilation, ANeuralNetworksExecution *execution) {
  ANeuralNetworksEvent *event = nullptr;
  switch (way) {
  case Way::Synchronous:
    return ANeuralNetworksExecution_compute(execution);
  case Way::Asynchronous: {
    const int started = ANeuralNetworksExecution_startCompute(execution, &event);
    return waitFor(started, event);
  }
  case Way::Burst:
    return ANeuralNetworksExecution_burstCompute(execution, burstOf(compilation).get());
  case Way::Fenced: {
    const int started = ANeuralNetworksExecution_startComputeWithDependencies(execution, nullptr, 0, 0, &event);
    return waitFor(started, event);
  }
  }
  return kFailed;
}

class ExecutionTest : public ::testing::TestWithParam<Way> {
protected:
  int run(const Addition &addition) { return compute(GetParam(), compilation_, addition.get()); }
  const Compilation compilation_ = compile(addModel());
};

INSTANTIATE_TEST_SUITE_P(Ways, ExecutionTest, ::testing::ValuesIn(kWays));

TEST_P(ExecutionTest, GivesTheSum) {
  Addition addition(compilation_);
  ASSERT_EQ(kOk, run(addition));
  EXPECT_TRUE(addition.isRight());
}

TEST_P(ExecutionTest, StartedExecutionIsNotChanged) {
  for (bool isReusable : {false, true}) {
    Addition addition(compilation_, isReusable);
    ASSERT_EQ(kOk, run(addition));
    ANeuralNetworksExecution *raw = addition.get();
    const SharedFile file(8);
    const Memory memory = file.memory();
    const uint8_t value = 0;
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_setInput(raw, 0, nullptr, addition.first, 8));
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_setOutput(raw, 0, nullptr, addition.output, 8));
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_setInputFromMemory(raw, 0, nullptr, memory.get(), 0, 8));
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_setOutputFromMemory(raw, 0, nullptr, memory.get(), 0, 8));
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_enableInputAndOutputPadding(raw, true));
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_setReusable(raw, true));
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_setTimeout(raw, 1));
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_setLoopTimeout(raw, 1));
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_setMeasureTiming(raw, true));
    EXPECT_EQ(kBadState, ANeuralNetworksExecution_addExtensionAttribute(raw, "com.avocet.tflite", 0, &value, 1));
  }
}

TEST_P(ExecutionTest, OnlyReusableExecutionsRunAgain) {
  Addition once(compilation_), often(compilation_, true);
  ASSERT_EQ(kOk, run(once));
  for (Way way : kWays)
    EXPECT_EQ(kBadState, compute(way, compilation_, once.get()));
  for (Way way : kWays) {
    often.output[0] = 0;
    ASSERT_EQ(kOk, run(often));
    EXPECT_TRUE(often.isRight());
    often.output[0] = 0;
    ASSERT_EQ(kOk, compute(way, compilation_, often.get()));
    EXPECT_TRUE(often.isRight());
  }
}

TEST_P(ExecutionTest, ReusedExecutionReadsNewInputs) {
  Addition addition(compilation_, true);
  for (float value : {1.0f, 2.0f, 3.0f}) {
    addition.first[0] = value;
    ASSERT_EQ(kOk, run(addition));
    EXPECT_EQ(value + 10, addition.output[0]);
  }
}

TEST_P(ExecutionTest, ConcurrentRunsAreBadState) {
  for (Way other : kWays)
    for (bool isReusable : {false, true}) {
      Addition addition(compilation_, isReusable);
      auto second = std::async(std::launch::async, [&] { return compute(other, compilation_, addition.get()); });
      const int first = run(addition), codeOfSecond = second.get();
      EXPECT_TRUE(first == kOk || codeOfSecond == kOk);
      EXPECT_TRUE(first == kOk || first == kBadState) << first;
      EXPECT_TRUE(codeOfSecond == kOk || codeOfSecond == kBadState) << codeOfSecond;
      if (!isReusable)
        EXPECT_NE(first, codeOfSecond);
      EXPECT_TRUE(addition.isRight());
    }
}

TEST_P(ExecutionTest, ShapesAreKnownAfterTheRun) {
  Addition addition(compilation_);
  uint32_t rank = 9, extents[4] = {};
  ANeuralNetworksExecution *raw = addition.get();
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_getOutputOperandRank(raw, 0, &rank));
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_getOutputOperandDimensions(raw, 0, extents));
  ASSERT_EQ(kOk, run(addition));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_getOutputOperandRank(nullptr, 0, &rank));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_getOutputOperandRank(raw, 0, nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_getOutputOperandDimensions(nullptr, 0, extents));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_getOutputOperandDimensions(raw, 0, nullptr));
  for (int32_t index : {-1, 1, 999}) {
    EXPECT_EQ(kBadData, ANeuralNetworksExecution_getOutputOperandRank(raw, index, &rank));
    EXPECT_EQ(kBadData, ANeuralNetworksExecution_getOutputOperandDimensions(raw, index, extents));
  }
  EXPECT_EQ(kOk, ANeuralNetworksExecution_getOutputOperandRank(raw, 0, &rank));
  EXPECT_EQ(kOk, ANeuralNetworksExecution_getOutputOperandDimensions(raw, 0, extents));
  EXPECT_EQ(1U, rank);
  EXPECT_EQ(2U, extents[0]);
}

TEST_P(ExecutionTest, DurationsNeedAMeasuredSuccess) {
  Addition addition(compilation_), unmeasured(compilation_);
  uint64_t duration = 0;
  NEED(ANeuralNetworksExecution_setMeasureTiming(addition.get(), true));
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_getDuration(addition.get(), 0, &duration));
  ASSERT_EQ(kOk, run(addition));
  ASSERT_EQ(kOk, run(unmeasured));
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_getDuration(unmeasured.get(), 0, &duration));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_getDuration(nullptr, 0, &duration));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_getDuration(addition.get(), 0, nullptr));
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_getDuration(addition.get(), -1, &duration));
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_getDuration(addition.get(), 4, &duration));
  for (int32_t code = 0; code < 4; code += 2) {
    uint64_t onDevice = 0, inDriver = 0;
    ASSERT_EQ(kOk, ANeuralNetworksExecution_getDuration(addition.get(), code, &onDevice));
    ASSERT_EQ(kOk, ANeuralNetworksExecution_getDuration(addition.get(), code + 1, &inDriver));
    if (onDevice != UINT64_MAX && inDriver != UINT64_MAX)
      EXPECT_LE(onDevice, inDriver) << code;
  }
}

TEST_P(ExecutionTest, PassedDeadlineIsMissed) {
  Addition addition(compilation_, true);
  NEED(ANeuralNetworksExecution_setTimeout(addition.get(), 1));
  for (int i = 0; i < 2; ++i) {
    const int code = run(addition);
    EXPECT_TRUE(code == ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT || code == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT)
        << code;
  }
  uint32_t rank = 0;
  uint64_t duration = 0;
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_getOutputOperandRank(addition.get(), 0, &rank));
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_getDuration(addition.get(), 0, &duration));
}

TEST_P(ExecutionTest, LongestTimeoutsAreNoLimit) {
  Addition addition(compilation_);
  NEED(ANeuralNetworksExecution_setTimeout(addition.get(), UINT64_MAX));
  NEED(ANeuralNetworksExecution_setLoopTimeout(addition.get(), UINT64_MAX));
  EXPECT_EQ(kOk, run(addition));
  EXPECT_TRUE(addition.isRight());
}

TEST_P(ExecutionTest, ZeroTimeoutIsNoLimit) {
  Addition addition(compilation_);
  NEED(ANeuralNetworksExecution_setTimeout(addition.get(), 1));
  NEED(ANeuralNetworksExecution_setTimeout(addition.get(), 0));
  EXPECT_EQ(kOk, run(addition));
  EXPECT_TRUE(addition.isRight());
}

TEST_P(ExecutionTest, ObjectsMayBeFreedInWrongOrder) {
  Model model = addModel();
  Compilation made = compile(model);
  model.reset();
  Addition addition(made);
  ASSERT_EQ(kOk, compute(GetParam(), made, addition.get()));
  made.reset();
  EXPECT_TRUE(addition.isRight());
  uint32_t rank = 0;
  EXPECT_EQ(kOk, ANeuralNetworksExecution_getOutputOperandRank(addition.get(), 0, &rank));
}

TEST(ExecutionSettingsTest, NullIsRefused) {
  const uint8_t value = 0;
  ANeuralNetworksExecution *made = nullptr;
  ANeuralNetworksEvent *event = nullptr;
  EXPECT_EQ(kNull, ANeuralNetworksExecution_create(nullptr, &made));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_create(compile(addModel()).get(), nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setReusable(nullptr, true));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setTimeout(nullptr, 1));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setLoopTimeout(nullptr, 1));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_setMeasureTiming(nullptr, true));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_addExtensionAttribute(nullptr, "x", 0, &value, 1));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_compute(nullptr));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_startCompute(nullptr, &event));
  EXPECT_EQ(kNull, ANeuralNetworksExecution_startComputeWithDependencies(nullptr, nullptr, 0, 0, &event));
  ANeuralNetworksExecution_free(nullptr);
}

TEST(ExecutionSettingsTest, UnfinishedCompilationIsBadState) {
  const Compilation open = compilationOf(addModel());
  ANeuralNetworksExecution *made = nullptr;
  EXPECT_EQ(kBadState, ANeuralNetworksExecution_create(open.get(), &made));
  EXPECT_EQ(nullptr, made);
}

TEST(ExecutionSettingsTest, SomeNeedOneChosenDevice) {
  const Model model = addModel();
  const Compilation all = compileForAll(model), one = compile(model);
  const Execution ofAll = executionOf(all), ofOne = executionOf(one);
  const uint8_t value = 0;
  auto attribute = [&](const Execution &execution, const char *extension) {
    return ANeuralNetworksExecution_addExtensionAttribute(execution.get(), extension, 0, &value, 1);
  };
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_setTimeout(ofAll.get(), 1));
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_setMeasureTiming(ofAll.get(), true));
  EXPECT_EQ(kBadData, ANeuralNetworksExecution_setMeasureTiming(ofAll.get(), false));
  EXPECT_EQ(kBadData, attribute(ofAll, "com.avocet.tflite"));
  EXPECT_EQ(kOk, ANeuralNetworksExecution_setLoopTimeout(ofAll.get(), 1));
  EXPECT_EQ(kOk, ANeuralNetworksExecution_setTimeout(ofOne.get(), 0));
  EXPECT_EQ(kOk, ANeuralNetworksExecution_setMeasureTiming(ofOne.get(), true));
  EXPECT_EQ(kBadData, attribute(ofOne, "no.such.extension"));
  EXPECT_EQ(kOk, attribute(ofOne, "com.avocet.tflite"));
  EXPECT_EQ(kBadData, attribute(ofOne, "com.avocet.tflite"));
}

} // namespace
} // namespace avocet::nnapi::testing
