//===- QuantizationTest.cpp - Fixed-point scaling as TFLite does it -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"

#include "KernelTestSupport.h"

#include <bit>
#include <cmath>
#include <limits>

namespace avocet::kernels {
namespace {

using firmware::Clamp;
using firmware::DataType;
using firmware::Rescale;

TEST(QuantizeMultiplierTest, SplitsIntoSignificandAndPowerOfTwo) {
  EXPECT_EQ(quantizeMultiplier(1.0), (Rescale{1 << 30, 1}));
  EXPECT_EQ(quantizeMultiplier(0.5), (Rescale{1 << 30, 0}));
  EXPECT_EQ(quantizeMultiplier(0.75), (Rescale{3 << 29, 0}));
  EXPECT_EQ(quantizeMultiplier(12.0), (Rescale{3 << 29, 4}));
  EXPECT_EQ(quantizeMultiplier(0.0), (Rescale{0, 0}));
}

TEST(QuantizeMultiplierTest, RoundsUpToTheNextPowerOfTwo) {
  EXPECT_EQ(quantizeMultiplier(1.0 - 1e-12), (Rescale{1 << 30, 1}));
}

TEST(QuantizeMultiplierTest, FlushesTinyNumbersToZero) {
  EXPECT_EQ(quantizeMultiplier(std::ldexp(1.0, -32)).shift, -31);
  EXPECT_EQ(quantizeMultiplier(std::ldexp(0.99, -32)), (Rescale{0, 0}));
}

TEST(QuantizeMultiplierTest, IsWithinHalfUlpOfRealNumber) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    double real = std::exp(pickReal(random, -18, 18));
    Rescale rescale = quantizeMultiplier(real);
    EXPECT_GE(rescale.multiplier, 1 << 30);
    EXPECT_NEAR(rescale.multiplier * std::ldexp(1.0, rescale.shift - 31) / real, 1.0, std::ldexp(1.0, -31));
  }
}

