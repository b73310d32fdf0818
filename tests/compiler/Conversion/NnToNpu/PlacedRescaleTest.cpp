//===- PlacedRescaleTest.cpp - Placed operations with multipliers of the network ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are TOSA's formulas in wide integers.
//
//===----------------------------------------------------------------------===//

#include "PlacedText.h"
#include "RescaleFormula.h"

#include <algorithm>
#include <random>

namespace avocet::compiler {
namespace {

constexpr const char *kRescaledTypes = R"(
!a = !quant.uniform<i8:f32, 1.0:-3>
!b = !quant.uniform<u8:f32, 1.0:130>
!c = !quant.uniform<i16:f32, 1.0>
!d = !quant.uniform<u16:f32, 1.0:32768>
)";

/// An element type of the text above, or a plain one.
struct Element {
  const char *text;
  int64_t zeroPoint, least, most;
};
constexpr Element kBytes{"!a", -3, -128, 127}, kUnsignedBytes{"!b", 130, 0, 255}, kShorts{"!c", 0, -32768, 32767},
    kUnsignedShorts{"!d", 32768, 0, 65535}, kPlainBytes{"i8", 0, -128, 127}, kWords{"i32", 0, INT32_MIN, INT32_MAX};

template <typename T> std::vector<int64_t> numbersOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return {values.begin(), values.end()};
}

struct Factor {
  int32_t multiplier, shift;
};

std::string listOf(const std::vector<Factor> &factors, int32_t Factor::*member) {
  std::string text = "[";
  for (const Factor &factor : factors)
    text += (text.size() > 1 ? ", " : "") + std::to_string(factor.*member);
  return text + "]";
}

/// Rescales rows of as many elements as there are factors, or of 8, and compares with the formulas.
template <typename In, typename Out>
void expectFormula(const Element &from, const Element &to, bool isDouble, const std::vector<Factor> &factors,
                   const std::vector<In> &input) {
  const size_t columns = factors.size() == 1 ? 8 : factors.size();
  const std::string shape = "tensor<" + std::to_string(input.size() / columns) + "x" + std::to_string(columns) + "x";
  const std::string types = shape + from.text + ">", results = shape + to.text + ">";
  const std::string text = std::string(kRescaledTypes) + "func.func @f(%x: " + types + ") -> " + results +
                           " {\n  %0 = nn.rescale %x numerics " + (isDouble ? "double_round " : "single_round ") +
                           listOf(factors, &Factor::multiplier) + " >> " + listOf(factors, &Factor::shift) + " : (" +
                           types + ") -> " + results + "\n  return %0 : " + results + "\n}";
  const std::vector<int64_t> output = numbersOf<Out>(runOn("e256", text, {bytesOf(input)}));
  ASSERT_EQ(output.size(), input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    const Factor &factor = factors[factors.size() == 1 ? 0 : i % columns];
    const int64_t scaled =
        tests::rescaledByFormula(int64_t(input[i]) - from.zeroPoint, factor.multiplier, factor.shift, isDouble);
    EXPECT_EQ(output[i], std::clamp(scaled + to.zeroPoint, to.least, to.most))
        << text << "\nelement " << i << " is " << int64_t(input[i]);
  }
}

template <typename T> std::vector<T> randomNumbers(size_t count, int64_t least, int64_t most) {
  std::mt19937_64 random(count + static_cast<uint64_t>(most));
  std::vector<T> numbers(count);
  for (T &number : numbers)
    number = static_cast<T>(std::uniform_int_distribution<int64_t>(least, most)(random));
  return numbers;
}

/// Halves of both signs differ between the forms.
TEST(PlacedRescale, WordsToBytesWithBothRoundings) {
  const std::vector<int32_t> input = randomNumbers<int32_t>(64, -100000, 100000);
  for (bool isDouble : {false, true}) {
    expectFormula<int32_t, int8_t>(kWords, kBytes, isDouble, {{1 << 30, 40}}, input);
    expectFormula<int32_t, int8_t>(kWords, kPlainBytes, isDouble, {{3, 20}}, input);
    expectFormula<int32_t, uint8_t>(kWords, kUnsignedBytes, isDouble, {{1518500250, 41}}, input);
    expectFormula<int32_t, int16_t>(kWords, kShorts, isDouble, {{1 << 30, 33}}, input);
    expectFormula<int32_t, uint16_t>(kWords, kUnsignedShorts, isDouble, {{1 << 30, 32}}, input);
    expectFormula<int32_t, int32_t>(kWords, kWords, isDouble, {{2147483647, 33}}, input);
  }
}

TEST(PlacedRescale, EachChannelHasItsMultiplier) {
  const std::vector<int32_t> input = randomNumbers<int32_t>(60, -30000, 30000);
  for (bool isDouble : {false, true})
    expectFormula<int32_t, int8_t>(kWords, kBytes, isDouble, {{1 << 30, 37}, {5, 16}, {1999999999, 39}}, input);
}

TEST(PlacedRescale, NarrowNumbersToWords) {
  for (bool isDouble : {false, true}) {
    expectFormula<int8_t, int32_t>(kBytes, kWords, isDouble, {{1 << 30, 10}}, randomNumbers<int8_t>(64, -128, 127));
    expectFormula<uint16_t, int32_t>(kUnsignedShorts, kWords, isDouble, {{1 << 30, 34}},
                                     randomNumbers<uint16_t>(64, 0, 65535));
    expectFormula<uint16_t, int16_t>(kUnsignedShorts, kShorts, isDouble, {{1 << 30, 30}},
                                     randomNumbers<uint16_t>(64, 0, 65535));
  }
}

/// The array looks them up.
TEST(PlacedRescale, BytesToBytes) {
  const std::vector<int8_t> input = randomNumbers<int8_t>(256, -128, 127);
  for (bool isDouble : {false, true})
    expectFormula<int8_t, uint8_t>(kBytes, kUnsignedBytes, isDouble, {{1 << 30, 33}}, input);
}

/// Sums of 48 bits with multipliers of 15.
TEST(PlacedRescale, WideSums) {
  const Element wide{"i64", 0, INT64_MIN, INT64_MAX};
  const std::vector<int64_t> input = randomNumbers<int64_t>(64, -(int64_t(1) << 47), (int64_t(1) << 47) - 1);
  expectFormula<int64_t, int16_t>(wide, kShorts, false, {{32767, 50}}, input);
  expectFormula<int64_t, int32_t>(wide, kWords, false, {{1, 22}}, input);
  expectFormula<int64_t, int16_t>(wide, kShorts, false, {{1, 47}, {16384, 62}, {9, 40}, {0, 2}}, input);
}

} // namespace
} // namespace avocet::compiler
