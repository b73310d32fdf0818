//===- FootprintTest.cpp - The bytes that a command accesses ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Footprint.h"
#include "RandomCommand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace avocet::firmware;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

namespace {

std::vector<ByteRange> footprint(const CommandBody &body) {
  std::vector<ByteRange> ranges;
  appendFootprint(body, ranges);
  return ranges;
}

ByteRange reads(uint64_t begin, uint64_t end) { return {kSramRegion, begin, end, false}; }
ByteRange writes(uint64_t begin, uint64_t end) { return {kSramRegion, begin, end, true}; }

FeatureMap map8(uint32_t address, uint32_t height, uint32_t width, uint32_t channels) {
  return {DataType::Int8, address, height, width, channels, height, 0, width * channels, channels, 0};
}

/// The formula of FeatureMap, element by element.
std::set<uint64_t> bytesOf(const FeatureMap &map) {
  std::set<uint64_t> bytes;
  for (uint64_t y = 0; y < map.height; ++y)
    for (uint64_t x = 0; x < map.width; ++x)
      for (uint64_t c = 0; c < map.channels; ++c)
        for (uint64_t b = 0; b < sizeOf(map.type); ++b)
          bytes.insert(map.address.offset + (map.firstRow + y) % map.ringRows * map.rowStride + x * map.pixelStride +
                       c * sizeOf(map.type) + b);
  return bytes;
}

TEST(Footprint, DenseMapIsOneRange) {
  PoolCommand pool;
  pool.input = map8(100, 4, 5, 6);
  pool.output = map8(1000, 2, 2, 6);
  EXPECT_THAT(footprint(pool), UnorderedElementsAre(reads(100, 220), writes(1000, 1024)));
}

TEST(Footprint, RingsSplitWhereTheyWrap) {
  PoolCommand pool;
  pool.input = map8(100, 4, 5, 6);
  pool.input.ringRows = 6;
  pool.input.firstRow = 4;
  pool.output = map8(1000, 1, 1, 1);
  EXPECT_THAT(footprint(pool),
              UnorderedElementsAre(reads(100 + 4 * 30, 100 + 6 * 30), reads(100, 100 + 2 * 30), writes(1000, 1001)));
}

/// Compares with the formula: ranges hold all bytes, start and end on one, and add only gaps between rows or pixels.
TEST(Footprint, RangesCoverBytesOfTheFormula) {
  RandomFields random(7);
  for (int i = 0; i < 3000; ++i) {
    FeatureMap map;
    random("type", map.type);
    map.address = random.below(5000);
    map.height = 1 + random.below(7);
    map.width = 1 + random.below(5);
    map.channels = 1 + random.below(5);
    map.ringRows = 1 + random.below(9);
    map.firstRow = random.below(map.ringRows);
    map.rowStride = random.below(200);
    map.pixelStride = random.below(40);
    std::vector<ByteRange> ranges = footprint(LookupCommand{{}, map, 0, {}});
    std::erase_if(ranges, [](const ByteRange &range) { return !range.write; });
    std::set<uint64_t> bytes = bytesOf(map);
    for (uint64_t byte : bytes)
      ASSERT_TRUE(std::ranges::any_of(ranges, [&](auto &r) { return r.begin <= byte && byte < r.end; }));
    for (const ByteRange &range : ranges) {
      ASSERT_TRUE(bytes.contains(range.begin));
      ASSERT_LE(range.end, *bytes.rbegin() + 1);
    }
    ASSERT_LE(ranges.size(), 2u);
  }
}

TEST(Footprint, BroadcastInputsAreCountedOnce) {
  EltwiseCommand add;
  add.inputA = map8(0, 4, 4, 8);
  add.inputB = map8(500, 4, 4, 8);
  add.inputB.rowStride = add.inputB.pixelStride = 0;
  add.output = map8(1000, 4, 4, 8);
  EXPECT_THAT(footprint(add), UnorderedElementsAre(reads(0, 128), reads(500, 508), writes(1000, 1128)));
}

TEST(Footprint, ConvReadsWeightsRecordsAndTables) {
  ConvCommand conv;
  conv.input = map8(0, 2, 2, 4);
  conv.output = map8(64, 2, 2, 3);
  conv.weights = 200;
  conv.weightBytes = 12;
  conv.channelRecords = 300;
  EXPECT_THAT(footprint(conv), UnorderedElementsAre(reads(0, 16), writes(64, 76), reads(200, 212), reads(300, 336)));
  conv.lookupTable = 1024;
  EXPECT_THAT(footprint(conv), Contains(reads(1024, 1280)));
  conv.scaling = OutputScaling::Dynamic;
  conv.dynamicScale = 512;
  EXPECT_THAT(footprint(conv), Contains(reads(512, 520)));
  conv.scaling = OutputScaling::RequantizeWide;
  EXPECT_THAT(footprint(conv), Contains(reads(300, 348)));
}

TEST(Footprint, ConvReadsAnAddend) {
  ConvCommand conv;
  conv.input = map8(0, 2, 2, 4);
  conv.output = conv.residual.addend = map8(64, 2, 2, 3);
  EXPECT_THAT(footprint(conv), Contains(reads(64, 76)));
}

TEST(Footprint, LookupReadsAnEntryPerByteValue) {
  LookupCommand lookup{map8(0, 1, 1, 1), map8(8, 1, 1, 1), 256, {}};
  EXPECT_THAT(footprint(lookup), UnorderedElementsAre(reads(0, 1), writes(8, 9), reads(256, 512)));
  lookup.output.type = DataType::Int16;
  EXPECT_THAT(footprint(lookup), Contains(reads(256, 768)));
}

TEST(Footprint, DspAccessesItsOperands) {
  DspCommand dsp;
  dsp.inputs = {map8(0, 1, 1, 4), map8(16, 1, 1, 4)};
  dsp.outputs = {map8(32, 1, 1, 4)};
  EXPECT_THAT(footprint(dsp), ElementsAre(reads(0, 4), reads(16, 20), writes(32, 36)));
}

TEST(Footprint, DmaAccessesBothEnds) {
  DmaCommand dma;
  dma.source = {2, 1000, 100, 0, 0};
  dma.destination = {kSramRegion, 64, 16, 0, 0};
  dma.runBytes = 16;
  dma.count0 = 3;
  EXPECT_THAT(footprint(dma), UnorderedElementsAre(ByteRange{2, 1000, 1216, false}, writes(64, 112)));
  dma.kind = DmaKind::Fill;
  EXPECT_THAT(footprint(dma), ElementsAre(writes(64, 112)));
}

TEST(Footprint, EmptyCommandsHaveNoFootprint) {
  EXPECT_THAT(footprint(EndCommand{}), IsEmpty());
  EXPECT_THAT(footprint(WaitCommand{}), IsEmpty());
  EXPECT_THAT(footprint(PoolCommand{}), IsEmpty());
  DmaCommand dma;
  dma.runBytes = 16;
  dma.count1 = 0;
  EXPECT_THAT(footprint(dma), IsEmpty());
}

TEST(Footprint, HostileSizesSaturate) {
  DmaCommand dma;
  dma.source = {1, UINT64_MAX - 5, 0, 0, 0};
  dma.destination = {kSramRegion, 0, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  dma.runBytes = dma.count0 = dma.count1 = dma.count2 = UINT32_MAX;
  for (const ByteRange &range : footprint(dma))
    EXPECT_EQ(range.end, UINT64_MAX);
  LookupCommand lookup;
  lookup.output = map8(8, 1, 1, 1);
  lookup.output.ringRows = 0;
  EXPECT_THAT(footprint(lookup), Contains(writes(8, UINT64_MAX)));
}

} // namespace
