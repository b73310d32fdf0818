//===- CompareTest.cpp ---------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "VectorBuilder.h"

#include <gmock/gmock.h>

#include <cmath>

namespace avocet::hal::conformance {
namespace {

using testing::HasSubstr;

ExpectedOutput expected(OperandType type, Bytes bytes, double absolute, double relative = 0) {
  return {type, {}, std::move(bytes), OutputRule::Close, absolute, relative};
}

TEST(Compare, AcceptsFloatsWithinSumOfTolerances) {
  const ExpectedOutput wanted = expected(OperandType::TensorFloat32, bytesOf<float>({100, 0}), 0.5, 0.01);
  EXPECT_EQ(compareValues(0, wanted, bytesOf<float>({101.5f, -0.5f})), "");
  EXPECT_EQ(compareValues(3, wanted, bytesOf<float>({101.75f, 0})),
            "output 3 [0]: actual 101.75, expected 100, 1 of 2 elements are wrong");
  EXPECT_THAT(compareValues(0, wanted, bytesOf<float>({100, 0.625f})), HasSubstr("[1]: actual 0.625"));
}

TEST(Compare, RejectsNanAtAnyTolerance) {
  const ExpectedOutput wanted = expected(OperandType::TensorFloat32, bytesOf<float>({1}), 1e30, 1);
  EXPECT_THAT(compareValues(0, wanted, bytesOf<float>({std::nanf("")})), HasSubstr("actual nan"));
  const ExpectedOutput infinite = expected(OperandType::TensorFloat32, bytesOf<float>({HUGE_VALF}), 0);
  EXPECT_EQ(compareValues(0, infinite, bytesOf<float>({HUGE_VALF})), "");
  EXPECT_NE(compareValues(0, infinite, bytesOf<float>({-HUGE_VALF})), "");
}

TEST(Compare, DecodesFloat16Elements) {
  // 1, -2, the largest number, the smallest above 0, infinity, NaN.
  const Bytes bytes = bytesOf<uint16_t>({0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x7e00});
  const auto at = [&](size_t i) { return elementAt(OperandType::TensorFloat16, bytes, i); };
  EXPECT_EQ(at(0), 1);
  EXPECT_EQ(at(1), -2);
  EXPECT_EQ(at(2), 65504);
  EXPECT_EQ(at(3), std::ldexp(1, -24));
  EXPECT_EQ(at(4), HUGE_VAL);
  EXPECT_TRUE(std::isnan(at(5)));
}

TEST(Compare, DecodesIntegersBySignedness) {
  EXPECT_EQ(elementAt(OperandType::TensorQuant8Asymm, Bytes{200}, 0), 200);
  EXPECT_EQ(elementAt(OperandType::TensorQuant8AsymmSigned, Bytes{200}, 0), -56);
  EXPECT_EQ(elementAt(OperandType::TensorQuant16Asymm, bytesOf<uint16_t>({40000}), 0), 40000);
  EXPECT_EQ(elementAt(OperandType::TensorQuant16Symm, bytesOf<int16_t>({-3}), 0), -3);
  const ExpectedOutput wanted = expected(OperandType::TensorQuant8Asymm, {128}, 1);
  EXPECT_EQ(compareValues(0, wanted, Bytes{127}), "");
  EXPECT_NE(compareValues(0, wanted, Bytes{126}), "");
}

TEST(Compare, RejectsShortOutput) {
  EXPECT_NE(compareValues(0, expected(OperandType::TensorFloat32, bytesOf<float>({1}), 0), Bytes(3)), "");
}

TEST(Compare, ComparesMultinomialShares) {
  ExpectedOutput draws{OperandType::TensorInt32, {1, 4}, {}, OutputRule::Multinomial, 0, 0};
  const Bytes logits = bytesOf<float>({0, std::log(3.0f)}); // shares 1/4 and 3/4
  const auto check = [&](const std::vector<int32_t> &drawn) {
    return compareDraws(0, draws, bytesOf(drawn), OperandType::TensorFloat32, logits, 0.01);
  };
  EXPECT_EQ(check({1, 0, 1, 1}), "");
  EXPECT_THAT(check({1, 0, 0, 1}), HasSubstr("actual share 0.5, expected 0.2499"));
  EXPECT_THAT(check({1, 2, 1, 1}), HasSubstr("outside [0, 2)"));
  draws.dimensions = {4};
  EXPECT_THAT(check({1, 0, 1, 1}), HasSubstr("no draws"));
}

TEST(Compare, CompareBitsAppliesTheMask) {
  EXPECT_EQ(compareBits(0, Bytes{0, 255}, Bytes{128, 127}, 0x80), "");
  EXPECT_EQ(compareBits(0, Bytes{0, 255}, Bytes{0, 254}, 0), "output 0 byte 1: actual 254, the other run 255");
  EXPECT_NE(compareBits(0, Bytes{0}, Bytes{}, 0), "");
}

} // namespace
} // namespace avocet::hal::conformance
