//===- PlacedElementsTest.cpp - Results of placed element functions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tables of 8-bit functions, and plain integers. Expected values follow from the definitions in real numbers.
//
//===----------------------------------------------------------------------===//

#include "PlacedText.h"
#include "RealFunctions.h"

#include "mlir/IR/Diagnostics.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>

namespace avocet::compiler {
namespace {

/// The operation nn.unary for a function; empty if it does not take bytes.
std::string byteOperationOf(const kernels::RealFunction &function) {
  std::string operation = "nn.unary " + std::string(function.name);
  std::ranges::transform(operation, operation.begin(), [](unsigned char letter) { return std::tolower(letter); });
  mlir::MLIRContext context;
  context.loadDialect<nn::NnDialect, mlir::func::FuncDialect, mlir::quant::QuantDialect>();
  const mlir::ScopedDiagnosticHandler refusals(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  const std::string text = "func.func @f(%x: tensor<4x!x>) -> tensor<4x!y> {\n %0 = " + operation +
                           " %x : (tensor<4x!x>) -> tensor<4x!y>\n return %0 : tensor<4x!y>\n}";
  return mlir::parseSourceString<mlir::ModuleOp>(kTypes + text, &context) ? operation : "";
}

/// Numbers below the domain have the result of 0, which may be infinite.
double extended(const kernels::RealFunction &function, double x) {
  const double real = function.real(x);
  return std::clamp(std::isnan(real) ? function.real(0) : real, -1e3, 1e3);
}

/// Two are not: roots are rounded down, and the fixed point of HARD_SWISH has few bits (see PlacedOpsTest).
TEST(PlacedElements, BytesOfRealFunctionsAreTheNearest) {
  size_t functions = 0;
  for (const kernels::RealFunction &function : kernels::kRealFunctions) {
    const std::string operation = byteOperationOf(function);
    if (operation.empty() || function.hasParameters || function.function == kernels::UnaryFunction::Sqrt ||
        function.function == kernels::UnaryFunction::HardSwish)
      continue;
    ++functions;
    expectTable(operation, "!y", [&](double x) { return stored(std::round(extended(function, x) / 0.25) + 4); });
    expectTable(operation, "!t", [&](double x) { return stored(extended(function, x) * 128); });
  }
  EXPECT_EQ(functions, 5u);
}

TEST(PlacedElements, ByteFunctionsOfFloatTablesMatchDefinitions) {
  expectTable("nn.clamp relu_0_to_1", "!y", [](double real) { return stored(std::clamp(real, 0.0, 1.0) / 0.25 + 4); });
  expectTable("nn.unary sqrt", "!y",
              [](double real) { return stored(std::floor(std::sqrt(std::max(real, 0.0)) / 0.25) + 4); });
  expectTable("nn.unary elu", "!y",
              [](double real) { return stored((real < 0 ? std::expm1(real) : real) / 0.25 + 4); });
  expectTable("nn.unary gelu_tanh", "!y", [](double real) {
    return stored(real / 2 * (1 + std::tanh(0.7978845608 * (real + 0.044715 * real * real * real))) / 0.25 + 4);
  });
}

TEST(PlacedElements, LeakyReluMultipliesNegativeBytes) {
  // 0.5 * (x + 3) times 0.3 in units of 0.25.
  Bytes output = run(R"(
func.func @f(%x: tensor<256x!x>) -> tensor<256x!y> {
  %0 = nn.unary leaky_relu %x alpha 0.3 : (tensor<256x!x>) -> tensor<256x!y>
  return %0 : tensor<256x!y>
})",
                     {allPatterns()});
  ASSERT_EQ(output.size(), 256u);
  for (int pattern = 0; pattern < 256; ++pattern) {
    double real = 0.5 * (static_cast<int8_t>(pattern) + 3);
    double result = (real < 0 ? 0.3 * real : real) / 0.25;
    // Halves are rounded in fixed point, whose multiplier is not exactly 0.6.
    if (std::abs(std::abs(result - std::floor(result)) - 0.5) > 1e-3)
      ASSERT_EQ(output[pattern], stored(std::round(result) + 4)) << real;
  }
}

TEST(PlacedElements, MovesWideIntegers) {
  const int64_t kFar = int64_t(1) << 40;
  Bytes output = run(R"(
func.func @f(%x: tensor<2x2xi64>) -> tensor<3x2xi64> {
  %0 = nn.transpose %x permutation [1, 0] : (tensor<2x2xi64>) -> tensor<2x2xi64>
  %1 = nn.pad %0 low [1, 0] high [0, 0] value -3.0 : (tensor<2x2xi64>) -> tensor<3x2xi64>
  return %1 : tensor<3x2xi64>
})",
                     {bytesOf<int64_t>({kFar, 2, -3, kFar + 4})});
  EXPECT_EQ(output, bytesOf<int64_t>({-3, -3, kFar, -3, 2, kFar + 4}));
}

TEST(PlacedElements, FindsWidePositionsAndGathersWithThem) {
  Bytes output = run(R"(
func.func @f(%x: tensor<2x3xf32>, %t: tensor<3xi16>) -> tensor<2xi16> {
  %0 = nn.arg_reduce max %x axis 1 : (tensor<2x3xf32>) -> tensor<2xi64>
  %1 = nn.gather %t at %0 axis 0 : (tensor<3xi16>, tensor<2xi64>) -> tensor<2xi16>
  return %1 : tensor<2xi16>
})",
                     {bytesOf<float>({1, 5, 2, 9, 0, -1}), bytesOf<int16_t>({100, 200, 300})});
  EXPECT_EQ(output, bytesOf<int16_t>({200, 100}));
}

