//===- TrustedFolderTest.cpp - Tests of trusted folders ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owners and modes of folders and files are tested with the stores that use them (tests/cache/StoreSafetyTest.cpp).
//
//===----------------------------------------------------------------------===//

#include "avocet/base/TrustedFolder.h"

#include "OutputFolder.h"

#include <atomic>
#include <latch>
#include <thread>

namespace avocet {
namespace {

namespace fs = std::filesystem;
using Missing = TrustedFolder::Missing;

class TrustedFolderTest : public OutputFolder {
protected:
  StatusCode codeOf(const std::string &name) const {
    return TrustedFolder::open(path(name), Missing::Error).status().code();
  }
};

TEST_F(TrustedFolderTest, CreatesLastFolderOnly) {
  EXPECT_EQ(codeOf("new"), StatusCode::NotFound);
  ASSERT_TRUE(TrustedFolder::open(path("new"), Missing::Create).isOk());
  EXPECT_EQ(fs::status(path("new")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(TrustedFolder::open(path("a/b"), Missing::Create).status().code(), StatusCode::NotFound);
  EXPECT_FALSE(fs::exists(path("a")));
}

TEST_F(TrustedFolderTest, ConcurrentCreatorsAllSucceed) {
  for (int round = 0; round < 100; ++round) {
    const std::string folder = path("shared" + std::to_string(round));
    std::atomic<int> opened = 0;
    std::latch start(4);
    std::vector<std::thread> creators;
    for (int creator = 0; creator < 4; ++creator)
      creators.emplace_back([&] {
        start.arrive_and_wait();
        opened += TrustedFolder::open(folder, Missing::Create).isOk();
      });
    for (std::thread &creator : creators)
      creator.join();
    EXPECT_EQ(opened, 4) << "round " << round;
  }
}

TEST_F(TrustedFolderTest, FollowsDotsAndRelativeLinks) {
  fs::create_directories(path("a/b"));
  fs::permissions(path("a"), fs::perms::owner_all);
  fs::permissions(path("a/b"), fs::perms::owner_all);
  fs::create_symlink("../a/./b", path("a/link"));
  TrustedFolder folder = TrustedFolder::open(path("a/../a/link/"), Missing::Error).value();
  ASSERT_TRUE(folder.writeFile("file", {bytesOf("one "), bytesOf("two")}).isOk());
  EXPECT_EQ(get("a/b/file"), "one two");
}

TEST_F(TrustedFolderTest, RefusesLoopsAndFiles) {
  fs::create_symlink("loop", path("loop"));
  EXPECT_NE(codeOf("loop"), StatusCode::Ok);
  put("file", "");
  EXPECT_NE(codeOf("file"), StatusCode::Ok);
  EXPECT_NE(codeOf("file/x"), StatusCode::Ok);
}

TEST_F(TrustedFolderTest, StaysInFolderThatWasMoved) {
  TrustedFolder folder = TrustedFolder::open(path("here"), Missing::Create).value();
  fs::rename(path("here"), path("there"));
  fs::create_directory(path("here"));
  ASSERT_TRUE(folder.writeFile("file", {bytesOf("x")}).isOk());
  EXPECT_EQ(names("there"), std::vector<std::string>{"file"});
  EXPECT_TRUE(names("here").empty());
}

TEST_F(TrustedFolderTest, LockFifoDoesNotBlock) {
  TrustedFolder folder = TrustedFolder::open(path("store"), Missing::Create).value();
  ASSERT_EQ(::mkfifo(path("store/lock").c_str(), 0600), 0);
  EXPECT_EQ(folder.openFile("lock", TrustedFolder::Access::ReadWriteCreate).status().code(),
            StatusCode::FailedPrecondition);
  EXPECT_EQ(folder.openFile("lock", TrustedFolder::Access::Read).status().code(), StatusCode::FailedPrecondition);
}

TEST_F(TrustedFolderTest, LeftoversOfKilledWritersAreRemoved) {
  TrustedFolder folder = TrustedFolder::open(path("store"), Missing::Create).value();
  put("store/.avocet-0123456789abcdef.tmp", "half");
  put("store/.avocet-notes.tmp", "precious");
  EXPECT_EQ(folder.files().size(), 1u);
  folder.removeLeftovers();
  EXPECT_EQ(names("store"), std::vector<std::string>{".avocet-notes.tmp"});
}

} // namespace
} // namespace avocet
