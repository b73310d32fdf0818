//===- WeightIndexTest.cpp - Parts of compressed weights ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/WeightIndex.h"
#include "avocet/firmware_iface/WeightStream.h"

#include "gtest/gtest.h"

namespace avocet::firmware {
namespace {

/// Five granules of 100 bytes, of which the last one has 50; granule 2 is one run.
std::vector<uint8_t> filter() {
  std::vector<uint8_t> bytes(450);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = i / 100 == 2 ? 0 : static_cast<uint8_t>(i * i % 7);
  return bytes;
}

struct Coded {
  std::vector<uint8_t> plain = filter();
  WeightEncoder encoder = *WeightEncoder::create(plain, {1, 100, plain.size()});
  std::vector<uint8_t> slice = bytesOf(0, encoder.granules());

  std::vector<uint8_t> bytesOf(uint32_t first, uint32_t end) const {
    std::vector<uint8_t> bytes(encoder.sliceBytes(first, end));
    encoder.encode(first, end, bytes);
    return bytes;
  }
};

TEST(WeightIndexTest, RangesMakeTheSliceOfTheirGranules) {
  const Coded coded;
  const Result<WeightIndex> index = WeightIndex::read(coded.slice, {1, 100, coded.plain.size()});
  ASSERT_TRUE(index) << index.status().toString();
  ASSERT_EQ(index->granules(), 5u);
  for (uint32_t first = 0; first < 5; ++first)
    for (uint32_t end = first + 1; end <= 5; ++end) {
      std::vector<uint8_t> gathered;
      for (const WeightIndex::Range &range : index->rangesOf(first, end))
        gathered.insert(gathered.end(), coded.slice.begin() + static_cast<ptrdiff_t>(range.begin),
                        coded.slice.begin() + static_cast<ptrdiff_t>(range.begin + range.bytes));
      EXPECT_EQ(gathered, coded.bytesOf(first, end)) << first << " to " << end;
      EXPECT_EQ(index->bytesOf(first, end), gathered.size());
    }
}

TEST(WeightIndexTest, OtherSizesAreDamage) {
  const Coded coded;
  EXPECT_EQ(WeightIndex::read(coded.slice, {1, 100, 600}).status().code(), StatusCode::DataLoss);
  EXPECT_EQ(WeightIndex::read(coded.slice, {2, 100, 450}).status().code(), StatusCode::DataLoss);
  const std::span<const uint8_t> all = coded.slice;
  for (size_t size = 0; size < all.size(); ++size)
    EXPECT_FALSE(WeightIndex::read(all.first(size), {1, 100, 450})) << size;
}

} // namespace
} // namespace avocet::firmware
