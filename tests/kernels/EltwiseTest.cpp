//===- EltwiseTest.cpp - Element-wise operations and look-up --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"

#include "hwy/targets.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {
namespace {

using namespace firmware;

enum class Shape { Same, Row, Pixel, Channel, Scalar };

/// The map of input B that is broadcast to a shape.
FeatureMap broadcastInput(Shape shape, const FeatureMap &output, TestSram &sram, Random &random) {
  bool oneRow = shape == Shape::Row || shape == Shape::Pixel || shape == Shape::Scalar;
  bool oneColumn = shape == Shape::Pixel || shape == Shape::Scalar;
  bool oneChannel = shape == Shape::Channel || shape == Shape::Scalar;
  FeatureMap map = sram.map(output.type, oneRow ? 1 : output.height, oneColumn ? 1 : output.width,
                            oneChannel ? 1 : output.channels, Placement::Dense, random);
  sram.fill(map, random);
  if (oneRow) {
    map.height = map.ringRows = output.height;
    map.rowStride = 0;
  }
  if (oneColumn) {
    map.width = output.width;
    map.pixelStride = 0;
  }
  return map;
}

EltwiseCommand makeEltwise(EltwiseKind kind, DataType type, Shape shape, TestSram &sram, Random &random) {
  auto extent = [&](int32_t most) { return static_cast<uint32_t>(pick(random, 1, most)); };
  Placement placement = pick(random, 0, 1) != 0 ? Placement::Dense : Placement::Scattered;
  EltwiseCommand c;
  c.kind = kind;
  uint32_t height = extent(4), width = extent(5), channels = extent(50);
  c.output = sram.map(type, height, width, channels, placement, random);
  c.inputA = sram.map(type, height, width, channels, placement, random);
  sram.fill(c.inputA, random);
  c.inputB = broadcastInput(shape, c.output, sram, random);
  if (isFloat(type)) {
    c.clamp = floatActivationClamp(Activation::kNone);
    return c;
  }
  float scaleA = pickReal(random, 0.01f, 0.1f), scaleB = pickReal(random, 0.01f, 0.1f);
  if (sizeOf(type) == 1)
    for (FeatureMap *map : {&c.inputA, &c.inputB, &c.output})
      map->zeroPoint = pick(random, minValue(type), maxValue(type));
  float scaleOutput = kind == EltwiseKind::Mul ? scaleA * scaleB * 128 : scaleA + scaleB;
  AddRescales rescales = prepareAdd(type, scaleA, scaleB, scaleOutput);
  c.rounding = static_cast<Rounding>(pick(random, 0, 2));
  c.leftShift = rescales.leftShift;
  c.rescaleA = rescales.inputA;
  c.rescaleB = rescales.inputB;
  c.rescaleOutput = kind == EltwiseKind::Mul ? prepareMul(scaleA, scaleB, scaleOutput) : rescales.output;
  return c;
}

double eltwiseByDefinition(const EltwiseCommand &c, double a, double b) {
  bool integers = !isFloat(c.output.type);
  if (c.kind == EltwiseKind::Min)
    return std::min(a, b);
  if (c.kind == EltwiseKind::Max)
    return std::max(a, b);
  if (!integers)
    return c.kind == EltwiseKind::Add ? a + b : c.kind == EltwiseKind::Sub ? a - b : a * b;
  auto x = static_cast<int64_t>(a) - c.inputA.zeroPoint, y = static_cast<int64_t>(b) - c.inputB.zeroPoint;
  int64_t value = x * y;
  if (c.kind != EltwiseKind::Mul) {
    x = rescaledByDefinition(x * (int64_t(1) << c.leftShift), c.rescaleA.multiplier, c.rescaleA.shift, c.rounding);
    y = rescaledByDefinition(y * (int64_t(1) << c.leftShift), c.rescaleB.multiplier, c.rescaleB.shift, c.rounding);
    value = c.kind == EltwiseKind::Add ? x + y : x - y;
  }
  value =
      rescaledByDefinition(value, c.rescaleOutput.multiplier, c.rescaleOutput.shift, c.rounding) + c.output.zeroPoint;
  return static_cast<double>(std::clamp<int64_t>(value, minValue(c.output.type), maxValue(c.output.type)));
}

class EltwiseTest : public testing::TestWithParam<std::tuple<EltwiseKind, DataType, Shape>> {};

TEST_P(EltwiseTest, EqualsTheDefinition) {
  auto [kind, type, shape] = GetParam();
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 15; ++seed) {
    Random random(seed);
    TestSram sram;
    EltwiseCommand c = makeEltwise(kind, type, shape, sram, random);
    checkAndRun(*target, c, sram);
    for (uint32_t y = 0; y < c.output.height; ++y)
      for (uint32_t x = 0; x < c.output.width; ++x)
        for (uint32_t channel = 0; channel < c.output.channels; ++channel) {
          double b = sram.get(c.inputB, y, x, c.inputB.channels == 1 ? 0 : channel);
          double expected = eltwiseByDefinition(c, sram.get(c.inputA, y, x, channel), b);
          ASSERT_NEAR(sram.get(c.output, y, x, channel), expected, isFloat(type) ? 1e-6 : 0) << "seed " << seed;
        }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, EltwiseTest,
    testing::Combine(testing::Values(EltwiseKind::Add, EltwiseKind::Sub, EltwiseKind::Mul, EltwiseKind::Min,
                                     EltwiseKind::Max),
                     testing::Values(DataType::Int8, DataType::UInt8, DataType::Int16, DataType::Float32),
                     testing::Values(Shape::Same, Shape::Row, Shape::Pixel, Shape::Channel, Shape::Scalar)));

TEST(EltwiseInPlaceTest, OutputMayBeAnInput) {
  auto target = testTarget();
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    TestSram sram;
    EltwiseCommand c = makeEltwise(EltwiseKind::Add, DataType::Int8, Shape::Same, sram, random);
    checkAndRun(*target, c, sram);
    std::vector<double> expected = sram.values(c.output);
    int32_t zeroPoint = c.output.zeroPoint, inputZero = c.inputA.zeroPoint;
    c.output = c.inputA;
    c.output.zeroPoint = zeroPoint;
    ASSERT_EQ(c.inputA.zeroPoint, inputZero);
    checkAndRun(*target, c, sram);
    ASSERT_EQ(sram.values(c.output), expected);
  }
}

