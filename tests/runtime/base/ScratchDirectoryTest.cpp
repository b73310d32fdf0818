//===- ScratchDirectoryTest.cpp - Folders of killed runs ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/ScratchDirectory.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet {
namespace {

TEST(ScratchDirectoryTest, FoldersOfKilledProcessesAreRemoved) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto folder = ScratchDirectory::make();
    if (folder)
      (void)!::write(ends[1], folder->path().c_str(), folder->path().size() + 1);
    ::_exit(0); // no destructor runs, as after a kill
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  char left[256] = {};
  ASSERT_GT(::read(ends[0], left, sizeof(left) - 1), 0);
  ::close(ends[0]);
  ::close(ends[1]);
  auto first = ScratchDirectory::make();
  ASSERT_TRUE(first.isOk()) << first.status().toString();
  EXPECT_FALSE(std::filesystem::exists(left)) << left;
  auto second = ScratchDirectory::make();
  ASSERT_TRUE(second.isOk());
  EXPECT_TRUE(std::filesystem::exists(first->path())) << "its process lives";
  const std::string path = second->path();
  second->remove();
  EXPECT_FALSE(std::filesystem::exists(path));
}

} // namespace
} // namespace avocet
