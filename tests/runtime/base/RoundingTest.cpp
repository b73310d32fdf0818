//===- RoundingTest.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/Rounding.h"

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>

using namespace avocet;

namespace {

TEST(RoundingTest, QuotientsAreRoundedUp) {
  for (int32_t a = -20; a <= 20; ++a)
    for (int32_t b = 1; b <= 7; ++b) {
      const int32_t quotient = divideUp(a, b);
      EXPECT_GE(quotient * b, a) << a << " / " << b;
      EXPECT_LT((quotient - 1) * b, a) << a << " / " << b;
      EXPECT_EQ(roundUp(a, b), quotient * b);
    }
}

TEST(RoundingTest, LargestDividendsDoNotOverflow) {
  EXPECT_EQ(divideUp(UINT64_MAX, uint64_t{2}), uint64_t{1} << 63);
  EXPECT_EQ(divideUp(UINT32_MAX, UINT32_MAX), 1U);
  EXPECT_EQ(roundUp(UINT32_MAX - 14, 8U), UINT32_MAX - 7);
}

TEST(RoundingTest, ResultHasTypeOfSum) {
  static_assert(std::same_as<decltype(divideUp(uint32_t{1}, uint64_t{1})), uint64_t>);
  static_assert(std::same_as<decltype(roundUp(uint32_t{1}, 2)), uint32_t>);
  EXPECT_EQ(roundUp(UINT32_MAX, uint64_t{16}), uint64_t{1} << 32);
}

} // namespace
