//===- BinaryByHandTest.cpp - Single results of "binary" --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTestSupport.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Binary.h"
#include "binary/QuantizedQuotient.h"

#include <limits>

namespace avocet::kernels {
namespace {

using namespace firmware;

DspCommand commandOf(const BinaryParameters &parameters, const FeatureMap &a, const FeatureMap &b,
                     const FeatureMap &output) {
  DspCommand command;
  command.kernel = kBinaryKernel.number;
  command.parameters = packParameters(parameters);
  command.inputs = {a, b};
  command.outputs = {output};
  return command;
}

std::vector<double> runOn(BinaryKind kind, DataType type, const std::vector<double> &a, const std::vector<double> &b,
                          Clamp clamp = {}) {
  Random random(1);
  TestSram sram;
  auto count = static_cast<uint32_t>(a.size());
  auto map = [&](DataType element) { return sram.map(element, 1, 1, count, Placement::Dense, random); };
  bool isRelation = kind >= BinaryKind::Equal && kind <= BinaryKind::Or;
  FeatureMap mapA = map(type), mapB = map(type), output = map(isRelation ? DataType::Bool8 : type);
  sram.setValues(mapA, a);
  sram.setValues(mapB, b);
  BinaryParameters parameters;
  parameters.kind = kind;
  parameters.clamp = clamp;
  checkAndRun(*testTarget(), commandOf(parameters, mapA, mapB, output), sram);
  return sram.values(output);
}

using Values = std::vector<double>;
constexpr double kLeast = std::numeric_limits<int32_t>::min(), kMost = std::numeric_limits<int32_t>::max();

TEST(BinaryByHandTest, IntegersWrapAround) {
  EXPECT_EQ(runOn(BinaryKind::Add, DataType::Int32, {kMost, -1}, {1, 1}), (Values{kLeast, 0}));
  EXPECT_EQ(runOn(BinaryKind::Sub, DataType::Int32, {kLeast, 5}, {1, 7}), (Values{kMost, -2}));
  EXPECT_EQ(runOn(BinaryKind::Mul, DataType::Int32, {65536, 65536}, {65536, 32768}), (Values{0, kLeast}));
}

TEST(BinaryByHandTest, QuotientsOfIntegersAreRoundedDownwards) {
  EXPECT_EQ(runOn(BinaryKind::Div, DataType::Int32, {7, -7, 7, -7, 6, 0}, {2, 2, -2, -2, -2, 5}),
            (Values{3, -4, -4, 3, -3, 0}));
  EXPECT_EQ(runOn(BinaryKind::Div, DataType::Int32, {1, kLeast, kLeast}, {0, -1, 0}), (Values{0, kLeast, 0}));
}

TEST(QuantizedQuotientTest, MultipliesByReciprocal) {
  const QuantizedQuotient hundred({1677721600, 7});
  EXPECT_EQ(hundred(10, 4), 250);
  EXPECT_EQ(hundred(-10, 4), -250);
  EXPECT_EQ(hundred(10, -4), -250);
  EXPECT_EQ(hundred(-10, -3), 333);
  EXPECT_EQ(hundred(0, 7), 0);
}

TEST(QuantizedQuotientTest, IsDefinedWhereReferenceIsNot) {
  EXPECT_EQ(QuantizedQuotient({1677721600, 7})(10, 0), 0);
  // 255 * 2^-21, for which the reference would shift by 44.
  EXPECT_EQ(QuantizedQuotient({1 << 30, -20})(255, 1), 0);
  EXPECT_NEAR(static_cast<double>(QuantizedQuotient({1 << 30, 30})(255, 1)), 255 * 0x1p29, 0x1p10);
}

TEST(BinaryByHandTest, ActivationsClampIntegers) {
  EXPECT_EQ(runOn(BinaryKind::Add, DataType::Int32, {-5, 2, 9}, {0, 1, 1}, {0, 6}), (Values{0, 3, 6}));
}

TEST(BinaryByHandTest, WideIntegersHaveNoBoundsOf32Bits) {
  EXPECT_EQ(runOn(BinaryKind::Add, DataType::Int64, {0x1p40, -0x1p40}, {1, 1}), (Values{0x1p40 + 1, 1 - 0x1p40}));
  EXPECT_EQ(runOn(BinaryKind::Sub, DataType::Int64, {0x1p40, -5}, {1, 1}, {0, INT32_MAX}), (Values{0x1p40 - 1, 0}));
  EXPECT_EQ(runOn(BinaryKind::Less, DataType::Int64, {0x1p40, -0x1p40}, {1, 1}), (Values{0, 1}));
  EXPECT_EQ(runOn(BinaryKind::TruncatedDiv, DataType::Int64, {-0x1p63, -7, 3}, {-1, 2, 0}), (Values{-0x1p63, -3, 0}));
}

TEST(BinaryByHandTest, NegativePowersOfIntegersAreTruncated) {
  EXPECT_EQ(runOn(BinaryKind::Pow, DataType::Int32, {2, 1, -1, -1, 0, 3}, {-1, -4, -3, -2, -1, 0}),
            (Values{0, 1, -1, 1, 0, 1}));
}

TEST(BinaryByHandTest, FixedPointComparisonRoundsToMultiples) {
  Random random(1);
  TestSram sram;
  auto map = [&](DataType type) { return sram.map(type, 1, 1, 4, Placement::Dense, random); };
  FeatureMap a = map(DataType::Int8), b = map(DataType::Int8), output = map(DataType::Bool8);
  a.zeroPoint = b.zeroPoint = 3;
  sram.setValues(a, {3, 4, 3, -100});
  sram.setValues(b, {4, 5, 13, 100});
  BinaryParameters parameters;
  parameters.kind = BinaryKind::Less;
  parameters.leftShift = 8;
  parameters.rescaleA = parameters.rescaleB = quantizeMultiplier(0.001);
  checkAndRun(*testTarget(), commandOf(parameters, a, b, output), sram);
  // In units of 1/256: 0 and 0.256, 0.256 and 0.512, 0 and 2.56, -26.4 and 24.8.
  EXPECT_EQ(sram.values(output), (Values{0, 1, 1, 1})) << "0.256 is rounded to 0";
}

TEST(BinaryByHandTest, TruthValuesMayBeAnyByte) {
  Random random(1);
  TestSram sram;
  auto map = [&] { return sram.map(DataType::Bool8, 1, 1, 4, Placement::Dense, random); };
  for (BinaryKind kind : {BinaryKind::Equal, BinaryKind::And}) {
    FeatureMap a = map(), b = map(), output = map();
    sram.setValues(a, {0, 2, 255, 0});
    sram.setValues(b, {0, 1, 0, 4});
    BinaryParameters parameters;
    parameters.kind = kind;
    checkAndRun(*testTarget(), commandOf(parameters, a, b, output), sram);
    EXPECT_EQ(sram.values(output), kind == BinaryKind::Equal ? (Values{1, 1, 0, 0}) : (Values{0, 1, 0, 0}));
  }
}

} // namespace
} // namespace avocet::kernels
