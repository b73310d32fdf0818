//===- LossesTest.cpp - Losses, and how far shapes fill the array ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/Losses.h"

#include "SmallModel.h"
#include "avocet/analysis/ArrayFill.h"
#include "avocet/cache/ModelCacheWriter.h"

#include <gtest/gtest.h>

namespace avocet::analysis {
namespace {

constexpr firmware::Engine kDma{firmware::EngineKind::Dma, 0}, kMac{firmware::EngineKind::Mac, 0};

class LossesTest : public testing::Test {
protected:
  LossesTest()
      : model_(cache::ModelCache::adopt(cache::writeModelCache(cache::smallModel()).value(), "small").value()),
        streams_(*model_), target_(firmware::Target::load("e256").value()) {}

  void addLayer(uint64_t cycles, uint64_t computeCycles, uint64_t rooflineCycles) {
    LayerReport &layer = report_.layers.emplace_back();
    layer.figures.cycles = cycles;
    layer.figures.computeCycles = computeCycles;
    layer.figures.rooflineCycles = rooflineCycles;
    report_.total.cycles += cycles;
    report_.total.computeCycles += computeCycles;
  }

  Losses find() const { return findLosses(report_, streams_, profile_, *target_); }

  std::shared_ptr<const cache::ModelCache> model_;
  CommandStreams streams_;
  std::shared_ptr<const firmware::Target> target_;
  firmware::JobProfile profile_;
  Report report_;
};

TEST_F(LossesTest, ComputationLosesWhatLayersTakeLonger) {
  addLayer(600, 200, 250);
  addLayer(300, 100, 100);
  report_.withoutLayer.cycles = 100;
  report_.total.cycles += 100;
  report_.total.rooflineCycles = report_.total.computeCycles;
  const Losses losses = find();
  EXPECT_FALSE(losses.isPortLimit);
  EXPECT_EQ(losses.gap, 700u);
  EXPECT_EQ(losses.total, 700u);
  EXPECT_EQ(losses.layers[0].own, 350u);
  EXPECT_EQ(losses.layers[0].overlap, 50u) << "its weights could have been loaded before";
  EXPECT_EQ(losses.layers[1].own, 200u);
  EXPECT_EQ(losses.layers[2].own, 100u);
}

TEST_F(LossesTest, HiddenComputationIsNoNegativeLoss) {
  addLayer(50, 200, 200);
  addLayer(550, 100, 100);
  report_.total.rooflineCycles = report_.total.computeCycles;
  const Losses losses = find();
  EXPECT_EQ(losses.gap, 300u);
  EXPECT_EQ(losses.layers[0].total(), 0u);
  EXPECT_EQ(losses.total, 450u) << "150 cycles of the first layer were saved";
}

/// One transfer of 56 bytes, at a byte for each cycle, then computation without transfers.
TEST_F(LossesTest, PortLosesCyclesInWhichItMovesNothing) {
  addLayer(160, 40, 56);
  report_.total.rooflineCycles = report_.total.leastDramBytes = report_.total.dramBytes = 56;
  profile_.record.counters.cycles = 160;
  profile_.spans = {{kDma, 1, 0, 4, 0, 100}, {kMac, 1, 0, 5, 100, 160}};
  profile_.layers.resize(1);
  profile_.layers[0].layer = 0;
  profile_.layers[0].dramReadBytes = 56;
  const Losses losses = find();
  EXPECT_TRUE(losses.isPortLimit);
  EXPECT_EQ(losses.gap, 104u);
  EXPECT_EQ(losses.layers[0].total(), 104u);
  EXPECT_EQ(losses.layers[0].overlap, 0u);

  report_.total.dramBytes = 112; // half of the bytes need not cross the port
  report_.total.rooflineCycles = 56;
  profile_.layers[0].dramReadBytes = 112;
  EXPECT_EQ(find().layers[0].total(), 104u);
}

TEST_F(LossesTest, ShapesOfTheSmallModelFillLittle) {
  const ArrayFill fill = arrayFills(streams_, 1, *target_)[0].value();
  EXPECT_EQ(textOf(fill.axes[0]), "1 of 2 rows");
  EXPECT_EQ(textOf(fill.axes[1]), "1 of 2 columns");
  EXPECT_EQ(textOf(fill.axes[2]), "2 of 8 output channels");
  EXPECT_EQ(textOf(fill.axes[3]), "16 of 32 input channels");
  EXPECT_EQ(textOf(fill.worst()), "2 of 8 output channels");
  EXPECT_DOUBLE_EQ(fill.part(), 1.0 / 32);
}

TEST_F(LossesTest, CoresShareRowsOrChannels) {
  const auto twoCores = firmware::Target::load("m512").value();
  const ArrayFill fill = arrayFills(streams_, 1, *twoCores)[0].value();
  EXPECT_DOUBLE_EQ(fill.part(), 1.0 / 64) << "one of the cores has nothing to do";
}

} // namespace
} // namespace avocet::analysis
