//===- TokenStoreTest.cpp - Tokens and hashes over restarts and crashes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreFixture.h"

#include "avocet/base/File.h"

#include <thread>

namespace avocet::cache {
namespace {

class TokenStoreTest : public StoreFixture {
protected:
  std::shared_ptr<TokenStore> open(std::string_view generation = "driver 1") {
    Result<std::shared_ptr<TokenStore>> store = TokenStore::open(folder_, generation);
    EXPECT_TRUE(store.isOk()) << store.status().toString();
    return store ? *store : nullptr;
  }
  static Digest digest(const TokenStore &store, uint32_t number) { return store.digestOf(randomBytes(100, number)); }
};

TEST_F(TokenStoreTest, KeepsEntriesAfterRestart) {
  for (uint32_t number = 0; number < 20; ++number)
    ASSERT_TRUE(open()->put(tokenOf(number), digest(*open(), number)).isOk());
  std::shared_ptr<TokenStore> store = open();
  EXPECT_EQ(store->size(), 20u);
  for (uint32_t number = 0; number < 20; ++number)
    EXPECT_EQ(*store->find(tokenOf(number)), digest(*store, number));
  EXPECT_EQ(store->find(tokenOf(20)).status().code(), StatusCode::NotFound);
}

TEST_F(TokenStoreTest, ReplacesDigestOfToken) {
  std::shared_ptr<TokenStore> store = open();
  ASSERT_TRUE(store->put(tokenOf(1), digest(*store, 1)).isOk());
  ASSERT_TRUE(store->put(tokenOf(1), digest(*store, 2)).isOk());
  EXPECT_EQ(*store->find(tokenOf(1)), digest(*store, 2));
}

TEST_F(TokenStoreTest, NewGenerationEmptiesStore) {
  std::shared_ptr<TokenStore> old = open("driver 1");
  ASSERT_TRUE(old->put(tokenOf(1), digest(*old, 1)).isOk());
  std::shared_ptr<TokenStore> current = open("driver 2");
  EXPECT_EQ(current->size(), 0u);
  // A process still runs the old driver: its entries must not be valid for the new one.
  EXPECT_EQ(old->put(tokenOf(2), digest(*old, 2)).code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(current->size(), 0u);
  EXPECT_FALSE(open("driver 1")->find(tokenOf(1)).isOk());
}

TEST_F(TokenStoreTest, HashesDifferBetweenStores) {
  std::vector<uint8_t> bytes = randomBytes(1000, 1);
  Digest here = open()->digestOf(bytes);
  EXPECT_EQ(here, open()->digestOf(bytes));
  std::string other = folder_ + "-other";
  Result<std::shared_ptr<TokenStore>> store = TokenStore::open(other, "driver 1");
  ASSERT_TRUE(store.isOk());
  EXPECT_NE(here, (*store)->digestOf(bytes));
  std::filesystem::remove_all(other);
}

TEST_F(TokenStoreTest, DamagedEntriesAreNotFound) {
  std::shared_ptr<TokenStore> store = open();
  ASSERT_TRUE(store->put(tokenOf(1), digest(*store, 1)).isOk());
  std::string path = folder_ + "/" + toHex(tokenOf(1));
  std::vector<uint8_t> entry = *readFile(path);
  for (size_t bit = 0; bit < entry.size() * 8; ++bit) {
    std::vector<uint8_t> flipped = entry;
    flipped[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    ASSERT_TRUE(writeFile(path, flipped).isOk());
    EXPECT_FALSE(store->find(tokenOf(1)).isOk()) << "bit " << bit;
  }
  for (size_t length = 0; length < entry.size(); ++length) {
    ASSERT_TRUE(writeFile(path, std::span(entry).first(length)).isOk());
    EXPECT_FALSE(store->find(tokenOf(1)).isOk()) << length << " bytes";
  }
}

TEST_F(TokenStoreTest, EntryIsInvalidForOtherToken) {
  std::shared_ptr<TokenStore> store = open();
  ASSERT_TRUE(store->put(tokenOf(1), digest(*store, 1)).isOk());
  std::filesystem::copy(folder_ + "/" + toHex(tokenOf(1)), folder_ + "/" + toHex(tokenOf(2)));
  EXPECT_FALSE(store->find(tokenOf(2)).isOk());
}

TEST_F(TokenStoreTest, DamagedKeyEmptiesStore) {
  std::shared_ptr<TokenStore> store = open();
  ASSERT_TRUE(store->put(tokenOf(1), digest(*store, 1)).isOk());
  ASSERT_TRUE(writeFile(folder_ + "/key", std::string_view("short")).isOk());
  EXPECT_EQ(open()->size(), 0u);
}

TEST_F(TokenStoreTest, EvictsEntriesAboveBound) {
  std::shared_ptr<TokenStore> store = open();
  ASSERT_TRUE(store->put(tokenOf(0), digest(*store, 0)).isOk());
  std::vector<uint8_t> entry = *readFile(folder_ + "/" + toHex(tokenOf(0)));
  for (uint32_t number = 1; number <= TokenStore::kMaxEntries; ++number)
    ASSERT_TRUE(writeFile(folder_ + "/" + toHex(tokenOf(number)), entry).isOk());
  store = open(); // counts the entries
  ASSERT_TRUE(store->put(tokenOf(100000), digest(*store, 1)).isOk());
  EXPECT_LE(store->size(), TokenStore::kMaxEntries);
  EXPECT_TRUE(store->find(tokenOf(100000)).isOk());
}

TEST_F(TokenStoreTest, RefusesFolderWithMissingParent) {
  EXPECT_FALSE(TokenStore::open(folder_ + "/missing/parent", "driver").isOk());
}

/// Writes hashes of ascending numbers until it is killed.
[[noreturn]] void writeForEver(const std::string &folder) {
  for (uint32_t number = 0;; ++number) {
    Result<std::shared_ptr<TokenStore>> store = TokenStore::open(folder, "driver 1");
    if (store)
      (void)(*store)->put(tokenOf(number % 8), (*store)->digestOf(randomBytes(100, number % 8)));
  }
}

TEST_F(TokenStoreTest, SurvivesKilledWriters) {
  std::mt19937 random(1);
  open();
  for (int round = 0; round < 40; ++round) {
    pid_t child = inChild([&] { writeForEver(folder_); });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 12000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    EXPECT_FALSE(endedWell(child));
    std::shared_ptr<TokenStore> store = open();
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(temporaryFiles(), 0u);
    for (uint32_t number = 0; number < 8; ++number)
      if (Result<Digest> found = store->find(tokenOf(number)))
        EXPECT_EQ(*found, digest(*store, number));
  }
}

TEST_F(TokenStoreTest, SeveralProcessesWriteConcurrently) {
  std::vector<pid_t> children;
  for (uint32_t child = 0; child < 4; ++child)
    children.push_back(inChild([&] {
      Result<std::shared_ptr<TokenStore>> store = TokenStore::open(folder_, "driver 1");
      for (uint32_t number = 0; store && number < 25; ++number)
        if (!(*store)->put(tokenOf(child * 25 + number), (*store)->digestOf(randomBytes(100, number))).isOk())
          ::_exit(1);
      ::_exit(store ? 0 : 1);
    }));
  for (pid_t child : children)
    EXPECT_TRUE(endedWell(child));
  EXPECT_EQ(open()->size(), 100u);
}

} // namespace
} // namespace avocet::cache
