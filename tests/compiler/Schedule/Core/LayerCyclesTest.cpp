//===- LayerCyclesTest.cpp - Predicted cycles by layer --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Networks.h"
#include "Scheduler.h"

#include "gmock/gmock.h"

namespace avocet::compiler::schedule {
namespace {

using firmware::DataType;
using testing::ElementsAre;
using testing::Pair;

class LayerCyclesTest : public testing::Test {
protected:
  void operation(uint32_t layer) { problem_.operations.emplace_back().layer = layer; }

  void tile(uint32_t layer, uint64_t end) {
    ordered_.sequence.steps.emplace_back().layer = layer;
    ordered_.tileEnds.push_back(end);
  }
  void transfer(uint32_t layer) {
    ordered_.sequence.steps.emplace_back().layer = layer;
    ordered_.sequence.steps.back().command = firmware::DmaCommand();
  }

  Problem problem_;
  OrderedSequence ordered_;
};

TEST_F(LayerCyclesTest, TileGetsTheCyclesSinceTheEndBefore) {
  operation(0);
  operation(1);
  tile(0, 100);
  transfer(1);
  tile(1, 350);
  tile(0, 300); // of the other engine
  ordered_.cycles = 350;
  EXPECT_THAT(layerCyclesOf(problem_, ordered_), ElementsAre(Pair(0, 100 + 200), Pair(1, 50)));
}

TEST_F(LayerCyclesTest, LastTileGetsTheStoreAfterIt) {
  operation(3);
  tile(3, 100);
  transfer(3);
  ordered_.cycles = 160;
  EXPECT_THAT(layerCyclesOf(problem_, ordered_), ElementsAre(Pair(3, 160)));
}

TEST_F(LayerCyclesTest, LayerWithoutTilesHasNoCycles) {
  operation(0);
  operation(1);
  tile(1, 100);
  ordered_.cycles = 100;
  EXPECT_THAT(layerCyclesOf(problem_, ordered_), ElementsAre(Pair(0, 0), Pair(1, 100)));
}

TEST_F(LayerCyclesTest, LayersAddUpToThePrediction) {
  Network net("e256s");
  uint32_t x = net.conv(net.input({48, 48, 8, DataType::Int8}), 64, 3);
  x = net.conv(net.depthwise(x, 3), 128, 1);
  net.output(net.fullyConnected(net.conv(x, 64, 3, 2), 16));
  Scheduler scheduler(net.problem());
  size_t played = 0;
  scheduler.tryPlans(planSettings(1), [&](const PlayedPlan &plan) {
    ++played;
    uint64_t sum = 0;
    for (const auto &[layer, cycles] : scheduler.decisionsOf(plan).layerCycles)
      sum += cycles;
    EXPECT_EQ(sum, plan.ordered.cycles) << plan.what;
  });
  EXPECT_GT(played, 0u);
}

} // namespace
} // namespace avocet::compiler::schedule
