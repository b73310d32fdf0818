//===- ResultTest.cpp - Errors of the HAL ---------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/ErrorText.h"
#include "avocet/hal/types/Types.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

namespace avocet::hal::test {
namespace {

TEST(HalResult, StatusMapsToErrorCode) {
  auto codeOf = [](StatusCode code) { return fromStatus(Status(code, "why")).code; };
  EXPECT_EQ(codeOf(StatusCode::InvalidArgument), ErrorStatus::InvalidArgument);
  EXPECT_EQ(codeOf(StatusCode::DeadlineExceeded), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(codeOf(StatusCode::Aborted), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(codeOf(StatusCode::ResourceExhausted), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_EQ(codeOf(StatusCode::DeviceLost), ErrorStatus::DeviceUnavailable);
  EXPECT_EQ(codeOf(StatusCode::DataLoss), ErrorStatus::GeneralFailure);
  EXPECT_EQ(codeOf(StatusCode::NotFound), ErrorStatus::GeneralFailure);
  EXPECT_EQ(fromStatus(Status(StatusCode::DataLoss, "why")).message, "why");
}

TEST(HalResult, EveryCodeHasItsName) {
  std::set<std::string> names;
  for (int32_t code = 0; code <= 8; ++code)
    names.emplace(toString(static_cast<ErrorStatus>(code)));
  names.emplace(toString(ErrorStatus::DeadObject));
  EXPECT_EQ(names.size(), 10U);
  EXPECT_FALSE(names.contains("UNKNOWN"));
  EXPECT_EQ(toString(static_cast<ErrorStatus>(9)), "UNKNOWN");
}

TEST(HalResult, TextForLayersAboveBeginsWithTheCode) {
  const Error why = error(ErrorStatus::DeadObject, "the service ended");
  EXPECT_EQ(toString(why), "DEAD_OBJECT: the service ended");
  EXPECT_EQ(toStatus(why), Status(StatusCode::Aborted, "DEAD_OBJECT: the service ended"));
}

Result<std::unique_ptr<int>> maker(bool succeeds) {
  if (!succeeds)
    return invalidArgument("no");
  return std::make_unique<int>(7);
}

Outcome user(bool succeeds, int &seen) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<int> made, maker(succeeds));
  seen = *made;
  AVOCET_RETURN_IF_ERROR(success());
  return success();
}

TEST(HalResult, MacrosPropagateValuesAndErrors) {
  int seen = 0;
  EXPECT_TRUE(user(true, seen).isOk());
  EXPECT_EQ(seen, 7);
  seen = 0;
  EXPECT_EQ(user(false, seen).error().message, "no");
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(user(true, seen).code(), ErrorStatus::None);
}

TEST(HalResult, BootClockIsMonotonic) {
  TimePoint before = BootClock::now();
  TimePoint after = BootClock::now();
  EXPECT_GT(before.time_since_epoch().count(), 0);
  EXPECT_GE(after, before);
}

} // namespace
} // namespace avocet::hal::test
