//===- HostileTest.cpp - Streams with random damage -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For all words each job ends with a result or a fault, in bounded time, and the device continues.
//
//===----------------------------------------------------------------------===//

#include "LongJob.h"

#include "avocet/kernels/DspParameters.h"
#include "avocet/kernels/dsp/Softmax.h"

#include <gtest/gtest.h>

#include <random>

namespace avocet::sim::test {
namespace {

using namespace firmware;

std::vector<TestStream> goodStreams() {
  auto conv = pointwise(tensor(0, 8, 8, 32), tensor(8192, 8, 8, 32), 32768, 40000, {4, 8, 32});
  auto compressed = conv; // of bytes that are no slice
  compressed.weightFormat = WeightFormat::Compressed;
  compressed.weightBytes = 700;
  compressed.sliceChannels = 64;
  compressed.firstSliceChannel = 32;
  PoolCommand pool;
  pool.input = tensor(8192, 8, 8, 32);
  pool.output = tensor(16384, 4, 4, 32);
  pool.window = {2, 2, 2, 2, 1, 1, 0, 0};
  pool.clamp = {-128, 127};
  pool.block = {4, 4, 32};
  EltwiseCommand mul;
  mul.kind = EltwiseKind::Mul;
  mul.inputA = mul.inputB = mul.output = tensor(16384, 4, 4, 32);
  mul.rescaleOutput = {1 << 30, -3};
  mul.clamp = {-128, 127};
  mul.block = {4, 4, 32};
  DspCommand dsp;
  dsp.kernel = kernels::kSoftmaxKernel.number;
  dsp.inputs = dsp.outputs = {tensor(16384, 4, 4, 32)};
  dsp.outputs[0].zeroPoint = -128;
  dsp.parameters = kernels::packParameters(kernels::prepareSoftmax(1, 0.1f));
  return {stream(kDma, {load(1, 0, 0, 2048), SignalCommand{0}, WaitCommand{1, 1}, store(1, 2048, 16384, 512)}, 1),
          stream(kMac, {WaitCommand{0, 1}, conv, compressed, pool, mul, YieldCommand{}, SignalCommand{1}}, 2),
          stream(kDsp, {WaitCommand{1, 1}, dsp}, 3)};
}

/// Replaces a few words by small numbers, powers of two and their neighbors, and random numbers.
void damage(std::vector<uint32_t> &words, std::mt19937 &random) {
  for (uint32_t i = 1 + random() % 3; i != 0 && !words.empty(); --i) {
    uint32_t &word = words[random() % words.size()];
    switch (random() % 4) {
    case 0:
      word = random() % 8;
      break;
    case 1:
      word = (1u << (random() % 32)) - random() % 2;
      break;
    case 2:
      word ^= 1u << (random() % 32);
      break;
    case 3:
      word = static_cast<uint32_t>(random());
      break;
    }
  }
  if (random() % 16 == 0)
    words.resize(random() % words.size() + 1);
}

class HostileTest : public testing::TestWithParam<DeviceOptions> {};

TEST_P(HostileTest, DamagedStreamsEndTheirJobs) {
  TestDriver driver("e256s", GetParam());
  Pages data(8192);
  driver.map(data);
  std::mt19937 random(20);
  const auto good = goodStreams();
  const std::vector<TestRegion> regions = {{data.address(), data.size()}};
  uint32_t faults = 0;
  const CompletionRecord undamaged = driver.run(driver.makeJob(good, regions));
  EXPECT_EQ(undamaged.faultCode, 0u) << "engine " << undamaged.faultEngineKind << " command " << undamaged.faultCommand;
  for (int i = 0; i < 3000; ++i) {
    auto streams = good;
    damage(streams[random() % streams.size()].words, random);
    JobDescriptor job = driver.makeJob(streams, regions);
    job.watchdogCycles = 1'000'000;
    const CompletionRecord record = driver.run(job);
    ASSERT_NE(record.state, static_cast<uint32_t>(JobState::Pending));
    ASSERT_LT(record.faultCode, kNumFaultCodes);
    faults += record.faultCode != 0;
  }
  EXPECT_GT(faults, 1500u);
  EXPECT_EQ(driver.run({stream(kDma, {load(1, 0, 0, 2048)})}, regions).faultCode, 0u);
}

INSTANTIATE_TEST_SUITE_P(Modes, HostileTest,
                         testing::Values(DeviceOptions{true, true, true, true}, DeviceOptions{true, false, true, false},
                                         DeviceOptions{false, true, false, false}));

/// Damaged streams with yields are stopped at random points. A job that preempts them must find an empty SRAM. A valid
/// job that they preempt, or that is suspended together with them, must get its results.
TEST(HostilePreemptionTest, DamagedJobsDoNotAffectOthers) {
  TestDriver driver;
  TestClient sound(driver, 10, 1), hostile(driver, 11, 2), spy(driver, 12, 3);
  fillLongJob(sound);
  std::mt19937 random(21);
  const auto good = longJob();
  uint32_t faults = 0, preempted = 0;
  driver.device().setJobObserver([&](const JobProfile &profile) {
    preempted += profile.context == hostile.number() && profile.preemption.preemptions != 0;
  });
  uint64_t now = 0;
  for (int i = 0; i < 1000; ++i) {
    auto streams = good;
    damage(streams[random() % streams.size()].words, random);
    JobDescriptor bad = hostile.makeJob(streams, 3);
    bad.watchdogCycles = 1'000'000;
    const JobDescriptor low = sound.makeJob(good, 1), spying = spy.makeJob(spyingJob(0, 3 * kBlock), 5);
    std::memset(sound.data() + kResult, 0, kBlock);
    std::memset(spy.data() + kFound, 0xEE, 3 * kBlock);
    sound.submit(low);
    hostile.submitAt(now + random() % 10000, bad);
    spy.submitAt(now + 5000 + random() % 30000, spying);
    driver.device().run();
    ASSERT_NE(hostile.recordOf(bad).state, static_cast<uint32_t>(JobState::Pending));
    ASSERT_EQ(sound.faultOf(low), FaultCode::None);
    ASSERT_EQ(spy.faultOf(spying), FaultCode::None);
    ASSERT_EQ(bytesAt(sound, kResult, kBlock), longJobResult(sound));
    ASSERT_EQ(bytesAt(spy, kFound, 3 * kBlock), std::vector<uint8_t>(3 * kBlock));
    faults += hostile.recordOf(bad).faultCode != 0;
    now = std::max({sound.recordOf(low).endCycle, spy.recordOf(spying).endCycle, hostile.recordOf(bad).endCycle});
  }
  EXPECT_GT(faults, 300u);
  EXPECT_GT(preempted, 200u);
}

} // namespace
} // namespace avocet::sim::test
