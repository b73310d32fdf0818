//===- PlanTest.cpp - All plans of a network are equivalent -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Core/Plan.h"
#include "Networks.h"
#include "Pieces/Piece.h"
#include "avocet/compiler/Schedule/Core/Lowering.h"

#include "gtest/gtest.h"

#include <functional>

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;

void buildChain(Network &net) {
  uint32_t x = net.input({23, 11, 3, DataType::Int8});
  x = net.conv(x, 16, 3, 2);
  x = net.depthwise(x, 3);
  x = net.conv(x, 24, 1);
  x = net.depthwise(x, 3, 2);
  net.output(net.conv(x, 40, 3));
}

void buildResidual(Network &net) {
  uint32_t x = net.conv(net.input({17, 9, 8, DataType::Int8}), 16, 3);
  uint32_t y = net.conv(net.conv(x, 32, 1), 16, 3);
  uint32_t sum = net.add(x, y);
  uint32_t z = net.add(net.conv(sum, 16, 3), sum);
  net.output(net.maxPool(z, 2, 2));
}

void buildBranches(Network &net) {
  uint32_t x = net.input({16, 16, 8, DataType::Int8});
  uint32_t a = net.conv(x, 8, 5, 2), b = net.conv(net.maxPool(x, 3, 2), 8, 1);
  uint32_t sum = net.add(a, b);
  net.output(a); // read inside and a network output
  net.output(net.softmax(net.fullyConnected(sum, 10)));
}

struct Case {
  const char *name;
  std::function<void(Network &)> build;
};

class PlanTest : public testing::TestWithParam<Case> {};

Plan planOf(const Problem &problem, std::vector<Cascade> cascades) {
  Plan plan{std::move(cascades), {}};
  plan.residencies = residenciesOf(problem, plan.cascades);
  return plan;
}

/// Cascades, stripes, channel parts and spills by chance.
Plan randomPlan(const Problem &problem, std::mt19937 &random) {
  std::vector<Cascade> cascades;
  const uint32_t count = uint32_t(problem.operations.size());
  for (uint32_t first = 0; first < count;) {
    uint32_t end = std::min<uint32_t>(count, first + 1 + random() % 5);
    Cascade cascade{first, end, 1 + uint32_t(random() % 6), 1};
    if (end == first + 1 && problem.operations[first].channelGranule)
      cascade.channelParts = 1 + random() % 3;
    cascades.push_back(cascade);
    first = end;
  }
  Plan plan = planOf(problem, std::move(cascades));
  for (size_t i = 0; i < plan.residencies.size(); ++i)
    if (plan.residencies[i] == Residency::Sram && problem.tensors[i].networkOutputs.empty() && random() % 2)
      plan.residencies[i] = Residency::Dram;
  return plan;
}

/// The network's outputs by a plan. Fails the test if the plan's sequence is not valid.
auto outputsOf(Network &net, const Plan &plan) {
  kernels::BlockChooser chooser(net.problem().target);
  Sequence sequence = lowerPlan(net.problem(), plan, chooser);
  Status status = sequence.verify(net.problem());
  EXPECT_TRUE(status.isOk()) << status.toString();
  return runSequence(net.problem(), sequence, net.inputs(), net.constants());
}

TEST_P(PlanTest, AllPlansGiveTheSameOutputs) {
  for (const char *target : {"e256", "m512", "p4096"}) {
    SCOPED_TRACE(target);
    Network net(target);
    GetParam().build(net);
    ASSERT_TRUE(net.problem().check().isOk()) << net.problem().check().toString();
    const auto expected = outputsOf(net, layerByLayer(net.problem()));
    ASSERT_FALSE(expected.empty());
    std::mt19937 random(1);
    for (int i = 0; i < 30; ++i) {
      SCOPED_TRACE("plan " + std::to_string(i));
      EXPECT_EQ(outputsOf(net, randomPlan(net.problem(), random)), expected);
      if (HasFailure())
        return;
    }
  }
}

/// Runs every operation that splitOperation() can cut to `budget` bytes in pieces, the others whole. Results go to
/// DRAM.
Plan inPieces(const Problem &problem, uint64_t budget, size_t &numPieces) {
  Plan plan = layerByLayer(problem);
  for (Residency &home : plan.residencies)
    home = home == Residency::Sram ? Residency::Dram : home;
  for (Cascade &cascade : plan.cascades)
    if (auto pieces = splitOperation(problem, cascade.first, budget)) {
      cascade.pieceBytes = budget;
      EXPECT_LE(pieces->memory, budget);
      numPieces += pieces->groups[0].size();
    }
  return plan;
}

TEST_P(PlanTest, PiecesGiveTheSameOutputs) {
  size_t numPieces = 0;
  for (const char *target : {"e256", "m512", "p4096"})
    for (uint64_t budget : {1200, 2500, 6000, 12000, 30000}) {
      SCOPED_TRACE(std::string(target) + " " + std::to_string(budget));
      Network net(target);
      GetParam().build(net);
      const Plan plan = inPieces(net.problem(), budget, numPieces);
      EXPECT_EQ(outputsOf(net, plan), outputsOf(net, layerByLayer(net.problem())));
    }
  EXPECT_GT(numPieces, 100u);
}

TEST_P(PlanTest, ScheduleGivesTheSameOutputs) {
  for (const char *target : {"e256", "e256s", "m512", "p4096"}) {
    SCOPED_TRACE(target);
    Network net(target);
    GetParam().build(net);
    const auto expected = outputsLayerByLayer(net);
    auto made = makeSchedule(net.problem());
    ASSERT_TRUE(std::holds_alternative<Sequence>(made));
    Status status = std::get<Sequence>(made).verify(net.problem());
    EXPECT_TRUE(status.isOk()) << status.toString();
    EXPECT_EQ(runSequence(net.problem(), std::get<Sequence>(made), net.inputs(), net.constants()), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, PlanTest,
                         testing::Values(Case{"chain", buildChain}, Case{"residual", buildResidual},
                                         Case{"branches", buildBranches}),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::compiler::schedule
