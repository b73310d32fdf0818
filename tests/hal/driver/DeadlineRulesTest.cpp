//===- DeadlineRulesTest.cpp - The arithmetic of deadlines ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeClock.h"
#include "avocet/hal/types/SaturatedTime.h"
#include "execution/Deadline.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

using namespace testing;
using std::chrono::milliseconds;

TEST(DeadlineRules, SleepsAreShortWithTestClock) {
  FakeClock fake;
  DeadlineClock clock(fake.function());
  EXPECT_GT(clock.sleepUntil(fake.now() + std::chrono::hours(1)), Duration::zero());
  EXPECT_LT(clock.sleepUntil(fake.now() + std::chrono::hours(1)), std::chrono::seconds(1));
  EXPECT_EQ(clock.sleepUntil(fake.now()), Duration::zero());
  EXPECT_EQ(clock.sleepUntil(fake.now() - milliseconds(1)), Duration::zero());
  EXPECT_FALSE(clock.hasPassed(std::nullopt));
  EXPECT_FALSE(clock.hasPassed(fake.now() + Duration(1)));
  EXPECT_TRUE(clock.hasPassed(fake.now()));
  DeadlineClock real;
  EXPECT_GT(real.sleepUntil(BootClock::now() + std::chrono::hours(1)), std::chrono::minutes(50));
  EXPECT_GT(real.sleepUntil(TimePoint::max()), std::chrono::hours(1));
}

TEST(DeadlineRules, EarlierAndLaterHandleEdgeCases) {
  TimePoint one(milliseconds(1)), two(milliseconds(2));
  EXPECT_EQ(earlier(one, two), one);
  EXPECT_EQ(earlier(two, one), one);
  EXPECT_EQ(earlier(std::nullopt, two), two);
  EXPECT_EQ(earlier(one, std::nullopt), one);
  EXPECT_EQ(earlier(std::nullopt, std::nullopt), std::nullopt);
  EXPECT_EQ(later(one, milliseconds(1)), two);
  EXPECT_EQ(later(one, Duration::max()), TimePoint::max());
}

TEST(DeadlineRules, RefusesLaunchThatCannotMeetDeadline) {
  const TimePoint now(std::chrono::seconds(5));
  const Prediction job{1000, 4000, 1000000}; // own time 1 ms, queued jobs 4 ms
  auto codeAt = [&](Duration left) { return checkLaunch(now + left, now, job).code(); };
  EXPECT_EQ(codeAt(milliseconds(6)), ErrorStatus::None);
  EXPECT_EQ(codeAt(milliseconds(5)), ErrorStatus::None);
  EXPECT_EQ(codeAt(milliseconds(4)), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(codeAt(milliseconds(1)), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(codeAt(Duration(999999)), ErrorStatus::MissedDeadlinePersistent);
  EXPECT_EQ(codeAt(Duration(0)), ErrorStatus::MissedDeadlinePersistent);
  EXPECT_EQ(codeAt(milliseconds(-1)), ErrorStatus::MissedDeadlinePersistent);
  EXPECT_EQ(checkLaunch(std::nullopt, now, job).code(), ErrorStatus::None);
  EXPECT_EQ(checkLaunch(TimePoint::max(), now, job).code(), ErrorStatus::None);
  const Prediction endless{~uint64_t(0), ~uint64_t(0), 1};
  EXPECT_EQ(checkLaunch(now + milliseconds(1), now, endless).code(), ErrorStatus::MissedDeadlinePersistent);
  EXPECT_EQ(checkLaunch(now + Duration(1), now, Prediction{0, 0, 0}).code(), ErrorStatus::None);
}

TEST(DeadlineRules, MapsJobOutcomesToErrorCodes) {
  runtime::JobOutcome job;
  job.state = firmware::JobState::Complete;
  EXPECT_EQ(answerOf(job, true).code(), ErrorStatus::None);
  job.state = firmware::JobState::Faulted;
  auto codeOf = [&](firmware::FaultCode fault, bool hadDeadline) {
    job.fault = fault;
    return answerOf(job, hadDeadline).code();
  };
  EXPECT_EQ(codeOf(firmware::FaultCode::DeadlineMissed, true), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(codeOf(firmware::FaultCode::LoopTimeout, false), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(codeOf(firmware::FaultCode::Cancelled, true), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(codeOf(firmware::FaultCode::Cancelled, false), ErrorStatus::GeneralFailure);
  EXPECT_EQ(codeOf(firmware::FaultCode::Watchdog, true), ErrorStatus::GeneralFailure);
  EXPECT_EQ(codeOf(firmware::FaultCode::PageFault, true), ErrorStatus::GeneralFailure);
  EXPECT_EQ(codeOf(firmware::FaultCode::DependencyFailed, true), ErrorStatus::GeneralFailure);
  EXPECT_NE(answerOf(job, true).error().message, "");
}

} // namespace
} // namespace avocet::hal
