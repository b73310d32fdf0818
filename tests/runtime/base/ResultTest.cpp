//===- ResultTest.cpp - Values, errors and the macros that return errors --===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace avocet {
namespace {

/// An error type that is no Status, as that of the HAL.
struct Refusal {
  int reason = 1;
};
int codeOf(const Refusal &refusal) { return refusal.reason; }

template <typename T> using Answer = BasicResult<T, Refusal>;

Result<std::unique_ptr<int>> make(bool succeeds) {
  if (!succeeds)
    return notFound("no number");
  return std::make_unique<int>(7);
}

Status use(bool succeeds, int &seen) {
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<int> number, make(succeeds));
  seen = *number;
  return Status::ok();
}

Status countUnlessError(const Status &status, int &count) {
  AVOCET_RETURN_IF_ERROR(status);
  ++count;
  return Status::ok();
}

Answer<int> answer(bool succeeds) {
  if (!succeeds)
    return Refusal{5};
  return 3;
}

Answer<std::string> spell(bool succeeds, bool isAsked) {
  AVOCET_ASSIGN_OR_RETURN(const int number, answer(succeeds));
  AVOCET_RETURN_IF_ERROR(answer(isAsked));
  return std::to_string(number);
}

TEST(ResultTest, ValueHasTheCodeOfSuccess) {
  const Result<std::string> result(std::string("text"));
  EXPECT_TRUE(result.isOk());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result.code(), StatusCode::Ok);
  EXPECT_EQ(result.status(), Status::ok());
  EXPECT_EQ(*result, "text");
  EXPECT_EQ(result->size(), 4U);
}

TEST(ResultTest, ErrorKeepsCodeAndMessage) {
  const Result<std::string> result(dataLoss("cut short"));
  EXPECT_FALSE(result.isOk());
  EXPECT_EQ(result.code(), StatusCode::DataLoss);
  EXPECT_EQ(result.error(), dataLoss("cut short"));
  EXPECT_EQ(result.status(), result.error());
}

TEST(ResultTest, OtherErrorTypesHaveTheSameAccessors) {
  EXPECT_EQ(answer(false).error().reason, 5);
  EXPECT_EQ(answer(false).code(), 5);
  EXPECT_EQ(answer(true).code(), 0);
  EXPECT_EQ(answer(true).value(), 3);
}

TEST(ResultTest, MacrosReturnAStatus) {
  int seen = 0;
  EXPECT_EQ(use(true, seen), Status::ok());
  EXPECT_EQ(seen, 7);
  seen = 0;
  EXPECT_EQ(use(false, seen), notFound("no number"));
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(countUnlessError(Status::ok(), seen), Status::ok());
  EXPECT_EQ(countUnlessError(dataLoss("cut short"), seen), dataLoss("cut short"));
  EXPECT_EQ(seen, 1);
}

TEST(ResultTest, MacrosReturnAnyErrorType) {
  EXPECT_EQ(*spell(true, true), "3");
  EXPECT_EQ(spell(false, true).error().reason, 5);
  EXPECT_EQ(spell(true, false).error().reason, 5);
}

TEST(ResultTest, RvalueGivesItsValueAway) {
  Result<std::unique_ptr<int>> result = make(true);
  std::unique_ptr<int> number = *std::move(result);
  EXPECT_EQ(*number, 7);
}

/// Ends the program on an exception, so that the tests hold with and without assertions.
template <typename Access> void accessOrEnd(Access access) noexcept { access(); }

TEST(ResultDeathTest, ValueOfAnErrorEndsTheProgram) {
  Result<std::string> result(notFound("none"));
  EXPECT_DEATH(accessOrEnd([&] { (void)result.value(); }), "");
  EXPECT_DEATH(accessOrEnd([&] { (void)*result; }), "");
  EXPECT_DEATH(accessOrEnd([&] { (void)result->size(); }), "");
}

TEST(ResultDeathTest, ErrorOfAValueEndsTheProgram) {
  Result<std::string> result(std::string("text"));
  EXPECT_DEATH(accessOrEnd([&] { (void)result.error(); }), "");
}

} // namespace
} // namespace avocet
