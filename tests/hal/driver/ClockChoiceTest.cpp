//===- ClockChoiceTest.cpp - The clock level of an execution --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/ClockChoice.h"

#include "avocet/firmware_iface/Target.h"

#include <gtest/gtest.h>

namespace avocet::hal {
namespace {

using namespace std::chrono_literals;
using enum ExecutionPreference;

constexpr uint32_t kLow = 0, kSustained = 1, kFull = 2; // of e256: 200, 400 and 500 MHz

std::shared_ptr<const firmware::Target> e256() { return firmware::Target::load("e256").value(); }

std::shared_ptr<const firmware::Target> withoutLevels() {
  std::string text = firmware::targetText("e256").value();
  const size_t begin = text.find("[power]");
  text.erase(begin, text.find("[energy]") - begin);
  return firmware::Target::parse(text, "plain").value();
}

TEST(PreferredLevelTest, EachPreferenceHasItsLevel) {
  const firmware::PowerModel power = e256()->power();
  EXPECT_EQ(preferredLevel(power, LowPower, Priority::Medium), kLow);
  EXPECT_EQ(preferredLevel(power, SustainedSpeed, Priority::Medium), kSustained);
  EXPECT_EQ(preferredLevel(power, FastSingleAnswer, Priority::Medium), kFull);
}

TEST(PreferredLevelTest, PriorityMovesByOneLevel) {
  const firmware::PowerModel power = e256()->power();
  EXPECT_EQ(preferredLevel(power, LowPower, Priority::High), kSustained);
  EXPECT_EQ(preferredLevel(power, LowPower, Priority::Low), kLow);
  EXPECT_EQ(preferredLevel(power, SustainedSpeed, Priority::High), kFull);
  EXPECT_EQ(preferredLevel(power, SustainedSpeed, Priority::Low), kLow);
  EXPECT_EQ(preferredLevel(power, FastSingleAnswer, Priority::High), kFull);
  EXPECT_EQ(preferredLevel(power, FastSingleAnswer, Priority::Low), kSustained);
}

TEST(PreferredLevelTest, OnlyLevelServesEveryPreference) {
  const auto target = withoutLevels();
  for (ExecutionPreference preference : {LowPower, FastSingleAnswer, SustainedSpeed})
    for (Priority priority : {Priority::Low, Priority::Medium, Priority::High})
      EXPECT_EQ(preferredLevel(target->power(), preference, priority), 0u);
}

// A million cycles take 5 ms, 2.5 ms and 2 ms.
constexpr ExpectedWork kMillion{.cycles = 1'000'000};

TEST(LevelForDeadlineTest, WithoutDeadlinePreferenceDecides) {
  for (uint32_t preferred : {kLow, kSustained, kFull})
    EXPECT_EQ(levelFor(*e256(), preferred, std::nullopt, kMillion), preferred);
}

TEST(LevelForDeadlineTest, LowestLevelInTimeIsTaken) {
  EXPECT_EQ(levelFor(*e256(), kLow, 5ms, kMillion), kLow);
  EXPECT_EQ(levelFor(*e256(), kLow, 5ms - 1ns, kMillion), kSustained);
  EXPECT_EQ(levelFor(*e256(), kLow, 2500us, kMillion), kSustained);
  EXPECT_EQ(levelFor(*e256(), kLow, 2500us - 1ns, kMillion), kFull);
  EXPECT_EQ(levelFor(*e256(), kLow, 1us, kMillion), kFull);
}

TEST(LevelForDeadlineTest, GenerousDeadlineLowersNothing) {
  EXPECT_EQ(levelFor(*e256(), kFull, 1h, kMillion), kFull);
  EXPECT_EQ(levelFor(*e256(), kSustained, 1h, kMillion), kSustained);
  EXPECT_EQ(levelFor(*e256(), kSustained, 1ms, kMillion), kFull);
}

TEST(LevelForDeadlineTest, BacklogAndWakeUpTakeTime) {
  ExpectedWork work = kMillion;
  work.wake = 1ms;
  EXPECT_EQ(levelFor(*e256(), kLow, 6ms, work), kLow);
  EXPECT_EQ(levelFor(*e256(), kLow, 6ms - 1ns, work), kSustained);
  work.backlogCycles = 1'500'000; // 3 ms of the default clock
  EXPECT_EQ(levelFor(*e256(), kLow, 9ms, work), kLow);
  EXPECT_EQ(levelFor(*e256(), kLow, 9ms - 1ns, work), kSustained);
}

TEST(LevelForDeadlineTest, UnknownWorkRunsFastest) {
  EXPECT_EQ(levelFor(*e256(), kLow, 1h, ExpectedWork()), kFull);
  EXPECT_EQ(levelFor(*e256(), kLow, std::nullopt, ExpectedWork()), kLow);
}

} // namespace
} // namespace avocet::hal
