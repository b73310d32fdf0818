//===- SilenceWatchTest.cpp - When a silent service is given up -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SilenceWatch.h"

#include <gtest/gtest.h>

namespace avocet::hal::ipc {
namespace {

using Step = SilenceWatch::Step;

constexpr uint32_t kMisses = 3;

/// A watch of one call, number 1.
class SilenceWatchTest : public ::testing::Test {
protected:
  Step look() { return watch_.look(1, 2); }
  /// A look after which the question is sent.
  void ask() {
    ASSERT_EQ(look(), Step::Ask);
    watch_.noteAsked();
  }
  SilenceWatch watch_{kMisses};
};

TEST_F(SilenceWatchTest, NewCallGetsOneIntervalWithoutQuestion) {
  EXPECT_EQ(look(), Step::Wait) << "it may have been sent just before";
  EXPECT_EQ(look(), Step::Ask);
}

TEST_F(SilenceWatchTest, GivesUpAfterMisses) {
  EXPECT_EQ(look(), Step::Wait);
  ask();
  for (uint32_t i = 1; i < kMisses; ++i)
    EXPECT_EQ(look(), Step::Wait) << i;
  EXPECT_EQ(look(), Step::GiveUp);
}

TEST_F(SilenceWatchTest, AnyMessageStartsAgain) {
  EXPECT_EQ(look(), Step::Wait);
  for (int round = 0; round < 3; ++round) {
    ask();
    EXPECT_EQ(look(), Step::Wait);
    watch_.noteMessage();
    EXPECT_EQ(look(), Step::Wait);
  }
}

TEST_F(SilenceWatchTest, UnsentQuestionIsAskedAgain) {
  EXPECT_EQ(look(), Step::Wait);
  for (uint32_t i = 0; i < kMisses; ++i)
    EXPECT_EQ(look(), Step::Ask);
  EXPECT_EQ(look(), Step::GiveUp);
}

TEST_F(SilenceWatchTest, ShortCallsAreNoSilence) {
  for (uint64_t call = 1; call < 20; ++call)
    EXPECT_EQ(watch_.look(call, call + 1), Step::Wait) << "none waits for an interval";
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(watch_.look(std::nullopt, 20), Step::Wait) << "nothing waits";
}

} // namespace
} // namespace avocet::hal::ipc
