//===- BlockChainTest.cpp - Blocks of tiles that follow each other --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockChain.h"
#include "Networks.h"

#include "Schedule/Core/Lowering.h"

#include "gtest/gtest.h"

namespace avocet::compiler::schedule {
namespace {

using namespace firmware;

/// Times on p4096: a block arrives 32 cycles after its request, bytes move at 128 per cycle, results leave the array
/// after 8 cycles, a command is issued in 4.
class EnginePlayTest : public testing::Test {
protected:
  EnginePlayTest() : target_(*Target::load("p4096")), engine_(*target_) {}

  /// Two blocks of 8 rows: 10 cycles to load, 100 to compute, 20 for the output.
  static kernels::WalkedBlock tile() {
    kernels::BlockRun first;
    first.loadBytes = 1280;
    first.computeCycles = 100;
    first.outputCycles = 20;
    first.inputRowsEnd = first.outputRowsEnd = 8;
    kernels::BlockRun second = first;
    second.inputRowsEnd = second.outputRowsEnd = 16;
    kernels::BlockChoice choice;
    choice.cycles = 46 + 200 + 28;
    choice.fillCycles = 46;
    choice.drainCycles = 28;
    return {choice, {first, second}};
  }
  static constexpr uint64_t kOne = 10 + 32 + 200 + 8 + 20; ///< one tile alone

  std::shared_ptr<const Target> target_;
  EnginePlay engine_;
};

TEST_F(EnginePlayTest, IndependentTileFillsBeforehand) {
  engine_.play(tile(), {});
  EXPECT_EQ(engine_.outputEnd(), kOne);
  engine_.play(tile(), {});
  EXPECT_EQ(engine_.outputEnd(), kOne + 200);
}

TEST_F(EnginePlayTest, ReaderOfTheFirstRowsDoesNotWait) {
  engine_.play(tile(), {});
  engine_.play(tile(), {.input = true, .shift = 0});
  EXPECT_EQ(engine_.outputEnd(), kOne + 200);
}

TEST_F(EnginePlayTest, ReaderOfALaterRowWaits) {
  engine_.play(tile(), {});
  engine_.play(tile(), {.input = true, .shift = 1});
  EXPECT_EQ(engine_.outputEnd(), 2 * kOne);
}

TEST_F(EnginePlayTest, ReaderWithoutRelatedRowsWaitsForAll) {
  engine_.play(tile(), {});
  engine_.play(tile(), {.input = true, .shift = std::nullopt});
  EXPECT_EQ(engine_.outputEnd(), 2 * kOne);
}

TEST_F(EnginePlayTest, OwnBytesOfATileDelayIt) {
  kernels::WalkedBlock slow = tile();
  slow.choice.cycles += 100;
  engine_.play(slow, {});
  EXPECT_EQ(engine_.outputEnd(), kOne + 100);
}

/// Four pairs of layers of a keyword spotter.
Network smallLayers(const std::string &target) {
  Network net(target);
  uint32_t last = net.input({25, 5, 64});
  for (int i = 0; i < 4; ++i)
    last = net.conv(net.depthwise(last, 3), 64, 1);
  net.output(last);
  return net;
}

TEST(BlockChainTest, ShortTilesHaveBlocksOfRows) {
  const Network net = smallLayers("p4096");
  const Sequence sequence = lowered(net.problem(), layerByLayer(net.problem()));
  uint32_t inRows = 0;
  for (const Step &step : sequence.steps)
    if (const auto *conv = std::get_if<ConvCommand>(&step.command)) {
      EXPECT_EQ(conv->block.width, 5u);
      inRows += conv->block.height < conv->output.height;
      EXPECT_TRUE(kernels::blockFits(*net.problem().target, step.command));
      EXPECT_LT(step.waits, 1) << "the first block needs only some rows of the tile before";
    }
  EXPECT_GE(inRows, 4u);
}

TEST(BlockChainTest, LongTilesKeepTheirBlocks) {
  Network net("e256");
  net.output(net.conv(net.conv(net.input({56, 56, 64}), 64, 3), 64, 3));
  kernels::BlockChooser chooser(net.problem().target);
  for (const Step &step : lowered(net.problem(), layerByLayer(net.problem())).steps)
    if (const auto *conv = std::get_if<ConvCommand>(&step.command))
      EXPECT_EQ(conv->block, chooser.choose(step.command).block);
}

} // namespace
} // namespace avocet::compiler::schedule
