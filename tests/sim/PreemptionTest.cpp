//===- PreemptionTest.cpp - A job gives way to another one, and goes on -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestClient.h"

#include <gtest/gtest.h>

#include <numeric>

namespace avocet::sim::test {
namespace {

using namespace firmware;

constexpr uint32_t kBlock = 2048;             ///< bytes of a block
constexpr uint32_t kSteps = 12;               ///< blocks that a long job adds up
constexpr uint32_t kSum = 0;                  ///< where the sum is in SRAM
constexpr uint32_t kBuffers = kBlock;         ///< two buffers behind it
constexpr uint64_t kResult = kSteps * kBlock; ///< where the sum goes in region 1

/// sum += buffer, as stored values with saturation.
EltwiseCommand accumulate(uint32_t buffer) {
  EltwiseCommand add;
  add.kind = EltwiseKind::Max;
  add.inputA = add.output = tensor(kSum, 8, 8, 32);
  add.inputB = tensor(buffer, 8, 8, 32);
  add.clamp = {-128, 127};
  add.block = {4, 8, 32};
  return add;
}

YieldCommand yieldAt(uint32_t point, std::vector<SramRange> live = {{kSum, kBlock}}) {
  return {point, std::move(live)};
}

/// Takes the maximum over kSteps blocks, double buffered: the DMA channel runs ahead of the array by two steps. Before
/// each step stands a yield, in both streams, at which only the sum so far is live.
std::vector<TestStream> longJob(const std::vector<SramRange> &live = {{kSum, kBlock}}) {
  std::vector<CommandBody> dma, mac;
  DmaCommand clear = load(1, 0, kSum, kBlock);
  clear.kind = DmaKind::Fill;
  clear.fillValue = 0x80;
  dma = {clear};
  for (uint32_t step = 0; step < kSteps; ++step) {
    const uint32_t buffer = kBuffers + step % 2 * kBlock;
    dma.push_back(yieldAt(step + 1, live));
    mac.push_back(yieldAt(step + 1, live));
    if (step >= 2)
      dma.push_back(WaitCommand{1, step - 1});
    dma.push_back(load(1, step * kBlock, buffer, kBlock));
    dma.push_back(SignalCommand{0});
    mac.push_back(WaitCommand{0, step + 1});
    mac.push_back(accumulate(buffer));
    mac.push_back(SignalCommand{1});
  }
  dma.push_back(WaitCommand{1, kSteps});
  dma.push_back(store(1, kResult, kSum, kBlock));
  return {stream(kDma, dma), stream(kMac, mac)};
}

/// Overwrites `bytes` of SRAM from `begin` on with a pattern and reads them back, or just reads what it finds.
std::vector<TestStream> shortJob(uint32_t begin, uint32_t bytes, bool writes = true) {
  std::vector<CommandBody> dma;
  if (writes)
    dma.push_back(load(1, 0, begin, bytes));
  dma.push_back(store(1, 32768, begin, bytes));
  return {stream(kDma, dma)};
}

class PreemptionTest : public testing::Test {
protected:
  PreemptionTest() {
    for (uint32_t i = 0; i < kSteps * kBlock; ++i)
      low_.data()[i] = static_cast<uint8_t>(i * 2654435761u >> 24);
    std::memset(high_.data(), 0x5A, 8192);
    std::memset(top_.data(), 0x3C, 8192);
  }

