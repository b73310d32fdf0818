//===- PlacedWideTest.cpp - Placed operations of 16-bit numbers -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are the formulas of TFLite's reference kernels in wide integers, or follow from the definition in
// real numbers.
//
//===----------------------------------------------------------------------===//

#include "PlacedText.h"

#include <algorithm>
#include <random>

namespace avocet::compiler {
namespace {

using Numbers = std::vector<int16_t>;

constexpr const char *kWideTypes = R"(
!sx = !quant.uniform<i16:f32, 2.500000e-01>
!sy = !quant.uniform<i16:f32, 5.000000e-01>
!sh = !quant.uniform<i16:f32, 3.0517578125e-05>
!sq = !quant.uniform<i8:f32, 2.500000e-01:3>
!sw = !quant.uniform<i8:f32, 0.0078125>
!sv = !quant.uniform<i8:f32:0, {0.0078125, 3.906250e-03}>
)";

template <typename T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Numbers runWide(const std::string &text, const std::vector<Numbers> &inputs) {
  std::vector<Bytes> bytes;
  for (const Numbers &input : inputs)
    bytes.push_back(bytesOf(input));
  return valuesOf<int16_t>(runOn("e256", kWideTypes + text, bytes));
}

Numbers randomNumbers(size_t count) {
  std::mt19937 random(7);
  Numbers numbers(count);
  for (int16_t &number : numbers)
    number = static_cast<int16_t>(random());
  return numbers;
}

/// A multiplier of 16 bits for a power of two, and one rounding: 2^power times the sum.
int16_t rounded(int64_t sum, int power) {
  int64_t half = int64_t(1) << (-power - 1);
  return static_cast<int16_t>(std::clamp<int64_t>((sum + half) >> -power, -32768, 32767));
}

/// 600 products of 32767 and 127 need 33 bits, and so do the biases that cancel them.
TEST(PlacedWide, FullyConnectedSumsIn64Bits) {
  Numbers output = runWide(R"(
func.func @f(%x: tensor<1x600x!sx>) -> tensor<1x3x!sy> {
  %w = nn.constant dense<127> : tensor<3x600xi8> as tensor<3x600x!sw>
  %b = nn.constant dense<[-2496844120, -2496846680, 0]> : tensor<3xi64>
  %0 = nn.fully_connected %x, %w, %b : (tensor<1x600x!sx>, tensor<3x600x!sw>, tensor<3xi64>) -> tensor<1x3x!sy>
  return %0 : tensor<1x3x!sy>
})",
                           {Numbers(600, 32767)});
  // 0.25 * 2^-7 / 0.5 = 2^-8 times 1280, -1280 and much.
  EXPECT_EQ(output, (Numbers{5, -5, 32767}));
}

Numbers convolved(const char *bias, const Numbers &input) {
  return runWide(std::string(R"(
func.func @f(%x: tensor<1x3x3x2x!sx>) -> tensor<1x2x2x2x!sy> {
  %w = nn.constant dense<[[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[-9, 9], [1, 0]], [[0, 1], [-128, 127]]]]>
    : tensor<2x2x2x2xi8> as tensor<2x2x2x2x!sv>
  %b = nn.constant dense<[100, -70]> : tensor<2x)") +
                     bias + R"(>
  %0 = nn.conv_2d %x, %w, %b activation relu
    : (tensor<1x3x3x2x!sx>, tensor<2x2x2x2x!sv>, tensor<2x)" +
                     bias + R"(>) -> tensor<1x2x2x2x!sy>
  return %0 : tensor<1x2x2x2x!sy>
})",
                 {input});
}

/// Scales 2^-8 and 2^-9 per channel.
TEST(PlacedWide, ConvolutionRoundsOnceWithWideBias) {
  Numbers input = randomNumbers(18), output = convolved("i64", input);
  const int kWeights[2][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {-9, 9, 1, 0, 0, 1, -128, 127}};
  ASSERT_EQ(output.size(), 8u);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x)
      for (int c = 0; c < 2; ++c) {
        int64_t sum = c == 0 ? 100 : -70;
        for (int k = 0; k < 8; ++k)
          sum += kWeights[c][k] * input[((y + k / 4) * 3 + x + k / 2 % 2) * 2 + k % 2];
        EXPECT_EQ(output[(y * 2 + x) * 2 + c], std::max<int16_t>(rounded(sum, -8 - c), 0));
      }
}

