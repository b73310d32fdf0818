//===- PlacedOpsTest.cpp - Results of placed operations -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One small function for each way in which placement changes an operation: tables, identity convolutions, reordered
// filters, broadcasts, folded batches. Expected values follow from the operation's definition in real numbers.
//
//===----------------------------------------------------------------------===//

#include "PlacedText.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace avocet::compiler {
namespace {

TEST(PlacedOps, ByteFunctionsMatchDefinitions) {
  expectTable("nn.quantize", "!y", [](double real) { return stored(real / 0.25 + 4); });
  expectTable("nn.quantize", "!u", [](double real) { return stored(real / 0.5 + 125, 0, 255); });
  expectTable("nn.clamp relu6", "!y", [](double real) { return stored(std::clamp(real, 0.0, 6.0) / 0.25 + 4); });
  expectTable("nn.clamp relu_n1_to_1", "!x", [](double real) { return stored(std::clamp(real, -1.0, 1.0) / 0.5 - 3); });
  expectTable("nn.logistic", "!p", [](double real) { return stored(256 / (1 + std::exp(-real)) - 128); });
  expectTable("nn.unary hard_swish", "!y",
              [](double real) { return stored(std::round(real * std::clamp(real + 3, 0.0, 6.0) / 6 / 0.25) + 4); });
  expectTable("nn.tanh", "!t", [](double real) { return stored(128 * std::tanh(real)); });
}

TEST(PlacedOps, FloatFunctionsMatchDefinitions) {
  Bytes input = bytesOf<float>({-2.0f, -0.5f, 0.5f, 7.0f});
  auto unary = [&](const char *op) {
    return floatsOf(run(std::string("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n %0 = ") + op +
                            " %x : (tensor<4xf32>) -> tensor<4xf32>\n return %0 : tensor<4xf32>\n}",
                        {input}));
  };
  EXPECT_EQ(unary("nn.clamp relu6"), (std::vector<float>{0, 0, 0.5f, 6}));
  EXPECT_EQ(unary("nn.clamp relu"), (std::vector<float>{0, 0, 0.5f, 7}));
  EXPECT_NEAR(unary("nn.unary erf")[1], std::erf(-0.5), 1e-6);
  EXPECT_NEAR(unary("nn.tanh")[1], std::tanh(-0.5), 1e-6);
  EXPECT_NEAR(unary("nn.logistic")[2], 1 / (1 + std::exp(-0.5)), 1e-6);
}

/// x = 0.5 * (b + 3), y = 0.25 * (b - 4); the result is stored as !y.
uint8_t asY(double real) { return stored(real / 0.25 + 4); }

TEST(PlacedOps, ComputesOnOperandsOfDifferentScales) {
  Bytes a = bytesOf<int8_t>({-7, -3, 1, 9}), b = bytesOf<int8_t>({4, 8, 0, -20});
  auto binary = [&](const std::string &op) {
    return run("func.func @f(%x: tensor<4x!x>, %y: tensor<4x!y>) -> tensor<4x!y> {\n %0 = " + op +
                   " %x, %y : (tensor<4x!x>, tensor<4x!y>) -> tensor<4x!y>\n return %0 : tensor<4x!y>\n}",
               {a, b});
  };
  double x[] = {-2, 0, 2, 6}, y[] = {0, 1, -1, -6};
  Bytes sum = binary("nn.add"), difference = binary("nn.sub"), product = binary("nn.mul");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(sum[i], asY(x[i] + y[i])) << i;
    EXPECT_EQ(difference[i], asY(x[i] - y[i])) << i;
    EXPECT_EQ(product[i], asY(x[i] * y[i])) << i;
  }
}

TEST(PlacedOps, BroadcastsConstant) {
  Bytes output = run(R"(
func.func @f(%x: tensor<1x2x2x2x!x>) -> tensor<1x2x2x2x!x> {
  %c = nn.constant dense<[3, 6]> : tensor<2xi8> as tensor<2x!x>
  %0 = nn.minimum %x, %c : (tensor<1x2x2x2x!x>, tensor<2x!x>) -> tensor<1x2x2x2x!x>
  return %0 : tensor<1x2x2x2x!x>
})",
                     {ascending(8)});
  EXPECT_EQ(output, (Bytes{1, 2, 3, 4, 3, 6, 3, 6}));
}

