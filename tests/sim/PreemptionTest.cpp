//===- PreemptionTest.cpp - A preempted job continues later -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongJob.h"

#include <gtest/gtest.h>

namespace avocet::sim::test {
namespace {

using namespace firmware;

class PreemptionTest : public testing::Test {
protected:
  PreemptionTest() {
    fillLongJob(low_);
    fillLongJob(high_);
    std::memset(top_.data(), 0x3C, 8192);
    driver_.device().setJobObserver([this](const JobProfile &profile) { profiles_.push_back(profile); });
  }

  /// The long job's record without preemption.
  CompletionRecord undisturbed() {
    const JobDescriptor job = low_.makeJob(longJob());
    low_.submit(job);
    driver_.device().run();
    expectRightBits(low_);
    std::memset(low_.data() + kResult, 0, kBlock);
    return low_.recordOf(job);
  }
  uint64_t now() {
    const uint64_t low = driver_.readRegister(Register::CycleCountLow);
    return low | uint64_t{driver_.readRegister(Register::CycleCountHigh)} << 32;
  }
  void run() { driver_.device().run(); }
  void expectRightBits(TestClient &client) { EXPECT_EQ(bytesAt(client, kResult, kBlock), longJobResult(client)); }
  void expectPattern(TestClient &client, uint8_t byte, uint32_t bytes) {
    EXPECT_EQ(bytesAt(client, kFound, bytes), std::vector<uint8_t>(bytes, byte));
  }
  const JobProfile &profileOf(const JobDescriptor &job) {
    for (const JobProfile &profile : profiles_)
      if (profile.record.sequence == job.sequence)
        return profile;
    ADD_FAILURE() << "job " << job.sequence << " has not ended";
    return profiles_.at(0);
  }
  std::vector<uint64_t> order() const {
    std::vector<uint64_t> sequences;
    for (const JobProfile &profile : profiles_)
      sequences.push_back(profile.record.sequence);
    return sequences;
  }
  /// The time between start and end in which a job did not run counts as suspended; its own counters are unchanged.
  void expectSameWork(const JobDescriptor &job, const CompletionRecord &alone) {
    const JobProfile &profile = profileOf(job);
    const CompletionRecord &record = profile.record;
    EXPECT_EQ(record.faultCode, 0u);
    EXPECT_EQ(record.endCycle - record.startCycle, record.counters.cycles + profile.preemption.suspendedCycles);
    EXPECT_EQ(record.counters.commands, alone.counters.commands);
    EXPECT_EQ(record.counters.sramReadBytes, alone.counters.sramReadBytes);
    EXPECT_EQ(record.counters.dramReadBytes, alone.counters.dramReadBytes);
    for (uint32_t kind = 0; kind < kNumEngineKinds; ++kind)
      EXPECT_EQ(record.counters.busyCycles[kind], alone.counters.busyCycles[kind]);
  }

