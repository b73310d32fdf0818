//===- ThreadsTest.cpp - Data on several threads --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCommands.h"
#include "TestDriver.h"

#include "job/DmaShape.h"
#include "job/Program.h"

#include <gtest/gtest.h>

#include <random>

namespace avocet::sim::test {
namespace {

using namespace firmware;

/// A convolution of a large image, and the transfers for it.
struct LargeLayer {
  static constexpr uint32_t kExtent = 72, kChannels = 64, kImage = kExtent * kExtent * kChannels;
  static constexpr uint32_t kInput = 0, kOutput = kImage, kWeights = 2 * kImage;
  static constexpr uint32_t kRecords = kWeights + 9 * kChannels * kChannels;
  static constexpr uint32_t kRecordBytes = kChannels * sizeof(RequantRecord);
  // In the region: input, weights, records, output.
  static constexpr uint32_t kWeightsAt = kImage, kRecordsAt = kWeightsAt + 9 * kChannels * kChannels,
                            kOutputAt = (kRecordsAt + kRecordBytes + 4095) / 4096 * 4096, kBytes = kOutputAt + kImage;

  static ConvCommand conv() {
    ConvCommand conv = pointwise(tensor(kInput, kExtent, kExtent, kChannels),
                                 tensor(kOutput, kExtent, kExtent, kChannels), kWeights, kRecords, {4, 8, 32});
    conv.window.kernelHeight = conv.window.kernelWidth = 3;
    conv.window.padTop = conv.window.padLeft = 1;
    conv.weightBytes = 9 * kChannels * kChannels;
    return conv;
  }

  static std::vector<TestStream> streams() {
    return {stream(kDma, {load(1, 0, kInput, kImage), load(1, kWeightsAt, kWeights, 9 * kChannels * kChannels),
                          load(1, kRecordsAt, kRecords, kRecordBytes), SignalCommand{0}, WaitCommand{1, 1},
                          store(1, kOutputAt, kOutput, kImage)}),
            stream(kMac, {WaitCommand{0, 1}, conv(), SignalCommand{1}})};
  }

