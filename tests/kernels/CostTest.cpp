//===- CostTest.cpp - Block walk, block choice ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cost/Cost.h"
#include "DenseMap.h"
#include "avocet/base/Rounding.h"
#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Kernel.h"
#include "cost/BlockWalk.h"

#include <gtest/gtest.h>

#include <numeric>

namespace avocet::kernels {
namespace {

using namespace firmware;

std::shared_ptr<const Target> load(const char *name) { return std::move(Target::load(name)).value(); }

ConvCommand conv(ConvKind kind, const FeatureMap &input, const FeatureMap &output, uint32_t kernel, uint32_t stride) {
  ConvCommand command;
  command.kind = kind;
  command.input = input;
  command.output = output;
  command.window = {kernel, kernel, stride, stride, 1, 1, kernel / 2, kernel / 2};
  command.weightType = input.type;
  return command;
}

uint64_t total(const TileCost &cost, uint64_t BlockRun::*field) {
  return std::accumulate(cost.runs.begin(), cost.runs.end(), uint64_t{0},
                         [&](uint64_t sum, const BlockRun &run) { return sum + run.count * run.*field; });
}

/// 8x8x64 -> 8x8x32, 1x1, on e256 in blocks of 4x8x16: 2 places, 2 channel blocks each.
TEST(BlockWalkTest, DenseInputStaysForAllChannelBlocks) {
  auto target = load("e256");
  ConvCommand command = conv(ConvKind::Dense, denseMap(8, 8, 64), denseMap(8, 8, 32), 1, 1);
  command.block = {4, 8, 16};
  const TileCost cost = convCost(*target, command);
  ASSERT_EQ(cost.runs.size(), 4u);
  // Two input blocks of 4*8*64 = 2048 bytes and two sets of 4*8*16*4 = 2048 bytes fit 48 KiB: resident.
  // First block of a place: the first slice of 32 of 64 channels (32 pixels * 32 bytes), then the other.
  EXPECT_EQ(cost.runs[0].loadBytes, 1024u);
  EXPECT_EQ(cost.runs[0].streamBytes, 1024u);
  EXPECT_EQ(cost.runs[1].loadBytes + cost.runs[1].streamBytes, 0u);
  // 16 channels * (64 weights + 12 bytes of record)
  EXPECT_EQ(cost.runs[0].weightBytes, 16u * 76);
  // 2 * 4 steps of 2x2 positions, 2 granules of 8 channels, 64/32 = 2 passes of 4 cycles = 128; decode 16*64/8 = 128.
  EXPECT_EQ(cost.runs[0].computeCycles, 128u);
  // 4*8*16 = 512 elements at 4 per cycle; 32 pixels of 16 bytes.
  EXPECT_EQ(cost.runs[0].outputCycles, 128u);
  EXPECT_EQ(cost.runs[0].storeBytes, 512u);
  EXPECT_EQ(cost.runs[0].inputRowsEnd, 4u);
  EXPECT_EQ(cost.runs[0].outputRowsEnd, 0u); // the second channel block follows
  EXPECT_EQ(cost.runs[1].outputRowsEnd, 4u);
  EXPECT_EQ(cost.runs[3].inputRowsEnd, 8u);
  EXPECT_EQ(cost.runs[3].outputRowsEnd, 8u);
  EXPECT_EQ(cost.macs, 8u * 8 * 64 * 32);
  // issue 4, latency 32, first load 1024/8 = 128;
  // place 1: port (2048 - 1024 + 2*1216 + 2*512) / 8 = 560, compute 256 -> 560
  // place 2: port (2048 + 2*1216 + 512) / 8 = 624 without its last store -> 624
  // pipeline 8, last block: output 128 against store 64 -> 128.
  EXPECT_EQ(cost.cycles, 4u + 32 + 128 + 560 + 624 + 8 + 128);
}

/// 8x8x16 depthwise 3x3 on e256, one block of 8 rows for each 8 channels.
TEST(BlockWalkTest, DepthwiseReadsItsChannelsOnly) {
  auto target = load("e256");
  ConvCommand command = conv(ConvKind::Depthwise, denseMap(8, 8, 16), denseMap(8, 8, 16), 3, 1);
  command.block = {8, 8, 8};
  const TileCost cost = convCost(*target, command);
  ASSERT_EQ(cost.runs.size(), 2u);
  EXPECT_EQ(cost.runs[0].loadBytes, 64u * 8); // padding is not read
  // 4*4 steps, ceil(9/4) = 3 passes of 4 cycles = 192; decode 8*9/1 = 72.
  EXPECT_EQ(cost.runs[0].computeCycles, 192u);
  EXPECT_EQ(cost.runs[0].weightBytes, 8u * (9 + 12));
  EXPECT_EQ(cost.macs, 8u * 8 * 16 * 9);
}

TEST(BlockWalkTest, EdgeBlocksExcludePadding) {
  auto target = load("e256");
  ConvCommand command = conv(ConvKind::Dense, denseMap(12, 8, 32), denseMap(12, 8, 8), 3, 1);
  command.block = {4, 8, 8};
  const TileCost cost = convCost(*target, command);
  ASSERT_EQ(cost.runs.size(), 3u);
  // Rows -1..4 without the padding: 5; 3..8: 6; 7..12 without the padding: 5. A row has 8*32 bytes.
  EXPECT_EQ(cost.runs[0].loadBytes, 5u * 256);
  EXPECT_EQ(cost.runs[1].loadBytes, 6u * 256);
  EXPECT_EQ(cost.runs[2].loadBytes, 5u * 256);
  EXPECT_EQ(cost.runs[0].inputRowsEnd, 5u);
  EXPECT_EQ(cost.runs[1].inputRowsEnd, 9u);
  EXPECT_EQ(cost.runs[2].inputRowsEnd, 12u);
}

TEST(BlockWalkTest, WideStridesSkipRowsAndColumns) {
  auto target = load("e256");
  ConvCommand command = conv(ConvKind::Dense, denseMap(8, 8, 20), denseMap(4, 4, 8), 1, 2);
  command.block = {4, 4, 8};
  // 4 rows of 4 pixels of 20 bytes, each in three grains of 8.
  EXPECT_EQ(convCost(*target, command).runs[0].loadBytes, 4u * 4 * 24);
}

TEST(BlockWalkTest, CoresSplitChannels) {
  auto target = load("m512");
  ConvCommand command = conv(ConvKind::Dense, denseMap(4, 4, 32), denseMap(4, 4, 16), 1, 1);
  command.block = {4, 4, 16};
  const TileCost cost = convCost(*target, command);
  ASSERT_EQ(cost.runs.size(), 1u);
  // One granule of 8 channels for each core: 4 steps * 4 cycles = 16; decode 8*32/8 = 32.
  EXPECT_EQ(cost.runs[0].computeCycles, 32u);
}

TEST(BlockWalkTest, CoresSplitRowsWhereChannelsAreUneven) {
  auto target = load("m512");
  ConvCommand command = conv(ConvKind::Dense, denseMap(32, 32, 32), denseMap(32, 32, 24), 1, 1);
  command.block = {32, 32, 24};
  const TileCost cost = convCost(*target, command);
  ASSERT_EQ(cost.runs.size(), 1u);
  // Of 16 rows of 16 steps and three granules, each core takes 8 rows with 3 granules, not 16 rows with 2.
  EXPECT_EQ(cost.runs[0].computeCycles, 8u * 16 * 3 * 4);
}

TEST(BlockWalkTest, CoresSplitChannelsWhereDecodingTakesLonger) {
  auto target = load("m512");
  ConvCommand command = conv(ConvKind::Dense, denseMap(4, 4, 32), denseMap(4, 4, 24), 1, 1);
  command.block = {4, 4, 24};
  // 16 channels for one of the cores: decode 16*32/8 = 64. With rows, each core would decode all 24: 96.
  EXPECT_EQ(convCost(*target, command).runs[0].computeCycles, 64u);
}

TEST(BlockWalkTest, WiderTypesAreSlower) {
  auto target = load("e256");
  ConvCommand narrow = conv(ConvKind::Dense, denseMap(32, 32, 32), denseMap(32, 32, 8), 1, 1);
  ConvCommand wide =
      conv(ConvKind::Dense, denseMap(32, 32, 32, DataType::Float32), denseMap(32, 32, 8, DataType::Float32), 1, 1);
  narrow.block = wide.block = {8, 8, 8};
  EXPECT_EQ(total(convCost(*target, wide), &BlockRun::computeCycles),
            8 * total(convCost(*target, narrow), &BlockRun::computeCycles));
}

/// Equal places are computed once, with and without padding, and with shorter blocks at the edges.
TEST(BlockWalkTest, TotalsAreThoseOfAllBlocks) {
  auto target = load("e256");
  for (ConvKind kind : {ConvKind::Dense, ConvKind::Depthwise})
    for (uint32_t kernel : {1u, 3u})
      for (uint32_t stride : {1u, 2u})
        for (uint32_t extent : {12u, 14u, 15u})
          for (uint32_t channels : {8u, 12u, 16u}) {
            ConvCommand command =
                conv(kind, denseMap(extent * stride, 16 * stride, 40), denseMap(extent, 16, 40), kernel, stride);
            command.block = {4, 6, channels};
            const TileCost cost = convCost(*target, command);
            const BlockChoice times = timesOfBlock(*target, command);
            EXPECT_EQ(times.portBytes, total(cost, &BlockRun::loadBytes) + total(cost, &BlockRun::streamBytes) +
                                           total(cost, &BlockRun::weightBytes) + total(cost, &BlockRun::storeBytes))
                << "kernel " << kernel << ", stride " << stride << ", " << extent << " rows, " << channels
                << " channels";
            EXPECT_EQ(times.outputCycles, total(cost, &BlockRun::outputCycles));
          }
}

TEST(BlockWalkTest, EltwiseRunsAtItsRate) {
  auto target = load("e256");
  EltwiseCommand add;
  add.inputA = add.inputB = add.output = denseMap(8, 8, 16);
  add.block = {8, 8, 16};
  const TileCost cost = eltwiseCost(*target, add);
  ASSERT_EQ(cost.runs.size(), 1u);
  EXPECT_EQ(cost.runs[0].computeCycles, 1024u * 3 / 4);
  EXPECT_EQ(cost.runs[0].loadBytes, 2048u);
  add.kind = EltwiseKind::Mul;
  EXPECT_EQ(eltwiseCost(*target, add).runs[0].computeCycles, 1024u * 3 / 8);
  add.inputB.channels = add.inputB.pixelStride = 0; // one value for all rows and columns
  add.inputB.rowStride = 0;
  add.inputB.channels = 1;
  EXPECT_LT(eltwiseCost(*target, add).runs[0].loadBytes, 1100u);
}

TEST(BlockWalkTest, HugeCommandsHaveFewRuns) {
  auto target = load("e256");
  ConvCommand command = conv(ConvKind::Dense, denseMap(60000, 60000, 1), denseMap(60000, 60000, 1), 1, 1);
  command.block = {1, 1, 1};
  const TileCost cost = convCost(*target, command);
  EXPECT_EQ(cost.runs.size(), 1u);
  EXPECT_EQ(cost.runs[0].count, uint64_t{60000} * 60000);
}

/// Layers with shapes of real networks.
std::vector<ConvCommand> layers() {
  std::vector<ConvCommand> list;
  auto add = [&](ConvKind kind, uint32_t size, uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride) {
    const uint32_t outSize = divideUp(size, stride);
    list.push_back(conv(kind, denseMap(size, size, in), denseMap(outSize, outSize, out), kernel, stride));
  };
  add(ConvKind::Dense, 224, 3, 32, 3, 2);
  add(ConvKind::Depthwise, 112, 32, 32, 3, 1);
  add(ConvKind::Dense, 56, 24, 144, 1, 1);
  add(ConvKind::Depthwise, 56, 144, 144, 3, 2);
  add(ConvKind::Dense, 14, 576, 96, 1, 1);
  add(ConvKind::Dense, 7, 320, 1280, 1, 1);
  add(ConvKind::Dense, 1, 1280, 1001, 1, 1);
  add(ConvKind::Dense, 8, 64, 64, 3, 1);
  return list;
}

TEST(BlockChoiceTest, FitsAndIsRepeatable) {
  for (const std::string &name : Target::shippedNames()) {
    auto target = load(name.c_str());
    BlockChooser chooser(target);
    for (ConvCommand command : layers()) {
      const BlockChoice choice = chooseBlock(*target, command);
      command.block = choice.block;
      EXPECT_TRUE(blockFits(*target, command)) << name;
      EXPECT_EQ(convCost(*target, command).cycles, choice.cycles) << name;
      EXPECT_EQ(chooser.choose(command).block, choice.block);
      EXPECT_EQ(chooser.choose(command).cycles, choice.cycles);
    }
  }
}

/// Cycles while off-chip transfers use the port.
uint64_t sharedCycles(const Target &target, const ConvCommand &command) {
  const MacTask task = macTaskOf(target, command);
  return BlockWalk(target, task, command.block, sharedPort(target)).cycles();
}

TEST(BlockChoiceTest, NoBlockOfSimpleShapeIsBetter) {
  for (const char *name : {"e256", "m512"}) {
    auto target = load(name);
    std::vector<ConvCommand> commands = layers();
    commands.push_back(conv(ConvKind::Dense, denseMap(32, 32, 32), denseMap(32, 32, 32), 3, 1));
    for (ConvCommand command : commands) {
      command.block = chooseBlock(*target, command).block;
      const uint64_t chosen = sharedCycles(*target, command);
      for (uint32_t height : {2u, 4u, 8u, 16u, 32u})
        for (uint32_t width : {4u, 8u, 16u, 32u})
          for (uint32_t channels : {8u, 16u, 32u, 64u, 128u}) {
            command.block = {height, width, channels};
            if (blockFits(*target, command))
              EXPECT_LE(chosen, sharedCycles(*target, command) * 21 / 20)
                  << name << ": " << height << "x" << width << "x" << channels;
          }
    }
  }
}

TEST(BlockChoiceTest, ResizedBlocksFitAndHaveCosts) {
  for (const char *name : {"e256", "m512", "p4096"}) {
    auto target = load(name);
    ConvCommand command = conv(ConvKind::Dense, denseMap(28, 28, 64), denseMap(28, 28, 96), 3, 1);
    command.block = chooseBlock(*target, command).block;
    EXPECT_EQ(resizeBlock(*target, command, {}).cycles, 0u) << "the same block";
    uint32_t others = 0;
    for (int8_t height = -3; height <= 3; ++height)
      for (int8_t width = -3; width <= 3; ++width)
        for (int8_t channels = -3; channels <= 3; ++channels) {
          const BlockChoice choice = resizeBlock(*target, command, {height, width, channels});
          if (choice.cycles == 0)
            continue;
          ++others;
          ConvCommand other = command;
          other.block = choice.block;
          EXPECT_TRUE(blockFits(*target, other));
          EXPECT_EQ(choice.cycles, convCost(*target, other).cycles);
        }
    EXPECT_GT(others, 20u) << name;
    EXPECT_EQ(resizeBlock(*target, DmaCommand{}, {1, 1, 1}).cycles, 0u);
  }
}

TEST(BlockChoiceTest, TransfersSlowCommandsThatNeedThePort) {
  auto target = load("m512"); // 16 bytes per cycle, of which transfers take 3.75
  const double width = 16, rest = 16 - 3.75;
  EXPECT_EQ(double(sharedPort(*target).count) / double(sharedPort(*target).cycles), rest);
  const auto slowdown = [&](const ConvCommand &command) {
    const BlockChoice choice = chooseBlock(*target, command);
    const uint64_t busy = choice.cycles - choice.fillCycles - choice.drainCycles;
    return double(choice.sharedBusyCycles) / double(busy);
  };
  EXPECT_EQ(slowdown(conv(ConvKind::Dense, denseMap(28, 28, 64), denseMap(28, 28, 96), 3, 1)), 1);
  EXPECT_NEAR(slowdown(conv(ConvKind::Dense, denseMap(56, 56, 16), denseMap(56, 56, 16), 1, 1)), width / rest, 0.05);
}

TEST(BlockChoiceTest, RowBlocksHaveAllColumnsAndFit) {
  for (const std::string &name : Target::shippedNames()) {
    auto target = load(name.c_str());
    ConvCommand command = conv(ConvKind::Dense, denseMap(25, 5, 64), denseMap(25, 5, 64), 1, 1);
    const std::vector<BlockChoice> blocks = rowBlocks(*target, command);
    ASSERT_FALSE(blocks.empty()) << name;
    for (const BlockChoice &choice : blocks) {
      EXPECT_EQ(choice.block.width, 5u) << name;
      command.block = choice.block;
      EXPECT_TRUE(blockFits(*target, command)) << name;
      EXPECT_EQ(choice.cycles, convCost(*target, command).cycles) << name;
    }
    EXPECT_EQ(blocks.back().block.height, 7u) << name << ": a quarter of the rows";
  }
  EXPECT_TRUE(rowBlocks(*load("e256"), DspCommand{}).empty());
}

TEST(BlockChoiceTest, FixedBlockIsCutToTheOutput) {
  auto target = load("e256");
  ConvCommand command = conv(ConvKind::Dense, denseMap(7, 30, 64), denseMap(7, 30, 40), 1, 1);
  EXPECT_EQ(wholeBlock(*target, command), (Block{7, 30, 40}));
  EXPECT_EQ(blockStep(*target, command).channels, 8u);
  const BlockChoice choice = fixedBlock(*target, command, {8, 10, 96});
  EXPECT_EQ(choice.block, (Block{7, 10, 40}));
  command.block = choice.block;
  EXPECT_TRUE(blockFits(*target, command));
  EXPECT_EQ(choice.cycles, convCost(*target, command).cycles);
  command = conv(ConvKind::Dense, denseMap(64, 64, 128), denseMap(64, 64, 128), 1, 1);
  EXPECT_EQ(fixedBlock(*target, command, {32, 64, 128}).cycles, 0u) << "larger than the array's buffer";
}

TEST(BlockChoiceTest, CommandsOfOtherEnginesHaveNoBlock) {
  auto target = load("e256");
  EXPECT_EQ(fixedBlock(*target, DmaCommand{}, {1, 1, 1}).cycles, 0u);
  EXPECT_EQ(wholeBlock(*target, DmaCommand{}), (Block{1, 1, 1}));
  EXPECT_EQ(chooseBlock(*target, DmaCommand{}).cycles, 0u);
  EXPECT_FALSE(blockFits(*target, DmaCommand{}));
}

TEST(DspCostTest, CostAddsLanesLoopsAndPort) {
  auto target = load("e256"); // 4 float lanes, 4 cycles per row, issue 4
  DspCommand command;
  command.inputs = command.outputs = {denseMap(4, 1, 100, DataType::Float32)};
  DspWork work;
  work.elementOps = 4000, work.rows = 4, work.bytesRead = work.bytesWritten = 1600, work.type = DataType::Float32;
  const TileCost cost = dspCost(*target, command, work);
  ASSERT_EQ(cost.runs.size(), 4u);
  EXPECT_EQ(total(cost, &BlockRun::computeCycles), 1000u + 16);
  EXPECT_EQ(cost.dspOperations, 4000u);
  EXPECT_EQ(cost.runs[1].outputRowsEnd, 2u);
  // issue 4 + latency 32 + first row 400/8 + compute 1016 + last row 400/8
  EXPECT_EQ(cost.cycles, 4u + 32 + 50 + 1016 + 50);
}

TEST(DspCostTest, ByteProductsUseTheLanesOfBytes) {
  auto target = load("e256"); // 8 lanes of 16 bits, 16 of 8
  DspCommand command;
  command.inputs = command.outputs = {denseMap(1, 1, 16)};
  DspWork work;
  work.elementOps = 80, work.byteProducts = 330, work.type = DataType::Int16;
  const TileCost cost = dspCost(*target, command, work);
  EXPECT_EQ(total(cost, &BlockRun::computeCycles), 10u + 21);
  EXPECT_EQ(cost.dspOperations, 410u);
}

} // namespace
} // namespace avocet::kernels
