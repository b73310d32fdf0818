//===- CacheFolderTest.cpp - Opening cache files in a folder ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/CacheFolder.h"

#include "avocet/base/ScratchDirectory.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace avocet::nnapi {
namespace {

namespace fs = std::filesystem;

TEST(CacheFolderTest, OnlySavingCreatesFiles) {
  auto folder = ScratchDirectory::make();
  ASSERT_TRUE(folder.isOk()) << folder.status().toString();
  const CachePlace place{folder->path(), {}, {}};
  const hal::CacheToken token = {1};
  EXPECT_FALSE(openCacheFiles(place, token, {1, 2}, CacheAccess::Existing).has_value());
  EXPECT_TRUE(fs::is_empty(folder->path()));
  {
    auto files = openCacheFiles(place, token, {1, 2}, CacheAccess::Created);
    ASSERT_TRUE(files.has_value());
    EXPECT_EQ(files->modelCache.size(), 1u);
    EXPECT_EQ(files->dataCache.size(), 2u);
    EXPECT_EQ(files->token, token);
    EXPECT_FALSE(openCacheFiles(place, token, {1, 2}, CacheAccess::Existing).has_value()) << "they are being written";
  }
  size_t count = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder->path())) {
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
    ++count;
  }
  EXPECT_EQ(count, 3u);
  EXPECT_TRUE(openCacheFiles(place, token, {1, 2}, CacheAccess::Existing).has_value());
  EXPECT_FALSE(openCacheFiles(place, hal::CacheToken{2}, {1, 2}, CacheAccess::Existing).has_value());
}

} // namespace
} // namespace avocet::nnapi