  /// The long job's result and record, undisturbed.
  CompletionRecord undisturbed() {
    const JobDescriptor job = low_.makeJob(longJob());
    low_.submit(job);
    driver_.device().run();
    expected_.assign(low_.data() + kResult, low_.data() + kResult + kBlock);
    std::memset(low_.data() + kResult, 0, kBlock);
    return low_.recordOf(job);
  }
  uint64_t deviceCycle() {
    const uint64_t low = driver_.readRegister(Register::CycleCountLow);
    return low | uint64_t{driver_.readRegister(Register::CycleCountHigh)} << 32;
  }
  void expectRightBits() {
    EXPECT_EQ(std::vector<uint8_t>(low_.data() + kResult, low_.data() + kResult + kBlock), expected_);
  }
  void expectPattern(TestClient &client, uint8_t byte, uint32_t bytes) {
    EXPECT_EQ(std::vector<uint8_t>(client.data() + 32768, client.data() + 32768 + bytes),
              std::vector<uint8_t>(bytes, byte));
  }
  const JobProfile &profileOf(const JobDescriptor &job) {
    for (const JobProfile &profile : profiles_)
      if (profile.record.sequence == job.sequence)
        return profile;
    ADD_FAILURE() << "job " << job.sequence << " has not ended";
    return profiles_.at(0);
  }
  void keepProfiles() {
    driver_.device().setJobObserver([this](const JobProfile &profile) { profiles_.push_back(profile); });
  }

  TestDriver driver_{"e256", DeviceOptions{true, true, true, true}};
  TestClient low_{driver_, 10, 1}, high_{driver_, 11, 2}, top_{driver_, 12, 3};
  std::vector<uint8_t> expected_;
  std::vector<JobProfile> profiles_;
};

TEST_F(PreemptionTest, YieldsAreFree) {
  const CompletionRecord with = undisturbed();
  std::vector<TestStream> plain = longJob();
  for (TestStream &s : plain) { // the same commands without yields
    std::vector<uint32_t> words;
    for (size_t position = 0; position < s.words.size();) {
      const Command command = *firmware::decode(s.words, position);
      if (!std::holds_alternative<YieldCommand>(command.body))
        encode(command, words);
    }
    s.words = std::move(words);
  }
  const JobDescriptor job = low_.makeJob(plain);
  low_.submit(job);
  driver_.device().run();
  EXPECT_EQ(low_.recordOf(job).counters.cycles, with.counters.cycles);
  EXPECT_EQ(low_.recordOf(job).counters.commands, with.counters.commands);
}

TEST_F(PreemptionTest, HigherPriorityRunsAtOnceAndTheOtherGoesOn) {
  const CompletionRecord alone = undisturbed();
  keepProfiles();
  // At several places of the long job.
  for (uint64_t at = 100; at < alone.counters.cycles - 5000; at += 3001) {
    profiles_.clear();
    const JobDescriptor low = low_.makeJob(longJob()), high = high_.makeJob(shortJob(0, 3 * kBlock), 5);
    std::memset(low_.data() + kResult, 0, kBlock);
    std::memset(high_.data() + 32768, 0, 3 * kBlock);
    low_.submit(low);
    const uint64_t start = deviceCycle();
    high_.submitAt(start + at, high);
    driver_.device().run();

    const CompletionRecord first = high_.recordOf(high), second = low_.recordOf(low);
    ASSERT_EQ(first.faultCode, 0u);
    ASSERT_EQ(second.faultCode, 0u);
    EXPECT_GT(first.startCycle, second.startCycle);
    EXPECT_LT(first.endCycle, second.endCycle);
    // One step of the long job takes about 2200 cycles.
    EXPECT_GE(first.arrivalCycle, start + at);
    EXPECT_LT(first.startCycle - first.arrivalCycle, 3000u);
    expectRightBits();
    expectPattern(high_, 0x5A, 3 * kBlock);

    const PreemptionCounters &counters = profileOf(low).preemption;
    EXPECT_EQ(counters.preemptions, 1u);
    EXPECT_GE(counters.liveBytes, kBlock);
    EXPECT_LE(counters.liveBytes, 3 * kBlock);
    EXPECT_EQ(counters.evacuatedBytes, counters.liveBytes); // the other job writes all of it
    EXPECT_EQ(second.endCycle - second.startCycle, second.counters.cycles + counters.suspendedCycles);
    for (uint32_t kind = 0; kind < kNumEngineKinds; ++kind)
      EXPECT_EQ(second.counters.busyCycles[kind], alone.counters.busyCycles[kind]);
    EXPECT_EQ(second.counters.commands, alone.counters.commands);
  }
}

} // namespace
} // namespace avocet::sim::test
