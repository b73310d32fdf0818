//===- ResidualTest.cpp - Additions in the output stage of convolutions ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result has the bits of the convolution and the addition in sequence. checkAndRun() also compares shares.
//
//===----------------------------------------------------------------------===//

#include "ConvTestSupport.h"

#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Quantization.h"

#include <gmock/gmock.h>

namespace avocet::kernels {
namespace {

using namespace firmware;
using testing::HasSubstr;

/// A convolution with an addition, and the two commands that give the same.
struct ResidualCase {
  ConvCommand fused;
  ConvCommand conv;
  EltwiseCommand add;
};

void setScales(ResidualCase &c, Random &random) {
  const DataType type = c.add.output.type;
  if (isFloat(type)) {
    c.add.clamp = floatActivationClamp(Activation::kRelu);
    return;
  }
  c.add.inputB.zeroPoint = pick(random, minValue(type), maxValue(type));
  c.add.output.zeroPoint = pick(random, minValue(type), maxValue(type));
  const float scaleA = pickReal(random, 0.01f, 0.1f), scaleB = pickReal(random, 0.01f, 0.1f);
  const AddRescales rescales = prepareAdd(type, scaleA, scaleB, scaleA + scaleB);
  c.add.rounding = static_cast<Rounding>(pick(random, 0, 2));
  c.add.leftShift = rescales.leftShift;
  c.add.rescaleA = rescales.inputA;
  c.add.rescaleB = rescales.inputB;
  c.add.rescaleOutput = rescales.output;
  if (pick(random, 0, 1) != 0)
    c.add.clamp = {c.add.output.zeroPoint, maxValue(type)};
}

ResidualCase makeCase(const ConvFamily &family, TestSram &sram, Random &random) {
  ResidualCase c;
  c.conv = makeConvCase(family, *testTarget(), sram, random).command;
  const FeatureMap &out = c.conv.output;
  const Placement placement = pick(random, 0, 1) != 0 ? Placement::Scattered : Placement::Dense;
  c.add.inputA = out;
  c.add.inputB = sram.map(out.type, out.height, out.width, out.channels, placement, random);
  sram.fill(c.add.inputB, random);
  c.add.output = sram.map(out.type, out.height, out.width, out.channels, placement, random);
  setScales(c, random);
  c.fused = c.conv;
  c.fused.output = c.add.output;
  c.fused.residual = {c.add.inputB,   out.zeroPoint,       c.add.leftShift, c.add.rescaleA,
                      c.add.rescaleB, c.add.rescaleOutput, c.add.rounding,  c.add.clamp};
  return c;
}

class ResidualTest : public testing::TestWithParam<ConvFamily> {};

TEST_P(ResidualTest, EqualsConvolutionAndAddition) {
  for (uint32_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    TestSram sram;
    const ResidualCase c = makeCase(GetParam(), sram, random);
    checkAndRun(*testTarget(), c.conv, sram);
    checkAndRun(*testTarget(), c.add, sram);
    const std::vector<double> expected = sram.values(c.add.output);
    sram.setValues(c.add.output, std::vector<double>(expected.size()));
    checkAndRun(*testTarget(), c.fused, sram);
    ASSERT_EQ(sram.values(c.fused.output), expected);
  }
}

TEST_P(ResidualTest, OutputMayBeTheAddend) {
  for (uint32_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    TestSram sram;
    ResidualCase c = makeCase(GetParam(), sram, random);
    checkAndRun(*testTarget(), c.fused, sram);
    const std::vector<double> expected = sram.values(c.fused.output);
    const int32_t zeroPoint = c.fused.output.zeroPoint;
    c.fused.output = c.fused.residual.addend;
    c.fused.output.zeroPoint = zeroPoint;
    if (c.fused.output.height > 1) // divided, although it reads bytes that it writes
      EXPECT_EQ(findKernel(c.fused)->shares(*testTarget(), c.fused, 2).empty(),
                findKernel(c.conv)->shares(*testTarget(), c.conv, 2).empty());
    checkAndRun(*testTarget(), c.fused, sram);
    ASSERT_EQ(sram.values(c.fused.output), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ResidualTest,
    testing::Values(ConvFamily{}, ConvFamily{.pointwise = true}, ConvFamily{.kind = ConvKind::Depthwise},
                    ConvFamily{.input = DataType::UInt8, .weight = DataType::UInt8, .output = DataType::UInt8},
                    ConvFamily{.scaling = OutputScaling::Float,
                               .input = DataType::Float32,
                               .weight = DataType::Float32,
                               .output = DataType::Float32},
                    ConvFamily{.kind = ConvKind::Depthwise,
                               .scaling = OutputScaling::Float,
                               .input = DataType::Float16,
                               .weight = DataType::Float16,
                               .output = DataType::Float16},
                    ConvFamily{.scaling = OutputScaling::Dynamic, .output = DataType::Float32}));

TEST(ResidualCheckTest, RefusesWhatTheStageCannotAdd) {
  Random random(1);
  TestSram sram;
  const ResidualCase c = makeCase({}, sram, random);
  const auto error = [&](auto &&change) {
    ConvCommand changed = c.fused;
    change(changed);
    return findKernel(changed)->check(*testTarget(), changed).message();
  };
  EXPECT_EQ(error([](ConvCommand &) {}), "");
  EXPECT_THAT(error([](ConvCommand &conv) { ++conv.residual.addend.channels; }), HasSubstr("residual.addend"));
  EXPECT_THAT(error([](ConvCommand &conv) { conv.residual.addend.type = DataType::UInt8; }),
              HasSubstr("residual.addend.type"));
  EXPECT_THAT(error([](ConvCommand &conv) { conv.lookupTable = 64; }), HasSubstr("absent with a residual"));
  EXPECT_THAT(error([](ConvCommand &conv) { conv.residual.leftShift = 31; }), HasSubstr("residual.leftShift is 31"));
  EXPECT_THAT(error([](ConvCommand &conv) { conv.residual.rescaleAddend.shift = 32; }),
              HasSubstr("residual.rescaleAddend.shift is 32"));
  EXPECT_THAT(error([](ConvCommand &conv) { conv.residual.zeroPoint = 128; }), HasSubstr("residual.zeroPoint is 128"));
  EXPECT_THAT(error([](ConvCommand &conv) { conv.residual.clamp = {3, 2}; }), HasSubstr("residual: clamp"));
  EXPECT_THAT(error([](ConvCommand &conv) { conv.residual.addend.address = kNoAddress; }),
              HasSubstr("since other fields are set"));
}

TEST(ResidualCostTest, AdditionTakesOutputStageAndPort) {
  const auto target = testTarget();
  ConvCommand conv;
  conv.input = {DataType::Int8, 0, 8, 8, 32, 8, 0, 256, 32, 0};
  conv.output = {DataType::Int8, 4096, 8, 8, 16, 8, 0, 128, 16, 0};
  conv.weightBytes = 512;
  conv.block = {4, 8, 16};
  const TileCost plain = findKernel(conv)->cost(*target, conv);
  conv.residual.addend = conv.output;
  const TileCost fused = findKernel(conv)->cost(*target, conv);
  ASSERT_EQ(plain.runs.size(), 2u); // 4 rows each
  ASSERT_EQ(fused.runs.size(), 2u);
  // e256: the stage handles 4 elements in 1 cycle, the addition 4 in 3: 4 * 8 * 16 = 512 elements take 128 and 512.
  EXPECT_EQ(plain.runs[0].outputCycles, 128u);
  EXPECT_EQ(fused.runs[0].outputCycles, 512u);
  EXPECT_EQ(fused.runs[0].weightBytes, plain.runs[0].weightBytes + 512); // 4 rows of 128 bytes
  EXPECT_EQ(fused.runs[0].addendRowsEnd, 4u);
  EXPECT_EQ(fused.runs[1].addendRowsEnd, 8u);
  EXPECT_EQ(plain.runs[1].addendRowsEnd, 0u);
  EXPECT_EQ(fused.macs, plain.macs);
}

TEST(ResidualCostTest, AddendTakesRoomInTheBuffer) {
  const auto target = testTarget();
  ConvCommand conv;
  conv.scaling = OutputScaling::Float;
  conv.weightType = DataType::Float32;
  conv.input = {DataType::Float32, 0, 32, 32, 4, 32, 0, 512, 16, 0};
  conv.output = {DataType::Float32, 65536, 32, 32, 64, 32, 0, 8192, 256, 0};
  const Block plain = chooseBlock(*target, conv).block;
  conv.block = plain;
  // Grows the block to the largest one that fits without an addend.
  for (uint32_t Block::*extent : {&Block::channels, &Block::width, &Block::height})
    while (conv.block.*extent < 64) {
      ++(conv.block.*extent);
      if (!blockFits(*target, conv)) {
        --(conv.block.*extent);
        break;
      }
    }
  ASSERT_TRUE(blockFits(*target, conv));
  conv.residual.addend = conv.output;
  EXPECT_FALSE(blockFits(*target, conv));
}

} // namespace
} // namespace avocet::kernels