TEST(PlacedOps, BroadcastsInsideFoldedRows) {
  // x is [2, 2, 1, 2] and y [2, 1, 1]: y repeats along the first axis, which is folded with the second into the rows.
  std::vector<float> output = floatsOf(run(R"(
func.func @f(%x: tensor<2x2x1x2xf32>, %y: tensor<2x1x1xf32>) -> tensor<2x2x1x2xf32> {
  %0 = nn.sub %x, %y activation relu : (tensor<2x2x1x2xf32>, tensor<2x1x1xf32>) -> tensor<2x2x1x2xf32>
  return %0 : tensor<2x2x1x2xf32>
})",
                                           {bytesOf<float>({1, 2, 3, 4, 5, 6, 7, 8}), bytesOf<float>({1, 4})}));
  EXPECT_EQ(output, (std::vector<float>{0, 1, 0, 0, 4, 5, 3, 4}));
}

TEST(PlacedOps, BroadcastsBothOperands) {
  // [3, 1, 1, 1] + [2, 1, 2] of i32 is [3, 2, 1, 2].
  Bytes output = run(R"(
func.func @f(%x: tensor<3x1x1x1xi32>, %y: tensor<2x1x2xi32>) -> tensor<3x2x1x2xi32> {
  %0 = nn.add %x, %y : (tensor<3x1x1x1xi32>, tensor<2x1x2xi32>) -> tensor<3x2x1x2xi32>
  return %0 : tensor<3x2x1x2xi32>
})",
                     {bytesOf<int32_t>({100, 200, 300}), bytesOf<int32_t>({1, 2, 3, 4})});
  EXPECT_EQ(output, bytesOf<int32_t>({101, 102, 103, 104, 201, 202, 203, 204, 301, 302, 303, 304}));
}

