//===- BackOffTest.cpp - Growing pauses after failures -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BackOff.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

using std::chrono::milliseconds;

TEST(BackOffTest, PausesDoubleUpToTheLongest) {
  BackOff backOff;
  BackOff::Clock::time_point now;
  EXPECT_FALSE(backOff.isWaiting(now));
  EXPECT_EQ(backOff.milliseconds(now), -1);
  for (int pause : {10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5000, 5000}) {
    backOff.fail(now);
    EXPECT_EQ(backOff.milliseconds(now), pause);
    now += milliseconds(pause);
    EXPECT_FALSE(backOff.isWaiting(now));
  }
}

TEST(BackOffTest, SuccessEndsThePause) {
  BackOff backOff;
  BackOff::Clock::time_point now;
  backOff.fail(now);
  backOff.fail(now);
  backOff.succeed();
  EXPECT_FALSE(backOff.isWaiting(now));
  backOff.fail(now);
  EXPECT_EQ(backOff.milliseconds(now), 10);
}

} // namespace
} // namespace avocet::hal
