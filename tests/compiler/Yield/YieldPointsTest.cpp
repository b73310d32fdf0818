//===- YieldPointsTest.cpp - Positions and live ranges of yields ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Yield/YieldPoints.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace avocet::compiler {
namespace {

using namespace firmware;
using Random = std::mt19937;

constexpr uint32_t kSramBytes = 512;

uint32_t pick(Random &random, uint32_t low, uint32_t high) {
  return std::uniform_int_distribution<uint32_t>(low, high)(random);
}

/// A random load into SRAM, store out of it, or move inside it.
LinearCommand randomTransfer(Random &random) {
  DmaCommand dma;
  dma.runBytes = pick(random, 1, 60);
  dma.source.region = pick(random, 0, 1);
  dma.destination.region = dma.source.region == kSramRegion ? pick(random, 0, 1) : kSramRegion;
  dma.source.offset = pick(random, 0, kSramBytes / 2 - dma.runBytes);
  dma.destination.offset = pick(random, kSramBytes / 2, kSramBytes - dma.runBytes);
  if (pick(random, 0, 1) == 1 && dma.source.region != dma.destination.region)
    std::swap(dma.source.offset, dma.destination.offset);
  return {Engine{EngineKind::Dma, pick(random, 0, 1)}, {kNoLayer, dma}};
}

std::vector<LinearCommand> randomList(Random &random) {
  std::vector<LinearCommand> list;
  for (uint32_t left = pick(random, 2, 60); left > 0; --left)
    list.push_back(randomTransfer(random));
  return list;
}

std::vector<uint32_t> randomPoints(Random &random, size_t length) {
  std::vector<uint32_t> points;
  for (uint32_t index = 1; index < length; ++index)
    if (pick(random, 0, 3) == 0)
      points.push_back(index);
  return points;
}

/// By the definition: bytes that are written before a point and read after it before they are overwritten.
std::set<uint32_t> liveByDefinition(const std::vector<LinearCommand> &list, uint32_t point) {
  std::set<uint32_t> written, live, overwritten;
  for (uint32_t index = 0; index < list.size(); ++index) {
    const auto &dma = std::get<DmaCommand>(list[index].command.body);
    for (uint32_t byte = 0; byte < dma.runBytes; ++byte) {
      const auto from = static_cast<uint32_t>(dma.source.offset) + byte;
      if (dma.source.region == kSramRegion && index >= point && written.contains(from) && !overwritten.contains(from))
        live.insert(from);
    }
    for (uint32_t byte = 0; byte < dma.runBytes; ++byte)
      if (dma.destination.region == kSramRegion)
        (index < point ? written : overwritten).insert(static_cast<uint32_t>(dma.destination.offset) + byte);
  }
  return live;
}

std::set<uint32_t> bytesOf(const YieldPoint &point) {
  std::set<uint32_t> bytes;
  for (SramRange range : point.live)
    for (uint32_t byte = 0; byte < range.bytes; ++byte)
      bytes.insert((range.begin + byte).offset);
  return bytes;
}

TEST(YieldPoints, LiveRangesMatchDefinition) {
  Random random(11);
  for (int round = 0; round < 300; ++round) {
    const std::vector<LinearCommand> list = randomList(random);
    const std::vector<uint32_t> points = randomPoints(random, list.size());
    const std::vector<YieldPoint> yields = findLive(list, points, {});
    ASSERT_EQ(yields.size(), points.size());
    for (size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(yields[i].before, points[i]);
      ASSERT_EQ(bytesOf(yields[i]), liveByDefinition(list, points[i])) << "round " << round << ", point " << i;
    }
    EXPECT_TRUE(verifyYields(list, yields, {}).isOk());
  }
}

TEST(YieldPoints, VerifierDetectsMissingByte) {
  Random random(13);
  int refused = 0;
  for (int round = 0; round < 100; ++round) {
    const std::vector<LinearCommand> list = randomList(random);
    std::vector<YieldPoint> yields = findLive(list, randomPoints(random, list.size()), {});
    for (YieldPoint &point : yields)
      if (!point.live.empty() && point.live.front().bytes > 1) {
        --point.live.front().bytes;
        const Status status = verifyYields(list, yields, {});
        EXPECT_FALSE(status.isOk());
        ++refused;
        break;
      }
  }
  EXPECT_GT(refused, 20);
}

constexpr SramRange kRange{64, 100};

/// A transfer of kRange from the network's memory into SRAM, or back.
LinearCommand transfer(bool load) {
  DmaCommand dma;
  dma.runBytes = kRange.bytes;
  (load ? dma.source : dma.destination).region = 1;
  (load ? dma.destination : dma.source).offset = kRange.begin.offset;
  return {Engine{EngineKind::Dma, 0}, {kNoLayer, dma}};
}

/// A load that writes only the first and the last byte of kRange.
LinearCommand loadEnds() {
  LinearCommand load = transfer(true);
  auto &dma = std::get<DmaCommand>(load.command.body);
  dma.runBytes = 1;
  dma.count0 = 2;
  dma.source.stride0 = 1;
  dma.destination.stride0 = kRange.bytes - 1;
  return load;
}

TEST(YieldPoints, WritesWithGapsKeepBytesInGaps) {
  const std::vector<LinearCommand> list = {transfer(true), loadEnds(), transfer(false)};
  const std::vector<uint32_t> points = {1, 2};
  for (const YieldPoint &point : findLive(list, points, {}))
    EXPECT_EQ(point.live, std::vector<SramRange>{kRange});
  EXPECT_FALSE(verifyYields(list, std::vector<YieldPoint>{{1, {}}}, {}).isOk());
}

TEST(YieldPoints, OutputsThatKernelsUpdateStayLive) {
  DspCommand dsp;
  FeatureMap state;
  state.address = kRange.begin;
  state.height = state.width = state.ringRows = 1;
  state.channels = state.rowStride = state.pixelStride = kRange.bytes;
  dsp.outputs = {state};
  const std::vector<LinearCommand> list = {
      transfer(true), {Engine{EngineKind::Dsp, 0}, {kNoLayer, dsp}}, transfer(false)};
  const std::vector<uint32_t> points = {1};
  EXPECT_EQ(findLive(list, points, {}).front().live, std::vector<SramRange>{kRange});
  EXPECT_FALSE(verifyYields(list, std::vector<YieldPoint>{{1, {}}}, {}).isOk());
}

TEST(YieldPoints, NewBufferEndsOldLiveRange) {
  const std::vector<LinearCommand> list = {transfer(true), transfer(false), loadEnds(), transfer(false)};
  const std::vector<uint32_t> points = {2, 3};
  const std::vector<BufferStart> starts = {{2, kRange.begin.offset, kRange.begin.offset + kRange.bytes}};
  const std::vector<YieldPoint> apart = findLive(list, points, starts), one = findLive(list, points, {});
  EXPECT_TRUE(apart[0].live.empty());
  EXPECT_EQ(one[0].live, std::vector<SramRange>{kRange});
  EXPECT_EQ(apart[1].live, std::vector<SramRange>{kRange});
  EXPECT_TRUE(verifyYields(list, apart, starts).isOk());
  EXPECT_FALSE(verifyYields(list, apart, {}).isOk());
}

/// More ranges than a yield can name are joined, and no live byte is lost.
TEST(YieldPoints, JoinsRangesAboveTheLimit) {
  std::vector<LinearCommand> list;
  auto transfer = [&](bool load, uint32_t offset, uint32_t bytes) {
    DmaCommand dma;
    dma.runBytes = bytes;
    (load ? dma.source : dma.destination).region = 1;
    (load ? dma.destination : dma.source).offset = offset;
    list.push_back({Engine{EngineKind::Dma, 0}, {kNoLayer, dma}});
  };
  constexpr uint32_t kPieces = 200;
  for (uint32_t i = 0; i < kPieces; ++i)
    transfer(true, i * 64, 16 + i % 7);
  for (uint32_t i = 0; i < kPieces; ++i)
    transfer(false, i * 64, 16 + i % 7);
  const std::vector<uint32_t> points = {kPieces};
  const std::vector<YieldPoint> yields = findLive(list, points, {});
  EXPECT_EQ(yields.front().live.size(), size_t{YieldCommand::kMaxLiveRanges});
  const std::set<uint32_t> kept = bytesOf(yields.front());
  for (uint32_t byte : liveByDefinition(list, kPieces))
    ASSERT_TRUE(kept.contains(byte));
  EXPECT_TRUE(verifyYields(list, yields, {}).isOk());
}

TEST(YieldPoints, EnginesYieldWithinBound) {
  Random random(17);
  for (int round = 0; round < 100; ++round) {
    const std::vector<LinearCommand> list = randomList(random);
    std::vector<uint64_t> cycles;
    for (size_t i = 0; i < list.size(); ++i)
      cycles.push_back(pick(random, 0, 100));
    const std::vector<uint32_t> points = choosePoints(list, cycles, 100);
    uint64_t worked[2] = {0, 0};
    size_t next = 0;
    for (uint32_t index = 0; index < list.size(); ++index) {
      if (next < points.size() && points[next] == index)
        worked[0] = worked[1] = 0, ++next;
      uint64_t &engine = worked[list[index].engine.index];
      engine += cycles[index];
      ASSERT_LE(engine, 100u);
    }
    EXPECT_EQ(next, points.size());
  }
}

/// Each stream has a point at most once, in order, before the commands after it; at most one stream has the ranges.
TEST(YieldPoints, InsertsYieldsInOrder) {
  Random random(19);
  for (int round = 0; round < 50; ++round) {
    const std::vector<LinearCommand> list = randomList(random);
    Result<SyncedStreams> section = splitStreams(list, 64);
    ASSERT_TRUE(section.isOk());
    const std::vector<YieldPoint> points = findLive(list, randomPoints(random, list.size()), {});
    insertYields(*section, points);
    std::vector<size_t> carried(points.size(), 0);
    for (const Stream &stream : section->streams) {
      uint32_t last = 0;
      for (size_t i = 0; i < stream.commands.size(); ++i) {
        const auto *yield = std::get_if<YieldCommand>(&stream.commands[i].command.body);
        if (!yield)
          continue;
        ASSERT_GT(yield->point, last);
        ASSERT_LE(yield->point, points.size());
        last = yield->point;
        carried[last - 1] += !yield->live.empty();
        for (size_t j = 0; j < stream.commands.size(); ++j)
          EXPECT_EQ(stream.commands[j].source >= points[last - 1].before, j >= i) << "round " << round;
      }
    }
    for (size_t i = 0; i < points.size(); ++i)
      EXPECT_LE(carried[i], 1u);
  }
}

} // namespace
} // namespace avocet::compiler
