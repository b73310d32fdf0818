//===- TimingTest.cpp - Cycles of tiny jobs, with the sum written out -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryFolder.h"
#include "TestCommands.h"
#include "TestDriver.h"

#include "avocet/firmware_iface/TargetEdit.h"
#include "avocet/kernels/Kernel.h"

#include <gtest/gtest.h>

#include <fstream>

namespace avocet::sim::test {
namespace {

using namespace firmware;

/// Figures of e256 that the sums below use: SRAM 8 bytes per cycle, 32 cycles latency; off-chip 1 byte per cycle, 64
/// cycles latency, bursts of 128; MAC issue 4, pipeline 8; output stage 4 elements per cycle; DMA issue 8.

TEST(TimingTest, OffChipLoadTakesBurstsAndLatency) {
  TestDriver driver;
  Pages data(4096);
  driver.map(data);
  auto record = driver.run({stream(kDma, {load(1, 0, 0, 1000)})}, {{data.address(), 4096}});
  ASSERT_EQ(record.faultCode, 0u);
  // 1000 bytes are 8 bursts of 128 = 1024 bytes at 1 byte per cycle = 1024 cycles, the last of them arrives 64 cycles
  // later. The SRAM side (125 beats, at most 64 bytes in 64 cycles) is written while the data arrives.
  EXPECT_EQ(record.counters.cycles, 1024u + 64u);
  EXPECT_EQ(record.counters.dramReadBytes, 1000u);
  EXPECT_EQ(record.counters.sramWriteBytes, 1000u);
}

TEST(TimingTest, OffChipStoreTakesBurstsAndLatencies) {
  TestDriver driver;
  Pages data(4096);
  driver.map(data);
  auto record = driver.run({stream(kDma, {store(1, 0, 0, 1024)})}, {{data.address(), 4096}});
  ASSERT_EQ(record.faultCode, 0u);
  // SRAM reads start at cycle 0 in two pieces of 512 bytes; the first byte arrives after 32 cycles; 1024 bytes leave at
  // 1 byte per cycle, and the last is written 64 cycles later.
  EXPECT_EQ(record.counters.cycles, 32u + 1024u + 64u);
}

TEST(TimingTest, ConsecutiveLoadsShareOneLatency) {
  TestDriver driver;
  Pages data(4096);
  driver.map(data);
  auto record = driver.run({stream(kDma, {load(1, 0, 0, 1024), load(1, 1024, 1024, 1024)})}, {{data.address(), 4096}});
  // The second load's request follows the first directly: one latency for both. 1024 + 1024 + 64.
  EXPECT_EQ(record.counters.cycles, 2112u);
}

TEST(TimingTest, ShortRunsWasteBursts) {
  TestDriver driver;
  Pages data(4096);
  driver.map(data);
  DmaCommand dma = load(1, 0, 0, 16);
  dma.count0 = 8;
  dma.source.stride0 = 256;
  dma.destination.stride0 = 16;
  auto record = driver.run({stream(kDma, {dma})}, {{data.address(), 4096}});
  // 8 runs of 16 bytes take a burst of 128 each: 1024 + 64.
  EXPECT_EQ(record.counters.cycles, 1088u);
}

/// A target file of e256 with one change.
std::string changedTarget(const avocet::test::TemporaryFolder &folder, const std::string &key,
                          const std::string &value) {
  const TargetChange change{key, value};
  const std::string path = folder.path() / (key + ".toml");
  std::ofstream(path) << *changedTargetText(**Target::load("e256"), {&change, 1}, "e256", "changed");
  return path;
}

TEST(TimingTest, LongLatenciesLeaveARate) {
  const avocet::test::TemporaryFolder folder("timing");
  for (const char *key : {"dram.readLatencyCycles", "dram.writeLatencyCycles"}) {
    TestDriver driver(changedTarget(folder, key, "32768"));
    Pages data(4096);
    driver.map(data);
    auto record = driver.run({stream(kDma, {load(1, 0, 0, 1024), store(1, 0, 0, 1024)})}, {{data.address(), 4096}});
    EXPECT_EQ(record.faultCode, 0u) << key;
    EXPECT_GT(record.counters.cycles, 32768u) << key;
  }
}

/// 4x4x32 -> 4x4x8, one block.
ConvCommand smallConv() { return pointwise(tensor(0, 4, 4, 32), tensor(4096, 4, 4, 8), 8192, 16384, {4, 4, 8}); }

TEST(TimingTest, OneBlockConvolutionTakesComputedCycles) {
  TestDriver driver;
  auto record = driver.run({stream(kMac, {smallConv()})});
  ASSERT_EQ(record.faultCode, 0u);
  // load:    4 rows of 4*32 = 128 bytes = 512 bytes / 8             =  64
  // latency                                                         =  32
  // stream:  weights 8*32 + records 8*12 = 352 bytes / 8 = 44, after the load
  // decode:  256 weights / 8 per cycle = 32
  // steps:   (4/2)*(4/2) places * 1 granule * ceil(32/32) * 4 = 16
  // compute: largest of 44, 32, 16                                  =  44
  // pipeline                                                        =   8
  // output:  4*4*8 = 128 elements / 4 = 32; store 16 pixels * 8 bytes in rows of 32 bytes = 128 / 8 = 16 -> 32
  // The first command is decoded before the job starts: no issue cycles.
  EXPECT_EQ(record.counters.cycles, 64u + 32u + 44u + 8u + 32u);
  EXPECT_EQ(record.counters.macs, 4u * 4 * 8 * 32);
  EXPECT_EQ(record.counters.sramReadBytes, 512u + 352u);
  EXPECT_EQ(record.counters.sramWriteBytes, 128u);
}

TEST(TimingTest, NextCommandLoadsWhileOneDrains) {
  TestDriver driver;
  ConvCommand second = smallConv();
  second.input.address = 32768;
  second.output.address = 65536;
  auto record = driver.run({stream(kMac, {smallConv(), second})});
  // The commands share the port. It transfers load 1 (512 bytes), weights 1 (352), and with the second command decoded
  // at cycle 4, load 2 (512) around the store of the first (128, from 148 on), then weights 2 (352): 1856 bytes / 8 =
  // 232 without a gap. The last weights arrive 32 later; pipeline 8, output 32.
  EXPECT_EQ(record.counters.cycles, 232u + 32u + 8u + 32u);
  // One after the other they would take 2 * 180.
  EXPECT_LT(record.counters.cycles, 2u * 180u);
}

TEST(TimingTest, NextCommandWaitsForTheRowsItReads) {
  TestDriver driver;
  ConvCommand second = smallConv();
  second.input = tensor(4096, 4, 4, 8); // the output of the first
  second.output.address = 65536;
  second.weightBytes = 64;
  auto record = driver.run({stream(kMac, {smallConv(), second})});
  // The first ends at 180 (above). Then: load 4 rows of 32 bytes = 16, latency 32, stream: weights 64 + records 96 =
  // 160 bytes = 20 (steps 16, decode 8), pipeline 8, output 32.
  EXPECT_EQ(record.counters.cycles, 180u + 16u + 32u + 20u + 8u + 32u);
}

TEST(TimingTest, CommandOverlapsWithProducerByRows) {
  TestDriver driver;
  // 16 rows of 32 columns in four blocks of 4 rows, then a consumer in the same blocks.
  auto first = pointwise(tensor(0, 16, 32, 32), tensor(16384, 16, 32, 32), 65536, 70000, {4, 32, 32});
  auto second = pointwise(first.output, tensor(32768, 16, 32, 32), 65536, 70000, {4, 32, 32});
  auto one = driver.run({stream(kMac, {first})});
  auto both = driver.run({stream(kMac, {first, second})});
  ASSERT_EQ(one.faultCode, 0u);
  ASSERT_EQ(both.faultCode, 0u);
  // Compute bound: 2*16 places * 4 granules * 4 cycles = 512 cycles per block, output 1024 / ... = 4096 elements / 4 =
  // 1024 per block: the output stage bounds both commands. In one stream, the second command starts during the last
  // blocks of the first; the loss is less than the fill of one block.
  EXPECT_LT(both.counters.cycles, 2 * one.counters.cycles);
}

TEST(TimingTest, SignalWakesAnotherEngine) {
  TestDriver driver;
  Pages data(4096);
  driver.map(data);
  auto record =
      driver.run({stream(kDma, {load(1, 0, 0, 512), SignalCommand{3}}), stream(kMac, {WaitCommand{3, 1}, smallConv()})},
                 {{data.address(), 4096}});
  ASSERT_EQ(record.faultCode, 0u);
  // The load is complete at 512 + 64 = 576; the array wakes up 4 cycles later and takes 180 (above).
  EXPECT_EQ(record.counters.cycles, 576u + 4u + 180u);
  const auto mac = static_cast<uint32_t>(EngineKind::Mac);
  EXPECT_EQ(record.counters.stallCycles[mac][static_cast<uint32_t>(StallCause::Semaphore)], 580u);
}

ConvCommand smallResidualConv() {
  ConvCommand conv = smallConv();
  conv.residual.addend = tensor(12288, 4, 4, 8);
  return conv;
}

TEST(TimingTest, ResidualAdditionTakesOutputStageAndPort) {
  TestDriver driver;
  auto record = driver.run({stream(kMac, {smallResidualConv()})});
  ASSERT_EQ(record.faultCode, 0u);
  // As OneBlockConvolutionTakesComputedCycles, but the stream has the addend, too: 4 rows of 32 bytes = 128, with the
  // 352 bytes of before 480 / 8 = 60 cycles. The output stage takes 128 / 4 = 32 and the addition 128 * 3 / 4 = 96.
  EXPECT_EQ(record.counters.cycles, 64u + 32u + 60u + 8u + 128u);
  EXPECT_EQ(record.counters.macs, 4u * 4 * 8 * 32);
  EXPECT_EQ(record.counters.sramReadBytes, 512u + 352u + 128u);
  EXPECT_EQ(record.counters.sramWriteBytes, 128u);
}

TEST(TimingTest, ResidualAdditionWaitsForItsAddend) {
  TestDriver driver;
  ConvCommand second = smallResidualConv();
  second.residual.addend = smallConv().output;
  second.output = second.residual.addend; // in place
  auto record = driver.run({stream(kMac, {smallConv(), second})});
  ASSERT_EQ(record.faultCode, 0u);
  // The first ends at 180 and the second loads when the addend's rows are there; then as alone.
  EXPECT_EQ(record.counters.cycles, 180u + 64u + 32u + 60u + 8u + 128u);
}

TEST(TimingTest, UncontendedTimeEqualsKernelCost) {
  // Without contention, and alone in its stream, a command takes the cycles of the compiler's cost, less the issue
  // cycles, which a job's first command does not need.
  TestDriver driver;
  const CommandBody body = smallConv();
  auto record = driver.run({stream(kMac, {body})});
  const auto cost = kernels::findKernel(body)->cost(driver.target(), body);
  EXPECT_EQ(record.counters.cycles + driver.target().mac().issueCycles, cost.cycles);
}

TEST(TimingTest, TwoChannelsShareTheOffChipPort) {
  TestDriver driver("m512");
  Pages data(1 << 17);
  driver.map(data);
  const Engine other{EngineKind::Dma, 1};
  auto alone = driver.run({stream(kDma, {load(1, 0, 0, 60000)})}, {{data.address(), data.size()}});
  auto both = driver.run({stream(kDma, {load(1, 0, 0, 60000)}), stream(other, {load(1, 65536, 65536, 60000)})},
                         {{data.address(), data.size()}});
  // 60000 bytes are 469 bursts = 60032 bytes; at 15 bytes in 4 cycles 16009 cycles, and 500 of latency.
  EXPECT_NEAR(static_cast<double>(alone.counters.cycles), 16009 + 500, 64);
  EXPECT_NEAR(static_cast<double>(both.counters.cycles), 2 * 16009 + 500, 64);
}

TEST(TimingTest, LoadLeavesRestOfSramPort) {
  TestDriver driver("p4096"); // on chip 128 bytes per cycle, off chip 32
  Pages data(1 << 17);
  driver.map(data);
  const FeatureMap maps[] = {tensor(0x40000, 8, 8, 64), tensor(0x48000, 8, 8, 64)};
  std::vector<CommandBody> commands; // each reads the result of the one before
  for (uint32_t i = 0; i < 40; ++i)
    commands.push_back(pointwise(maps[i % 2], maps[(i + 1) % 2], 0x20000, 0x24000, {8, 8, 64}));
  const uint32_t bytes = 100'000;
  auto alone = driver.run({stream(kMac, commands)});
  auto both =
      driver.run({stream(kMac, commands), stream(kDma, {load(1, 0, 0, bytes)})}, {{data.address(), data.size()}});
  ASSERT_EQ(both.faultCode, 0u);
  EXPECT_GT(alone.counters.cycles, bytes / 32);
  EXPECT_EQ(both.counters.cycles, alone.counters.cycles) << "each uses less than its share";
}

} // namespace
} // namespace avocet::sim::test
