//===- SplitCommandTest.cpp - Pieces equal the whole command --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Yield/SplitCommand.h"

#include "ConvTestSupport.h"
#include "Yield/CommandCosts.h"
#include "avocet/kernels/Kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace avocet::compiler {
namespace {

using namespace firmware;
using kernels::Random;
using kernels::TestSram;

std::vector<uint8_t> bytesAfter(const Target &target, const std::vector<CommandBody> &commands, TestSram sram) {
  for (const CommandBody &command : commands)
    kernels::checkAndRun(target, command, sram);
  return {sram.bytes().begin(), sram.bytes().end()};
}

/// Adds a second map, or the earlier contents of the output's own place.
void addResidual(ConvCommand &conv, TestSram &sram, Random &random) {
  const FeatureMap &out = conv.output;
  Residual &residual = conv.residual;
  residual.addend = kernels::pick(random, 0, 1) ? out
                                                : sram.map(out.type, out.height, out.width, out.channels,
                                                           kernels::Placement::Scattered, random);
  sram.fill(residual.addend, random);
  if (isFloat(out.type)) {
    residual.clamp = conv.clamp;
    return;
  }
  residual.leftShift = 20;
  residual.rescaleResult = residual.rescaleAddend = {1 << 30, 0};
  residual.rescaleOutput = {1 << 30, -18};
}

struct ConvSplitCase {
  std::string name, target;
  kernels::ConvFamily family;
};

class ConvSplitTest : public testing::TestWithParam<ConvSplitCase> {};

TEST_P(ConvSplitTest, PiecesEqualWholeCommand) {
  auto target = kernels::testTarget(GetParam().target);
  CommandCosts costs(*target);
  Random random(7);
  size_t numSplit = 0;
  for (int round = 0; round < 40; ++round) {
    TestSram sram;
    ConvCommand conv = kernels::makeConvCase(GetParam().family, *target, sram, random).command;
    if (round % 2)
      addResidual(conv, sram, random);
    const CommandBody whole = conv;
    const uint64_t bound = std::max<uint64_t>(1, engineCycles(*target, whole) / kernels::pick(random, 1, 9));
    const std::vector<CommandBody> pieces = splitCommand(costs, whole, bound);
    ASSERT_FALSE(pieces.empty());
    numSplit += pieces.size() > 1;
    ASSERT_EQ(bytesAfter(*target, pieces, sram), bytesAfter(*target, {whole}, sram)) << "round " << round;
  }
  EXPECT_GT(numSplit, 10u);
}

INSTANTIATE_TEST_SUITE_P(Families, ConvSplitTest,
                         testing::Values(ConvSplitCase{"denseE256", "e256", {}}, ConvSplitCase{"denseM512", "m512", {}},
                                         ConvSplitCase{"denseP4096", "p4096", {}},
                                         ConvSplitCase{"depthwise", "e256", {.kind = ConvKind::Depthwise}},
                                         ConvSplitCase{"floats",
                                                       "e256",
                                                       {.scaling = OutputScaling::Float,
                                                        .input = DataType::Float32,
                                                        .weight = DataType::Float32,
                                                        .output = DataType::Float32}}),
                         [](const auto &info) { return info.param.name; });

TEST(SplitCommand, EarlierSplitsDoNotChangePieces) {
  auto target = kernels::testTarget("m512");
  CommandCosts costs(*target);
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    TestSram sram;
    const CommandBody whole = kernels::makeConvCase({}, *target, sram, random).command;
    const uint64_t cycles = engineCycles(*target, whole);
    for (uint64_t parts : {2, 9, 3, 2, 9, 3}) { // each bound also after others, and again
      const uint64_t bound = std::max<uint64_t>(1, cycles / parts);
      CommandCosts fresh(*target);
      ASSERT_EQ(splitCommand(costs, whole, bound), splitCommand(fresh, whole, bound)) << round << ", " << parts;
    }
  }
}

TEST(SplitCommand, ElementwisePiecesEqualWholeCommand) {
  auto target = kernels::testTarget();
  CommandCosts costs(*target);
  Random random(3);
  TestSram sram;
  LookupCommand lookup;
  lookup.input = sram.map(DataType::Int8, 37, 11, 24, kernels::Placement::Scattered, random);
  lookup.output = sram.map(DataType::Int8, 37, 11, 24, kernels::Placement::Scattered, random);
  lookup.table = sram.allocate(256);
  sram.fill(lookup.input, random);
  for (uint32_t i = 0; i < 256; ++i)
    *sram.at<uint8_t>(lookup.table + i) = static_cast<uint8_t>(i * 7 + 3);
  const uint64_t cycles = engineCycles(*target, lookup);
  ASSERT_GT(cycles, 100u);
  const std::vector<CommandBody> pieces = splitCommand(costs, lookup, cycles / 8);
  EXPECT_GE(pieces.size(), 8u);
  EXPECT_EQ(bytesAfter(*target, pieces, sram), bytesAfter(*target, {lookup}, sram));
}

/// Appends the source and destination offset of every byte that a transfer moves, in order.
void appendMoves(const DmaCommand &dma, std::vector<std::pair<uint64_t, uint64_t>> &moves) {
  for (uint32_t k = 0; k < dma.count2; ++k)
    for (uint32_t j = 0; j < dma.count1; ++j)
      for (uint32_t i = 0; i < dma.count0; ++i)
        for (uint32_t byte = 0; byte < dma.runBytes; ++byte) {
          auto at = [&](const DmaEnd &end) {
            return end.offset + uint64_t{k} * end.stride2 + uint64_t{j} * end.stride1 + uint64_t{i} * end.stride0 +
                   byte;
          };
          moves.emplace_back(at(dma.source), at(dma.destination));
        }
}

TEST(SplitCommand, TransferPiecesMoveSameBytes) {
  auto target = kernels::testTarget();
  CommandCosts costs(*target);
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    DmaCommand dma;
    dma.source.region = 1;
    auto below = [&](int32_t most) { return static_cast<uint32_t>(kernels::pick(random, 1, most)); };
    dma.runBytes = below(round % 2 ? 40 : 3000);
    dma.count0 = below(6), dma.count1 = below(5), dma.count2 = below(4);
    for (DmaEnd *end : {&dma.source, &dma.destination}) {
      end->stride0 = dma.runBytes + below(9) - 1;
      end->stride1 = end->stride0 * dma.count0 + below(9) - 1;
      end->stride2 = end->stride1 * dma.count1 + below(9) - 1;
    }
    const uint64_t bound = std::max<uint64_t>(1, engineCycles(*target, dma) / below(7));
    std::vector<std::pair<uint64_t, uint64_t>> whole, inPieces;
    appendMoves(dma, whole);
    for (const CommandBody &piece : splitCommand(costs, dma, bound))
      appendMoves(std::get<DmaCommand>(piece), inPieces);
    ASSERT_EQ(whole, inPieces) << "round " << round;
  }
}

TEST(SplitCommand, ShortCommandsStayWhole) {
  auto target = kernels::testTarget();
  CommandCosts costs(*target);
  DmaCommand dma;
  dma.source.region = 1;
  dma.runBytes = 64;
  EXPECT_EQ(splitCommand(costs, dma, 1000), std::vector<CommandBody>{dma});
}

} // namespace
} // namespace avocet::compiler
