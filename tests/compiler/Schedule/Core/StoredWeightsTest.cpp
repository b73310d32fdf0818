//===- StoredWeightsTest.cpp - Sizes of stored weights --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Core/Problem.h"

#include "avocet/firmware_iface/WeightStream.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

using firmware::WeightFormat;
using firmware::WeightIndex;

TEST(StoredWeightsTest, PackedChannelsHaveOneSize) {
  const StoredWeights weights = StoredWeights::packed(36);
  EXPECT_EQ(weights.bytesOf(8, 24), 16 * 36u);
  EXPECT_EQ(weights.rangesOf(8, 24), (std::vector<WeightIndex::Range>{{8 * 36, 16 * 36}}));
  firmware::ConvCommand command;
  command.sliceChannels = 7;
  weights.describe(command, 8, 24);
  EXPECT_EQ(command.weightFormat, WeightFormat::Packed);
  EXPECT_EQ(command.weightBytes, 16 * 36u);
  EXPECT_EQ(command.sliceChannels, 0u);
}

/// 20 channels of 10 weights in granules of 8: the first granule is a run, the last one has 4 channels.
StoredWeights compressed(std::vector<uint8_t> &slice) {
  std::vector<uint8_t> plain(200);
  for (size_t i = 80; i < plain.size(); ++i)
    plain[i] = static_cast<uint8_t>(i % 5);
  const auto encoder = firmware::WeightEncoder::create(plain, {1, 80, plain.size()});
  slice.resize(encoder->sliceBytes(0, 3));
  encoder->encode(0, 3, slice);
  return StoredWeights::compressed(*WeightIndex::read(slice, {1, 80, 200}), 8);
}

TEST(StoredWeightsTest, CompressedPartsAreSlices) {
  std::vector<uint8_t> slice;
  const StoredWeights weights = compressed(slice);
  EXPECT_EQ(weights.bytesOf(0, 20), slice.size());
  EXPECT_LT(weights.bytesOf(0, 8), weights.bytesOf(8, 16)) << "a run is shorter than other weights";
  uint64_t sum = 0;
  for (const WeightIndex::Range &range : weights.rangesOf(8, 20))
    sum += range.bytes;
  EXPECT_EQ(sum, weights.bytesOf(8, 20));
  firmware::ConvCommand command;
  weights.describe(command, 8, 20);
  EXPECT_EQ(command.weightFormat, WeightFormat::Compressed);
  EXPECT_EQ(command.weightBytes, sum);
  EXPECT_EQ(command.sliceChannels, 12u);
  EXPECT_EQ(command.firstSliceChannel, 0u);
}

} // namespace
} // namespace avocet::compiler::schedule
