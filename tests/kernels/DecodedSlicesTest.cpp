//===- DecodedSlicesTest.cpp - Decoded weights that are kept --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/DecodedSlices.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace avocet::kernels {
namespace {

using namespace firmware;

constexpr uint64_t kGranuleBytes = 256, kPlainBytes = 4 * kGranuleBytes;

/// Weights that compress, and their slice.
struct Slice {
  explicit Slice(uint32_t seed) : plain(kPlainBytes) {
    std::minstd_rand random(seed + 1);
    for (uint8_t &weight : plain)
      weight = static_cast<uint8_t>(random() % 4 == 0 ? random() : 0);
    const auto encoder = WeightEncoder::create(plain, {1, kGranuleBytes, plain.size()});
    bytes.resize(encoder->sliceBytes(0, encoder->granules()));
    encoder->encode(0, encoder->granules(), bytes);
  }

  SlicePart part(uint32_t firstGranule = 0) const {
    return {bytes, {1, kGranuleBytes, kPlainBytes}, firstGranule, kPlainBytes - firstGranule * kGranuleBytes};
  }

  std::vector<uint8_t> plain, bytes;
};

TEST(DecodedSlicesTest, EqualContentsAreDecodedOnce) {
  DecodedSlices slices(1 << 20);
  const Slice slice(1), copy(1), other(2);
  EXPECT_EQ(*slices.find(slice.part()), slice.plain);
  EXPECT_EQ(*slices.find(copy.part()), slice.plain);
  EXPECT_EQ(slices.decoded(), 1u);
  EXPECT_EQ(*slices.find(other.part()), other.plain);
  EXPECT_EQ(slices.decoded(), 2u);
}

TEST(DecodedSlicesTest, EachPartIsItsOwn) {
  DecodedSlices slices(1 << 20);
  const Slice slice(1);
  EXPECT_EQ(*slices.find(slice.part()), slice.plain);
  EXPECT_EQ(*slices.find(slice.part(1)), std::vector<uint8_t>(slice.plain.begin() + kGranuleBytes, slice.plain.end()));
  EXPECT_EQ(slices.decoded(), 2u);
}

/// Also where the key does not show the change.
TEST(DecodedSlicesTest, EveryChangedByteIsSeen) {
  DecodedSlices slices(1 << 20);
  Slice slice(1);
  const DecodedSlices::Plain before = slices.find(slice.part());
  for (size_t at = slice.bytes.size() / 2; at < slice.bytes.size(); ++at) {
    slice.bytes[at] ^= 0x5a;
    std::vector<uint8_t> expected(kPlainBytes);
    if (!decodeWeightSlice(slice.bytes, slice.part().shape, 0, expected).isOk())
      expected.assign(kPlainBytes, 0);
    ASSERT_EQ(*slices.find(slice.part()), expected) << "byte " << at;
    slice.bytes[at] ^= 0x5a;
  }
  EXPECT_EQ(*before, slice.plain) << "what a caller holds does not change";
}

TEST(DecodedSlicesTest, KeepsNoMoreThanTheBound) {
  constexpr uint64_t kBound = 20000; // of about a dozen slices
  DecodedSlices slices(kBound);
  std::vector<Slice> all;
  for (uint32_t seed = 0; seed < 40; ++seed)
    all.emplace_back(seed);
  for (int round = 0; round < 4; ++round)
    for (const Slice &slice : all) {
      ASSERT_EQ(*slices.find(slice.part()), slice.plain);
      ASSERT_LE(slices.bytes(), kBound);
    }
  EXPECT_LT(slices.decoded(), 4 * all.size()) << "some slices stay from round to round";
  EXPECT_GT(slices.bytes(), kBound / 2);
}

TEST(DecodedSlicesTest, SliceAboveTheBoundIsNotKept) {
  DecodedSlices slices(100);
  const Slice slice(1);
  EXPECT_EQ(*slices.find(slice.part()), slice.plain);
  EXPECT_EQ(slices.bytes(), 0u);
}

TEST(DecodedSlicesTest, ThreadsShareIt) {
  DecodedSlices slices(20000);
  std::vector<Slice> all;
  for (uint32_t seed = 0; seed < 30; ++seed)
    all.emplace_back(seed);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round)
        for (const Slice &slice : all)
          EXPECT_EQ(*slices.find(slice.part()), slice.plain);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace avocet::kernels
