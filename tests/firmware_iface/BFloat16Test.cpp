//===- BFloat16Test.cpp - Conversions of bf16 -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/BFloat16.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using avocet::firmware::BFloat16;

float numberOf(uint32_t bits) {
  BFloat16 number;
  number.bits = static_cast<uint16_t>(bits);
  return static_cast<float>(number);
}

uint32_t rounded(float number) { return BFloat16(number).bits; }

/// The numbers from their definition: a sign, 8 bits of the exponent, 7 of the fraction.
double definedNumber(uint32_t bits) {
  const double sign = bits >> 15 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 7 & 0xFF), fraction = static_cast<int>(bits & 0x7F);
  if (exponent == 0xFF)
    return fraction == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(exponent == 0 ? fraction : 0x80 + fraction, std::max(exponent, 1) - 134);
}

TEST(BFloat16Test, EveryNumberWidensAndComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const double defined = definedNumber(bits);
    if (std::isnan(defined)) {
      ASSERT_TRUE(std::isnan(numberOf(bits))) << bits;
      ASSERT_EQ(rounded(numberOf(bits)), bits | 0x40) << "a quiet NaN";
    } else {
      ASSERT_EQ(static_cast<double>(numberOf(bits)), defined) << bits;
      ASSERT_EQ(rounded(numberOf(bits)), bits) << bits;
    }
  }
}

TEST(BFloat16Test, MiddlesOfNeighborsBecomeEven) {
  for (uint32_t bits = 0; bits < 0x7F7F; ++bits) { // below the largest number
    const auto middle = static_cast<float>((definedNumber(bits) + definedNumber(bits + 1)) / 2);
    ASSERT_EQ(rounded(middle), bits + (bits & 1));
    ASSERT_EQ(rounded(-middle), 0x8000 + bits + (bits & 1));
    ASSERT_EQ(rounded(std::nextafter(middle, 0.0f)), bits);
    ASSERT_EQ(rounded(std::nextafter(middle, INFINITY)), bits + 1);
  }
}

TEST(BFloat16Test, LargeNumbersBecomeInfinite) {
  const float largest = numberOf(0x7F7F);
  EXPECT_EQ(rounded(std::nextafter(0x1.FFp127f, 0.0f)), 0x7F7Fu);
  EXPECT_EQ(rounded(0x1.FFp127f), 0x7F80u) << "the middle of the largest number and the next power of two";
  EXPECT_EQ(rounded(-std::numeric_limits<float>::max()), 0xFF80u);
  EXPECT_EQ(rounded(-largest), 0xFF7Fu);
  EXPECT_EQ(rounded(INFINITY), 0x7F80u);
}

TEST(BFloat16Test, NanWithOnlyLowBitsStaysNan) {
  EXPECT_EQ(rounded(std::bit_cast<float>(0x7F800001u)), 0x7FC0u);
  EXPECT_EQ(rounded(std::bit_cast<float>(0xFFFFFFFFu)), 0xFFFFu);
}

} // namespace
