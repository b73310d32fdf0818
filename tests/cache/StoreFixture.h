//===- StoreFixture.h - A store in a separate folder ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CACHE_STOREFIXTURE_H
#define AVOCET_TESTS_CACHE_STOREFIXTURE_H

#include "avocet/cache/TokenStore.h"

#include <csignal>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::cache {

inline Token tokenOf(uint32_t number) {
  Token token = {};
  for (size_t i = 0; i < sizeof(number); ++i)
    token[i] = static_cast<uint8_t>(number >> 8 * i);
  return token;
}

inline std::vector<uint8_t> randomBytes(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t &byte : bytes)
    byte = static_cast<uint8_t>(random());
  return bytes;
}

/// Runs `body` in a child process, which never returns from it.
inline pid_t inChild(const std::function<void()> &body) {
  pid_t child = ::fork();
  if (child != 0)
    return child;
  body();
  ::_exit(0);
}

/// Waits for the child; true if it exited with code 0.
inline bool endedWell(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class StoreFixture : public testing::Test {
protected:
  void SetUp() override {
    ::umask(S_IWGRP | S_IWOTH); // a store accepts no folder that others can write to
    const testing::TestInfo *info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "/avocet-" + info->test_suite_name() + "-" + info->name() + "-" +
              std::to_string(::getpid());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  size_t temporaryFiles() const {
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder_))
      count += entry.path().filename().string().find(".tmp") != std::string::npos;
    return count;
  }

  std::string folder_;
};

} // namespace avocet::cache

#endif // AVOCET_TESTS_CACHE_STOREFIXTURE_H
