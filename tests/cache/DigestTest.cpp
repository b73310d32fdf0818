//===- DigestTest.cpp - Keyed hashes of the stores ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreFixture.h"

#include "avocet/cache/PrivateDirectory.h"

#include <set>

namespace avocet::cache {
namespace {

Digest keyOf(uint32_t number) {
  const std::vector<uint8_t> bytes = randomBytes(sizeof(Digest), number);
  Digest key;
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

TEST(DigestTest, EveryBitMatters) {
  std::vector<uint8_t> bytes = randomBytes(77, 1);
  std::set<Digest> digests = {digestOf(keyOf(1), {bytes})};
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    digests.insert(digestOf(keyOf(1), {bytes}));
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
  }
  EXPECT_EQ(digests.size(), 8 * bytes.size() + 1);
}

TEST(DigestTest, EveryBitOfTheKeyMatters) {
  const std::vector<uint8_t> bytes = randomBytes(50, 2);
  std::set<Digest> digests = {digestOf(keyOf(2), {bytes})};
  for (size_t bit = 0; bit < 8 * sizeof(Digest); ++bit) {
    Digest key = keyOf(2);
    key[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    digests.insert(digestOf(key, {bytes}));
  }
  EXPECT_EQ(digests.size(), 8 * sizeof(Digest) + 1);
}

TEST(DigestTest, BoundariesAndOrderOfPartsMatter) {
  const std::vector<uint8_t> bytes = randomBytes(64, 3);
  const std::span<const uint8_t> all(bytes);
  const Digest key = keyOf(3);
  const std::set<Digest> digests = {digestOf(key, {}),
                                    digestOf(key, {all}),
                                    digestOf(key, {all, {}}),
                                    digestOf(key, {{}, all}),
                                    digestOf(key, {all.first(32), all.subspan(32)}),
                                    digestOf(key, {all.first(31), all.subspan(31)}),
                                    digestOf(key, {all.subspan(32), all.first(32)})};
  EXPECT_EQ(digests.size(), 7u);
}

TEST(DigestTest, NewKeysDiffer) {
  const auto one = randomKey(), other = randomKey();
  ASSERT_TRUE(one.isOk() && other.isOk());
  EXPECT_FALSE(isEqual(*one, *other));
}

} // namespace
} // namespace avocet::cache
