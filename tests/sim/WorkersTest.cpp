//===- WorkersTest.cpp - Threads that share the work of a command ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "parallel/Workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace avocet::sim::test {
namespace {

TEST(WorkersTest, EachShareRunsOncePerRun) {
  for (const uint32_t threads : {1u, 2u, 5u}) {
    Workers workers(threads);
    for (uint32_t run = 0; run < 500; ++run) {
      const uint32_t shares = 1 + run % 13;
      std::array<uint32_t, 13> calls{}; // not atomic: each share has an element of its own
      workers.run(shares, [&](uint32_t share) { ++calls[share]; });
      for (uint32_t share = 0; share < calls.size(); ++share)
        ASSERT_EQ(calls[share], share < shares ? 1u : 0u) << "run " << run << " share " << share;
    }
  }
}

/// Long enough for the threads to go to sleep between runs.
TEST(WorkersTest, SleepingThreadsWakeUp) {
  Workers workers(2);
  for (int run = 0; run < 3; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<uint32_t> begun{0};
    // The first share ends only when another thread has begun the second.
    workers.run(2, [&](uint32_t) {
      begun.fetch_add(1);
      for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
           begun.load() < 2 && std::chrono::steady_clock::now() < end;)
        std::this_thread::yield();
      EXPECT_EQ(begun.load(), 2u);
    });
  }
}

TEST(WorkersTest, OneThreadRunsInOrder) {
  Workers workers(1);
  std::vector<uint32_t> order;
  workers.run(4, [&](uint32_t share) { order.push_back(share); });
  EXPECT_EQ(order, (std::vector<uint32_t>{0, 1, 2, 3}));
}

TEST(WorkersTest, ThreadsAreClamped) {
  EXPECT_EQ(Workers(0).threads(), 1u);
  EXPECT_EQ(Workers(UINT32_MAX).threads(), Workers::kMostThreads);
}

TEST(WorkersTest, ExceptionComesAfterAllShares) {
  Workers workers(3);
  std::atomic<uint32_t> ended{0};
  auto work = [&](uint32_t share) {
    if (share == 1)
      throw std::runtime_error("share 1");
    ended.fetch_add(1);
  };
  EXPECT_THROW(workers.run(8, work), std::runtime_error);
  EXPECT_EQ(ended.load(), 7u);
  workers.run(1, [&](uint32_t) { ended.fetch_add(1); }); // the exception is forgotten
  EXPECT_EQ(ended.load(), 8u);
}

/// A forked process has none of the threads.
TEST(WorkersTest, ForkedProcessDoesAllItself) {
  Workers workers(3);
  std::atomic<uint32_t> ended{0};
  workers.run(6, [&](uint32_t) { ended.fetch_add(1); });
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60); // a hang becomes a signal
    workers.run(6, [&](uint32_t) { ended.fetch_add(1); });
    ::_exit(static_cast<int>(ended.load()));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 12);
}

} // namespace
} // namespace avocet::sim::test
