//===- PlanReviewTest.cpp - Alternatives to the choices of a plan ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Review/PlanReview.h"
#include "Networks.h"
#include "Planner.h"

#include "gtest/gtest.h"

#include <algorithm>

namespace avocet::compiler::schedule {
namespace {

/// Convolutions whose maps are larger than the SRAM of e256s at first.
Network pyramid() {
  Network net("e256s");
  uint32_t x = net.input({128, 128, 8, firmware::DataType::Int8});
  for (uint32_t channels : {32, 32, 64})
    x = net.conv(net.depthwise(x, 3), channels, 3, 2);
  net.output(net.fullyConnected(x, 64));
  return net;
}

class PlanReviewTest : public testing::Test {
protected:
  PlanReviewTest() : net_(pyramid()), costs_(problem()), budget_(problem().target->sram().bytes) {}

  const Problem &problem() const { return net_.problem(); }
  Planner planner() { return Planner(problem(), costs_, budget_, 0); }
  static Plan planOf(Planner &planner) { return std::get<Plan>(planner.plan({})); }

  Network net_;
  TileCosts costs_;
  uint64_t budget_;
};

TEST_F(PlanReviewTest, EachCascadeHasADecision) {
  Planner planner = this->planner();
  const Plan plan = planOf(planner);
  const std::vector<CascadeDecision> decisions = planner.review(plan, 1);
  ASSERT_EQ(decisions.size(), plan.cascades.size());
  for (size_t i = 0; i < decisions.size(); ++i) {
    EXPECT_EQ(decisions[i].taken.cascade, plan.cascades[i]);
    EXPECT_GT(decisions[i].taken.neededBytes, 0u);
    EXPECT_LE(decisions[i].taken.neededBytes, budget_);
    EXPECT_FALSE(decisions[i].others.empty());
    for (const CascadeChoice &other : decisions[i].others) {
      EXPECT_EQ(other.cascade.first, plan.cascades[i].first);
      EXPECT_FALSE(other.cascade == plan.cascades[i] && other.spills == decisions[i].taken.spills);
    }
  }
}

TEST_F(PlanReviewTest, WhatDoesNotFitComesLast) {
  Planner planner = this->planner();
  size_t tooLarge = 0;
  for (const CascadeDecision &decision : planner.review(planOf(planner), 1)) {
    const auto &others = decision.others;
    EXPECT_TRUE(std::ranges::is_sorted(
        others, {}, [](const CascadeChoice &choice) { return std::pair(!choice.fits, choice.moreCycles); }));
    for (const CascadeChoice &other : others) {
      EXPECT_EQ(other.fits, other.neededBytes <= budget_);
      tooLarge += !other.fits;
    }
  }
  EXPECT_GT(tooLarge, 0u);
}

/// The plan with the last cascade as an alternative has it.
Plan withLast(Plan plan, const CascadeChoice &choice) {
  plan.cascades.back() = choice.cascade;
  return plan;
}

TEST_F(PlanReviewTest, ReturningFromAnAlternativeCostsTheOpposite) {
  Planner planner = this->planner();
  const Plan plan = planOf(planner);
  const CascadeDecision last = planner.review(plan, 1).back();
  size_t compared = 0, different = 0;
  for (const CascadeChoice &other : last.others) {
    if (!other.fits || other.cascade.end != last.taken.cascade.end)
      continue;
    const CascadeDecision back = planner.review(withLast(plan, other), 1).back();
    EXPECT_EQ(back.taken.neededBytes, other.neededBytes);
    const auto same = [&](const CascadeChoice &choice) { return choice.cascade == last.taken.cascade; };
    if (const auto found = std::ranges::find_if(back.others, same); found != back.others.end()) {
      EXPECT_EQ(found->moreCycles, -other.moreCycles);
      ++compared;
      different += other.moreCycles != 0;
    }
  }
  EXPECT_GT(compared, 0u);
  EXPECT_GT(different, 0u);
}

TEST_F(PlanReviewTest, PlanInPiecesHasNoAlternatives) {
  Planner planner = this->planner();
  Plan plan = planOf(planner);
  plan.cascades.front().pieceBytes = 4096;
  const std::vector<CascadeDecision> decisions = planner.review(plan, 1);
  ASSERT_EQ(decisions.size(), plan.cascades.size());
  EXPECT_EQ(decisions.front().taken.neededBytes, 4096u);
  EXPECT_TRUE(decisions.front().others.empty());
}

} // namespace
} // namespace avocet::compiler::schedule