  static void fill(Pages &data) {
    std::mt19937 random(1);
    for (uint32_t i = 0; i < kOutputAt; ++i)
      data.data()[i] = static_cast<uint8_t>(random());
    for (uint32_t c = 0; c < kChannels; ++c) {
      const RequantRecord record{static_cast<int32_t>(c), 1 << 30, -9};
      std::memcpy(data.data() + kRecordsAt + c * sizeof(record), &record, sizeof(record));
    }
    std::memset(data.data() + kOutputAt, 0x55, kImage);
  }
};

struct Outcome {
  CompletionRecord record;
  std::vector<uint8_t> output;
};

Outcome runLargeLayer(DeviceOptions options, bool isMapped = true) {
  TestDriver driver("p4096", options);
  Pages data((LargeLayer::kBytes + 4095) / 4096 * 4096);
  LargeLayer::fill(data);
  if (isMapped)
    driver.map(data);
  Outcome outcome;
  outcome.record = driver.run(LargeLayer::streams(), {{data.address(), LargeLayer::kBytes}});
  outcome.output.assign(data.data() + LargeLayer::kOutputAt, data.data() + LargeLayer::kBytes);
  return outcome;
}

TEST(ThreadsTest, LargeCommandsAreDivided) {
  auto target = Target::load("p4096");
  ASSERT_TRUE(target.isOk());
  for (const TestStream &stream : LargeLayer::streams()) {
    const Program alone = Program::decode(**target, stream.engine, stream.words);
    const Program program = Program::decode(**target, stream.engine, stream.words, 2);
    for (const PreparedCommand &command : alone.commands())
      EXPECT_TRUE(command.shares.empty());
    size_t divided = 0;
    for (const PreparedCommand &command : program.commands())
      divided += !command.shares.empty();
    // The image is divided in both directions, the weights and records are too short.
    EXPECT_EQ(divided, stream.engine == kMac ? 1u : 2u);
  }
}

TEST(ThreadsTest, DataDoesNotDependOnThreads) {
  const Outcome one = runLargeLayer({.timing = false});
  ASSERT_EQ(one.record.faultCode, 0u);
  EXPECT_NE(one.output, std::vector<uint8_t>(LargeLayer::kImage, 0x55));
  for (const uint32_t threads : {2u, 3u, 8u}) {
    const Outcome several = runLargeLayer({.timing = false, .threads = threads});
    EXPECT_EQ(several.record.faultCode, 0u);
    EXPECT_EQ(several.output, one.output) << threads << " threads";
    EXPECT_EQ(several.record.counters.macs, one.record.counters.macs) << "commands count once";
  }
}

TEST(ThreadsTest, CyclesDoNotDependOnThreads) {
  const Outcome one = runLargeLayer({}), untimed = runLargeLayer({.timing = false});
  ASSERT_EQ(one.record.faultCode, 0u);
  EXPECT_EQ(one.output, untimed.output);
  EXPECT_GT(one.record.counters.cycles, 0u);
  for (const uint32_t threads : {2u, 4u}) {
    const Outcome several = runLargeLayer({.threads = threads});
    EXPECT_EQ(several.record.faultCode, 0u);
    EXPECT_EQ(several.output, one.output) << threads << " threads";
    EXPECT_EQ(std::memcmp(&several.record.counters, &one.record.counters, sizeof(one.record.counters)), 0)
        << threads << " threads";
  }
}

/// Of a divided transfer.
TEST(ThreadsTest, FaultIsThatOfOneThread) {
  const Outcome one = runLargeLayer({.timing = false}, false),
                several = runLargeLayer({.timing = false, .threads = 3}, false);
  EXPECT_EQ(one.record.faultCode, static_cast<uint32_t>(FaultCode::PageFault));
  EXPECT_EQ(several.record.faultCode, one.record.faultCode);
  EXPECT_EQ(several.record.faultCommand, one.record.faultCommand);
}

/// Bytes [0, count) of a region by their place in SRAM.
std::vector<uint64_t> sourcesOf(const std::vector<DmaCommand> &transfers) {
  std::vector<uint64_t> sources(1 << 16, UINT64_MAX);
  for (const DmaCommand &dma : transfers)
    for (uint64_t k = 0; k < dma.count2; ++k)
      for (uint64_t j = 0; j < dma.count1; ++j)
        for (uint64_t i = 0; i < dma.count0; ++i)
          for (uint64_t byte = 0; byte < dma.runBytes; ++byte) {
            auto at = [&](const DmaEnd &end) {
              return end.offset + k * end.stride2 + j * end.stride1 + i * end.stride0 + byte;
            };
            sources[at(dma.destination)] = at(dma.source);
          }
  return sources;
}

TEST(DmaSharesTest, SharesMoveTheSameBytes) {
  DmaCommand run = load(1, 100, 7, 1000);
  DmaCommand runs = run;
  runs.runBytes = 10;
  runs.count0 = 7;
  runs.source.stride0 = 11;
  runs.destination.stride0 = 12;
  DmaCommand rows = runs;
  rows.count1 = 5;
  rows.source.stride1 = 100;
  rows.destination.stride1 = 200;
  DmaCommand planes = rows;
  planes.count2 = 3;
  planes.source.stride2 = 1000;
  planes.destination.stride2 = 2000;
  for (const DmaCommand &dma : {run, runs, rows, planes})
    for (const uint32_t most : {2u, 3u, 4u, 100u}) {
      const std::vector<DmaCommand> shares = sharesOf(dma, most);
      EXPECT_GT(shares.size(), 1u);
      EXPECT_LE(shares.size(), most);
      uint64_t bytes = 0;
      for (const DmaCommand &share : shares)
        bytes += bytesOf(share);
      EXPECT_EQ(bytes, bytesOf(dma)) << "no byte is moved twice";
      EXPECT_EQ(sourcesOf(shares), sourcesOf({dma}));
    }
}

TEST(DmaSharesTest, ShortAndOverlappingTransfersAreWhole) {
  EXPECT_TRUE(sharesOf(load(1, 0, 0, 64), 4).empty());
  DmaCommand inside = load(1, 0, 0, 4096);
  inside.source.region = kSramRegion;
  EXPECT_TRUE(sharesOf(inside, 4).empty());
}

} // namespace
} // namespace avocet::sim::test
