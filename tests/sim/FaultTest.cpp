//===- FaultTest.cpp - Jobs that break a rule end with a fault --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCommands.h"
#include "TestDriver.h"

#include <gtest/gtest.h>

#include <chrono>

namespace avocet::sim::test {
namespace {

using namespace firmware;

/// All tests run with timing and without.
class FaultTest : public testing::TestWithParam<bool> {
protected:
  FaultTest() : driver(std::make_unique<TestDriver>("e256", DeviceOptions{true, GetParam(), false, false})) {
    driver->map(data);
  }

  std::vector<TestRegion> regions() const { return {{data.address(), data.size()}}; }

  void expectFault(const CompletionRecord &record, FaultCode code, Engine engine, uint32_t command) {
    EXPECT_EQ(record.state, static_cast<uint32_t>(JobState::Faulted));
    EXPECT_EQ(toString(static_cast<FaultCode>(record.faultCode)), toString(code));
    EXPECT_EQ(record.faultEngineKind, static_cast<uint32_t>(engine.kind));
    EXPECT_EQ(record.faultEngineIndex, engine.index);
    EXPECT_EQ(record.faultCommand, command);
    EXPECT_EQ(record.userData, 0xA5A5u);
  }

  /// A load and a store that must work after any fault.
  void expectNextJobRuns() {
    data.data()[5] = 77;
    data.data()[2000] = 0;
    auto record = driver->run({stream(kDma, {load(1, 5, 0, 1), store(1, 2000, 0, 1)})}, regions());
    EXPECT_EQ(record.state, static_cast<uint32_t>(JobState::Complete));
    EXPECT_EQ(data.data()[2000], 77);
  }

