//===- SuspendedStateTest.cpp - SRAM bytes of a stopped job -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LongJob.h"

#include "avocet/firmware_iface/Control.h"
#include "job/LiveBytes.h"
#include "job/SavedSram.h"

#include <gtest/gtest.h>

namespace avocet::sim::test {
namespace {

using namespace firmware;

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;
Ranges rangesOf(const ByteSet &set) { return {set.ranges().begin(), set.ranges().end()}; }

class LiveBytesTest : public testing::Test {
protected:
  Program decode(firmware::Engine engine, std::vector<CommandBody> bodies) {
    return Program::decode(*target_, engine, stream(engine, std::move(bodies)).words);
  }
  std::shared_ptr<const Target> target_ = std::move(Target::load("e256")).value();
};

TEST_F(LiveBytesTest, KeepsLowestPointAndLaterWrites) {
  const Program dma = decode(kDma, {load(1, 0, 0, 100), YieldCommand{1, {{0, 100}}}, load(1, 0, 1000, 100),
                                    YieldCommand{2, {{1000, 100}}}, load(1, 0, 2000, 100)});
  const Program mac = decode(kMac, {YieldCommand{1, {{50, 150}}}, YieldCommand{2, {{1000, 100}}}});
  auto live = [&](uint32_t atDma, uint32_t atMac) {
    const StreamPosition positions[] = {{&dma, atDma}, {&mac, atMac}};
    return rangesOf(liveBytes(positions, target_->sram().bytes));
  };
  EXPECT_EQ(live(0, 0), Ranges{});
  EXPECT_EQ(live(1, 0), (Ranges{{0, 100}})); // written before any point
  EXPECT_EQ(live(1, 1), (Ranges{{0, 100}})); // one stream has not passed point 1
  EXPECT_EQ(live(2, 1), (Ranges{{0, 200}})); // both declarations of point 1
  EXPECT_EQ(live(3, 1), (Ranges{{0, 200}, {1000, 1100}}));
  EXPECT_EQ(live(5, 1), (Ranges{{0, 200}, {1000, 1100}, {2000, 2100}}));
  EXPECT_EQ(live(4, 2), (Ranges{{1000, 1100}}));
  EXPECT_EQ(live(4, 3), (Ranges{{1000, 1100}})); // the array has ended
  EXPECT_EQ(live(6, 1), (Ranges{{0, 200}, {1000, 1100}, {2000, 2100}}));
}

TEST_F(LiveBytesTest, StreamWithoutYieldKeepsAllWrites) {
  const Program dma = decode(kDma, {load(1, 0, 0, 100), YieldCommand{1, {}}, load(1, 0, 1000, 100)});
  const Program mac = decode(kMac, {WaitCommand{0, 1}});
  const StreamPosition positions[] = {{&dma, 3}, {&mac, 0}};
  EXPECT_EQ(rangesOf(liveBytes(positions, target_->sram().bytes)), (Ranges{{0, 100}, {1000, 1100}}));
}

TEST_F(LiveBytesTest, DeclaredRangesAreClippedToMemory) {
  const uint32_t size = target_->sram().bytes;
  const Program dma =
      decode(kDma, {YieldCommand{1, {{size - 10, UINT32_MAX}, {UINT32_MAX, UINT32_MAX}, {5, 10}, {0, 8}, {3, 0}}}});
  const StreamPosition positions[] = {{&dma, 1}};
  EXPECT_EQ(rangesOf(liveBytes(positions, size)), (Ranges{{0, 15}, {size - 10, size}}));
}

TEST(SavedSramTest, EvacuatedBytesAreBroughtBackOnce) {
  std::vector<uint8_t> sram(1024);
  for (size_t i = 0; i < sram.size(); ++i)
    sram[i] = static_cast<uint8_t>(i);
  ByteSet live;
  live.add(100, 200);
  live.add(300, 400);
  SavedSram saved(live, sram, true);
  ByteSet moved;
  EXPECT_EQ(saved.evacuate(0, 100, 1024, 1, moved), 0u);
  EXPECT_EQ(saved.evacuate(150, 350, 1024, 1, moved), 100u);
  EXPECT_EQ(saved.evacuate(150, 350, 1024, 1, moved), 0u);
  EXPECT_EQ(saved.evacuate(0, 1024, 30, 1, moved), 30u); // at most the requested bytes
  EXPECT_EQ(rangesOf(moved), (Ranges{{100, 130}, {150, 200}, {300, 350}}));
  EXPECT_FALSE(saved.isFree(130, 131));
  EXPECT_TRUE(saved.isFree(150, 350));
  EXPECT_EQ(saved.evacuatedBytes(), 130u);
  uint64_t back = 0;
  while (!saved.isComplete()) {
    const SavedSram::Range range = saved.bringBack(64);
    EXPECT_LE(range.end - range.begin, 64u);
    back += range.end - range.begin;
  }
  EXPECT_EQ(back, 130u);
  std::vector<uint8_t> other(1024, 0xEE);
  saved.copyBack(other);
  for (size_t i = 0; i < other.size(); ++i)
    EXPECT_EQ(other[i], (i >= 100 && i < 200) || (i >= 300 && i < 400) ? sram[i] : 0xEE);
}

/// A low job with arbitrary live ranges is preempted; the preempting job reads all SRAM that the low job used.
class HostileLiveTest : public testing::TestWithParam<std::vector<SramRange>> {};

TEST_P(HostileLiveTest, WrongLiveListAffectsOnlyItsJob) {
  TestDriver driver;
  TestClient low(driver, 10, 1), spy(driver, 11, 2), same(driver, 12, 1);
  fillLongJob(low);
  std::memset(spy.data() + kFound, 0xEE, 3 * kBlock);
  const JobDescriptor job = low.makeJob(longJob(GetParam())), spying = spy.makeJob(spyingJob(0, 3 * kBlock), 5);
  low.submit(job);
  spy.submitAt(9000, spying);
  driver.device().run();
  EXPECT_EQ(low.faultOf(job), FaultCode::None);
  EXPECT_LT(spy.recordOf(spying).endCycle, low.recordOf(job).endCycle);
  EXPECT_EQ(bytesAt(spy, kFound, 3 * kBlock), std::vector<uint8_t>(3 * kBlock));
  const bool isHonest = !GetParam().empty() && GetParam()[0] == SramRange{kMaximum, kBlock};
  EXPECT_EQ(bytesAt(low, kResult, kBlock) == longJobResult(low), isHonest);
  const JobDescriptor next = low.makeJob(longJob());
  low.submit(next);
  driver.device().run();
  EXPECT_EQ(bytesAt(low, kResult, kBlock), longJobResult(low));
}

INSTANTIATE_TEST_SUITE_P(Lists, HostileLiveTest,
                         testing::Values(std::vector<SramRange>{}, std::vector<SramRange>{{kMaximum, kBlock}},
                                         std::vector<SramRange>{{kMaximum, kBlock}, {0, 100}, {50, 100}},
                                         std::vector<SramRange>{{1 << 20, UINT32_MAX}, {UINT32_MAX, UINT32_MAX}},
                                         std::vector<SramRange>{{kMaximum, kBlock}, {100, UINT32_MAX}, {0, 0}}));

/// A resumed job finds only its declared bytes in SRAM, and no data of other jobs.
TEST(SuspendedStateTest, ResumedJobReadsNoForeignData) {
  TestDriver driver;
  TestClient low(driver, 10, 1), top(driver, 11, 2);
  std::memset(top.data(), 0x77, 4096);
  std::vector<CommandBody> dma(1, YieldCommand{1, {}});
  dma.insert(dma.end(), 4, load(1, 0, 65536, 2048));
  dma.push_back(YieldCommand{2, {}});
  dma.push_back(store(1, kFound, 0, 4096)); // this job never wrote the range
  std::memset(low.data() + kFound, 0xEE, 4096);
  const JobDescriptor job = low.makeJob({stream(kDma, dma)}), other = top.makeJob(shortJob(0, 4096), 5);
  low.submit(job);
  top.submitAt(1000, other);
  driver.device().run();
  EXPECT_LT(top.recordOf(other).endCycle, low.recordOf(job).endCycle);
  EXPECT_EQ(bytesAt(top, kFound, 4096), std::vector<uint8_t>(4096, 0x77));
  EXPECT_EQ(bytesAt(low, kFound, 4096), std::vector<uint8_t>(4096));
}

/// Bytes that a job declares live but never accesses (other data of its context) must not stay in SRAM either.
TEST(SuspendedStateTest, DeclaredBytesAreClearedAfterJob) {
  constexpr uint32_t kFar = 1 << 20;
  TestDriver driver;
  TestClient low(driver, 10, 1), spy(driver, 11, 2);
  std::memset(low.data(), 0x77, 4096);
  const JobDescriptor leaves = low.makeJob(shortJob(kFar, 4096)),
                      declares = low.makeJob(longJob({{kMaximum, kBlock}, {kFar, 4096}})),
                      between = spy.makeJob(shortJob(0, kBlock), 5), spying = spy.makeJob(spyingJob(kFar, 4096));
  low.push(leaves);
  low.submit(declares);
  spy.submitAt(20000, between);
  driver.device().run();
  EXPECT_LT(spy.recordOf(between).endCycle, low.recordOf(declares).endCycle);
  EXPECT_GT(spy.recordOf(between).startCycle, low.recordOf(declares).startCycle);
  std::memset(spy.data() + kFound, 0xEE, 4096);
  spy.submit(spying);
  driver.device().run();
  EXPECT_EQ(bytesAt(spy, kFound, 4096), std::vector<uint8_t>(4096));
}

/// A loop whose section is a long job, preempted in its sections and between them.
TEST(SuspendedStateTest, PreemptedLoopsKeepResults) {
  constexpr uint64_t kQueue = 60000;
  constexpr uint32_t kTurns = 3;
  TestDriver driver;
  TestClient low(driver, 10, 1), top(driver, 11, 2);
  fillLongJob(low);
  std::memset(top.data(), 0x77, 8192);
  std::vector<TestStream> streams = longJob();
  TestStream advance = stream(kDma, {load(1, kQueue + 1, 0, 15), store(1, kQueue, 0, 15)});
  advance.section = 1;
  streams.push_back(advance);
  const std::vector<ControlInstruction> program = {
      LoopEnterInstruction{0}, LoopCheckInstruction{0}, JumpIfFalseInstruction{1, kQueue, 6},
      RunInstruction{0},       RunInstruction{1},       JumpInstruction{1},
      EndInstruction{}};
  auto makeJob = [&] {
    std::memset(low.data() + kQueue, 1, kTurns);
    std::memset(low.data() + kResult, 0, kBlock);
    JobDescriptor job = low.makeJob(streams);
    driver.setControl(job, encodeControl(program));
    return job;
  };
  const JobDescriptor plain = makeJob();
  low.submit(plain);
  driver.device().run();
  const CompletionRecord alone = low.recordOf(plain);
  ASSERT_EQ(alone.faultCode, 0u);

  uint32_t preemptions = 0, nothingLive = 0;
  for (uint64_t at = 50; at < alone.counters.cycles - 2 * kStepCycles; at += 2999) {
    JobProfile profile;
    driver.device().setJobObserver([&](const JobProfile &ended) {
      if (ended.context == low.number())
        profile = ended;
    });
    uint64_t start = driver.readRegister(Register::CycleCountLow);
    const JobDescriptor job = makeJob(), other = top.makeJob(shortJob(0, 8192), 5);
    low.submit(job);
    top.submitAt(start + at, other);
    driver.device().run();
    const CompletionRecord record = low.recordOf(job);
    ASSERT_EQ(record.faultCode, 0u);
    EXPECT_LT(top.recordOf(other).endCycle, record.endCycle);
    EXPECT_LT(top.recordOf(other).startCycle - top.recordOf(other).arrivalCycle, kStepCycles);
    EXPECT_EQ(bytesAt(low, kResult, kBlock), longJobResult(low));
    EXPECT_EQ(record.counters.commands, alone.counters.commands);
    for (uint32_t kind = 0; kind < kNumEngineKinds; ++kind)
      EXPECT_EQ(record.counters.busyCycles[kind], alone.counters.busyCycles[kind]);
    preemptions += profile.preemption.preemptions == 1;
    nothingLive += profile.preemption.liveBytes == 0;
  }
  EXPECT_GT(preemptions, 20u);
  EXPECT_GT(nothingLive, 0u); // between sections
}

} // namespace
} // namespace avocet::sim::test