TEST(PlacedOps, ReducesAnyAxes) {
  Bytes input = bytesOf<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  auto reduced = [&](const std::string &kind, const std::string &axes, const std::string &result) {
    return floatsOf(run("func.func @f(%x: tensor<2x3x2xf32>) -> " + result + " {\n %0 = nn.reduce " + kind +
                            " %x axes " + axes + " : (tensor<2x3x2xf32>) -> " + result + "\n return %0 : " + result +
                            "\n}",
                        {input}));
  };
  EXPECT_EQ(reduced("sum", "[0]", "tensor<3x2xf32>"), (std::vector<float>{8, 10, 12, 14, 16, 18}));
  EXPECT_EQ(reduced("max", "[1] keep_dims", "tensor<2x1x2xf32>"), (std::vector<float>{5, 6, 11, 12}));
  EXPECT_EQ(reduced("min", "[0, 2]", "tensor<3xf32>"), (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(reduced("prod", "[0, 1, 2]", "tensor<f32>"), (std::vector<float>{479001600}));
}

TEST(PlacedOps, ComparesOperandsOfDifferentScales) {
  // x = 0.5 * (b + 3), y = 0.25 * (b - 4).
  Bytes output = run(R"(
func.func @f(%x: tensor<3x!x>, %y: tensor<3x!y>) -> tensor<3xi1> {
  %0 = nn.compare greater_equal %x, %y : (tensor<3x!x>, tensor<3x!y>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
})",
                     {bytesOf<int8_t>({-1, -1, -1}), bytesOf<int8_t>({7, 8, 9})});
  EXPECT_EQ(output, (Bytes{1, 1, 0}));
}

TEST(PlacedOps, StandalonePadFillsWithZeroPoint) {
  // Two rows before, one after; one column before. The zero point is -3, stored as 253.
  Bytes output = run(R"(
func.func @f(%x: tensor<1x2x2x1x!x>) -> tensor<1x5x3x1x!x> {
  %0 = nn.pad %x low [0, 2, 1, 0] high [0, 1, 0, 0] : (tensor<1x2x2x1x!x>) -> tensor<1x5x3x1x!x>
  return %0 : tensor<1x5x3x1x!x>
})",
                     {{1, 2, 3, 128}});
  EXPECT_EQ(output, (Bytes{253, 253, 253, 253, 253, 253, 253, 1, 2, 253, 3, 128, 253, 253, 253}));
}

TEST(PlacedOps, StandalonePadFillsFloatsWithZero) {
  std::vector<float> output = floatsOf(run(R"(
func.func @f(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x4x2xf32> {
  %0 = nn.pad %x low [0, 0, 0, 0] high [0, 0, 2, 0] : (tensor<1x1x2x2xf32>) -> tensor<1x1x4x2xf32>
  return %0 : tensor<1x1x4x2xf32>
})",
                                           {bytesOf<float>({1.5f, -2, 3, 1e30f})}));
  EXPECT_EQ(output, (std::vector<float>{1.5f, -2, 3, 1e30f, 0, 0, 0, 0}));
}

TEST(PlacedOps, DepthwiseOfOneChannelRunsOnAllTargets) {
  // Two filters of 2 x 1 taps, scales 1 and 0.5, result scale 0.5: filter 0 is 1*a + 3*b, filter 1 half of 2*a + 4*b.
  const char *text = R"(
func.func @f(%x: tensor<1x3x1x1x!x>) -> tensor<1x2x1x2x!x> {
  %w = nn.constant dense<[[[[1, 2]], [[3, 4]]]]> : tensor<1x2x1x2xi8> as tensor<1x2x1x2x!dw>
  %0 = nn.depthwise_conv_2d %x, %w : (tensor<1x3x1x1x!x>, tensor<1x2x1x2x!dw>) -> tensor<1x2x1x2x!x>
  return %0 : tensor<1x2x1x2x!x>
})";
  // Inputs minus the zero point: 1, 2, -1.
  Bytes input = bytesOf<int8_t>({-2, -1, -4});
  for (const std::string &target : firmware::Target::shippedNames())
    EXPECT_EQ(runOn(target.c_str(), text, {input}), bytesOf<int8_t>({7 - 3, 5 - 3, -1 - 3, 0 - 3})) << target;
}

TEST(PlacedOps, FullyConnectedTakesSeveralRows) {
  // Five rows of two, weights [[1, 1], [2, -1], [0, 3]], all scales such that the multiplier is 1.
  std::vector<int8_t> input, expected;
  for (int row = 0; row < 5; ++row) {
    int a = row, b = 2 - row;
    input.insert(input.end(), {static_cast<int8_t>(a - 3), static_cast<int8_t>(b - 3)});
    for (int value : {a + b, 2 * a - b, 3 * b})
      expected.push_back(static_cast<int8_t>(value - 3));
  }
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<5x2x!x>) -> tensor<5x3x!x> {
  %w = nn.constant dense<[[1, 1], [2, -1], [0, 3]]> : tensor<3x2xi8> as tensor<3x2x!w>
  %0 = nn.fully_connected %x, %w : (tensor<5x2x!x>, tensor<3x2x!w>) -> tensor<5x3x!x>
  return %0 : tensor<5x3x!x>
})",
                {bytesOf(input)}),
            bytesOf(expected));
}