TEST(EltwiseInstructionSetTest, AllInstructionSetsGiveSameBits) {
  auto target = testTarget();
  int64_t machine = hwy::SupportedTargets();
  for (uint32_t seed = 0; seed < 20; ++seed)
    for (EltwiseKind kind : {EltwiseKind::Add, EltwiseKind::Sub, EltwiseKind::Mul}) {
      Random random(seed);
      TestSram sram;
      EltwiseCommand c = makeEltwise(kind, DataType::UInt8, Shape::Same, sram, random);
      checkAndRun(*target, c, sram);
      std::vector<double> expected = sram.values(c.output);
      for (int64_t rest = machine; rest != 0; rest &= rest - 1) {
        hwy::SetSupportedTargetsForTest(rest & -rest);
        sram.setValues(c.output, std::vector<double>(expected.size()));
        checkAndRun(*target, c, sram);
        ASSERT_EQ(sram.values(c.output), expected) << hwy::TargetName(rest & -rest);
      }
      hwy::SetSupportedTargetsForTest(0);
    }
}

TEST(LookupTest, IndexIsTheBitPattern) {
  auto target = testTarget();
  Random random(1);
  TestSram sram;
  LookupCommand c;
  c.input = sram.map(DataType::Int8, 2, 3, 5, Placement::Scattered, random);
  c.output = sram.map(DataType::UInt8, 2, 3, 5, Placement::Scattered, random);
  c.table = sram.allocate(256);
  for (int i = 0; i < 256; ++i)
    sram.at<uint8_t>(c.table)[i] = static_cast<uint8_t>(255 - i);
  sram.fill(c.input, random);
  sram.set(c.input, 1, 2, 4, -1); // bit pattern 255
  checkAndRun(*target, c, sram);
  EXPECT_EQ(sram.get(c.output, 1, 2, 4), 0);
  std::vector<double> in = sram.values(c.input), out = sram.values(c.output);
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(out[i], 255 - static_cast<uint8_t>(static_cast<int8_t>(in[i])));
}

} // namespace
} // namespace avocet::kernels