TEST(PlacedElements, CastKeepsLowBitsOrSaturates) {
  auto cast = [&](const std::string &form) {
    return run("func.func @f(%x: tensor<3xi64>) -> tensor<3xui8> {\n %0 = nn.cast %x" + form +
                   " : (tensor<3xi64>) -> tensor<3xui8>\n return %0 : tensor<3xui8>\n}",
               {bytesOf<int64_t>({257, -1, 7})});
  };
  EXPECT_EQ(cast(" wraps"), (Bytes{1, 255, 7}));
  EXPECT_EQ(cast(""), (Bytes{255, 0, 7}));
}

TEST(PlacedElements, IntegerFunctionsOfTwoOperandsBroadcast) {
  auto binary = [&](const std::string &op) {
    return run("func.func @f(%x: tensor<2x2xi32>, %y: tensor<2xi32>) -> tensor<2x2xi32> {\n %0 = " + op +
                   " : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>\n return %0 : tensor<2x2xi32>\n}",
               {bytesOf<int32_t>({7, -7, 9, 100}), bytesOf<int32_t>({2, 4})});
  };
  EXPECT_EQ(binary("nn.binary floor_div %x, %y"), bytesOf<int32_t>({3, -2, 4, 25}));
  EXPECT_EQ(binary("nn.binary floor_mod %x, %y"), bytesOf<int32_t>({1, 1, 1, 0}));
  EXPECT_EQ(binary("nn.div %x, %y truncates"), bytesOf<int32_t>({3, -1, 4, 25}));
  EXPECT_EQ(binary("nn.binary squared_difference %x, %y"), bytesOf<int32_t>({25, 121, 49, 9216}));
  EXPECT_EQ(binary("nn.binary bitwise_xor %x, %y"), bytesOf<int32_t>({5, -3, 11, 96}));
  EXPECT_EQ(binary("nn.binary right_shift %x, %y"), bytesOf<int32_t>({1, -1, 2, 6}));
  EXPECT_EQ(binary("nn.pow %x, %y"), bytesOf<int32_t>({49, 2401, 81, 100000000}));
}