/// A part takes the weights, scales and biases of its own outputs.
TEST(PlacedOps, FullyConnectedRunsInPartsOfOutputs) {
  constexpr int kDepth = 1200;
  std::vector<int8_t> input(kDepth, -3);
  input[0] = 1 - 3, input[700] = -2 - 3, input[kDepth - 1] = 3 - 3;
  std::string rows;
  for (int output = 1; output <= 3; ++output) {
    std::string row = std::to_string(output);
    for (int i = 1; i < kDepth; ++i)
      row += ", " + std::to_string(output);
    rows += (output == 1 ? "[" : ", [") + row + "]";
  }
  // Sums: 2, 4, 6; with biases 12, 34, -14; times the scale of each output 12, 17, -28.
  EXPECT_EQ(run("!v = !quant.uniform<i8:f32:0, {1.0, 0.5, 2.0}>\n"
                "func.func @f(%x: tensor<1x1200x!x>) -> tensor<1x3x!x> {\n %w = nn.constant dense<[" +
                    rows + R"(]> : tensor<3x1200xi8> as tensor<3x1200x!v>
  %b = nn.constant dense<[10, 30, -20]> : tensor<3xi32>
  %0 = nn.fully_connected %x, %w, %b : (tensor<1x1200x!x>, tensor<3x1200x!v>, tensor<3xi32>) -> tensor<1x3x!x>
  return %0 : tensor<1x3x!x>
})",
                {bytesOf(input)}),
            bytesOf<int8_t>({12 - 3, 17 - 3, -28 - 3}));
}

/// A batch of 2 of a matrix product, and its form in the test's model.
struct ProductCase {
  const char *lhs, *rhs, *flags;
  bool transposeLhs, transposeRhs, repeatsLhs, repeatsRhs;
};

constexpr int kRows = 3, kDepth = 37, kColumns = 11; // beyond one chunk and one granule, and no multiple of them

void expectProduct(const ProductCase &c) {
  auto left = [&](int batch, int m, int k) { return (m * 5 + k * 3 + (c.repeatsLhs ? 0 : batch)) % 7 - 3; };
  auto right = [&](int batch, int k, int n) { return (k * 2 + n * 3 + (c.repeatsRhs ? 0 : 4 * batch)) % 5 - 2; };
  std::vector<float> lhs, rhs, expected;
  for (int batch = 0; batch < (c.repeatsLhs ? 1 : 2); ++batch)
    for (int i = 0; i < kRows * kDepth; ++i)
      lhs.push_back(
          static_cast<float>(c.transposeLhs ? left(batch, i % kRows, i / kRows) : left(batch, i / kDepth, i % kDepth)));
  for (int batch = 0; batch < (c.repeatsRhs ? 1 : 2); ++batch)
    for (int i = 0; i < kDepth * kColumns; ++i)
      rhs.push_back(static_cast<float>(c.transposeRhs ? right(batch, i % kDepth, i / kDepth)
                                                      : right(batch, i / kColumns, i % kColumns)));
  for (int i = 0; i < 2 * kRows * kColumns; ++i) {
    int sum = 0;
    for (int k = 0; k < kDepth; ++k)
      sum += left(i / (kRows * kColumns), i / kColumns % kRows, k) * right(i / (kRows * kColumns), k, i % kColumns);
    expected.push_back(static_cast<float>(sum));
  }
  const std::string types = std::string("(") + c.lhs + ", " + c.rhs + ") -> tensor<2x3x11xf32>";
  EXPECT_EQ(floatsOf(run(std::string("func.func @f(%a: ") + c.lhs + ", %b: " + c.rhs +
                             ") -> tensor<2x3x11xf32> {\n %0 = nn.batch_matmul %a, %b" + c.flags + " : " + types +
                             "\n return %0 : tensor<2x3x11xf32>\n}",
                         {bytesOf(lhs), bytesOf(rhs)})),
            expected)
      << types << c.flags;
}

TEST(PlacedOps, MultipliesMatricesInEveryForm) {
  expectProduct({"tensor<2x3x37xf32>", "tensor<2x37x11xf32>", "", false, false, false, false});
  expectProduct({"tensor<2x37x3xf32>", "tensor<2x37x11xf32>", " transpose_lhs", true, false, false, false});
  expectProduct({"tensor<2x3x37xf32>", "tensor<2x11x37xf32>", " transpose_rhs", false, true, false, false});
  expectProduct({"tensor<3x37xf32>", "tensor<2x37x11xf32>", "", false, false, true, false});
  expectProduct({"tensor<2x3x37xf32>", "tensor<37x11xf32>", "", false, false, false, true});
  expectProduct({"tensor<1x37x3xf32>", "tensor<2x11x37xf32>", " transpose_lhs transpose_rhs", true, true, true, false});
}

