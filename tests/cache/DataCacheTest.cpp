//===- DataCacheTest.cpp - Constants and their files ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/DataCache.h"

#include "avocet/base/File.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::cache {
namespace {

using ::testing::ElementsAreArray;

/// More than one piece of the copy, and not a multiple of a page.
constexpr uint64_t kBytes = (3 << 18) + 17;

/// A client's file.
class DataCacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    for (uint64_t i = 0; i < kBytes; ++i)
      bytes_.push_back(static_cast<uint8_t>(i * 31 + (i >> 12)));
    ASSERT_TRUE(writeFromStart(file_, bytes_, "file").isOk());
  }
  static int sealsOf(const FileDescriptor &file) { return ::fcntl(file.get(), F_GET_SEALS); }
  static ino_t inodeOf(const FileDescriptor &file) {
    struct stat status = {};
    EXPECT_EQ(::fstat(file.get(), &status), 0);
    return status.st_ino;
  }

  std::vector<uint8_t> bytes_;
  FileDescriptor file_ = std::move(createMemoryFile("client's", kBytes)).value();
};

TEST_F(DataCacheTest, KeepsBytesWhenFileChanges) {
  auto data = DataCache::fromFile(file_, kBytes);
  ASSERT_TRUE(data.isOk()) << data.status().toString();
  EXPECT_THAT((*data)->bytes(), ElementsAreArray(bytes_));
  ASSERT_TRUE(writeFromStart(file_, std::vector<uint8_t>(kBytes, 0xEE), "file").isOk());
  EXPECT_THAT((*data)->bytes(), ElementsAreArray(bytes_));
  ASSERT_EQ(::ftruncate(file_.get(), 0), 0);
  EXPECT_THAT((*data)->bytes(), ElementsAreArray(bytes_));
  EXPECT_NE(inodeOf((*data)->file()), inodeOf(file_)) << "what back ends import is the copy";
}

TEST_F(DataCacheTest, KeepsSealsOfFile) {
  auto data = DataCache::fromFile(file_, kBytes);
  ASSERT_TRUE(data.isOk());
  EXPECT_EQ(sealsOf(file_), 0);
}

TEST_F(DataCacheTest, MemoryIsSealedAgainstShrinking) {
  for (auto data : {DataCache::fromFile(file_, kBytes), DataCache::fromBytes(bytes_)}) {
    ASSERT_TRUE(data.isOk());
    EXPECT_THAT((*data)->bytes(), ElementsAreArray(bytes_));
    EXPECT_NE(::ftruncate((*data)->file().get(), 0), 0);
  }
}

TEST_F(DataCacheTest, MapsFileSealedAgainstChanges) {
  ASSERT_EQ(::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK), 0);
  FileDescriptor readOnly(::open(("/proc/self/fd/" + std::to_string(file_.get())).c_str(), O_RDONLY | O_CLOEXEC));
  auto data = DataCache::fromFile(readOnly, kBytes);
  ASSERT_TRUE(data.isOk()) << data.status().toString();
  EXPECT_EQ(inodeOf((*data)->file()), inodeOf(file_));
  EXPECT_THAT((*data)->bytes(), ElementsAreArray(bytes_));
}

/// Each seal alone still permits changes.
TEST_F(DataCacheTest, CopiesPartlySealedFile) {
  for (int seal : {F_SEAL_WRITE, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK}) {
    FileDescriptor file = std::move(createMemoryFile("client's", kBytes)).value();
    ASSERT_EQ(::fcntl(file.get(), F_ADD_SEALS, seal), 0);
    auto data = DataCache::fromFile(file, kBytes);
    ASSERT_TRUE(data.isOk()) << data.status().toString();
    EXPECT_NE(inodeOf((*data)->file()), inodeOf(file)) << seal;
  }
}

TEST_F(DataCacheTest, RefusesOtherSizes) {
  EXPECT_EQ(DataCache::fromFile(file_, kBytes - 1).status().code(), StatusCode::DataLoss);
  EXPECT_EQ(DataCache::fromFile(file_, kBytes + 1).status().code(), StatusCode::DataLoss);
  ASSERT_EQ(::ftruncate(file_.get(), 0), 0);
  EXPECT_EQ(DataCache::fromFile(file_, kBytes).status().code(), StatusCode::DataLoss);
  EXPECT_TRUE(DataCache::fromFile(file_, 0).isOk());
}

} // namespace
} // namespace avocet::cache