TEST(PlacedElements, QuantizedSquaredDifferenceHasOwnScale) {
  // x = 0.5 * (b + 3), y = 0.25 * (b - 4): 2 - 1.5, 0 - -2, 5 - 5 in units of 0.25.
  Bytes output = run(R"(
func.func @f(%x: tensor<3x!x>, %y: tensor<3x!y>) -> tensor<3x!y> {
  %0 = nn.binary squared_difference %x, %y : (tensor<3x!x>, tensor<3x!y>) -> tensor<3x!y>
  return %0 : tensor<3x!y>
})",
                     {bytesOf<int8_t>({1, -3, 7}), bytesOf<int8_t>({10, -4, 24})});
  EXPECT_EQ(output, bytesOf<int8_t>({5, 20, 4}));
}

TEST(PlacedElements, FixedPointComparisonRoundsFirst) {
  // 0.001 and 0.002 are 0.256 and 0.512 units of 1/256; 0.005 is 1.28.
  Bytes output = run(R"(
!s = !quant.uniform<i8:f32, 0.001>
func.func @f(%x: tensor<3x!s>, %y: tensor<3x!s>) -> tensor<3xi1> {
  %0 = nn.compare equal %x, %y fixed_point : (tensor<3x!s>, tensor<3x!s>) -> tensor<3xi1>
  return %0 : tensor<3xi1>
})",
                     {bytesOf<int8_t>({0, 1, 2}), bytesOf<int8_t>({1, 2, 5})});
  EXPECT_EQ(output, (Bytes{1, 0, 1}));
}

TEST(PlacedElements, HybridRowsHaveTheirOwnScales) {
  // The greatest magnitudes are 127 and 1.27, so that the numbers are whole multiples of the scales 1 and 0.01.
  std::vector<float> output = floatsOf(run(R"(
func.func @f(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %w = nn.constant dense<[[1, 1, 1], [2, -1, 0]]> : tensor<2x3xi8> as tensor<2x3x!w>
  %0 = nn.fully_connected %x, %w : (tensor<2x3xf32>, tensor<2x3x!w>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})",
                                           {bytesOf<float>({127, 0, -64, 1.27f, 0.64f, 0})}));
  const std::vector<float> expected = {63, 254, 1.91f, 1.9f};
  ASSERT_EQ(output.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(output[i], expected[i], 1e-4f) << i;
}

TEST(PlacedElements, QuantizedSumsRescaleOrWrap) {
  // 0.5 * (x + 3): 2 + 3.5 and -1 + 0.5, in units of 0.25 around 4; equal scales add the stored numbers.
  auto sum = [&](const std::string &result) {
    return run("func.func @f(%x: tensor<2x2x!x>) -> tensor<2x" + result + "> {\n %0 = nn.reduce sum %x axes [1]" +
                   " : (tensor<2x2x!x>) -> tensor<2x" + result + ">\n return %0 : tensor<2x" + result + ">\n}",
               {bytesOf<int8_t>({1, 4, -5, -2})});
  };
  EXPECT_EQ(sum("!y"), bytesOf<int8_t>({26, 2}));
  EXPECT_EQ(sum("!x"), bytesOf<int8_t>({5, -7}));
}

TEST(PlacedElements, QuantizedQuotientHasOwnScale) {
  // x = 0.5 * (b + 3), y = 0.25 * (b - 4): 2 / 2, 0 / 2 and 4 / 0.5, in units of 0.25 around 4.
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<3x!x>, %y: tensor<3x!y>) -> tensor<3x!y> {
  %0 = nn.div %x, %y : (tensor<3x!x>, tensor<3x!y>) -> tensor<3x!y>
  return %0 : tensor<3x!y>
})",
                {bytesOf<int8_t>({1, -3, 5}), bytesOf<int8_t>({12, 12, 6})}),
            bytesOf<int8_t>({8, 4, 36}));
}