TEST(PlacedOps, MultipliesMatricesWithZeroPoints) {
  // [[1, 2], [3, 4]] times [[5, 6], [7, 8]] in steps of !x on the left (0.5, -3) and of !y on the right (0.25, 4).
  auto x = [](double real) { return static_cast<int8_t>(real / 0.5 - 3); };
  auto y = [](double real) { return static_cast<int8_t>(real / 0.25 + 4); };
  EXPECT_EQ(run(R"(
func.func @f(%a: tensor<2x2x!x>, %b: tensor<2x2x!y>) -> tensor<2x2x!x> {
  %0 = nn.batch_matmul %a, %b : (tensor<2x2x!x>, tensor<2x2x!y>) -> tensor<2x2x!x>
  return %0 : tensor<2x2x!x>
})",
                {bytesOf<int8_t>({x(1), x(2), x(3), x(4)}), bytesOf<int8_t>({y(5), y(6), y(7), y(8)})}),
            bytesOf<int8_t>({x(19), x(22), x(43), x(50)}));
}

TEST(PlacedOps, FoldsBatchIntoRows) {
  // Two images of 2 x 2, a 1 x 1 window with stride 2: the first element of each, doubled.
  Bytes output = run(R"(
func.func @f(%x: tensor<2x2x2x1x!x>) -> tensor<2x1x1x1x!x> {
  %w = nn.constant dense<2> : tensor<1x1x1x1xi8> as tensor<1x1x1x1x!w>
  %0 = nn.conv_2d %x, %w stride [2, 2] pad [0, 0, 0, 0] : (tensor<2x2x2x1x!x>, tensor<1x1x1x1x!w>) -> tensor<2x1x1x1x!x>
  return %0 : tensor<2x1x1x1x!x>
})",
                     {bytesOf<int8_t>({2, 9, 9, 9, -5, 9, 9, 9})});
  EXPECT_EQ(output, bytesOf<int8_t>({2 * 5 - 3, 2 * -2 - 3}));
}

TEST(PlacedOps, MeanChangesScale) {
  Bytes output = run(R"(
func.func @f(%x: tensor<1x2x2x2x!x>) -> tensor<1x2x!y> {
  %0 = nn.mean %x axes [1, 2] : (tensor<1x2x2x2x!x>) -> tensor<1x2x!y>
  return %0 : tensor<1x2x!y>
})",
                     {bytesOf<int8_t>({1, -3, 3, -3, 5, -3, 7, -7})});
  // Channel 0: 0.5 * (4 + 6 + 8 + 10) / 4 = 3.5; channel 1: 0.5 * -4 / 4 = -0.5.
  EXPECT_EQ(output, (Bytes{asY(3.5), asY(-0.5)}));
}

TEST(PlacedOps, ConcatenationIsExact) {
  // All stored values pass, in three parts of different widths; pixels of 4 = 1 + 2 + 1 channels.
  Bytes a(allPatterns()), b(512), c(256), expected;
  for (int i = 0; i < 512; ++i)
    b[i] = static_cast<uint8_t>(i * 7);
  for (int i = 0; i < 256; ++i)
    c[i] = static_cast<uint8_t>(255 - i);
  for (int i = 0; i < 256; ++i)
    expected.insert(expected.end(), {a[i], b[2 * i], b[2 * i + 1], c[i]});
  EXPECT_EQ(run(R"(
func.func @f(%a: tensor<1x16x16x1x!x>, %b: tensor<1x16x16x2x!x>, %c: tensor<1x16x16x1x!x>) -> tensor<1x16x16x4x!x> {
  %0 = nn.concatenation %a, %b, %c axis 3 : (tensor<1x16x16x1x!x>, tensor<1x16x16x2x!x>, tensor<1x16x16x1x!x>) -> tensor<1x16x16x4x!x>
  return %0 : tensor<1x16x16x4x!x>
})",
                {a, b, c}),
            expected);
}

