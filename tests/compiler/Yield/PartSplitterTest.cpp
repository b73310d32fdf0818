//===- PartSplitterTest.cpp - Split DSP commands --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCases.h"

#include "Yield/CommandCosts.h"
#include "Yield/SplitCommand.h"
#include "Yield/YieldPoints.h"
#include "avocet/compiler/Yield/TilePlace.h"
#include "avocet/firmware_iface/Output.h"
#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/MacKernels.h"
#include "avocet/kernels/dsp/Quantize.h"
#include "avocet/kernels/dsp/Suppression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

namespace avocet::compiler {
namespace {

using namespace firmware;
using kernels::Random;
using kernels::TestSram;

class PartSplitter : public testing::TestWithParam<PartCase> {};

std::vector<uint8_t> bytesAfter(const Target &target, const std::vector<CommandBody> &commands, TestSram sram) {
  for (const CommandBody &command : commands)
    kernels::checkAndRun(target, command, sram);
  return {sram.bytes().begin(), sram.bytes().end()};
}

/// Different numbers of pieces, down to the smallest ones, on maps with gaps, rings and odd extents.
TEST_P(PartSplitter, PiecesEqualWholeCommand) {
  auto target = kernels::testTarget();
  CommandCosts costs(*target);
  size_t most = 0;
  for (uint32_t round = 0; round < 12; ++round) {
    Random random(round);
    TestSram sram(1 << 17);
    Operands operands(sram, random, 500u << (round % 4), true);
    const CommandBody whole = GetParam().make(operands);
    const uint64_t cycles = engineCycles(*target, whole);
    ASSERT_GT(cycles, 0u) << kernels::findKernel(whole)->check(*target, whole).toString();
    const std::vector<CommandBody> pieces = splitCommand(costs, whole, std::max<uint64_t>(1, cycles / (2 + round)));
    most = std::max(most, pieces.size());
    ASSERT_EQ(bytesAfter(*target, pieces, sram), bytesAfter(*target, {whole}, sram)) << "round " << round;
  }
  RecordProperty("pieces", static_cast<int>(most));
}

/// Splits into parts of `each`, recursively if `each` is 1. The splitter avoids such small parts because of their cost.
std::vector<CommandBody> smallestParts(const kernels::Kernel &kernel, const CommandBody &command, uint32_t each) {
  const uint32_t parts = kernel.parts(command);
  if (parts <= 1)
    return {command};
  std::vector<CommandBody> pieces;
  for (uint32_t first = 0; first < parts; first += each) {
    const CommandBody part = kernel.part(command, first, std::min(each, parts - first));
    for (CommandBody &piece : each == 1 ? smallestParts(kernel, part, each) : std::vector<CommandBody>{part})
      pieces.push_back(std::move(piece));
  }
  return pieces;
}

TEST_P(PartSplitter, SmallestPartsEqualWholeCommand) {
  auto target = kernels::testTarget();
  for (uint32_t each = 1; each <= 3; ++each) {
    Random random(each);
    TestSram sram(1 << 17);
    Operands operands(sram, random, 700 * each, true);
    const CommandBody whole = GetParam().make(operands);
    const std::vector<CommandBody> pieces = smallestParts(*kernels::findKernel(whole), whole, each);
    ASSERT_EQ(bytesAfter(*target, pieces, sram), bytesAfter(*target, {whole}, sram)) << each << " at once";
  }
}

uint64_t addressOf(const FeatureMap &map, uint32_t row, uint32_t column, uint32_t channel) {
  return map.address.offset + uint64_t{(map.firstRow + row) % map.ringRows} * map.rowStride +
         uint64_t{column} * map.pixelStride + uint64_t{channel} * sizeOf(map.type);
}

void expectInside(const TilePlace &place, const FeatureMap &whole) {
  EXPECT_LT(place.row, whole.height);
  EXPECT_LT(place.column, whole.width);
  EXPECT_LT(place.channel, whole.channels);
}

/// First and last element of the part.
void expectTheSameElements(const TilePlace &place, const FeatureMap &whole, const FeatureMap &part) {
  EXPECT_EQ(addressOf(whole, place.row, place.column, place.channel), addressOf(part, 0, 0, 0));
  if (!place.isBox)
    return;
  const uint32_t row = part.height - 1, column = part.width - 1, channel = part.channels - 1;
  expectInside({place.row + row, place.column + column, place.channel + channel}, whole);
  EXPECT_EQ(addressOf(whole, place.row + row, place.column + column, place.channel + channel),
            addressOf(part, row, column, channel));
}

/// Parts of parts, as the source map finds them.
TEST_P(PartSplitter, PlacesOfPartsAreElementsOfTheResult) {
  auto target = kernels::testTarget();
  for (uint32_t each = 1; each <= 3; ++each) {
    Random random(each + 10);
    TestSram sram(1 << 17);
    Operands operands(sram, random, 700 * each, true);
    const CommandBody whole = GetParam().make(operands);
    const FeatureMap &result = *firstOutput(whole);
    for (const CommandBody &piece : smallestParts(*kernels::findKernel(whole), whole, each)) {
      const FeatureMap &part = *firstOutput(piece);
      const TilePlace place = placeOfPart({}, result, part);
      expectInside(place, result);
      expectTheSameElements(place, result, part);
      ASSERT_FALSE(HasFailure()) << each << " at once";
    }
  }
}

TEST(TilePlaceTest, PartsOfScatteredTilesBeginWithTheTile) {
  const TilePlace copy{3, 2, 1, false};
  FeatureMap whole, part;
  whole.height = whole.ringRows = 4;
  whole.width = whole.channels = whole.rowStride = whole.pixelStride = 1;
  part = whole;
  part.firstRow = 2;
  part.height = 2;
  EXPECT_EQ(placeOfPart(copy, whole, part), copy);
}

TEST(TilePlaceTest, LoopNestsAreComparedWithoutTheirGrouping) {
  const ElementAxis lines[] = {{2, 60}, {15, 4}}, pixels[] = {{1, 999}, {2, 60}, {5, 12}, {3, 4}};
  const ElementAxis turned[] = {{15, 4}, {2, 60}};
  EXPECT_TRUE(visitSameBytes(lines, pixels));
  EXPECT_FALSE(visitSameBytes(lines, turned));
}

TEST_P(PartSplitter, PiecesAreBoundedWhenOperandsFillSram) {
  double before = 0, after = 0;
  for (const char *name : {"e256", "e256s", "m512", "p4096"}) {
    auto target = kernels::testTarget(name);
    CommandCosts costs(*target);
    Random random(1);
    TestSram sram(target->sram().bytes + (1 << 16));
    Operands operands(sram, random, static_cast<uint32_t>(target->sram().bytes / 20 * 19), false);
    const CommandBody whole = GetParam().make(operands);
    const double us = 1e6 / static_cast<double>(target->clockHz());
    const uint64_t cycles = engineCycles(*target, whole);
    ASSERT_GT(cycles, 0u) << kernels::findKernel(whole)->check(*target, whole).toString();
    uint64_t longest = 0, total = 0;
    const std::vector<CommandBody> pieces = splitCommand(costs, whole, yieldBound(*target));
    for (const CommandBody &piece : pieces) {
      longest = std::max(longest, costs.cycles(piece));
      total += costs.cycles(piece);
    }
    std::printf("%-28s %-6s whole %9.1f us, %5zu pieces, longest %8.1f us, together %4.0f %%\n",
                GetParam().name.c_str(), name, double(cycles) * us, pieces.size(), double(longest) * us,
                100 * double(total) / double(cycles));
    before = std::max(before, double(cycles) * us);
    after = std::max(after, double(longest) * us);
    EXPECT_LE(double(longest) * us, GetParam().mostUs) << name;
    EXPECT_LE(total + longest, cycles * 2) << name << ": it does not pay";
  }
  RecordProperty("wholeUs", std::to_string(before));
  RecordProperty("longestPieceUs", std::to_string(after));
}

/// Kernels whose commands PartSplitter cannot divide, with the reason.
constexpr std::pair<kernels::KernelId, std::string_view> kWithoutParts[] = {
    {kernels::kConvKernel, "OutputPiece.cpp divides commands of the MAC array"},
    {kernels::kPoolKernel, "OutputPiece.cpp divides commands of the MAC array"},
    {kernels::kEltwiseKernel, "OutputPiece.cpp divides commands of the MAC array"},
    {kernels::kLookupKernel, "OutputPiece.cpp divides commands of the MAC array"},
    {kernels::kDynamicRecordKernel, "a map has few rows, and as many ranges"},
    {kernels::kNonMaxSuppressionKernel, "each selection depends on the ones before"},
    {kernels::kBoxNmsLimitKernel, "each selection depends on the ones before"},
    {kernels::kGenerateProposalsKernel, "each selection depends on the ones before"},
};

/// Whether a case of the kernel has parts.
bool hasParts(const kernels::Kernel &kernel) {
  for (const PartCase &part : partCases()) {
    Random random(1);
    TestSram sram(1 << 17);
    Operands operands(sram, random, 2000, false);
    const CommandBody command = part.make(operands);
    if (kernels::findKernel(command) == &kernel && kernel.parts(command) > 1)
      return true;
  }
  return false;
}

TEST(PartTableTest, EachKernelHasPartsOrAnExemption) {
  for (const kernels::Kernel *kernel : kernels::allKernels()) {
    const bool isExempt =
        std::ranges::any_of(kWithoutParts, [&](const auto &entry) { return entry.first == kernel->id(); });
    EXPECT_NE(hasParts(*kernel), isExempt) << kernel->name() << " needs parts and a case, or an exemption, not both";
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PartSplitter, testing::ValuesIn(partCases()),
                         [](const auto &info) { return info.param.name; });

} // namespace
} // namespace avocet::compiler
