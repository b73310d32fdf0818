//===- StoreSafetyTest.cpp - Stores in folders that others can change --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreFixture.h"

#include "avocet/base/File.h"
#include "avocet/cache/BlobCache.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace avocet::cache {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr uid_t kOtherUser = 1234;

class StoreSafetyTest : public StoreFixture {
protected:
  void SetUp() override {
    StoreFixture::SetUp();
    fs::create_directory(folder_);
  }
  std::string store() const { return folder_ + "/store"; }
  Status openStore(std::string_view generation = "driver 1") const {
    return TokenStore::open(store(), generation).status();
  }
  std::shared_ptr<BlobCache> openBlobs() const { return *BlobCache::open(store(), 10000, "driver 1"); }

  static bool giveAway(const std::string &path) { return ::lchown(path.c_str(), kOtherUser, kOtherUser) == 0; }
};

TEST_F(StoreSafetyTest, FolderOfAnotherUserIsRefused) {
  fs::create_directory(store());
  if (!giveAway(store()))
    GTEST_SKIP() << "only root can give a folder away";
  Status status = openStore();
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("/store belongs to user 1234"));
  EXPECT_THAT(status.message(), ContainsRegex("run 'chown 0 /.*/store'"));
  EXPECT_TRUE(fs::is_empty(store()));
}

TEST_F(StoreSafetyTest, FolderThatOthersCanWriteIsRefused) {
  fs::create_directory(store());
  for (mode_t mode : {0777, 01777, 0770, 0720, 0702}) {
    ASSERT_EQ(::chmod(store().c_str(), mode), 0);
    Status status = openStore();
    EXPECT_EQ(status.code(), StatusCode::FailedPrecondition) << mode;
    EXPECT_THAT(status.message(), ContainsRegex("run 'chmod go-w /.*/store'"));
  }
  ASSERT_EQ(::chmod(store().c_str(), 0755), 0);
  EXPECT_TRUE(openStore().isOk()) << openStore().toString();
}

TEST_F(StoreSafetyTest, ParentOfAnotherUserIsRefused) {
  if (!giveAway(folder_))
    GTEST_SKIP() << "only root can give a folder away";
  EXPECT_EQ(openStore().code(), StatusCode::FailedPrecondition);
  EXPECT_FALSE(fs::exists(store()));
}

TEST_F(StoreSafetyTest, WritableParentNeedsStickyBit) {
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  EXPECT_EQ(openStore().code(), StatusCode::FailedPrecondition);
  ASSERT_EQ(::chmod(folder_.c_str(), 01777), 0);
  EXPECT_TRUE(openStore().isOk()) << openStore().toString();
}

TEST_F(StoreSafetyTest, LinkOfAnotherUserIsRefused) {
  fs::create_directory(folder_ + "/real");
  fs::create_symlink("real", store());
  EXPECT_TRUE(openStore().isOk()) << openStore().toString();
  if (!giveAway(store()))
    GTEST_SKIP() << "only root can give a link away";
  EXPECT_EQ(openStore().code(), StatusCode::FailedPrecondition);
}

TEST_F(StoreSafetyTest, LinkInPlaceOfLockIsNotFollowed) {
  fs::create_directory(store());
  fs::create_symlink(folder_ + "/victim", store() + "/lock");
  Status status = openStore();
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("lock is a symbolic link"));
  EXPECT_FALSE(fs::exists(folder_ + "/victim"));
}

TEST_F(StoreSafetyTest, LinksInPlaceOfKeyAndGenerationStay) {
  for (auto name : {"key", "generation"}) {
    fs::create_directory(store());
    ASSERT_TRUE(writeFile(folder_ + "/victim", std::string_view("precious")).isOk());
    fs::create_symlink(folder_ + "/victim", store() + "/" + name);
    EXPECT_FALSE(openStore().isOk()) << name;
    EXPECT_TRUE(fs::is_symlink(store() + "/" + name));
    EXPECT_EQ(readFile(folder_ + "/victim")->size(), 8u);
    fs::remove_all(store());
  }
}

TEST_F(StoreSafetyTest, KeyOfAnotherUserIsRefused) {
  ASSERT_TRUE(openStore().isOk());
  if (!giveAway(store() + "/key"))
    GTEST_SKIP() << "only root can give a file away";
  EXPECT_EQ(openStore().code(), StatusCode::FailedPrecondition);
}

TEST_F(StoreSafetyTest, EmptyingLeavesOtherFiles) {
  ASSERT_TRUE(openStore("driver 1").isOk());
  const std::string entry(64, 'a');
  std::vector<std::string> others = {"notes.txt", "x.tmp.y", std::string(63, 'a'), std::string(64, 'g')};
  for (const std::string &name : others)
    ASSERT_TRUE(writeFile(store() + "/" + name, std::string_view("precious")).isOk());
  fs::create_directory(store() + "/" + std::string(64, 'b'));
  fs::create_symlink("notes.txt", store() + "/" + std::string(64, 'c'));
  ASSERT_TRUE(writeFile(store() + "/" + entry, std::string_view("void")).isOk());
  ASSERT_TRUE(openStore("driver 2").isOk());
  EXPECT_FALSE(fs::exists(store() + "/" + entry));
  for (const std::string &name : others)
    EXPECT_TRUE(fs::exists(store() + "/" + name)) << name;
  EXPECT_TRUE(fs::is_directory(store() + "/" + std::string(64, 'b')));
  EXPECT_TRUE(fs::is_symlink(store() + "/" + std::string(64, 'c')));
}

TEST_F(StoreSafetyTest, EvictionLeavesOtherFiles) {
  std::shared_ptr<BlobCache> blobs = openBlobs();
  ASSERT_TRUE(writeFile(store() + "/movie", std::string(20000, 'x')).isOk());
  ASSERT_TRUE(blobs->put(tokenOf(1), randomBytes(100, 1)).isOk());
  EXPECT_TRUE(fs::exists(store() + "/movie"));
  EXPECT_TRUE(blobs->get(tokenOf(1)).isOk());
}

TEST_F(StoreSafetyTest, KeepsBlobOfAnotherUserUnread) {
  std::shared_ptr<BlobCache> blobs = openBlobs();
  ASSERT_TRUE(blobs->put(tokenOf(1), randomBytes(100, 1)).isOk());
  const std::string path = store() + "/" + toHex(tokenOf(1));
  if (!giveAway(path))
    GTEST_SKIP() << "only root can give a file away";
  EXPECT_EQ(blobs->get(tokenOf(1)).status().code(), StatusCode::NotFound);
  EXPECT_FALSE(blobs->put(tokenOf(1), randomBytes(100, 2)).isOk());
  ASSERT_TRUE(fs::exists(path));
  struct stat info;
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kOtherUser);
}

TEST_F(StoreSafetyTest, LinkToBlobIsNotRead) {
  std::shared_ptr<BlobCache> blobs = openBlobs();
  ASSERT_TRUE(blobs->put(tokenOf(1), randomBytes(100, 1)).isOk());
  const std::string path = store() + "/" + toHex(tokenOf(1));
  fs::rename(path, folder_ + "/elsewhere");
  fs::create_symlink(folder_ + "/elsewhere", path);
  EXPECT_FALSE(blobs->get(tokenOf(1)).isOk());
}

} // namespace
} // namespace avocet::cache