  std::unique_ptr<TestDriver> driver;
  Pages data{8192};
};

TEST_P(FaultTest, UndecodableStreamFaults) {
  TestStream bad = stream(kDma, {load(1, 0, 0, 16)});
  bad.words[0] = 0xFFFFFFFF;
  expectFault(driver->run({bad}, regions()), FaultCode::MalformedStream, kDma, 0);
  expectNextJobRuns();
}

TEST_P(FaultTest, StreamWithoutEndFaults) {
  TestStream bad = stream(kDma, {load(1, 0, 0, 16)});
  std::vector<uint32_t> end;
  encode(Command{kNoLayer, EndCommand{}}, end);
  bad.words.resize(bad.words.size() - end.size());
  expectFault(driver->run({bad}, regions()), FaultCode::MalformedStream, kDma, 1);
}

TEST_P(FaultTest, CommandAfterEndFaults) {
  TestStream bad = stream(kDma, {EndCommand{}});
  expectFault(driver->run({bad}, regions()), FaultCode::MalformedStream, kDma, 1);
}

TEST_P(FaultTest, SramOverrunFaults) {
  auto record = driver->run({stream(kDma, {load(1, 0, 0, 16), load(1, 0, 2'097'152 - 8, 16)})}, regions());
  expectFault(record, FaultCode::SramOutOfBounds, kDma, 1);
  EXPECT_EQ(record.faultRegion, kSramRegion);
  EXPECT_EQ(record.faultAddress, 2'097'152u);
  expectNextJobRuns();
}

TEST_P(FaultTest, RegionOverrunFaults) {
  auto record = driver->run({stream(kDma, {load(1, 8000, 0, 1000)})}, regions());
  expectFault(record, FaultCode::RegionOutOfBounds, kDma, 0);
  EXPECT_EQ(record.faultRegion, 1u);
  EXPECT_EQ(record.faultAddress, 8192u);
}

TEST_P(FaultTest, WrappingRegionOffsetFaults) {
  expectFault(driver->run({stream(kDma, {load(1, UINT64_MAX - 3, 0, 16)})}, regions()), FaultCode::RegionOutOfBounds,
              kDma, 0);
}

TEST_P(FaultTest, UnboundRegionFaults) {
  auto record = driver->run({stream(kDma, {load(2, 0, 0, 16)})}, regions());
  expectFault(record, FaultCode::RegionUnbound, kDma, 0);
  EXPECT_EQ(record.faultRegion, 2u);
}

TEST_P(FaultTest, WriteToReadOnlyRegionFaults) {
  auto record = driver->run({stream(kDma, {store(1, 0, 0, 16)})}, {{data.address(), data.size(), access::kRead}});
  expectFault(record, FaultCode::RegionReadOnly, kDma, 0);
}

TEST_P(FaultTest, UnmappedRegionFaults) {
  auto record = driver->run({stream(kDma, {load(1, 0, 0, 16)})}, {{data.address() + (1u << 30), 4096}});
  expectFault(record, FaultCode::PageFault, kDma, 0);
  EXPECT_EQ(record.faultAddress, data.address() + (1u << 30));
  expectNextJobRuns();
}

TEST_P(FaultTest, WriteToReadOnlyMappingFaults) {
  Pages constants(4096);
  driver->map(constants, access::kRead);
  auto record = driver->run({stream(kDma, {store(1, 0, 0, 16)})}, {{constants.address(), 4096}});
  expectFault(record, FaultCode::PageFault, kDma, 0);
}

TEST_P(FaultTest, CommandOnWrongEngineFaults) {
  expectFault(driver->run({stream(kMac, {load(1, 0, 0, 16)})}, regions()), FaultCode::UnsupportedCommand, kMac, 0);
}

TEST_P(FaultTest, UnknownDspKernelFaults) {
  DspCommand dsp;
  dsp.kernel = 0x7FFFFFFF;
  expectFault(driver->run({stream(kDsp, {dsp})}), FaultCode::UnsupportedCommand, kDsp, 0);
}

TEST_P(FaultTest, CommandRefusedByKernelFaults) {
  ConvCommand conv = pointwise(tensor(0, 4, 4, 32), tensor(4096, 4, 4, 8), 8192, 16384, {4, 4, 8});
  conv.window.strideHeight = 0;
  expectFault(driver->run({stream(kMac, {YieldCommand{}, conv})}), FaultCode::UnsupportedCommand, kMac, 1);
}

TEST_P(FaultTest, BlockLargerThanBufferFaults) {
  // 32*64 positions * 32 channels * 4 bytes of accumulators alone are 256 KiB.
  ConvCommand conv = pointwise(tensor(0, 32, 64, 32), tensor(65536, 32, 64, 32), 200000, 210000, {32, 64, 32});
  expectFault(driver->run({stream(kMac, {conv})}), FaultCode::UnsupportedCommand, kMac, 0);
}

TEST_P(FaultTest, UnknownSemaphoreFaults) {
  expectFault(driver->run({stream(kMac, {SignalCommand{64}})}), FaultCode::BadSemaphore, kMac, 0);
}

TEST_P(FaultTest, WaitWithoutSignalIsDeadlock) {
  auto record =
      driver->run({stream(kDma, {load(1, 0, 0, 16), SignalCommand{1}}), stream(kMac, {WaitCommand{1, 2}})}, regions());
  expectFault(record, FaultCode::Deadlock, kMac, 0);
  expectNextJobRuns();
}

TEST_P(FaultTest, MutualWaitIsDeadlock) {
  auto record = driver->run(
      {stream(kDma, {WaitCommand{0, 1}, SignalCommand{1}}), stream(kMac, {WaitCommand{1, 1}, SignalCommand{0}})});
  expectFault(record, FaultCode::Deadlock, kDma, 0);
}

TEST_P(FaultTest, JobWatchdogFaults) {
  JobDescriptor job = driver->makeJob({stream(kDma, {load(1, 0, 0, 4096)})}, regions());
  job.watchdogCycles = 1000;
  auto record = driver->run(job);
  EXPECT_EQ(toString(static_cast<FaultCode>(record.faultCode)), toString(FaultCode::Watchdog));
  expectNextJobRuns();
}

/// Short streams that request more time or memory than a host has.
TEST_P(FaultTest, HugeExtentsFaultQuickly) {
  const auto start = std::chrono::steady_clock::now();
  DmaCommand copies = load(1, 0, 0, 1);
  copies.count0 = copies.count1 = copies.count2 = UINT32_MAX;
  expectFault(driver->run({stream(kDma, {copies})}, regions()), FaultCode::UnsupportedCommand, kDma, 0);

  DmaCommand nothing = load(1, 0, 0, 1);
  nothing.count0 = 0;
  nothing.count1 = nothing.count2 = UINT32_MAX;
  EXPECT_EQ(driver->run({stream(kDma, {nothing})}, regions()).faultCode, 0u);

  ConvCommand conv = pointwise(tensor(0, 1, 1, 1), tensor(0, 1, 1, 1), 0, 0, {1, 1, 1});
  conv.output.height = conv.output.width = conv.output.channels = UINT32_MAX;
  conv.input = conv.output;
  expectFault(driver->run({stream(kMac, {conv})}), FaultCode::SramOutOfBounds, kMac, 0);
  conv.output.ringRows = 1;
  conv.output.width = conv.output.channels = 1;
  conv.output.rowStride = conv.output.pixelStride = 0;
  conv.input = conv.output;
  expectFault(driver->run({stream(kMac, {conv})}), FaultCode::UnsupportedCommand, kMac, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

INSTANTIATE_TEST_SUITE_P(Modes, FaultTest, testing::Bool(),
                         [](const auto &info) { return info.param ? "Timed" : "Untimed"; });

TEST(TimingOnlyTest, FindsPageFaults) {
  TestDriver driver("e256", DeviceOptions{false, true, false, false});
  Pages data(4096);
  driver.map(data, access::kRead);
  EXPECT_EQ(driver.run({stream(kDma, {load(1, 0, 0, 4096)})}, {{data.address(), 4096}}).faultCode, 0u);
  auto record = driver.run({stream(kDma, {load(1, 0, 0, 8192)})}, {{data.address(), 1u << 20}});
  EXPECT_EQ(record.faultCode, static_cast<uint32_t>(FaultCode::PageFault));
  EXPECT_EQ(record.faultAddress, data.address() + 4096);
  record = driver.run({stream(kDma, {store(1, 0, 0, 16)})}, {{data.address(), 4096}});
  EXPECT_EQ(record.faultCode, static_cast<uint32_t>(FaultCode::PageFault));
}

TEST(DeadlineTest, JobEndsAtItsDeadline) {
  TestDriver driver;
  Pages data(4096);
  driver.map(data);
  JobDescriptor job = driver.makeJob({stream(kDma, {load(1, 0, 0, 4096)})}, {{data.address(), 4096}});
  job.deadlineNs = 2000; // 1000 cycles at 500 MHz; the load takes 4160
  EXPECT_EQ(driver.run(job).faultCode, static_cast<uint32_t>(FaultCode::DeadlineMissed));
  job.deadlineNs = 1'000'000'000;
  EXPECT_EQ(driver.run(job).faultCode, 0u);
}

} // namespace
} // namespace avocet::sim::test
