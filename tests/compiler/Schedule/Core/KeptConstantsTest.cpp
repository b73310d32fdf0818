//===- KeptConstantsTest.cpp - Constants that stay in SRAM ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptConstants.h"
#include "Networks.h"
#include "Scheduler.h"

#include "gtest/gtest.h"

#include <variant>

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;

/// Convolutions one after the other with the same weights, as steps of an unrolled layer.
Network steps(uint32_t count, uint32_t channels) {
  Network net("e256");
  uint32_t value = net.input({4, 4, channels, DataType::Int8});
  const uint32_t first = value = net.conv(value, channels, 1);
  for (uint32_t step = 1; step < count; ++step)
    value = net.convLike(value, first);
  net.output(value);
  return net;
}

uint64_t loadedConstants(const Sequence &sequence) {
  uint64_t bytes = 0;
  for (const Step &step : sequence.steps)
    if (step.isDma() && sequence.buffers[step.buffers[0]].space == BufferSpace::Constants)
      bytes += std::get<firmware::DmaCommand>(step.command).runBytes;
  return bytes;
}

TEST(KeptConstantsTest, AreLoadedOnce) {
  Network net = steps(5, 64);
  const Plan plan = layerByLayer(net.problem());
  const std::optional<Plan> kept = withKeptConstants(net.problem(), plan);
  ASSERT_TRUE(kept);
  const Sequence before = lowered(net.problem(), plan), sequence = lowered(net.problem(), *kept);
  EXPECT_TRUE(sequence.verify(net.problem()).isOk());
  EXPECT_EQ(loadedConstants(before), 5 * loadedConstants(sequence));
  EXPECT_EQ(runSequence(net.problem(), sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

TEST(KeptConstantsTest, OnlyThoseOfSeveralCascades) {
  EXPECT_FALSE(withKeptConstants(steps(1, 64).problem(), layerByLayer(steps(1, 64).problem())));
}

TEST(KeptConstantsTest, FirstStepWithConstantOperandSharesNone) {
  const Network net = steps(4, 64);
  Problem problem = net.problem();
  problem.operations.front().inputs.front().isConstant = true; // a state that begins with zeros
  const std::optional<Plan> kept = withKeptConstants(problem, layerByLayer(net.problem()));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->keptConstants, (std::vector<uint32_t>{kNone, 1, 1, 1}));
}

TEST(KeptConstantsTest, AtMostHalfOfTheMemory) {
  const Network net = steps(2, 1100); // 1.2 MB of 2
  EXPECT_FALSE(withKeptConstants(net.problem(), layerByLayer(net.problem())));
}

TEST(KeptConstantsTest, PlayedPlanIsFaster) {
  const Network net = steps(5, 256);
  Scheduler scheduler(net.problem());
  std::vector<PlayedPlan> played;
  scheduler.tryPlans(planSettings(0), [&](PlayedPlan plan) { played.push_back(std::move(plan)); });
  ASSERT_EQ(played.size(), 2u);
  EXPECT_TRUE(played[0].plan.keptConstants.empty());
  EXPECT_LT(played[1].ordered.cycles, played[0].ordered.cycles);
}

} // namespace
} // namespace avocet::compiler::schedule
