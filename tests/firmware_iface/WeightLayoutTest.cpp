//===- WeightLayoutTest.cpp - Order of weights in memory ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightLayout.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace avocet::firmware {
namespace {

MacArrayModel arrayWith(uint32_t dense, uint32_t depthwise) {
  MacArrayModel mac{};
  mac.dense.channels = dense;
  mac.depthwise.channels = depthwise;
  return mac;
}

WeightLayout layoutOf(ConvKind kind, WeightDims dims, uint32_t granule, uint32_t elementSize = 1) {
  Result<WeightLayout> layout = WeightLayout::create(arrayWith(granule, granule), kind, dims, elementSize);
  EXPECT_TRUE(layout.isOk()) << layout.status().toString();
  return *layout;
}

std::vector<uint8_t> counting(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
  return bytes;
}

TEST(WeightLayoutTest, DenseOrderByHand) {
  // 3 output channels of 2 products, granules of 2: channels 0 and 1, then channel 2.
  WeightLayout layout = layoutOf(ConvKind::Dense, {3, 1, 1, 2}, 2);
  std::vector<uint8_t> plain = {10, 11, 20, 21, 30, 31}, packed(6);
  layout.pack(plain, packed);
  EXPECT_EQ(packed, (std::vector<uint8_t>{10, 11, 20, 21, 30, 31}));
}

TEST(WeightLayoutTest, DenseChunksInterleaveChannels) {
  // 34 products: a chunk of 32 of each channel, then the rest of each channel.
  WeightLayout layout = layoutOf(ConvKind::Dense, {2, 1, 1, 34}, 8);
  EXPECT_EQ(layout.indexOf(0, 31), 31u);
  EXPECT_EQ(layout.indexOf(1, 0), 32u);
  EXPECT_EQ(layout.indexOf(0, 32), 64u);
  EXPECT_EQ(layout.indexOf(1, 32), 66u);
  EXPECT_EQ(layout.indexOf(1, 33), 67u);
}

TEST(WeightLayoutTest, DepthwiseOrderByHand) {
  // 2 taps of 3 channels, granules of 2: [channels 0,1: tap 0, tap 1][channel 2: tap 0, tap 1].
  WeightLayout layout = layoutOf(ConvKind::Depthwise, {3, 2, 1, 3}, 2);
  std::vector<uint8_t> plain = {1, 2, 3, 4, 5, 6}, packed(6);
  layout.pack(plain, packed);
  EXPECT_EQ(packed, (std::vector<uint8_t>{1, 2, 4, 5, 3, 6}));
}

TEST(WeightLayoutTest, UnpackInvertsPack) {
  for (ConvKind kind : {ConvKind::Dense, ConvKind::Depthwise})
    for (uint32_t channels : {1u, 7u, 8u, 17u, 40u})
      for (uint32_t inputs : {1u, 3u, 31u, 33u})
        for (uint32_t size : {1u, 2u, 4u}) {
          WeightLayout layout = layoutOf(kind, {channels, 3, 2, inputs}, 8, size);
          std::vector<uint8_t> plain = counting(layout.bytes()), packed(layout.bytes()), back(layout.bytes());
          layout.pack(plain, packed);
          layout.unpack(packed, back);
          EXPECT_EQ(back, plain);
        }
}

TEST(WeightLayoutTest, IndexIsAPermutation) {
  for (ConvKind kind : {ConvKind::Dense, ConvKind::Depthwise}) {
    WeightLayout layout = layoutOf(kind, {21, 3, 3, 5}, 8);
    std::vector<int> uses(layout.bytes());
    for (uint32_t channel = 0; channel < layout.outputChannels(); ++channel)
      for (uint32_t product = 0; product < layout.products(); ++product)
        ++uses.at(layout.indexOf(channel, product));
    EXPECT_EQ(uses, std::vector<int>(layout.bytes(), 1));
  }
}

TEST(WeightLayoutTest, GranuleRangesAreContiguousAndIndependent) {
  for (ConvKind kind : {ConvKind::Dense, ConvKind::Depthwise}) {
    WeightLayout whole = layoutOf(kind, {24, 1, 3, 35}, 8), part = layoutOf(kind, {16, 1, 3, 35}, 8);
    const uint64_t first = whole.indexOf(8, 0);
    for (uint32_t channel = 0; channel < 16; ++channel)
      for (uint32_t product = 0; product < part.products(); ++product)
        EXPECT_EQ(whole.indexOf(channel + 8, product), first + part.indexOf(channel, product));
  }
}

TEST(WeightLayoutTest, RejectsInvalidDimensions) {
  MacArrayModel mac = arrayWith(8, 8);
  EXPECT_FALSE(WeightLayout::create(mac, ConvKind::Dense, {0, 1, 1, 1}, 1).isOk());
  EXPECT_FALSE(WeightLayout::create(mac, ConvKind::Dense, {1, 1, 1, 0}, 1).isOk());
  EXPECT_FALSE(WeightLayout::create(mac, ConvKind::Dense, {1, 1, 1, 1}, 3).isOk());
  EXPECT_FALSE(WeightLayout::create(mac, ConvKind::Dense, {65536, 256, 256, 1}, 1).isOk());
  EXPECT_FALSE(WeightLayout::create(mac, ConvKind::Dense, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, 4).isOk());
}

} // namespace
} // namespace avocet::firmware
