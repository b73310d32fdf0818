//===- SharedStartTest.cpp - Constants in parts, and then at once ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedStart.h"
#include "Networks.h"
#include "Scheduler.h"
#include "Sequence.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;

/// Convolutions with the same weights on an input each, as phases of one. Their maps take longer to move than to
/// compute if the kernel has one element.
Network phases(uint32_t count, uint32_t kernel) {
  Network net("e256");
  std::vector<uint32_t> inputs;
  for (uint32_t phase = 0; phase < count; ++phase)
    inputs.push_back(net.input({8, 8, 64, DataType::Int8}));
  const uint32_t first = net.conv(inputs[0], 64, kernel);
  net.output(first);
  for (uint32_t phase = 1; phase < count; ++phase)
    net.output(net.convLike(inputs[phase], first));
  return net;
}

/// All operations in one cascade, in parts of the output channels.
Plan inParts(const Problem &problem, uint32_t parts) {
  Plan plan;
  plan.cascades = {{0, uint32_t(problem.operations.size()), 8, parts}};
  plan.residencies = residenciesOf(problem, plan.cascades);
  return plan;
}

std::optional<Plan> divided(const Network &net, uint32_t parts) {
  TileCosts costs(net.problem());
  return withSharedStart(net.problem(), inParts(net.problem(), parts), costs);
}

TEST(SharedStartTest, OnlyTheFirstRunInParts) {
  const Network net = phases(16, 1);
  const std::optional<Plan> plan = divided(net, 4);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->cascades.size(), 2u);
  const Cascade &start = plan->cascades[0], &rest = plan->cascades[1];
  EXPECT_EQ(start.first, 0u);
  EXPECT_EQ(start.channelParts, 4u);
  EXPECT_GT(start.end, 1u) << "one operation is shorter than the loads of its constants";
  EXPECT_EQ(rest, (Cascade{start.end, 16, 8, 1}));
  const Sequence sequence = lowered(net.problem(), *plan);
  EXPECT_TRUE(sequence.verify(net.problem()).isOk());
  EXPECT_EQ(runSequence(net.problem(), sequence, net.inputs(), net.constants()), outputsLayerByLayer(net));
}

TEST(SharedStartTest, PlansWithoutSuchCascadesStay) {
  EXPECT_FALSE(divided(phases(16, 1), 1)) << "no parts";
  EXPECT_FALSE(divided(phases(2, 1), 4)) << "too short to load the constants twice";
  EXPECT_FALSE(divided(phases(16, 3), 2)) << "the array takes longer than the port";
}

TEST(SharedStartTest, PinnedCascadeStays) {
  Network net = phases(16, 1);
  Problem problem = net.problem();
  CascadePin pin;
  pin.end = 16;
  pin.channelParts = 4;
  problem.pins.cascades.emplace(0, pin);
  TileCosts costs(problem);
  EXPECT_FALSE(withSharedStart(problem, inParts(problem, 4), costs));
}

} // namespace
} // namespace avocet::compiler::schedule
