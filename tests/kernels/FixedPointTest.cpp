//===- FixedPointTest.cpp - Transcendental functions in fixed point -------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "common/FixedPoint.h"
#include "common/FixedLogarithm.h"

#include <gtest/gtest.h>

#include <cmath>

namespace avocet::kernels {
namespace {

using Fixed16 = FixedPoint<int16_t>;
using Fixed32 = FixedPoint<int32_t>;

TEST(FixedPointTest, ArithmeticRounds) {
  EXPECT_EQ(Fixed16::multiply(1 << 14, 1 << 14), 1 << 13);
  EXPECT_EQ(Fixed16::multiply(-32768, -32768), 32767);
  EXPECT_EQ(Fixed16::divideByPowerOfTwo(-3, 1), -2);
  EXPECT_EQ(Fixed16::divideByPowerOfTwo(3, 1), 2);
  EXPECT_EQ(Fixed16::multiplyByPowerOfTwo(20000, 1), 32767);
  EXPECT_EQ(Fixed16::multiplyByPowerOfTwo(-20000, 1), -32768);
}

TEST(FixedPointTest, ExponentialOf32Bits) {
  for (int i = 0; i <= 1000; ++i) {
    double real = -31.0 * i / 1000;
    auto raw = static_cast<int32_t>(std::round(real * (1 << 26)));
    double expected = std::exp(raw / double(1 << 26));
    // The polynomial omits the fifth power: (1/8)^5 / 5! is 2.5e-7.
    EXPECT_NEAR(Fixed32::expOnNegative<5>(raw) / 2147483648.0, expected, 2.6e-7) << real;
  }
  EXPECT_EQ(Fixed32::expOnNegative<5>(0), std::numeric_limits<int32_t>::max());
}

TEST(FixedPointTest, ReciprocalOf32Bits) {
  for (int i = 0; i <= 1000; ++i) {
    auto raw = static_cast<int32_t>(2147483647.0 * i / 1000);
    EXPECT_NEAR(Fixed32::oneOverOnePlus(raw) / 2147483648.0, 1 / (1 + raw / 2147483648.0), 1e-8);
  }
}

TEST(FixedPointTest, LogarithmOf32Bits) {
  constexpr double kInputStep = 1.0 / (1 << 19), kStep = 1.0 / (1 << 26);
  for (int i = 0; i < 10000; ++i) {
    const auto raw = static_cast<int32_t>(std::exp2(19 + 12.0 * i / 10000));
    // The quotient of polynomials is exact to about 3e-8.
    ASSERT_NEAR(fixedLogarithm(raw) * kStep, std::log(raw * kInputStep), 6e-8) << raw;
  }
  EXPECT_NEAR(fixedLogarithm(std::numeric_limits<int32_t>::max()) * kStep, std::log(4096), 6e-8);
}

TEST(FixedPointTest, LogisticOfEvery16BitNumber) {
  for (int raw = -32768; raw <= 32767; ++raw) {
    double expected = 1 / (1 + std::exp(-raw / 4096.0));
    EXPECT_NEAR(Fixed16::logistic<3>(static_cast<int16_t>(raw)) / 32768.0, expected, 3e-4) << raw;
  }
}

TEST(FixedPointTest, TanhOfEvery16BitNumberAndScale) {
  for (int raw = -32768; raw <= 32767; ++raw) {
    auto value = static_cast<int16_t>(raw);
    EXPECT_NEAR(Fixed16::tanh<0>(value) / 32768.0, std::tanh(raw / 32768.0), 4e-4) << raw;
    EXPECT_NEAR(Fixed16::tanh<3>(value) / 32768.0, std::tanh(raw / 4096.0), 4e-4) << raw;
    EXPECT_NEAR(Fixed16::tanh<6>(value) / 32768.0, std::tanh(raw / 512.0), 4e-4) << raw;
  }
}

TEST(FixedPointTest, TanhIsOdd) {
  for (int raw = 0; raw <= 32767; ++raw)
    EXPECT_EQ(Fixed16::tanh<3>(static_cast<int16_t>(-raw)), -Fixed16::tanh<3>(static_cast<int16_t>(raw)));
}

} // namespace
} // namespace avocet::kernels
