//===- BlobCacheTest.cpp - The persistent cache by key ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreFixture.h"

#include "avocet/cache/BlobCache.h"

#include <thread>

namespace avocet::cache {
namespace {

constexpr uint64_t kBound = 10000;
constexpr size_t kBlob = 968; // 1000 bytes with its hash

class BlobCacheTest : public StoreFixture {
protected:
  std::shared_ptr<BlobCache> open(uint64_t bound = kBound, std::string_view generation = "driver 1") {
    Result<std::shared_ptr<BlobCache>> cache = BlobCache::open(folder_, bound, generation);
    EXPECT_TRUE(cache.isOk()) << cache.status().toString();
    return cache ? *cache : nullptr;
  }
  static void put(BlobCache &cache, uint32_t number) {
    ASSERT_TRUE(cache.put(tokenOf(number), randomBytes(kBlob, number)).isOk());
    // Ages are file times; no two may be equal.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
};

TEST_F(BlobCacheTest, ReturnsBlobsAfterRestart) {
  put(*open(), 1);
  EXPECT_EQ(*open()->get(tokenOf(1)), randomBytes(kBlob, 1));
  EXPECT_EQ(open()->get(tokenOf(2)).status().code(), StatusCode::NotFound);
  ASSERT_TRUE(open()->put(tokenOf(3), {}).isOk());
  EXPECT_TRUE(open()->get(tokenOf(3))->empty());
}

TEST_F(BlobCacheTest, EvictsLeastRecentlyUsedBlob) {
  std::shared_ptr<BlobCache> cache = open();
  for (uint32_t number = 0; number < 10; ++number)
    put(*cache, number);
  EXPECT_EQ(cache->bytes(), kBound);
  ASSERT_TRUE(cache->get(tokenOf(0)).isOk()); // now the most recently used
  put(*cache, 10);
  EXPECT_LE(cache->bytes(), kBound);
  EXPECT_TRUE(cache->get(tokenOf(0)).isOk());
  EXPECT_FALSE(cache->get(tokenOf(1)).isOk());
  EXPECT_TRUE(cache->get(tokenOf(10)).isOk());
}

TEST_F(BlobCacheTest, RefusesBlobsAboveQuarterOfBound) {
  std::shared_ptr<BlobCache> cache = open();
  put(*cache, 1);
  EXPECT_EQ(cache->put(tokenOf(2), randomBytes(kBound / 4, 2)).code(), StatusCode::ResourceExhausted);
  EXPECT_TRUE(cache->get(tokenOf(1)).isOk());
}

TEST_F(BlobCacheTest, ReopeningWithSmallerBoundEvicts) {
  for (uint32_t number = 0; number < 10; ++number)
    put(*open(), number);
  EXPECT_LE(open(4000)->bytes(), 4000u);
  EXPECT_TRUE(open(4000)->get(tokenOf(9)).isOk());
}

TEST_F(BlobCacheTest, DamagedBlobsAreNotReturned) {
  std::shared_ptr<BlobCache> cache = open();
  for (size_t bit = 0; bit < 1000 * 8; bit += 211) {
    put(*cache, 1);
    std::string path = folder_ + "/" + toHex(tokenOf(1));
    std::vector<uint8_t> bytes = *readFile(path);
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    ASSERT_TRUE(writeFile(path, bytes).isOk());
    ASSERT_FALSE(cache->get(tokenOf(1)).isOk()) << "bit " << bit;
    EXPECT_EQ(cache->bytes(), 0u);
  }
}

TEST_F(BlobCacheTest, NewGenerationEmptiesCache) {
  put(*open(), 1);
  EXPECT_EQ(open(kBound, "driver 2")->bytes(), 0u);
}

TEST_F(BlobCacheTest, SeveralProcessesWriteConcurrently) {
  std::vector<pid_t> children;
  for (uint32_t child = 0; child < 3; ++child)
    children.push_back(inChild([&] {
      Result<std::shared_ptr<BlobCache>> cache = BlobCache::open(folder_, kBound, "driver 1");
      for (uint32_t round = 0; cache && round < 40; ++round) {
        uint32_t number = (round * 7 + child) % 16;
        if (!(*cache)->put(tokenOf(number), randomBytes(kBlob, number)).isOk())
          ::_exit(1);
        Result<std::vector<uint8_t>> blob = (*cache)->get(tokenOf(number));
        if (blob && *blob != randomBytes(kBlob, number))
          ::_exit(2);
      }
      ::_exit(cache ? 0 : 3);
    }));
  for (pid_t child : children)
    EXPECT_TRUE(endedWell(child));
  EXPECT_LE(open()->bytes(), kBound);
}

} // namespace
} // namespace avocet::cache