TEST(PlacedOps, CopiesInputsToOutputs) {
  // All values pass unchanged, also where the zero point lies in the middle.
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<16x16x!x>) -> tensor<256x!x> {
  %0 = nn.reshape %x to [256] : (tensor<16x16x!x>) -> tensor<256x!x>
  return %0 : tensor<256x!x>
})",
                {allPatterns()}),
            allPatterns());
  Bytes floats = bytesOf<float>({-1e30f, 0.0f, 2.5f, 1e30f});
  EXPECT_EQ(run("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n return %x : tensor<4xf32>\n}", {floats}), floats);
}

/// Concatenates `count` columns of two elements along axis 1.
std::string concatenationOf(int count, const std::string &type) {
  std::string arguments, names, types;
  for (int i = 0; i < count; ++i) {
    std::string comma = i > 0 ? ", " : "", name = "%a" + std::to_string(i);
    arguments += comma + name + ": " + type;
    names += comma + name;
    types += comma + type;
  }
  std::string result = "tensor<2x" + std::to_string(count) + "xi32>";
  return "func.func @f(" + arguments + ") -> " + result + " {\n%0 = nn.concatenation " + names + " axis 1 : (" + types +
         ") -> " + result + "\nreturn %0 : " + result + "\n}";
}

TEST(PlacedOps, ConcatenatesMoreInputsThanOneCommandTakes) {
  for (int count : {1, 24, 25, 70}) {
    std::vector<Bytes> inputs;
    std::vector<int32_t> top, bottom;
    for (int i = 0; i < count; ++i) {
      inputs.push_back(bytesOf<int32_t>({i, -1000000 - i}));
      top.push_back(i);
      bottom.push_back(-1000000 - i);
    }
    top.insert(top.end(), bottom.begin(), bottom.end());
    EXPECT_EQ(run(concatenationOf(count, "tensor<2x1xi32>"), inputs), bytesOf(top)) << count;
  }
}

TEST(PlacedOps, TilesEveryAxisOfTheLargestRank) {
  Bytes expected;
  for (int i = 0; i < 256; ++i)
    expected.push_back(static_cast<uint8_t>(i % 2 + 1));
  // The last axis has extent 2, so that all axes alternate with it.
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<1x1x1x1x1x1x1x2xi1>) -> tensor<1x2x2x2x2x2x2x4xi1> {
  %0 = nn.tile %x multiples [1, 2, 2, 2, 2, 2, 2, 2] : (tensor<1x1x1x1x1x1x1x2xi1>) -> tensor<1x2x2x2x2x2x2x4xi1>
  return %0 : tensor<1x2x2x2x2x2x2x4xi1>
})",
                {{1, 2}}),
            expected);
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<2x2xi1>) -> tensor<4x4xi1> {
  %0 = nn.tile %x multiples [2, 2] : (tensor<2x2xi1>) -> tensor<4x4xi1>
  return %0 : tensor<4x4xi1>
})",
                {{1, 2, 3, 4}}),
            (Bytes{1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4}));
}

TEST(PlacedOps, PadsWithTheZeroPointOrAValue) {
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<2x!u>) -> tensor<6x!u> {
  %0 = nn.pad %x low [1] high [1] : (tensor<2x!u>) -> tensor<4x!u>
  %1 = nn.pad %0 low [2] high [0] value 255.0 : (tensor<4x!u>) -> tensor<6x!u>
  return %1 : tensor<6x!u>
})",
                {{1, 2}}),
            (Bytes{255, 255, 125, 1, 2, 125}));
  // Signed values and floats by their bits.
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<1x!x>) -> tensor<2x!x> {
  %0 = nn.pad %x low [1] high [0] value -128.0 : (tensor<1x!x>) -> tensor<2x!x>
  return %0 : tensor<2x!x>
})",
                {{7}}),
            (Bytes{128, 7}));
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<1xf32>) -> tensor<2xf32> {
  %0 = nn.pad %x low [1] high [0] value -0.1 : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                {bytesOf<float>({7})}),
            bytesOf<float>({-0.1f, 7}));
}