TEST(QuantizeMultiplierTest, ValidityRejectsUnsupportedShifts) {
  EXPECT_TRUE(isValidMultiplier(0.0));
  EXPECT_TRUE(isValidMultiplier(std::ldexp(1.0, 29)));
  EXPECT_FALSE(isValidMultiplier(std::ldexp(1.0, 31)));
  EXPECT_FALSE(isValidMultiplier(-1.0));
  EXPECT_FALSE(isValidMultiplier(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(isValidMultiplier(std::numeric_limits<double>::quiet_NaN()));
}

/// The reference does not define multipliers from 2^30 on.
TEST(QuantizeMultiplierTest, LargeMultipliersSaturate) {
  for (double real : {0x1p30, 0x1p31, 3.1e30, std::numeric_limits<double>::infinity()}) {
    const auto [multiplier, shift] = quantizeMultiplier(real);
    EXPECT_EQ(shift, kSaturatingShift) << real;
    for (int32_t x : {1, 2, 3, 1000, std::numeric_limits<int32_t>::max()}) {
      EXPECT_EQ(multiplyByQuantizedMultiplier(x, multiplier, shift), std::numeric_limits<int32_t>::max()) << x;
      EXPECT_EQ(multiplyByQuantizedMultiplier(-x, multiplier, shift), std::numeric_limits<int32_t>::min()) << x;
      EXPECT_EQ(multiplyByQuantizedMultiplier(-x, -multiplier, shift), std::numeric_limits<int32_t>::max()) << x;
      EXPECT_EQ(multiplyByQuantizedMultiplier64(-x, multiplier, shift), std::numeric_limits<int32_t>::min()) << x;
    }
    EXPECT_EQ(multiplyByQuantizedMultiplier(0, multiplier, shift), 0);
    EXPECT_EQ(multiplyByQuantizedMultiplier64(0, multiplier, shift), 0);
  }
  EXPECT_EQ(quantizeMultiplier(0x1.8p29).shift, 30);
}

/// Files round powers of two; the reference takes fractions of the logarithm below 0.001 for rounding.
TEST(ScaleExponentTest, ToleratesRoundedPowersOfTwo) {
  for (int power : {-20, -15, -12, -11, 0, 3}) {
    const float exact = std::ldexp(1.0f, power);
    for (double off : {-0.00098, -0.0005, 0.0, 0.0007, 0.00098})
      EXPECT_EQ(scaleExponent(static_cast<float>(exact * std::exp2(off))), power) << power << " " << off;
    for (double off : {-0.5, -0.00102, 0.00102, 0.25})
      EXPECT_EQ(scaleExponent(static_cast<float>(exact * std::exp2(off))), std::nullopt) << power << " " << off;
  }
}

TEST(MultiplyByQuantizedMultiplierTest, RoundsTwice) {
  // 5 * 0.5 = 2.5: the first rounding gives 3.
  EXPECT_EQ(multiplyByQuantizedMultiplier(5, 1 << 30, 0), 3);
  EXPECT_EQ(multiplyByQuantizedMultiplier(-5, 1 << 30, 0), -2);
  // 11 * 0.5 / 4 = 1.375; rounded first to 6, then 6 / 4 = 1.5 to 2.
  EXPECT_EQ(multiplyByQuantizedMultiplier(11, 1 << 30, -2), 2);
}

TEST(MultiplyByQuantizedMultiplierTest, EqualsTheDefinition) {
  Random random(2);
  for (int i = 0; i < 20000; ++i) {
    int32_t shift = pick(random, -31, 7);
    int32_t x = pick(random, -(1 << 23), 1 << 23);
    int32_t multiplier = pick(random, 1 << 30, std::numeric_limits<int32_t>::max());
    EXPECT_EQ(multiplyByQuantizedMultiplier(x, multiplier, shift), rescaledByDefinition(x, multiplier, shift))
        << x << " " << multiplier << " " << shift;
  }
}

TEST(MultiplyByQuantizedMultiplierTest, IsDefinedForAnyRecord) {
  constexpr int32_t kLimits[] = {std::numeric_limits<int32_t>::min(), -1, 0, 1, std::numeric_limits<int32_t>::max()};
  for (int32_t x : kLimits)
    for (int32_t multiplier : kLimits)
      for (int32_t shift : kLimits) {
        int32_t clamped = std::clamp(shift, -31, 31);
        EXPECT_EQ(multiplyByQuantizedMultiplier(x, multiplier, shift),
                  multiplyByQuantizedMultiplier(x, multiplier, clamped));
        EXPECT_EQ(multiplyByQuantizedMultiplier64(x, multiplier, shift),
                  multiplyByQuantizedMultiplier64(x, multiplier, std::clamp(shift, -47, 15)));
        EXPECT_EQ(multiplyRoundedOnce(x, multiplier, shift), multiplyRoundedOnce(x, multiplier, clamped));
      }
}

TEST(MultiplyByQuantizedMultiplier64Test, RoundsOnceWithAReducedMultiplier) {
  // Multiplier 0.75 * 2^15 = 24576; 1001 * 24576 / 2^15 = 750.75.
  EXPECT_EQ(multiplyByQuantizedMultiplier64(1001, 3 << 29, 0), 751);
  EXPECT_EQ(multiplyByQuantizedMultiplier64(-1001, 3 << 29, 0), -751);
  // A multiplier that would round to 2^15 is limited to 2^15 - 1: 65536 * 32767 / 2^15 = 65534.
  EXPECT_EQ(multiplyByQuantizedMultiplier64(65536, std::numeric_limits<int32_t>::max(), 0), 65534);
}

TEST(ActivationClampTest, QuantizesTheBounds) {
  EXPECT_EQ(quantizedActivationClamp(Activation::kNone, DataType::Int8, 0.1f, 3), (Clamp{-128, 127}));
  EXPECT_EQ(quantizedActivationClamp(Activation::kRelu, DataType::Int8, 0.1f, 3), (Clamp{3, 127}));
  EXPECT_EQ(quantizedActivationClamp(Activation::kRelu6, DataType::UInt8, 0.1f, 3), (Clamp{3, 63}));
  EXPECT_EQ(quantizedActivationClamp(Activation::kRelu6, DataType::Int8, 0.01f, -128), (Clamp{-128, 127}));
  EXPECT_EQ(quantizedActivationClamp(Activation::kReluN1To1, DataType::Int8, 0.1f, 3), (Clamp{-7, 13}));
}

TEST(ActivationClampTest, SurvivesExtremeScales) {
  Clamp clamp = quantizedActivationClamp(Activation::kRelu6, DataType::Int8, 1e-38f, 0);
  EXPECT_EQ(clamp, (Clamp{0, 127}));
}

TEST(ActivationClampTest, FloatBoundsAreBits) {
  Clamp clamp = floatActivationClamp(Activation::kRelu6);
  EXPECT_EQ(std::bit_cast<float>(clamp.min), 0.0f);
  EXPECT_EQ(std::bit_cast<float>(clamp.max), 6.0f);
}

TEST(PrepareTest, AddUsesTwiceTheLargerScale) {
  AddRescales rescales = prepareAdd(DataType::Int8, 0.5f, 0.25f, 1.0f);
  EXPECT_EQ(rescales.leftShift, 20u);
  EXPECT_EQ(rescales.inputA, quantizeMultiplier(0.5));
  EXPECT_EQ(rescales.inputB, quantizeMultiplier(0.25));
  EXPECT_EQ(rescales.output, quantizeMultiplier(1.0 / (1 << 20)));
  EXPECT_EQ(prepareAdd(DataType::Int16, 0.5f, 0.25f, 1.0f).leftShift, 15u);
}

TEST(PrepareTest, MultipliesInDoubleExceptFullyConnectedInFloat) {
  // A product that float cannot hold: the two forms differ below the 24th bit.
  float input = 0.1f, weight = 0.3f, output = 0.7f;
  EXPECT_EQ(prepareConvPerChannel(input, weight, output),
            quantizeMultiplier(double(input) * double(weight) / double(output)));
  EXPECT_EQ(prepareConvPerTensor(input, weight, output), quantizeMultiplier(double(input * weight) / double(output)));
  EXPECT_NE(prepareConvPerChannel(input, weight, output), prepareConvPerTensor(input, weight, output));
}

} // namespace
} // namespace avocet::kernels
