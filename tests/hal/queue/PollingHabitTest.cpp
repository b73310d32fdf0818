//===- PollingHabitTest.cpp - Tests of whether polling pays -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/queue/MessageQueue.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

/// Number of waits without polling before the next one that polls.
uint32_t skippedBy(PollingHabit &habit) {
  uint32_t skipped = 0;
  while (!habit.shouldPoll())
    ++skipped;
  return skipped;
}

TEST(PollingHabit, PollsAtFirstAndWhileItSucceeds) {
  PollingHabit habit;
  for (int wait = 0; wait < 10; ++wait) {
    EXPECT_TRUE(habit.shouldPoll());
    habit.succeeded();
  }
}

TEST(PollingHabit, DoublesSkippedWaitsAfterEachFailure) {
  PollingHabit habit;
  uint32_t expected = 0;
  for (int window = 0; window < 20; ++window) {
    EXPECT_EQ(skippedBy(habit), expected);
    habit.failed();
    expected = std::min(2 * expected + 1, PollingHabit::kMaxSkipped);
  }
  EXPECT_EQ(expected, PollingHabit::kMaxSkipped);
}

TEST(PollingHabit, OneSuccessResetsFailures) {
  PollingHabit habit;
  for (int window = 0; window < 20; ++window) {
    skippedBy(habit);
    habit.failed();
  }
  EXPECT_EQ(skippedBy(habit), PollingHabit::kMaxSkipped);
  habit.succeeded();
  EXPECT_EQ(skippedBy(habit), 0u);
  habit.failed();
  EXPECT_EQ(skippedBy(habit), 1u);
}

} // namespace
} // namespace avocet::hal
