//===- ConvTest.cpp - Convolution against its definition ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvTestSupport.h"
#include "InstructionSets.h"

#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/kernels/Quantization.h"
#include "conv/ConvReference.h"

#include <cmath>

namespace avocet::kernels {
namespace {

using namespace firmware;

struct ConvFamilyCase {
  const char *name;
  ConvFamily family;
  const char *target;
};

/// Prints the name of a failing parameter.
void PrintTo(const ConvFamilyCase &c, std::ostream *out) { *out << c.name; }

constexpr ConvKind kDense = ConvKind::Dense, kDepthwise = ConvKind::Depthwise;
constexpr OutputScaling kRequantize = OutputScaling::Requantize, kWide = OutputScaling::RequantizeWide,
                        kSums = OutputScaling::Sums, kWideSums = OutputScaling::SumsWide;
constexpr Rounding kSingle = Rounding::Single, kEven = Rounding::Even;
constexpr DataType kI8 = DataType::Int8, kU8 = DataType::UInt8, kI16 = DataType::Int16, kI32 = DataType::Int32,
                   kI64 = DataType::Int64, kF32 = DataType::Float32, kF16 = DataType::Float16;

const ConvFamilyCase kFamilies[] = {
    {"denseInt8", {kDense, kRequantize, kI8, kI8, kI8}, "e256"},
    {"denseInt8WideGranule", {kDense, kRequantize, kI8, kI8, kI8}, "p4096"},
    {"denseUInt8", {kDense, kRequantize, kU8, kU8, kU8}, "e256"},
    {"denseMixedSigns", {kDense, kRequantize, kU8, kI8, kI8}, "e256"},
    {"denseMixedSignsPointwise", {kDense, kRequantize, kU8, kI8, kU8, true, 130}, "p4096"},
    {"densePointwise", {kDense, kRequantize, kI8, kI8, kI8, true, 130}, "e256"},
    {"denseInt8ToInt16", {kDense, kRequantize, kI8, kI8, kI16}, "e256"},
    {"denseInt16", {kDense, kWide, kI16, kI8, kI16}, "e256"},
    {"denseInt16WideGranule", {kDense, kWide, kI16, kI8, kI16}, "p4096"},
    {"denseInt16Deep", {kDense, kWide, kI16, kI8, kI16, true, 600}, "e256"},
    {"denseInt16NarrowSums", {kDense, kRequantize, kI16, kI8, kI16}, "e256"},
    {"denseInt16Products", {kDense, kWide, kI16, kI16, kI16}, "e256"},
    {"denseInt16ProductsWideGranule", {kDense, kWide, kI16, kI16, kI16}, "p4096"},
    {"denseInt16ProductsDeep", {kDense, kWide, kI16, kI16, kI16, true, 600}, "e256"},
    {"denseSingle", {kDense, kRequantize, kI8, kI8, kI8, false, 40, kSingle}, "e256"},
    {"denseUInt8Single", {kDense, kRequantize, kU8, kU8, kU8, false, 40, kSingle}, "e256"},
    {"denseEven", {kDense, kRequantize, kI8, kI8, kI8, false, 40, kEven}, "e256"},
    {"densePointwiseEven", {kDense, kRequantize, kU8, kI8, kI8, true, 130, kEven}, "p4096"},
    {"densePointwiseSingle", {kDense, kRequantize, kU8, kI8, kI8, true, 130, kSingle}, "p4096"},
    {"denseInt16NarrowSingle", {kDense, kRequantize, kI16, kI8, kI16, false, 40, kSingle}, "e256"},
    {"denseSums", {kDense, kSums, kI8, kI8, kI32}, "e256"},
    {"denseUInt8Sums", {kDense, kSums, kU8, kU8, kI32}, "p4096"},
    {"densePointwiseSums", {kDense, kSums, kI8, kI8, kI32, true, 130}, "e256"},
    {"denseInt16Sums", {kDense, kSums, kI16, kI8, kI32}, "e256"},
    {"denseInt16WideSums", {kDense, kWideSums, kI16, kI8, kI64}, "e256"},
    {"denseInt16ProductsWideSums", {kDense, kWideSums, kI16, kI16, kI64, true, 130}, "p4096"},
    {"depthwiseEven", {kDepthwise, kRequantize, kU8, kI8, kU8, false, 40, kEven}, "e256"},
    {"depthwiseSingle", {kDepthwise, kRequantize, kI8, kI8, kI8, false, 40, kSingle}, "e256"},
    {"depthwiseInt16Single", {kDepthwise, kRequantize, kI16, kI8, kI16, false, 40, kSingle}, "p4096"},
    {"depthwiseSums", {kDepthwise, kSums, kI8, kI8, kI32}, "e256"},
    {"depthwiseInt16WideSums", {kDepthwise, kWideSums, kI16, kI8, kI64}, "e256"},
    {"denseDynamic", {kDense, OutputScaling::Dynamic, kI8, kI8, kF32}, "e256"},
    {"denseDynamicPointwise", {kDense, OutputScaling::Dynamic, kI8, kI8, kF32, true, 130}, "p4096"},
    {"denseFloat", {kDense, OutputScaling::Float, kF32, kF32, kF32}, "e256"},
    {"denseFloatPointwise", {kDense, OutputScaling::Float, kF32, kF32, kF32, true, 130}, "e256"},
    {"denseFloatWideGranule", {kDense, OutputScaling::Float, kF32, kF32, kF32}, "p4096"},
    {"denseFloatPointwiseWideGranule", {kDense, OutputScaling::Float, kF32, kF32, kF32, true, 130}, "p4096"},
    {"denseHalf", {kDense, OutputScaling::Float, kF16, kF16, kF16}, "e256"},
    {"denseHalfPointwise", {kDense, OutputScaling::Float, kF16, kF16, kF16, true, 130}, "p4096"},
    {"depthwiseInt8", {kDepthwise, kRequantize, kI8, kI8, kI8}, "e256"},
    {"depthwiseInt8WideGranule", {kDepthwise, kRequantize, kI8, kI8, kI8, false, 90}, "p4096"},
    {"depthwiseUInt8", {kDepthwise, kRequantize, kU8, kU8, kU8}, "e256"},
    {"depthwiseInt16", {kDepthwise, kWide, kI16, kI8, kI16}, "e256"},
    {"depthwiseInt16WideGranule", {kDepthwise, kWide, kI16, kI8, kI16, false, 90}, "p4096"},
    {"depthwiseInt16NarrowSums", {kDepthwise, kRequantize, kI16, kI8, kI16}, "e256"},
    {"depthwiseDynamic", {kDepthwise, OutputScaling::Dynamic, kI8, kI8, kF32}, "e256"},
    {"depthwiseFloat", {kDepthwise, OutputScaling::Float, kF32, kF32, kF32}, "e256"},
    {"depthwiseFloatWideGranule", {kDepthwise, OutputScaling::Float, kF32, kF32, kF32, false, 90}, "p4096"},
    {"depthwiseHalf", {kDepthwise, OutputScaling::Float, kF16, kF16, kF16}, "e256"},
};

std::string refusal(const ConvCommand &command) {
  return std::string(findKernel(CommandBody(command))->check(*testTarget(), command).message());
}

TEST(ConvSumsTest, RefusesWhatSumsDoNotHave) {
  Random random(1);
  TestSram sram;
  const ConvCommand sums = makeConvCase({kDense, kSums, kI8, kI8, kI32}, *testTarget(), sram, random).command;
  EXPECT_EQ(refusal(sums), "");
  ConvCommand command = sums;
  command.rounding = kSingle;
  EXPECT_THAT(refusal(command), testing::HasSubstr("rounding"));
  command = sums;
  command.output.zeroPoint = 1;
  EXPECT_THAT(refusal(command), testing::HasSubstr("0 for sums"));
  command = makeConvCase({kDense, kWideSums, kI16, kI8, kI64}, *testTarget(), sram, random).command;
  EXPECT_EQ(refusal(command), "");
  command.clamp.max = 5;
  EXPECT_THAT(refusal(command), testing::HasSubstr("no bound"));
}

class ConvFamilyTest : public testing::TestWithParam<ConvFamilyCase> {};

void expectClose(const std::vector<double> &actual, const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << "element " << i;
}

double toleranceOf(const ConvFamily &family) {
  if (family.input == kF16)
    return 2e-3;
  return family.output == kF32 ? 2e-5 : 0;
}

TEST_P(ConvFamilyTest, EqualsTheDefinition) {
  const ConvFamily &family = GetParam().family;
  auto target = testTarget(GetParam().target);
  for (uint32_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    TestSram sram;
    ConvCase conv = makeConvCase(family, *target, sram, random);
    std::vector<double> expected = convByDefinition(conv, sram);
    checkAndRun(*target, conv.command, sram);
    ASSERT_NO_FATAL_FAILURE(expectClose(sram.values(conv.command.output), expected, toleranceOf(family)))
        << "seed " << seed;
  }
}

TEST_P(ConvFamilyTest, WritesOnlyItsOutput) {
  auto target = testTarget(GetParam().target);
  for (uint32_t seed = 100; seed < 120; ++seed) {
    Random random(seed);
    TestSram sram;
    ConvCase conv = makeConvCase(GetParam().family, *target, sram, random);
    std::vector<uint8_t> before(sram.bytes().begin(), sram.bytes().end());
    std::vector<double> outputs = sram.values(conv.command.output);
    checkAndRun(*target, conv.command, sram);
    sram.setValues(conv.command.output, outputs);
    ASSERT_TRUE(std::equal(before.begin(), before.end(), sram.bytes().begin())) << "seed " << seed;
  }
}

/// Compares every instruction set of this machine with the plain form, bit by bit.
TEST_P(ConvFamilyTest, EveryInstructionSetEqualsThePlainForm) {
  auto target = testTarget(GetParam().target);
  onEveryInstructionSet([&] {
    for (uint32_t seed = 200; seed < 230; ++seed) {
      Random random(seed);
      TestSram sram;
      ConvCase conv = makeConvCase(GetParam().family, *target, sram, random);
      const Window &w = conv.command.window;
      WeightDims dims{conv.command.output.channels, w.kernelHeight, w.kernelWidth, conv.command.input.channels};
      auto layout = WeightLayout::create(target->mac(), conv.command.kind, dims, sizeOf(conv.command.weightType));
      runConvReference(conv.command, *layout, sram.bytes().data() + conv.command.weights.offset, sram.bytes());
      std::vector<double> expected = sram.values(conv.command.output);
      sram.setValues(conv.command.output, std::vector<double>(expected.size()));
      checkAndRun(*target, conv.command, sram);
      ASSERT_EQ(sram.values(conv.command.output), expected) << "seed " << seed;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Families, ConvFamilyTest, testing::ValuesIn(kFamilies),
                         [](const auto &info) { return info.param.name; });

/// 1x1 image, one channel: (7 - 3) * (5 - 1) + 100 = 116; * 0.5 = 58; + 10 = 68.
TEST(ConvTest, OneProductByHand) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  ConvCommand c;
  c.input = sram.map(kU8, 1, 1, 1, Placement::Dense, random);
  c.output = sram.map(kU8, 1, 1, 1, Placement::Dense, random);
  c.weightType = kU8;
  c.input.zeroPoint = 3;
  c.weightZeroPoint = 1;
  c.output.zeroPoint = 10;
  sram.set(c.input, 0, 0, 0, 7);
  placeWeights(*target, {5}, c, sram);
  c.channelRecords = sram.allocate(sizeof(RequantRecord));
  *sram.at<RequantRecord>(c.channelRecords) = {100, 1 << 30, 0};
  checkAndRun(*target, c, sram);
  EXPECT_EQ(sram.get(c.output, 0, 0, 0), 68);
}

TEST(ConvTest, LookupTableIsAppliedAfterTheClamp) {
  auto target = testTarget();
  for (ConvKind kind : {kDense, kDepthwise})
    for (uint32_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      TestSram sram;
      ConvCase conv = makeConvCase({kind}, *target, sram, random);
      conv.command.lookupTable = sram.allocate(256);
      for (int i = 0; i < 256; ++i)
        sram.at<uint8_t>(conv.command.lookupTable)[i] = static_cast<uint8_t>(pick(random, 0, 255));
      std::vector<double> expected = convByDefinition(conv, sram);
      checkAndRun(*target, conv.command, sram);
      ASSERT_EQ(sram.values(conv.command.output), expected);
    }
}

/// Records of random words: the plain form defines the results, and the kernel must give them.
void expectDefinedForHostileRecords(const ConvFamily &family, uint32_t wordsPerRecord) {
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TestSram sram;
    ConvCase conv = makeConvCase(family, *target, sram, random);
    auto *words = sram.at<int32_t>(conv.command.channelRecords);
    for (uint32_t i = 0; i < wordsPerRecord * conv.command.output.channels; ++i)
      words[i] = static_cast<int32_t>(random());
    const Window &w = conv.command.window;
    WeightDims dims{conv.command.output.channels, w.kernelHeight, w.kernelWidth, conv.command.input.channels};
    runConvReference(conv.command, *WeightLayout::create(target->mac(), family.kind, dims, 1),
                     sram.bytes().data() + conv.command.weights.offset, sram.bytes());
    std::vector<double> expected = sram.values(conv.command.output);
    checkAndRun(*target, conv.command, sram);
    ASSERT_EQ(sram.values(conv.command.output), expected);
  }
}

/// Sums beyond 32 bits wrap in the same way in every form, and records from memory may hold any value.
TEST(ConvTest, ResultsAreDefinedForHostileRecords) {
  for (ConvKind kind : {kDense, kDepthwise})
    ASSERT_NO_FATAL_FAILURE(expectDefinedForHostileRecords({kind}, sizeof(RequantRecord) / sizeof(int32_t)));
}

/// The same for 64-bit sums.
TEST(ConvTest, ResultsAreDefinedForHostileWideRecords) {
  for (ConvKind kind : {kDense, kDepthwise})
    ASSERT_NO_FATAL_FAILURE(
        expectDefinedForHostileRecords({kind, kWide, kI16, kI8, kI16}, sizeof(WideRequantRecord) / sizeof(int32_t)));
}

/// 32767 * 127 + 2^40, times 2^-26 with one rounding: 16384.06 is 16384.
TEST(ConvTest, WideSumsBeyond32BitsAreExact) {
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    TestSram sram;
    ConvCase conv = makeConvCase({kDense, kWide, kI16, kI8, kI16, true, 600}, *target, sram, random);
    ConvCommand &c = conv.command;
    if (seed % 2 == 0) // commands of few pixels have a form of their own
      c.output.height = c.output.width = 1;
    sram.setValues(c.input, std::vector<double>(sram.values(c.input).size(), 32767));
    std::fill_n(sram.at<int8_t>(c.weights), c.weightBytes, int8_t(127));
    const WeightDims dims{c.output.channels, c.window.kernelHeight, c.window.kernelWidth, c.input.channels};
    runConvReference(c, *WeightLayout::create(target->mac(), kDense, dims, 1), sram.bytes().data() + c.weights.offset,
                     sram.bytes());
    std::vector<double> expected = sram.values(c.output);
    checkAndRun(*target, c, sram);
    ASSERT_EQ(sram.values(c.output), expected) << "seed " << seed;
  }
}

TEST(ConvTest, WideBiasByHand) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  ConvCommand c;
  c.scaling = kWide;
  c.input = sram.map(kI16, 1, 1, 1, Placement::Dense, random);
  c.output = sram.map(kI16, 1, 1, 1, Placement::Dense, random);
  sram.set(c.input, 0, 0, 0, 32767);
  placeWeights(*target, {127}, c, sram);
  c.channelRecords = sram.allocate(sizeof(WideRequantRecord));
  *sram.at<WideRequantRecord>(c.channelRecords) = {0, 1 << 8, 1 << 30, -25};
  checkAndRun(*target, c, sram);
  EXPECT_EQ(sram.get(c.output, 0, 0, 0), 16384);
}

/// The fast form declines such wide padding: the plain form must still give the result.
TEST(ConvTest, HugeDilationReadsOnlyPadding) {
  auto target = testTarget();
  for (ConvKind kind : {kDense, kDepthwise}) {
    Random random(3);
    TestSram sram;
    ConvCase conv = makeConvCase({kind}, *target, sram, random);
    conv.command.window.dilationHeight = 65535;
    conv.command.window.dilationWidth = 65535;
    std::vector<double> expected = convByDefinition(conv, sram);
    checkAndRun(*target, conv.command, sram);
    EXPECT_EQ(sram.values(conv.command.output), expected);
  }
}

} // namespace
} // namespace avocet::kernels
