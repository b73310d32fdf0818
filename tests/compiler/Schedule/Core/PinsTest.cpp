//===- PinsTest.cpp - Schedules that follow hints ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pins.h"
#include "Networks.h"
#include "Sanitizer.h"
#include "Scheduler.h"
#include "TensorUses.h"

#include "Schedule/Core/Search/Search.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;
using testing::HasSubstr;

/// A residual block between convolutions; its maps and weights do not fit in the SRAM of e256s together.
Network residualNetwork() {
  Network net("e256s");
  uint32_t x = net.conv(net.input({64, 64, 8, DataType::Int8}), 64, 3);
  const uint32_t y = net.conv(net.depthwise(x, 3), 64, 1);
  x = net.add(x, y);
  x = net.conv(net.conv(x, 96, 3, 2), 128, 3);
  net.output(net.requantize(net.maxPool(x, 2, 2)));
  return net;
}

class PinsTest : public testing::Test {
protected:
  PinsTest() : net_(residualNetwork()), problem_(net_.problem()) {}

  std::vector<PlayedPlan> played() const {
    Scheduler scheduler(problem_);
    std::vector<PlayedPlan> plans;
    scheduler.tryPlans(planSettings(1), [&](PlayedPlan plan) { plans.push_back(std::move(plan)); });
    return plans;
  }

  /// The only error.
  std::string errorOf(uint32_t operation) {
    const std::vector<PinError> errors = checkPins(problem_);
    EXPECT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors.empty() ? kNone : errors.front().operation, operation);
    return errors.empty() ? "" : errors.front().message;
  }

  void pinCascade(CascadePin pin) { problem_.pins.cascades.emplace(pin.first, std::move(pin)); }

  uint32_t resultOf(uint32_t operation) const { return problem_.operations[operation].outputs[0].id; }

  Network net_;
  Problem problem_;
};

/// All that a plan decides.
Pins pinsOf(const Problem &problem, const PlayedPlan &played) {
  const TensorUses uses(problem);
  Pins pins;
  for (const Cascade &cascade : played.plan.cascades)
    pins.cascades.emplace(cascade.first, CascadePin{cascade.first,
                                                    cascade.end,
                                                    cascade.stripeRows,
                                                    cascade.channelParts,
                                                    cascade.ahead,
                                                    {},
                                                    spillsOf(uses, played.plan, cascade),
                                                    0});
  pins.order = OrderPin{played.order, 0};
  return pins;
}

TEST_F(PinsTest, PlansAreMadeAgainFromTheirPins) {
  const std::vector<PlayedPlan> all = played();
  ASSERT_GT(all.size(), 1u);
  for (const PlayedPlan &wanted : all) {
    problem_.pins = pinsOf(problem_, wanted);
    EXPECT_TRUE(checkPins(problem_).empty());
    for (const PlayedPlan &made : played()) {
      EXPECT_EQ(made.plan.cascades, wanted.plan.cascades);
      EXPECT_EQ(made.plan.residencies, wanted.plan.residencies);
      EXPECT_EQ(made.ordered.cycles, wanted.ordered.cycles);
    }
  }
}

TEST_F(PinsTest, PinnedSchedulesComputeTheSame) {
  pinCascade({1, 4, 3, {}, true, {}, {}, 0});
  problem_.pins.blocks[0] = {{2, 6, 24}, 1}; // which no chooser would take
  problem_.pins.memories[resultOf(3)] = {true, 2};
  problem_.pins.shifts[4] = {{-1, 0, 1}, 3};
  const std::vector<PlayedPlan> plans = played();
  ASSERT_FALSE(plans.empty());
  for (const PlayedPlan &made : plans) {
    EXPECT_TRUE(followsPins(problem_.pins, TensorUses(problem_), made.plan, made.order));
    EXPECT_TRUE(made.ordered.sequence.verify(problem_).isOk());
    EXPECT_EQ(runSequence(problem_, made.ordered.sequence, net_.inputs(), net_.constants()), outputsLayerByLayer(net_));
    for (const Step &step : made.ordered.sequence.steps)
      if (const auto *conv = std::get_if<firmware::ConvCommand>(&step.command); conv && step.origin.operation == 0) {
        EXPECT_EQ(conv->block.width, 6u);
        EXPECT_EQ(conv->block.channels, std::min(24u, conv->output.channels));
      }
  }
}

