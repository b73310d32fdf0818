//===- AllocationTest.cpp - Addresses of blocks with lifetimes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule/Core/Memory/Allocation.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

namespace avocet::compiler::schedule {
namespace {

using testing::HasSubstr;

TEST(AllocationTest, BlocksOfDifferentTimesShareBytes) {
  AllocationProblem problem{{{64, 0, 1, {}}, {64, 2, 3, {}}, {64, 1, 2, {}}}, 128, 16};
  auto answer = allocate(problem);
  ASSERT_TRUE(answer.isOk()) << answer.status().toString();
  EXPECT_EQ((*answer)[0], (*answer)[1]);
  EXPECT_EQ(problem.pressure(), 128u);
  EXPECT_EQ(peakOf(problem, *answer), 128u);
}

TEST(AllocationTest, ExhaustedCapacityReportsPressure) {
  AllocationProblem problem{{{100, 0, 5, {}}, {60, 3, 4, {}}}, 128, 1};
  auto answer = allocate(problem);
  ASSERT_FALSE(answer.isOk());
  EXPECT_EQ(answer.status().code(), StatusCode::ResourceExhausted);
  EXPECT_THAT(answer.status().message(), HasSubstr("160"));
}

TEST(AllocationTest, PinnedBlocksKeepTheirAddress) {
  AllocationProblem problem{{{32, 0, 9, {}}, {32, 2, 4, 32}, {32, 0, 9, {}}}, 96, 16};
  auto answer = allocate(problem);
  ASSERT_TRUE(answer.isOk()) << answer.status().toString();
  EXPECT_EQ((*answer)[1], 32u);
}

TEST(AllocationTest, AllocatesWhereTimeOrderFragments) {
  // In time order 48 lands at 32 and 80 finds no gap. Largest first puts 80 at 0 and 48 after it.
  AllocationProblem problem{{{32, 0, 0, {}}, {48, 0, 2, {}}, {80, 1, 2, {}}}, 128, 16};
  auto answer = allocate(problem);
  ASSERT_TRUE(answer.isOk()) << answer.status().toString();
  EXPECT_TRUE(problem.verify(*answer).isOk());
}

TEST(AllocationTest, CheckRejectsInvalidProblems) {
  EXPECT_FALSE((AllocationProblem{{{0, 0, 1, {}}}, 64, 1}).check().isOk());
  EXPECT_FALSE((AllocationProblem{{{8, 2, 1, {}}}, 64, 1}).check().isOk());
  EXPECT_FALSE((AllocationProblem{{{65, 0, 1, {}}}, 64, 1}).check().isOk());
  EXPECT_FALSE((AllocationProblem{{{32, 0, 1, 40}}, 64, 1}).check().isOk());
  EXPECT_FALSE((AllocationProblem{{{32, 0, 1, {}}}, 64, 0}).check().isOk());
}

TEST(AllocationTest, VerifyDetectsViolations) {
  AllocationProblem problem{{{32, 0, 4, {}}, {32, 2, 6, {}}, {16, 7, 8, {}}}, 96, 16};
  EXPECT_TRUE(problem.verify({0, 32, 0}).isOk());
  EXPECT_FALSE(problem.verify({0, 16, 0}).isOk()) << "the second overlaps the end of the first";
  EXPECT_FALSE(problem.verify({16, 0, 0}).isOk()) << "the second overlaps the start of the first";
  EXPECT_FALSE(problem.verify({0, 80, 0}).isOk()) << "outside";
  EXPECT_FALSE(problem.verify({0, 40, 0}).isOk()) << "misaligned";
  EXPECT_FALSE(problem.verify({0, 32}).isOk()) << "too few";
  problem.blocks[1].pinned = 48;
  EXPECT_FALSE(problem.verify({0, 32, 0}).isOk()) << "moved from its pin";
}

TEST(AllocationTest, RandomProblemsGetVerifiedAnswers) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    AllocationProblem problem{{}, 4096, 16};
    for (int i = 0; i < 40; ++i) {
      uint32_t first = random() % 60;
      problem.blocks.push_back({1 + random() % 500, first, first + uint32_t(random() % 6), {}});
    }
    auto answer = allocate(problem);
    if (answer.isOk())
      EXPECT_TRUE(problem.verify(*answer).isOk());
    else
      EXPECT_GT(problem.pressure(), 2048u) << "gave up on an easy problem";
  }
}

} // namespace
} // namespace avocet::compiler::schedule