/// Two images run on the DSP, one on the array.
TEST(PlacedWide, BatchesOnTheDspEqualTheArray) {
  auto batch = [](const std::string &count, const Numbers &input) {
    return runWide("func.func @f(%x: tensor<" + count + "x3x3x2x!sx>) -> tensor<" + count + R"(x2x2x2x!sy> {
  %w = nn.constant dense<[[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[-9, 9], [1, 0]], [[0, 1], [-128, 127]]]]>
    : tensor<2x2x2x2xi8> as tensor<2x2x2x2x!sv>
  %b = nn.constant dense<[5000000000, -70]> : tensor<2xi64>
  %0 = nn.conv_2d %x, %w, %b : (tensor<)" +
                       count + "x3x3x2x!sx>, tensor<2x2x2x2x!sv>, tensor<2xi64>) -> tensor<" + count +
                       "x2x2x2x!sy>\n  return %0 : tensor<" + count + "x2x2x2x!sy>\n}",
                   {input});
  };
  Numbers both = randomNumbers(36), first(both.begin(), both.begin() + 18), second(both.begin() + 18, both.end());
  Numbers expected = batch("1", first), more = batch("1", second);
  expected.insert(expected.end(), more.begin(), more.end());
  EXPECT_EQ(expected.size(), 16u);
  EXPECT_EQ(batch("2", both), expected);
}

/// Only halves differ between the two roundings: away from zero instead of upwards.
TEST(PlacedWide, ConvolutionWithNarrowBiasRoundsTwice) {
  Numbers input = randomNumbers(18), wide = convolved("i64", input), narrow = convolved("i32", input);
  ASSERT_EQ(wide.size(), narrow.size());
  for (size_t i = 0; i < wide.size(); ++i)
    EXPECT_NEAR(narrow[i], wide[i], 1);
  Numbers output = runWide(R"(
func.func @f(%x: tensor<1x2x!sx>) -> tensor<1x2x!sy> {
  %w = nn.constant dense<[[64, 0], [0, 64]]> : tensor<2x2xi8> as tensor<2x2x!sw>
  %b = nn.constant dense<0> : tensor<2xi32>
  %0 = nn.fully_connected %x, %w, %b : (tensor<1x2x!sx>, tensor<2x2x!sw>, tensor<2xi32>) -> tensor<1x2x!sy>
  return %0 : tensor<1x2x!sy>
})",
                           {{-2, 2}});
  EXPECT_EQ(output, (Numbers{-1, 1})) << "-0.5 and 0.5";
}

TEST(PlacedWide, DepthwiseConvolutionEqualsTheFormula) {
  Numbers input = randomNumbers(16);
  Numbers output = runWide(R"(
func.func @f(%x: tensor<1x2x2x4x!sx>) -> tensor<1x1x1x4x!sy> {
  %w = nn.constant dense<[[[[1, 2, 3, 4], [5, 6, 7, 8]], [[-1, -2, -3, -4], [120, 121, 122, 123]]]]>
    : tensor<1x2x2x4xi8> as tensor<1x2x2x4x!sw>
  %0 = nn.depthwise_conv_2d %x, %w : (tensor<1x2x2x4x!sx>, tensor<1x2x2x4x!sw>) -> tensor<1x1x1x4x!sy>
  return %0 : tensor<1x1x1x4x!sy>
})",
                           {input});
  ASSERT_EQ(output.size(), 4u);
  for (int c = 0; c < 4; ++c) {
    int64_t sum =
        int64_t(1 + c) * input[c] + (5 + c) * input[4 + c] - (1 + c) * input[8 + c] + (120 + c) * input[12 + c];
    EXPECT_EQ(output[c], rounded(sum, -8)) << c;
  }
}

/// Spreads 3 * x over two columns each.
TEST(PlacedWide, TransposedConvolutionEqualsTheFormula) {
  Numbers output = runWide(R"(
func.func @f(%x: tensor<1x1x2x1x!sx>) -> tensor<1x1x4x1x!sx> {
  %w = nn.constant dense<[[[[64], [-128]]]]> : tensor<1x1x2x1xi8> as tensor<1x1x2x1x!sw>
  %0 = nn.transpose_conv_2d %x, %w stride [1, 2] : (tensor<1x1x2x1x!sx>, tensor<1x1x2x1x!sw>) -> tensor<1x1x4x1x!sx>
  return %0 : tensor<1x1x4x1x!sx>
})",
                           {{1000, -3001}});
  EXPECT_EQ(output, (Numbers{500, -1000, -1500, 3001}));
}

