//===- DeviceCallsTest.cpp - What reaches devices -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The C functions must pass on what the application states, and what the device states.

#include "FakeDevices.h"

#include <chrono>
#include <cstring>
#include <future>
#include <thread>

namespace avocet::nnapi::testing {
namespace {

using DeviceCallsTest = FakeDevicesTest;

TEST_F(DeviceCallsTest, PreferenceReachesDevice) {
  for (int32_t preference : {ANEURALNETWORKS_PREFER_LOW_POWER, ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER,
                             ANEURALNETWORKS_PREFER_SUSTAINED_SPEED}) {
    const Compilation compilation = compilationFor(addModel(), {firstDevice()});
    NEED(ANeuralNetworksCompilation_setPreference(compilation.get(), preference));
    NEED(ANeuralNetworksCompilation_finish(compilation.get()));
    EXPECT_EQ(static_cast<int32_t>(npu_.lastOptions.preference), preference);
  }
}

TEST_F(DeviceCallsTest, PriorityReachesDevice) {
  using enum hal::Priority;
  for (auto [priority, expected] :
       {std::pair(ANEURALNETWORKS_PRIORITY_LOW, Low), std::pair(ANEURALNETWORKS_PRIORITY_MEDIUM, Medium),
        std::pair(ANEURALNETWORKS_PRIORITY_HIGH, High)}) {
    const Compilation compilation = compilationOf(addModel());
    NEED(ANeuralNetworksCompilation_setPriority(compilation.get(), priority));
    NEED(ANeuralNetworksCompilation_finish(compilation.get()));
    EXPECT_EQ(npu_.lastOptions.priority, expected);
  }
}

TEST_F(DeviceCallsTest, DeviceStatesPreferredPlaces) {
  npu_.memory = {256, 32};
  const Compilation compilation = compile(addModel());
  uint32_t alignment = 0, padding = 0;
  NEED(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(compilation.get(), 1, &alignment));
  NEED(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(compilation.get(), 1, &padding));
  EXPECT_EQ(alignment, 256U);
  EXPECT_EQ(padding, 32U);
  NEED(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(compilation.get(), 0, &alignment));
  NEED(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(compilation.get(), 0, &padding));
  EXPECT_EQ(alignment, 256U);
  EXPECT_EQ(padding, 32U);
}

TEST_F(DeviceCallsTest, LibraryPlacesValuesAsDevicePrefers) {
  npu_.memory = {256, 32};
  const Compilation compilation = compile(addModel());
  Addition addition(compilation);
  NEED(ANeuralNetworksExecution_compute(addition.get()));
  EXPECT_TRUE(addition.isRight());
  ASSERT_EQ(npu_.lastRequest.inputs.size(), 2U);
  EXPECT_EQ(npu_.lastRequest.inputs[1].location.offset, 256U);
  EXPECT_EQ(npu_.lastRequest.outputs[0].location.offset, 512U);
}

TEST_F(DeviceCallsTest, FreedMemoryIsReleasedInBurst) {
  const Compilation compilation = compile(addModel());
  const Burst burst = burstOf(compilation);
  const SharedFile file(2 * sizeof(float));
  Memory memory = file.memory();
  Addition addition(compilation);
  Execution execution = executionOf(compilation);
  NEED(ANeuralNetworksExecution_setInputFromMemory(execution.get(), 0, nullptr, memory.get(), 0, 2 * sizeof(float)));
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, addition.second, sizeof(addition.second)));
  NEED(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, addition.output, sizeof(addition.output)));
  NEED(ANeuralNetworksExecution_burstCompute(execution.get(), burst.get()));
  execution.reset(); // keeps the memory alive
  EXPECT_TRUE(npu_.released.empty());
  memory.reset();
  EXPECT_EQ(npu_.released.size(), 1U);
}

TEST_F(DeviceCallsTest, WaitEndsWhenDeviceReturns) {
  npu_.state = hal::DeviceStatus::Unknown;
  auto waiting = std::async(std::launch::async, [] { return ANeuralNetworksDevice_wait(firstDevice()); });
  while (npu_.statusQueries < 3 && waiting.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
    ;
  EXPECT_GE(npu_.statusQueries, 3) << "it asks until the device answers";
  npu_.state = hal::DeviceStatus::Available;
  EXPECT_EQ(waiting.get(), kOk);
}

TEST_F(DeviceCallsTest, WaitFailsForLostDevice) {
  npu_.state = hal::DeviceStatus::Offline;
  EXPECT_EQ(ANeuralNetworksDevice_wait(firstDevice()), ANEURALNETWORKS_DEAD_OBJECT);
  npu_.state = hal::DeviceStatus::Busy;
  EXPECT_EQ(ANeuralNetworksDevice_wait(firstDevice()), kOk);
}

TEST_F(DeviceCallsTest, CpuRepeatsFailedExecution) {
  const Compilation compilation = compileForAll(addModel());
  npu_.executeError = hal::ErrorStatus::DeviceUnavailable;
  Addition addition(compilation);
  EXPECT_EQ(ANeuralNetworksExecution_compute(addition.get()), kOk);
  EXPECT_TRUE(addition.isRight());
  EXPECT_EQ(npu_.executions, 1);
  EXPECT_EQ(cpu_.executions, 1);
}

TEST_F(DeviceCallsTest, CpuRepeatsExecutionWithDeviceMemory) {
  npu_.hasMemory = true;
  const Compilation compilation = compileForAll(addModel());
  const Memory output = memoryFor(compilation, {}, {0});
  Addition addition(compilation);
  Execution execution = executionOf(compilation);
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, addition.first, sizeof(addition.first)));
  NEED(ANeuralNetworksExecution_setInput(execution.get(), 1, nullptr, addition.second, sizeof(addition.second)));
  NEED(ANeuralNetworksExecution_setOutputFromMemory(execution.get(), 0, nullptr, output.get(), 0, 0));
  npu_.executeError = hal::ErrorStatus::DeviceUnavailable;
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
  EXPECT_EQ(cpu_.executions, 1);
  const SharedFile file(2 * sizeof(float));
  ASSERT_EQ(ANeuralNetworksMemory_copy(output.get(), file.memory().get()), kOk);
  EXPECT_EQ(file.floats()[0], 11);
  EXPECT_EQ(file.floats()[1], 22);
}

} // namespace
} // namespace avocet::nnapi::testing
