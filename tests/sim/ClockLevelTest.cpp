//===- ClockLevelTest.cpp - Jobs at other clock levels --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongJob.h"
#include "TestCommands.h"
#include "TestDriver.h"

#include "avocet/firmware_iface/Power.h"

#include <gtest/gtest.h>

namespace avocet::sim::test {
namespace {

using namespace firmware;

constexpr uint32_t kLow = 0; ///< of e256: 40 percent

JobDescriptor atLevel(JobDescriptor job, uint32_t level) {
  job.flags = (level + 1) << jobflags::kClockLevelShift;
  return job;
}

uint64_t deviceTime(const CompletionRecord &record) { return record.endCycle - record.startCycle; }

class ClockLevelTest : public testing::Test {
protected:
  void SetUp() override {
    fillLongJob(first_);
    fillLongJob(second_);
    driver_.device().setJobObserver([this](const JobProfile &profile) { profiles_.push_back(profile); });
  }

  JobDescriptor longJobAt(uint32_t level) { return atLevel(first_.makeJob(longJob()), level); }

  CompletionRecord run(const JobDescriptor &job) {
    first_.submit(job);
    driver_.device().run();
    return first_.recordOf(job);
  }

  uint64_t clock() {
    const uint64_t low = driver_.readRegister(Register::CycleCountLow);
    return low | uint64_t{driver_.readRegister(Register::CycleCountHigh)} << 32;
  }
  const PowerModel &power() const { return driver_.target().power(); }

  TestDriver driver_{"e256", DeviceOptions{true, true, true, true}};
  TestClient first_{driver_, 10, 1}, second_{driver_, 11, 2};
  std::vector<JobProfile> profiles_;
};

TEST_F(ClockLevelTest, SameCyclesTakeLongerAtLowLevel) {
  const CompletionRecord plain = run(first_.makeJob(longJob()));
  const CompletionRecord fast = run(longJobAt(power().defaultLevel)), slow = run(longJobAt(kLow));
  EXPECT_EQ(bytesAt(first_, kResult, kBlock), longJobResult(first_));
  for (const CompletionRecord &record : {plain, fast, slow}) {
    EXPECT_EQ(record.counters.cycles, plain.counters.cycles);
    EXPECT_EQ(record.counters.energyPicojoules, plain.counters.energyPicojoules);
  }
  EXPECT_EQ(deviceTime(plain), plain.counters.cycles);
  EXPECT_EQ(deviceTime(fast), plain.counters.cycles);
  EXPECT_EQ(deviceTime(slow), (plain.counters.cycles * 100 + 39) / 40);
  EXPECT_EQ(profiles_[1].clockPercent, 100u);
  EXPECT_EQ(profiles_[2].clockPercent, 40u);
}

TEST_F(ClockLevelTest, UnknownLevelIsBadDescriptor) {
  const auto numLevels = static_cast<uint32_t>(power().levels.size());
  EXPECT_EQ(run(longJobAt(numLevels - 1)).faultCode, 0u);
  EXPECT_EQ(static_cast<FaultCode>(run(longJobAt(numLevels)).faultCode), FaultCode::BadDescriptor);
}

TEST_F(ClockLevelTest, DeviceWithoutTimingHasNoLevels) {
  TestDriver driver("e256", DeviceOptions{true, false, false, false});
  auto faultOf = [&](const JobDescriptor &job) { return static_cast<FaultCode>(driver.run(job).faultCode); };
  EXPECT_EQ(faultOf(driver.makeJob({stream(kMac, {})})), FaultCode::None);
  EXPECT_EQ(faultOf(atLevel(driver.makeJob({stream(kMac, {})}), kLow)), FaultCode::BadDescriptor);
}

/// Deadlines and calls of the host are in device time, which runs on while a slow job does few cycles.
TEST_F(ClockLevelTest, ClockRunsInDeviceTime) {
  const uint64_t cycles = run(longJobAt(kLow)).counters.cycles;
  const uint64_t start = clock();
  std::vector<uint64_t> seen;
  for (uint64_t at : {cycles / 2, cycles, 2 * cycles})
    driver_.device().callAt(start + at, [&] { seen.push_back(clock() - start); });
  const CompletionRecord record = run(longJobAt(kLow));
  ASSERT_EQ(seen.size(), 3u);
  for (size_t i = 0; i < seen.size(); ++i) {
    const uint64_t asked = std::vector{cycles / 2, cycles, 2 * cycles}[i];
    EXPECT_GE(seen[i], asked);
    EXPECT_LT(seen[i], asked + defaultCyclesOf(power(), kStepCycles, kLow));
  }
  EXPECT_EQ(clock(), record.endCycle);
}

TEST_F(ClockLevelTest, DeadlineEndsSlowJobInDeviceTime) {
  const uint64_t cycles = run(longJobAt(power().defaultLevel)).counters.cycles;
  auto runUntil = [&](uint32_t level) {
    JobDescriptor job = longJobAt(level);
    job.deadlineNs = static_cast<uint64_t>(driver_.target().nanoseconds(clock() + cycles * 3 / 2));
    return run(job);
  };
  EXPECT_EQ(runUntil(power().defaultLevel).faultCode, 0u);
  const CompletionRecord late = runUntil(kLow);
  EXPECT_EQ(static_cast<FaultCode>(late.faultCode), FaultCode::DeadlineMissed);
  EXPECT_LE(late.counters.cycles, cycles * 3 / 2 * 40 / 100 + kStepCycles);
  EXPECT_GE(late.counters.cycles, cycles * 3 / 2 * 40 / 100 - 1);
}

/// A fast job in the middle of a slow one: each has the time of its own level.
TEST_F(ClockLevelTest, PreemptedJobKeepsItsLevel) {
  const CompletionRecord alone = run(longJobAt(kLow));
  profiles_.clear();
  const JobDescriptor slow = longJobAt(kLow);
  const JobDescriptor fast = atLevel(second_.makeJob(shortJob(0, kBlock), 5), power().defaultLevel);
  first_.submit(slow);
  second_.submitAt(clock() + deviceTime(alone) / 2, fast);
  driver_.device().run();
  ASSERT_EQ(profiles_.size(), 2u);
  const JobProfile &last = profiles_[1];
  EXPECT_EQ(last.record.sequence, slow.sequence);
  EXPECT_EQ(last.preemption.preemptions, 1u);
  EXPECT_EQ(deviceTime(profiles_[0].record), profiles_[0].record.counters.cycles);
  const uint64_t ran = defaultCyclesOf(power(), last.record.counters.cycles, kLow);
  EXPECT_NEAR(static_cast<double>(deviceTime(last.record) - last.preemption.suspendedCycles), static_cast<double>(ran),
              2); // each of the two parts is rounded up
  EXPECT_EQ(bytesAt(first_, kResult, kBlock), longJobResult(first_));
}

} // namespace
} // namespace avocet::sim::test