Numbers binary(const std::string &op, const std::string &b, const std::string &result) {
  const std::string types = "(tensor<4x!sx>, tensor<4x" + b + ">) -> tensor<4x" + result + ">";
  return runWide("func.func @f(%x: tensor<4x!sx>, %b: tensor<4x" + b + ">) -> tensor<4x" + result + "> {\n %0 = nn." +
                     op + " : " + types + "\n return %0 : tensor<4x" + result + ">\n}",
                 {{-32768, 3, 1000, 32767}, {-32768, -2, 501, 32767}});
}

/// x counts quarters, y halves.
TEST(PlacedWide, ArithmeticMatchesReals) {
  EXPECT_EQ(binary("add %x, %b", "!sy", "!sy"), (Numbers{-32768, -1, 1001, 32767}));
  EXPECT_EQ(binary("sub %x, %b activation relu6", "!sy", "!sy"), (Numbers{12, 4, 0, 0}));
  EXPECT_EQ(binary("mul %x, %b", "!sy", "!sy"), (Numbers{32767, -2, 32767, 32767}));
  EXPECT_EQ(binary("minimum %x, %b", "!sx", "!sx"), (Numbers{-32768, -2, 501, 32767}));
  EXPECT_EQ(binary("maximum %x, %b", "!sx", "!sx"), (Numbers{-32768, 3, 1000, 32767}));
}

/// 3 quarters are 1.5 halves, which the shift rounds to 2; the general form rounds the sum of 1.5 - 2 to -1 instead.
TEST(PlacedWide, ShiftScalesRoundOneInput) {
  EXPECT_EQ(binary("add %x, %b numerics shift_scales", "!sy", "!sy"), (Numbers{-32768, 0, 1001, 32767}));
  EXPECT_EQ(binary("sub %x, %b numerics shift_scales", "!sy", "!sy"), (Numbers{16384, 4, -1, -16383}));
}

/// Broadcasts of both operands run on the DSP.
TEST(PlacedWide, BroadcastSumRunsOnTheDsp) {
  Numbers output = runWide(R"(
func.func @f(%x: tensor<2x1x1x1x!sx>, %b: tensor<2x1x2x!sx>) -> tensor<2x2x1x2x!sx> {
  %0 = nn.add %x, %b : (tensor<2x1x1x1x!sx>, tensor<2x1x2x!sx>) -> tensor<2x2x1x2x!sx>
  return %0 : tensor<2x2x1x2x!sx>
})",
                           {{1000, -2000}, {1, 2, 3, 4}});
  EXPECT_EQ(output, (Numbers{1001, 1002, 1003, 1004, -1999, -1998, -1997, -1996}));
}

Numbers unary(const std::string &op, const Numbers &input, const std::string &result, const std::string &more = "") {
  const std::string from = "tensor<" + std::to_string(input.size()) + "x!sx>",
                    to = "tensor<" + std::to_string(input.size()) + "x" + result + ">";
  return runWide("func.func @f(%x: " + from + ") -> " + to + " {\n %0 = nn." + op + " %x " + more + " : (" + from +
                     ") -> " + to + "\n return %0 : " + to + "\n}",
                 {input});
}

TEST(PlacedWide, ActivationsMatchReals) {
  EXPECT_EQ(unary("clamp relu", {-32768, -1, 0, 3, 32767}, "!sy"), (Numbers{0, 0, 0, 2, 16384}));
  EXPECT_EQ(unary("clamp relu6", {-5, 23, 24, 25}, "!sx"), (Numbers{0, 23, 24, 24}));
  EXPECT_EQ(unary("clamp relu_n1_to_1", {-5, -4, 3, 25}, "!sx"), (Numbers{-4, -4, 3, 4}));
  EXPECT_EQ(unary("unary abs", {-32768, -3, 0, 3, 32767}, "!sx"), (Numbers{32767, 3, 0, 3, 32767}));
  EXPECT_EQ(unary("unary leaky_relu", {-32768, -8, 0, 3}, "!sx", "alpha 0.25"), (Numbers{-8192, -2, 0, 3}));
  EXPECT_EQ(unary("unary leaky_relu", {-1000, 16}, "!sy", "alpha -2.0"), (Numbers{1000, 8}));
  Numbers input = {-20, -4, 0, 1, 4, 20};
  Numbers logistic = unary("logistic", input, "!sh"), tangent = unary("tanh", input, "!sh");
  ASSERT_EQ(logistic.size(), input.size());
  for (size_t i = 0; i < input.size(); ++i) {
    EXPECT_NEAR(logistic[i], 32768 / (1 + std::exp(-input[i] * 0.25)), 8);
    EXPECT_NEAR(tangent[i], 32768 * std::tanh(input[i] * 0.25), 32);
  }
}

