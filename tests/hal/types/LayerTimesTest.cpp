//===- LayerTimesTest.cpp - Sums of the time of executions ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/LayerTimes.h"
#include "avocet/hal/types/Tracing.h"

#include <gtest/gtest.h>

#include <thread>

namespace avocet::hal {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Lets time pass without a span of its own.
void pass(std::chrono::nanoseconds time) {
  for (const auto end = Clock::now() + time; Clock::now() < end;)
    std::this_thread::yield();
}

/// What the sums grow by.
template <typename Work> LayerTimes growth(Work work) {
  const LayerTimes before = LayerTimes::sum();
  work();
  LayerTimes after = LayerTimes::sum();
  after.library -= before.library;
  after.ipc -= before.ipc;
  after.driver -= before.driver;
  after.device -= before.device;
  after.cpu -= before.cpu;
  after.simulated -= before.simulated;
  after.jobs -= before.jobs;
  return after;
}

std::chrono::nanoseconds total(const LayerTimes &times) {
  return times.library + times.ipc + times.driver + times.device + times.cpu;
}

class LayerTimesTest : public testing::Test {
protected:
  static constexpr std::chrono::nanoseconds kStep = 2ms;
  void SetUp() override { LayerTimes::enable(); }
};

TEST_F(LayerTimesTest, InnermostSpanOwnsTheTime) {
  const auto start = Clock::now();
  const LayerTimes times = growth([] {
    HalSpan library(TraceLayer::Runtime, TracePhase::Execution, "compute");
    pass(kStep);
    HalSpan driver(TraceLayer::Driver, TracePhase::Execution, "execute");
    pass(kStep);
    HalSpan device(TraceLayer::Driver, TracePhase::Computation, "run");
    pass(kStep);
    HalSpan inputs(TraceLayer::Driver, TracePhase::InputsAndOutputs, "read inputs");
    pass(kStep);
  });
  const auto whole = Clock::now() - start;
  EXPECT_GE(times.library, kStep);
  EXPECT_GE(times.driver, 2 * kStep);
  EXPECT_GE(times.device, kStep);
  EXPECT_EQ(times.ipc, 0ns);
  EXPECT_EQ(times.cpu, 0ns);
  EXPECT_GE(total(times), 4 * kStep);
  EXPECT_LE(total(times), whole);
}

TEST_F(LayerTimesTest, OuterSpanContinuesAfterInnerOne) {
  const LayerTimes times = growth([] {
    HalSpan library(TraceLayer::Runtime, TracePhase::Execution, "compute");
    {
      HalSpan ipc(TraceLayer::Ipc, TracePhase::Execution, "client");
    }
    pass(kStep);
  });
  EXPECT_GE(times.library, kStep);
}

TEST_F(LayerTimesTest, PreparationsAreNotCounted) {
  const LayerTimes times = growth([] {
    HalSpan library(TraceLayer::Runtime, TracePhase::Compilation, "finish");
    HalSpan ipc(TraceLayer::Ipc, TracePhase::Execution, "configureBurst");
    pass(kStep);
  });
  EXPECT_EQ(total(times), 0ns);
}

TEST_F(LayerTimesTest, CompilationWithinExecutionBelongsToIt) {
  const LayerTimes times = growth([] {
    HalSpan execution(TraceLayer::Driver, TracePhase::Execution, "execute");
    HalSpan compilation(TraceLayer::Driver, TracePhase::Compilation, "specialize");
    pass(kStep);
  });
  EXPECT_GE(times.driver, kStep);
}

TEST_F(LayerTimesTest, CpuOwnsTheDriverBelowIt) {
  const LayerTimes times = growth([] {
    HalSpan cpu(TraceLayer::Cpu, TracePhase::Execution, "execute");
    HalSpan run(TraceLayer::Driver, TracePhase::Computation, "run");
    pass(kStep);
  });
  EXPECT_GE(times.cpu, kStep);
  EXPECT_EQ(times.device, 0ns);
}

TEST_F(LayerTimesTest, ThreadsCountSeparately) {
  const LayerTimes times = growth([] {
    HalSpan library(TraceLayer::Runtime, TracePhase::Execution, "compute");
    std::thread([] {
      HalSpan driver(TraceLayer::Driver, TracePhase::Execution, "execute");
      pass(kStep);
    }).join();
  });
  EXPECT_GE(times.driver, kStep);
  EXPECT_GE(times.library, kStep); // it waited
}

TEST_F(LayerTimesTest, JobsAddDeviceTime) {
  const LayerTimes times = growth([] {
    LayerTimes::addJob(5us);
    LayerTimes::addJob(7us);
  });
  EXPECT_EQ(times.simulated, 12us);
  EXPECT_EQ(times.jobs, 2U);
  EXPECT_EQ(times.toNames().at("simulated"), 12'000);
}

} // namespace
} // namespace avocet::hal
