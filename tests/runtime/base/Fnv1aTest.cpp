//===- Fnv1aTest.cpp -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Checksum.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace avocet {
namespace {

template <size_t n> uint64_t hashOf(const char (&text)[n]) {
  std::array<uint8_t, n - 1> bytes;
  std::copy_n(text, n - 1, bytes.begin());
  return Fnv1a().add(bytes).value();
}

/// From the test vectors of the algorithm's authors.
TEST(Fnv1aTest, MatchesPublishedVectors) {
  EXPECT_EQ(hashOf(""), 0xcbf29ce484222325);
  EXPECT_EQ(hashOf("a"), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(hashOf("foobar"), 0x85944171f73967e8);
}

TEST(Fnv1aTest, NumberIsHashedAsLittleEndianBytes) {
  const std::array<uint8_t, 8> bytes{8, 7, 6, 5, 4, 3, 2, 1};
  EXPECT_EQ(Fnv1a().addNumber(0x0102030405060708).value(), Fnv1a().add(bytes).value());
}

TEST(Fnv1aTest, ContinuesFromValue) {
  EXPECT_EQ(Fnv1a(Fnv1a().addNumber(1).value()).addNumber(2).value(), Fnv1a().addNumber(1).addNumber(2).value());
}

} // namespace
} // namespace avocet