TEST(PlacedWide, SoftmaxOfEitherAxisMatchesReals) {
  Numbers input = {0, 4, 8, 12};
  Numbers pixels = unary("softmax", input, "!sh");
  Numbers columns = runWide(R"(
func.func @f(%x: tensor<4x1x!sx>) -> tensor<4x1x!sh> {
  %0 = nn.softmax %x axis 0 : (tensor<4x1x!sx>) -> tensor<4x1x!sh>
  return %0 : tensor<4x1x!sh>
})",
                            {input});
  EXPECT_EQ(pixels, columns);
  double sum = 1 + std::exp(-1) + std::exp(-2) + std::exp(-3);
  ASSERT_EQ(pixels.size(), 4u);
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(pixels[i], 32768 * std::exp(i - 3) / sum, 4);
}

TEST(PlacedWide, PoolsAndMeansMatchReals) {
  auto pooled = [](const std::string &op) {
    return runWide("func.func @f(%x: tensor<1x2x2x1x!sx>) -> tensor<1x1x1x1x!sx> {\n %0 = nn." + op +
                       " : (tensor<1x2x2x1x!sx>) -> tensor<1x1x1x1x!sx>\n return %0 : tensor<1x1x1x1x!sx>\n}",
                   {{-1000, 2001, 32767, -32768}});
  };
  EXPECT_EQ(pooled("average_pool_2d %x kernel [2, 2]"), (Numbers{250}));
  EXPECT_EQ(pooled("max_pool_2d %x kernel [2, 2]"), (Numbers{32767}));
  EXPECT_EQ(pooled("mean %x axes [1, 2] keep_dims"), (Numbers{250}));
  EXPECT_EQ(pooled("mean %x axes [0, 1, 2] keep_dims"), (Numbers{250}));
  EXPECT_EQ(pooled("reduce min %x axes [1, 2] keep_dims"), (Numbers{-32768}));
}

TEST(PlacedWide, ChangesTypesBothWays) {
  EXPECT_EQ(unary("quantize", {-3, 3, 32767}, "!sy"), (Numbers{-1, 2, 16384}));
  Bytes narrow = runOn("e256", std::string(kWideTypes) + R"(
func.func @f(%x: tensor<4x!sx>) -> tensor<4x!sq> {
  %0 = nn.quantize %x : (tensor<4x!sx>) -> tensor<4x!sq>
  return %0 : tensor<4x!sq>
})",
                       {bytesOf(Numbers{-1000, -5, 5, 1000})});
  EXPECT_EQ(valuesOf<int8_t>(narrow), (std::vector<int8_t>{-128, -2, 8, 127}));
  Bytes wide = runOn("e256", std::string(kWideTypes) + R"(
func.func @f(%x: tensor<3x!sq>) -> tensor<3x!sx> {
  %0 = nn.quantize %x : (tensor<3x!sq>) -> tensor<3x!sx>
  return %0 : tensor<3x!sx>
})",
                     {bytesOf(std::vector<int8_t>{-128, 3, 127})});
  EXPECT_EQ(valuesOf<int16_t>(wide), (Numbers{-131, 0, 124}));
  Bytes reals = runOn("e256", std::string(kWideTypes) + R"(
func.func @f(%x: tensor<3x!sx>) -> tensor<3xf32> {
  %0 = nn.dequantize %x : (tensor<3x!sx>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
})",
                      {bytesOf(Numbers{-32768, 1, 32767})});
  EXPECT_EQ(valuesOf<float>(reals), (std::vector<float>{-8192, 0.25f, 8191.75f}));
}

} // namespace
} // namespace avocet::compiler