  TestDriver driver_{"e256", DeviceOptions{true, true, true, true}};
  TestClient low_{driver_, 10, 1}, high_{driver_, 11, 2}, top_{driver_, 12, 3};
  std::vector<JobProfile> profiles_;
};

/// The stream without its yields.
TestStream withoutYields(const TestStream &with) {
  TestStream without{with.engine, {}, with.section};
  for (size_t position = 0; position < with.words.size();)
    if (const Command command = *firmware::decode(with.words, position);
        !std::holds_alternative<YieldCommand>(command.body))
      encode(command, without.words);
  return without;
}

TEST_F(PreemptionTest, YieldsTakeNoTime) {
  const CompletionRecord with = undisturbed();
  std::vector<TestStream> plain = longJob();
  std::transform(plain.begin(), plain.end(), plain.begin(), withoutYields);
  const JobDescriptor job = low_.makeJob(plain);
  low_.submit(job);
  run();
  EXPECT_EQ(low_.recordOf(job).counters.cycles, with.counters.cycles);
  EXPECT_EQ(low_.recordOf(job).counters.commands, with.counters.commands);
}

TEST_F(PreemptionTest, HigherPriorityPreemptsAndOtherJobResumes) {
  const CompletionRecord alone = undisturbed();
  for (uint64_t at = 100; at < alone.counters.cycles - 2 * kStepCycles; at += 1501) {
    profiles_.clear();
    std::memset(low_.data() + kResult, 0, kBlock);
    std::memset(top_.data() + kFound, 0, 3 * kBlock);
    const JobDescriptor low = low_.makeJob(longJob()), top = top_.makeJob(shortJob(0, 3 * kBlock), 5);
    const uint64_t start = now();
    low_.submit(low);
    top_.submitAt(start + at, top);
    run();

    const CompletionRecord first = top_.recordOf(top), second = low_.recordOf(low);
    ASSERT_EQ(first.faultCode, 0u);
    EXPECT_EQ(second.startCycle, start);
    EXPECT_GE(first.arrivalCycle, start + at);
    EXPECT_LT(first.startCycle - first.arrivalCycle, kStepCycles);
    EXPECT_LT(first.endCycle, second.endCycle);
    expectRightBits(low_);
    expectPattern(top_, 0x3C, 3 * kBlock);
    expectSameWork(low, alone);
    const PreemptionCounters &counters = profileOf(low).preemption;
    EXPECT_EQ(counters.preemptions, 1u);
    EXPECT_GE(counters.liveBytes, kBlock);
    EXPECT_LE(counters.liveBytes, 3 * kBlock);
    EXPECT_EQ(counters.evacuatedBytes, counters.liveBytes); // the other job writes all of them
  }
}

TEST_F(PreemptionTest, EvacuatesOnlyConflictingBytes) {
  const CompletionRecord alone = undisturbed();
  auto preemptWith = [&](uint32_t begin) {
    const JobDescriptor low = low_.makeJob(longJob()), top = top_.makeJob(shortJob(begin, kBlock), 5);
    low_.submit(low);
    top_.submitAt(now() + 9000, top);
    run();
    expectRightBits(low_);
    expectPattern(top_, 0x3C, kBlock);
    expectSameWork(low, alone);
    EXPECT_EQ(profileOf(low).preemption.preemptions, 1u);
    return std::pair(profileOf(low).preemption, top_.recordOf(top));
  };
  const auto [aside, free] = preemptWith(65536);
  EXPECT_EQ(aside.evacuatedBytes, 0u);
  EXPECT_EQ(aside.suspendedCycles, free.counters.cycles); // nothing to move back
  const auto [half, held] = preemptWith(kMaximum + kBlock / 2);
  EXPECT_GE(half.evacuatedBytes, kBlock / 2);
  EXPECT_LE(half.evacuatedBytes, kBlock);
  // The off-chip port moves a byte per cycle; the first command waits for that, counted as a stall at the SRAM port.
  const auto dma = static_cast<uint32_t>(EngineKind::Dma), port = static_cast<uint32_t>(StallCause::SramPort);
  EXPECT_GE(held.counters.cycles, free.counters.cycles + half.evacuatedBytes);
  EXPECT_GE(held.counters.stallCycles[dma][port], free.counters.stallCycles[dma][port] + half.evacuatedBytes);
  EXPECT_GE(half.suspendedCycles, held.counters.cycles + half.evacuatedBytes);
}

TEST_F(PreemptionTest, NestedPreemptionKeepsResults) {
  const CompletionRecord alone = undisturbed();
  for (uint64_t at = 5000; at < 20000; at += 1777) {
    profiles_.clear();
    const JobDescriptor low = low_.makeJob(longJob()), high = high_.makeJob(longJob(), 3),
                        top = top_.makeJob(shortJob(1000, 3 * kBlock), 6);
    const uint64_t start = now();
    low_.submit(low);
    high_.submitAt(start + 5000, high);
    top_.submitAt(start + 5000 + at, top);
    run();
    EXPECT_EQ(order(), (std::vector{top.sequence, high.sequence, low.sequence}));
    expectRightBits(low_);
    expectRightBits(high_);
    expectPattern(top_, 0x3C, 3 * kBlock);
    expectSameWork(low, alone);
    expectSameWork(high, alone);
    EXPECT_EQ(profileOf(low).preemption.preemptions, 1u);
    EXPECT_EQ(profileOf(high).preemption.preemptions, 1u);
    EXPECT_LT(top_.recordOf(top).startCycle - top_.recordOf(top).arrivalCycle, 2 * kStepCycles);
  }
}

TEST_F(PreemptionTest, EvacuatedBytesAreNotMovedAgain) {
  const CompletionRecord alone = undisturbed();
  const JobDescriptor low = low_.makeJob(longJob()), first = top_.makeJob(shortJob(0, 3 * kBlock), 5),
                      second = top_.makeJob(shortJob(0, 3 * kBlock), 5);
  low_.submit(low);
  driver_.device().callAt(now() + 9000, [&] { // both at the same cycle
    top_.push(first);
    top_.submit(second);
  });
  run();
  EXPECT_EQ(order().back(), low.sequence);
  expectRightBits(low_);
  expectSameWork(low, alone);
  const PreemptionCounters &counters = profileOf(low).preemption;
  EXPECT_EQ(counters.preemptions, 1u);
  EXPECT_EQ(counters.evacuatedBytes, counters.liveBytes);
  EXPECT_GE(top_.recordOf(first).counters.cycles, top_.recordOf(second).counters.cycles + counters.liveBytes);
}

TEST_F(PreemptionTest, RepeatedPreemptionKeepsResult) {
  const CompletionRecord alone = undisturbed();
  const JobDescriptor low = low_.makeJob(longJob());
  const uint64_t start = now();
  low_.submit(low);
  for (uint32_t i = 0; i < 20; ++i)
    top_.submitAt(start + 1000 + i * 15000, top_.makeJob(shortJob(i * 256, kBlock), 5));
  run();
  expectRightBits(low_);
  expectSameWork(low, alone);
  EXPECT_GE(profileOf(low).preemption.preemptions, 4u);
}

TEST_F(PreemptionTest, NewJobInterruptsRestoringOfSuspendedJob) {
  // All of 256 KiB is live, as one range. The short job evacuates part of it, which takes as many cycles to move back.
  constexpr uint32_t kLarge = 1 << 18;
  const std::vector<SramRange> live = {{0, kLarge}};
  const JobDescriptor low = low_.makeJob(longJob(live)),
                      first = top_.makeJob({stream(kDma, {load(1, 0, 0, 60000), load(1, 0, 60000, 60000)})}, 5),
                      second = top_.makeJob(shortJob(0, kBlock), 5);
  const uint64_t start = now();
  low_.submit(low);
  top_.submitAt(start + 9000, first);
  // About 240000 cycles to evacuate and load 120000 bytes, then one cycle per byte to move them back.
  top_.submitAt(start + 300000, second);
  run();
  const CompletionRecord late = top_.recordOf(second);
  EXPECT_GT(late.startCycle, top_.recordOf(first).endCycle);
  EXPECT_LT(late.startCycle - late.arrivalCycle, 2 * 4096u);
  EXPECT_EQ(profileOf(low).preemption.preemptions, 1u); // it had not continued yet
  EXPECT_GE(profileOf(low).preemption.evacuatedBytes, 120000u);
  expectRightBits(low_);
  expectPattern(top_, 0x3C, kBlock);
}

TEST_F(PreemptionTest, JobWithoutYieldsIsNotPreempted) {
  std::vector<TestStream> plain = longJob();
  std::transform(plain.begin(), plain.end(), plain.begin(), withoutYields);
  const JobDescriptor low = low_.makeJob(plain), top = top_.makeJob(shortJob(0, kBlock), 7);
  low_.submit(low);
  top_.submitAt(now() + 5000, top);
  run();
  EXPECT_EQ(order(), (std::vector{low.sequence, top.sequence}));
  EXPECT_EQ(top_.recordOf(top).startCycle, low_.recordOf(low).endCycle);
}

TEST_F(PreemptionTest, EqualPriorityDoesNotPreempt) {
  const JobDescriptor low = low_.makeJob(longJob(), 4), high = high_.makeJob(longJob(), 4);
  low_.submit(low);
  high_.submitAt(now() + 5000, high);
  run();
  EXPECT_EQ(order(), (std::vector{low.sequence, high.sequence}));
  EXPECT_EQ(profileOf(low).preemption, PreemptionCounters{});
}

/// Jobs of one ring may rely on each other's results.
TEST_F(PreemptionTest, SuspendedJobHoldsItsRingBack) {
  const JobDescriptor low = low_.makeJob(longJob()), successor = low_.makeJob(longJob(), 7),
                      top = top_.makeJob(shortJob(0, kBlock), 5);
  low_.submit(low);
  const uint64_t start = now();
  top_.submitAt(start + 5000, top);
  driver_.device().callAt(start + 5000, [&] { low_.submit(successor); });
  run();
  EXPECT_EQ(order(), (std::vector{top.sequence, low.sequence, successor.sequence}));
}

TEST_F(PreemptionTest, EvacuatedBytesOfOneStopAreCounted) {
  const JobDescriptor low = low_.makeJob(longJob()), top = top_.makeJob(shortJob(0, kBlock), 5);
  low_.submit(low);
  top_.submitAt(now() + 9000, top);
  run();
  EXPECT_EQ(profileOf(low).preemption.preemptions, 1u);
  EXPECT_EQ(profileOf(low).preemption.evacuatedBytes, 2048u);
}

} // namespace
} // namespace avocet::sim::test
