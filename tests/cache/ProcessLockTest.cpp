//===- ProcessLockTest.cpp - Readers and writers in this process ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileLock.h"

#include <gtest/gtest.h>

#include <thread>

namespace avocet::cache {
namespace {

using namespace std::chrono_literals;

constexpr FileId kFile{1, 2}, kOther{1, 3};

TEST(ProcessLockTest, ReadersShareFile) {
  auto first = lockInProcess(kFile, false, 0ms), second = lockInProcess(kFile, false, 0ms);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(second, nullptr);
  first.reset();
  EXPECT_EQ(lockInProcess(kFile, true, 0ms), nullptr) << "one reader is left";
  second.reset();
  EXPECT_NE(lockInProcess(kFile, true, 0ms), nullptr);
}

TEST(ProcessLockTest, WriterExcludesOthersFromItsFile) {
  auto writer = lockInProcess(kFile, true, 0ms);
  ASSERT_NE(writer, nullptr);
  EXPECT_EQ(lockInProcess(kFile, true, 0ms), nullptr);
  EXPECT_EQ(lockInProcess(kFile, false, 0ms), nullptr);
  EXPECT_NE(lockInProcess(kOther, true, 0ms), nullptr);
}

TEST(ProcessLockTest, WaitsForReleaseOnOtherThread) {
  auto writer = lockInProcess(kFile, true, 0ms);
  std::jthread other([&] {
    std::this_thread::sleep_for(10ms);
    writer.reset();
  });
  EXPECT_NE(lockInProcess(kFile, false, 60s), nullptr);
}

} // namespace
} // namespace avocet::cache