TEST(PlacedElements, QuantizedProductsHaveOwnScale) {
  // 2 * 3.5 and -1 * 0.5, in units of 0.25 around 4.
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<2x2x!x>) -> tensor<2x!y> {
  %0 = nn.reduce prod %x axes [1] : (tensor<2x2x!x>) -> tensor<2x!y>
  return %0 : tensor<2x!y>
})",
                {bytesOf<int8_t>({1, 4, -5, -2})}),
            bytesOf<int8_t>({32, 2}));
}

TEST(PlacedElements, WideSumsWrap) {
  EXPECT_EQ(run(R"(
!s = !quant.uniform<i16:f32, 0.5>
func.func @f(%x: tensor<2x2x!s>) -> tensor<2x!s> {
  %0 = nn.reduce sum %x axes [1] : (tensor<2x2x!s>) -> tensor<2x!s>
  return %0 : tensor<2x!s>
})",
                {bytesOf<int16_t>({30000, 10000, -7, 2})}),
            bytesOf<int16_t>({-25536, -5}));
}

TEST(PlacedElements, QuantizedLogSoftmaxHasFixedScale) {
  // The differences are 0 and 1.5: -0.201 and -1.701 in units of 1/16 below 127.
  EXPECT_EQ(run(R"(
!l = !quant.uniform<i8:f32, 0.0625:127>
func.func @f(%x: tensor<2x2x!x>) -> tensor<2x2x!l> {
  %0 = nn.log_softmax %x : (tensor<2x2x!x>) -> tensor<2x2x!l>
  return %0 : tensor<2x2x!l>
})",
                {bytesOf<int8_t>({1, 4, 9, 9})}),
            bytesOf<int8_t>({100, 124, 116, 116}));
}

TEST(PlacedElements, WideIntegersAreSummedAndSorted) {
  const int64_t large = int64_t(1) << 40;
  EXPECT_EQ(run(R"(
func.func @f(%x: tensor<3xi64>) -> tensor<2xi64> {
  %0 = nn.cumsum %x : (tensor<3xi64>) -> tensor<3xi64>
  %1:2 = nn.topk_v2 %0 k 2 : (tensor<3xi64>) -> (tensor<2xi64>, tensor<2xi32>)
  return %1#0 : tensor<2xi64>
})",
                {bytesOf<int64_t>({large, large, -1})}),
            bytesOf<int64_t>({2 * large, 2 * large - 1}));
}

TEST(PlacedElements, WideImagesAreInterpolated) {
  EXPECT_EQ(run(R"(
!s = !quant.uniform<i16:f32, 0.5>
func.func @f(%x: tensor<1x1x2x1x!s>) -> tensor<1x1x4x1x!s> {
  %0 = nn.resize bilinear %x to [1, 4] : (tensor<1x1x2x1x!s>) -> tensor<1x1x4x1x!s>
  return %0 : tensor<1x1x4x1x!s>
})",
                {bytesOf<int16_t>({-3000, 1001})}),
            bytesOf<int16_t>({-3000, -1000, 1001, 1001}));
}

TEST(PlacedElements, IntegerReductionsWrapAndTruncate) {
  auto reduced = [&](const std::string &op) {
    return run("func.func @f(%x: tensor<2x2xi32>) -> tensor<2xi32> {\n %0 = " + op +
                   " : (tensor<2x2xi32>) -> tensor<2xi32>\n return %0 : tensor<2xi32>\n}",
               {bytesOf<int32_t>({INT32_MAX, 1, -7, 2})});
  };
  EXPECT_EQ(reduced("nn.reduce sum %x axes [1]"), bytesOf<int32_t>({INT32_MIN, -5}));
  EXPECT_EQ(reduced("nn.reduce prod %x axes [1]"), bytesOf<int32_t>({INT32_MAX, -14}));
  EXPECT_EQ(reduced("nn.mean %x axes [1]"), bytesOf<int32_t>({1 << 30, -2}));
}

} // namespace
} // namespace avocet::compiler