TEST(PlacedOps, SlicesWithNegativeStrides) {
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<3x4xi32>) -> tensor<2x2xi32> {
  %0 = nn.slice %x begin [2, 3] size [2, 2] strides [-2, -3] : (tensor<3x4xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
})",
                {bytesOf<int32_t>({0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23})}),
            bytesOf<int32_t>({23, 20, 3, 0}));
}

TEST(PlacedOps, SortsRowsOfAnyRank) {
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<2x1x3x!x>) -> tensor<2x1x2x!x> {
  %0:2 = nn.topk_v2 %x k 2 : (tensor<2x1x3x!x>) -> (tensor<2x1x2x!x>, tensor<2x1x2xi32>)
  return %0#0 : tensor<2x1x2x!x>
})",
                {{3, 250, 7, 1, 2, 0}}),
            (Bytes{7, 3, 2, 1}));
}

/// Two lines of 1, 2, 3, 5 and its opposite, which continue with zeros to 8 points: the even elements are those of 4.
TEST(PlacedOps, TransformsLinesOfAnyRank) {
  const float half = std::sqrt(0.5f);
  const std::vector<float> line{11, 1 + 2 * half - 5 * half, -2, 1 - 2 * half + 5 * half, -3};
  std::vector<float> expected = line;
  for (float x : line)
    expected.push_back(-x);
  const Bytes found = run(R"(
func.func @f(%x: tensor<1x2x1x4xf32>) -> tensor<1x2x1x5xf32> {
  %0:2 = nn.rfft %x points 8 : (tensor<1x2x1x4xf32>) -> (tensor<1x2x1x5xf32>, tensor<1x2x1x5xf32>)
  return %0#0 : tensor<1x2x1x5xf32>
})",
                          {bytesOf<float>({1, 2, 3, 5, -1, -2, -3, -5})});
  ASSERT_EQ(found.size(), expected.size() * sizeof(float));
  for (size_t i = 0; i < expected.size(); ++i) {
    float element = 0;
    std::memcpy(&element, found.data() + i * sizeof(float), sizeof(float));
    EXPECT_NEAR(element, expected[i], 1e-6) << i;
  }
}

/// The operands of regions have scales of their own: coordinates in eighths, strides that differ.
TEST(PlacedOps, PoolsRegionsByRowsAndColumns) {
  EXPECT_EQ(run(R"(
!b = !quant.uniform<u16:f32, 0.125>
func.func @f(%x: tensor<1x2x3x1x!x>, %r: tensor<1x4x!b>, %n: tensor<1xi32>) -> tensor<1x2x1x1x!x> {
  %0 = nn.roi_pooling %x at %r, %n to [2, 1] {strideX = 2.0 : f32, strideY = 4.0 : f32}
      : (tensor<1x2x3x1x!x>, tensor<1x4x!b>, tensor<1xi32>) -> tensor<1x2x1x1x!x>
  return %0 : tensor<1x2x1x1x!x>
})",
                {{1, 2, 3, 4, 5, 6}, bytesOf<uint16_t>({16, 0, 16, 32}), bytesOf<int32_t>({0})}),
            (Bytes{2, 5}));
}

TEST(PlacedOps, ScattersSlicesIntoTables) {
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<2x2x2xi32>, %i: tensor<2x2xi32>, %u: tensor<2x2xi32>) -> tensor<2x2x2xi32> {
  %0 = nn.scatter_nd sum %x at %i, %u : (tensor<2x2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2x2xi32>
  return %0 : tensor<2x2x2xi32>
})",
                {bytesOf<int32_t>({1, 2, 3, 4, 5, 6, 7, 8}), bytesOf<int32_t>({1, 0, 0, 1}),
                 bytesOf<int32_t>({10, 20, 30, 40})}),
            bytesOf<int32_t>({1, 2, 33, 44, 15, 26, 7, 8}));
}

} // namespace
} // namespace avocet::compiler
