//===- ByteSetTest.cpp - Tests of sets of bytes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/ByteSet.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace avocet {
namespace {

TEST(ByteSetTest, MatchesBitmapReference) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    ByteSet set;
    std::vector<bool> bits(256);
    for (int i = 0; i < 60; ++i) {
      const uint64_t begin = random() % 256, end = random() % 257;
      if (random() % 3 != 0) {
        set.add(begin, end);
        for (uint64_t b = begin; b < end; ++b)
          bits[b] = true;
      } else {
        uint64_t taken = 0, expected = 0;
        set.take(begin, end, [&](uint64_t first, uint64_t last) { taken += last - first; });
        for (uint64_t b = begin; b < end; ++b)
          expected += bits[b], bits[b] = false;
        ASSERT_EQ(taken, expected);
      }
      const uint64_t from = random() % 256, to = random() % 257;
      ASSERT_EQ(set.covers(from, to),
                from >= to || std::find(bits.begin() + from, bits.begin() + to, false) == bits.begin() + to);
      std::vector<bool> found(256);
      uint64_t before = UINT64_MAX;
      for (const auto &[first, last] : set.ranges()) {
        ASSERT_LT(first, last);
        ASSERT_TRUE(before == UINT64_MAX || before < first); // disjoint and not adjacent
        before = last;
        for (uint64_t b = first; b < last; ++b)
          found[b] = true;
      }
      ASSERT_EQ(found, bits);
    }
  }
}

TEST(ByteSetTest, RemovesTheMiddleOfARange) {
  ByteSet set;
  set.add(10, 20);
  set.remove(13, 15);
  set.remove(30, 30);
  EXPECT_EQ(set.ranges(), (ByteSet::Ranges{{10, 13}, {15, 20}}));
  EXPECT_TRUE(set.covers(15, 20));
  EXPECT_FALSE(set.covers(12, 16));
  EXPECT_EQ(set.firstIn(13, 18), std::pair(uint64_t(15), uint64_t(18)));
}

} // namespace
} // namespace avocet