TEST_F(PinsTest, RandomPinsAreFollowedOrRefused) {
  std::mt19937 random(1); // NOLINT(bugprone-random-generator-seed): equal in every run
  const auto below = [&](uint32_t limit) { return uint32_t(random() % limit); };
  const auto count = uint32_t(problem_.operations.size());
  const TensorUses uses(problem_);
  const std::map<uint32_t, Bytes> expected = outputsLayerByLayer(net_);
  size_t followed = 0;
  for (size_t i = 0; i < casesOf(60, 10); ++i) {
    problem_.pins = {};
    const uint32_t first = below(count), end = std::min(count, first + 1 + below(3));
    CascadePin pin{first, end, {}, {}, {}, {}, {}, 0};
    if (below(2))
      pin.stripeRows = 1 + below(32);
    if (end == first + 1 && below(2))
      pin.channelParts = 1 + below(4);
    if (end > first + 1 && below(2))
      pin.ahead = below(2) == 1;
    pinCascade(pin);
    if (const uint32_t border = below(count))
      problem_.pins.cuts[border] = 1;
    problem_.pins.memories[resultOf(below(count))] = {below(2) == 1, 2};
    if (!checkPins(problem_).empty())
      continue;
    for (const PlayedPlan &made : played()) {
      ASSERT_TRUE(followsPins(problem_.pins, uses, made.plan, made.order)) << i;
      ASSERT_EQ(runSequence(problem_, made.ordered.sequence, net_.inputs(), net_.constants()), expected) << i;
      ++followed;
    }
  }
  EXPECT_GT(followed, 5u);
}

struct NullHost : SearchHost {
  Result<uint64_t> simulate(const Sequence &sequence) override { return sequence.steps.size(); }
  void report(const Alternative &) override {}
};

TEST_F(PinsTest, SearchKeepsToThePins) {
  pinCascade({0, 1, 16, {}, {}, {}, {}, 0});
  problem_.pins.cuts[2] = 1;
  NullHost host;
  SearchEffort effort;
  effort.level = 3;
  effort.mostChanges = casesOf(200, 40);
  const auto answer = searchSchedule(problem_, effort, host); // which checks the pins of its result
  ASSERT_TRUE(answer.isOk()) << answer.status().toString();
  EXPECT_TRUE(std::holds_alternative<Sequence>(*answer));
}

TEST_F(PinsTest, SearchWithoutPlanHasNoLastResort) {
  problem_.pins.memories[resultOf(0)] = {false, 0}; // 256 KiB each
  problem_.pins.memories[resultOf(1)] = {false, 1};
  NullHost host;
  const auto answer = searchSchedule(problem_, {}, host);
  ASSERT_TRUE(answer.isOk());
  ASSERT_TRUE(std::holds_alternative<Misfit>(*answer));
  EXPECT_EQ(std::get<Misfit>(*answer).operation, 1u);
  EXPECT_EQ(std::get<Misfit>(*answer).needed, 0u);
}

TEST_F(PinsTest, OverlappedPiecesArePinned) {
  Network net("e256");
  net.output(net.softmax(net.input({64, 64, 32, DataType::Int8})));
  problem_ = net.problem();
  const std::vector<PlayedPlan> free = played();
  ASSERT_EQ(free.size(), 2u);
  const Cascade &pieces = free[1].plan.cascades[0];
  ASSERT_GT(pieces.pieceBytes, 0u);
  pinCascade({0, 1, {}, {}, {}, pieces.pieceBytes, {}, 0});
  const std::vector<PlayedPlan> pinned = played();
  ASSERT_EQ(pinned.size(), 1u);
  EXPECT_EQ(pinned[0].ordered.cycles, free[1].ordered.cycles);
  problem_.pins.cascades.at(0).pieceBytes.reset();
  EXPECT_EQ(played().size(), 1u) << "an operation that is pinned as a whole is not cut";
}

TEST_F(PinsTest, ErrorsSayWhatIsPossible) {
  pinCascade({4, 5, 100, {}, {}, {}, {}, 0});
  EXPECT_THAT(errorOf(4), HasSubstr("accepted are 1 to 32"));
  problem_.pins = {};
  pinCascade({4, 6, {}, 2, {}, {}, {}, 0});
  EXPECT_THAT(errorOf(4), HasSubstr("'parts' must be 1"));
  problem_.pins = {};
  pinCascade({4, 5, {}, 13, {}, {}, {}, 0});
  EXPECT_THAT(errorOf(4), HasSubstr("accepted are 1 to 12"));
  problem_.pins = {};
  problem_.pins.blocks[0] = {{4, 8, 12}, 0};
  EXPECT_THAT(errorOf(0), HasSubstr("multiples of 8 up to 64"));
  problem_.pins = {};
  problem_.pins.shifts[7] = {{1, 0, 0}, 0};
  EXPECT_THAT(errorOf(7), HasSubstr("runs on the DSP"));
  problem_.pins = {};
  pinCascade({0, 4, {}, {}, {}, {}, {}, 0});
  problem_.pins.memories[resultOf(1)] = {false, 4};
  EXPECT_THAT(errorOf(1), HasSubstr("contradicts hint 1"));
}

} // namespace
} // namespace avocet::compiler::schedule
