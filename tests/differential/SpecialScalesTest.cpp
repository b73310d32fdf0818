//===- SpecialScalesTest.cpp - Scales at the edges of their rules ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scales that are nearly powers of two, 0, or far apart, on every target.
//
//===----------------------------------------------------------------------===//

#include "Avocet.h"
#include "Draft.h"
#include "Targets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace avocet::differential {
namespace {

using Numbers = std::vector<double>;

Element int16With(float scale) { return {TensorType::INT16, {scale}, {0}}; }
Element int8With(float scale, int64_t zeroPoint = 0) { return {TensorType::INT8, {scale}, {zeroPoint}}; }

Bytes outputOf(const Model &model, const char *target) {
  const DeviceResult result = runOnDevice(model.finish(), {.target = target});
  EXPECT_TRUE(result.status.isOk()) << target << ": " << result.refusal << result.status.toString();
  return result.outputs.empty() ? Bytes() : result.outputs[0];
}

void expectOutput(const Model &model, const Numbers &expected) {
  for (const char *target : kTargets)
    EXPECT_EQ(outputOf(model, target), encode(expected, TensorType::INT8)) << target;
}

/// Numbers of 16 bits from end to end.
Bytes wideNumbers() {
  Numbers numbers;
  for (int number = -32768; number < 32768; number += 37)
    numbers.push_back(number);
  return encode(numbers, TensorType::INT16);
}
constexpr int32_t kWideCount = 1772;

Model functionOf(BuiltinOperator code, float from, float to = 1.0f / 32768) {
  Model model;
  const int32_t input = model.addInput({kWideCount}, int16With(from), wideNumbers());
  model.addOperator(code, {input}, {model.addOutput({kWideCount}, int16With(to))});
  return model;
}

/// Files round scales; results are those of the power of two, as in the reference.
TEST(SpecialScalesTest, RoundedPowersOfTwoCountAsExact) {
  for (BuiltinOperator code : {BuiltinOperator::TANH, BuiltinOperator::LOGISTIC})
    for (const char *target : kTargets) {
      const Bytes exact = outputOf(functionOf(code, 0x1p-12f), target);
      for (float rounded : {0.99935f, 1.00018f, 1.00065f})
        EXPECT_EQ(outputOf(functionOf(code, rounded * 0x1p-12f), target), exact) << target << " " << rounded;
      EXPECT_NE(outputOf(functionOf(code, 1.0012f * 0x1p-12f), target), exact) << target;
    }
}

TEST(SpecialScalesTest, RoundedResultScaleOfTanhIsAccepted) {
  const Model exact = functionOf(BuiltinOperator::TANH, 0x1p-12f);
  const Model rounded = functionOf(BuiltinOperator::TANH, 0x1p-12f, 1.0004f / 32768);
  EXPECT_EQ(outputOf(rounded, "e256"), outputOf(exact, "e256"));
}

Model sumOf(BuiltinOperator code, float a, float b, float result) {
  Model model;
  Bytes reversed = wideNumbers();
  std::reverse(reinterpret_cast<int16_t *>(reversed.data()), reinterpret_cast<int16_t *>(reversed.data()) + kWideCount);
  const int32_t first = model.addInput({kWideCount}, int16With(a), wideNumbers());
  const int32_t second = model.addInput({kWideCount}, int16With(b), reversed);
  tflite::OperatorT &sum = model.addOperator(code, {first, second}, {model.addOutput({kWideCount}, int16With(result))});
  if (code == BuiltinOperator::ADD)
    sum.options.Set(tflite::AddOptionsT());
  else
    sum.options.Set(tflite::SubOptionsT());
  return model;
}

/// The general form, which scales such as 1.002 take, rounds otherwise.
TEST(SpecialScalesTest, SumsOfRoundedPowersOfTwoShift) {
  for (BuiltinOperator code : {BuiltinOperator::ADD, BuiltinOperator::SUB})
    for (const char *target : kTargets) {
      const Bytes exact = outputOf(sumOf(code, 0x1p-10f, 0x1p-13f, 0x1p-10f), target);
      EXPECT_EQ(outputOf(sumOf(code, 1.0005f * 0x1p-10f, 0.9996f * 0x1p-13f, 0.9994f * 0x1p-10f), target), exact);
      EXPECT_NE(outputOf(sumOf(code, 1.0005f * 0x1p-10f, 1.002f * 0x1p-13f, 0.9994f * 0x1p-10f), target), exact);
    }
}

const Shape kPixels = {1, 1, 4, 2};
const Bytes kPixelBytes = encode({1, 2, -3, 4, 100, -100, 127, -128}, TensorType::INT8);

/// A convolution with windows of one element and two channels, of which each has a weight of 5 and one of -1.
Model convWith(std::vector<float> scales, float inputScale, float resultScale) {
  Model model;
  const int32_t input = model.addInput(kPixels, int8With(inputScale), kPixelBytes);
  const Element filter{TensorType::INT8, scales, {0, 0}, 0};
  const int32_t weights = model.addConstant({2, 1, 1, 2}, filter, encode({5, -1, 5, -1}, TensorType::INT8));
  const Element bias{TensorType::INT32, {scales[0] * inputScale, scales[1] * inputScale}, {0, 0}, 0};
  const int32_t offsets = model.addConstant({2}, bias, encode({7, 7}, TensorType::INT32));
  tflite::Conv2DOptionsT options;
  options.stride_h = options.stride_w = 1;
  options.padding = tflite::Padding::VALID;
  model
      .addOperator(BuiltinOperator::CONV_2D, {input, weights, offsets},
                   {model.addOutput(kPixels, int8With(resultScale, 3))})
      .options.Set(options);
  return model;
}

/// The second channel's multiplier is 0, so that its results are the zero point, whatever weights and bias are.
TEST(SpecialScalesTest, ChannelsOfScaleZeroAreZero) {
  expectOutput(convWith({0.5f, 0}, 0.5f, 0.5f), {8, 3, -3, 3, 127, 3, 127, 3});
}

TEST(SpecialScalesTest, DepthwiseChannelsOfScaleZeroAreZero) {
  Model model;
  const int32_t input = model.addInput(kPixels, int8With(1), kPixelBytes);
  const int32_t weights =
      model.addConstant({1, 1, 1, 2}, {TensorType::INT8, {0, 1}, {0, 0}, 3}, encode({5, 1}, TensorType::INT8));
  tflite::DepthwiseConv2DOptionsT options;
  options.stride_h = options.stride_w = options.depth_multiplier = 1;
  options.padding = tflite::Padding::VALID;
  model.addOperator(BuiltinOperator::DEPTHWISE_CONV_2D, {input, weights, -1}, {model.addOutput(kPixels, int8With(1))})
      .options.Set(options);
  expectOutput(model, {0, 2, 0, 4, 0, -100, 0, -128});
}

TEST(SpecialScalesTest, RefusalsNameTheChannelOfAScale) {
  const DeviceResult result = compileOnly(convWith({0.5f, -0.25f}, 0.5f, 0.5f).finish());
  EXPECT_NE(result.refusal.find("found -0.25 of channel 1"), std::string::npos) << result.refusal;
}

/// The reference does not define products with such multipliers; every result but that of 0 is beyond the type.
TEST(SpecialScalesTest, ConvolutionsWithLargeMultipliersSaturate) {
  const Numbers expected = {127, 127, -128, -128, 127, 127, 127, 127};
  expectOutput(convWith({1, 1}, 1, 1e-30f), expected);
  expectOutput(convWith({1e20f, 1e20f}, 1e20f, 1e-20f), expected);
  expectOutput(convWith({1, 0}, 1, 1e-30f), {127, 3, -128, 3, 127, 3, 127, 3});
}

void expectSaturated(BuiltinOperator code, const Numbers &expected) {
  Model model;
  const int32_t input = model.addInput({5}, int8With(1), encode({-128, -1, 0, 3, 127}, TensorType::INT8));
  model.addOperator(code, {input}, {model.addOutput({5}, int8With(1e-30f, 3))});
  SCOPED_TRACE(EnumNameBuiltinOperator(code));
  expectOutput(model, expected);
}

TEST(SpecialScalesTest, FunctionsWithLargeMultipliersSaturate) {
  expectSaturated(BuiltinOperator::RELU, {3, 3, 3, 127, 127});
  expectSaturated(BuiltinOperator::QUANTIZE, {-128, -128, 3, 127, 127});
  expectSaturated(BuiltinOperator::ABS, {127, 127, 3, 127, 127});
}

TEST(SpecialScalesTest, SumsAndProductsWithLargeMultipliersSaturate) {
  for (const auto &[code, expected] : {std::pair<BuiltinOperator, Numbers>{BuiltinOperator::ADD, {-128, 3, 127, 127}},
                                       {BuiltinOperator::SUB, {-128, -128, -128, 127}},
                                       {BuiltinOperator::MUL, {-128, -128, 3, 127}}}) {
    Model model;
    const int32_t a = model.addInput({4}, int8With(1), encode({-128, -1, 0, 127}, TensorType::INT8));
    const int32_t b = model.addInput({4}, int8With(1), encode({3, 1, 2, 1}, TensorType::INT8));
    model.addOperator(code, {a, b}, {model.addOutput({4}, int8With(1e-30f, 3))});
    SCOPED_TRACE(EnumNameBuiltinOperator(code));
    expectOutput(model, expected);
  }
}

/// 16-bit inputs have sums of 64 bits.
TEST(SpecialScalesTest, WideConvolutionsWithLargeMultipliersSaturate) {
  Model model;
  const int32_t input =
      model.addInput({1, 1, 5, 1}, int16With(1), encode({-32768, -1, 0, 3, 32767}, TensorType::INT16));
  const int32_t weights = model.addConstant({1, 1, 1, 1}, int8With(1), encode({1}, TensorType::INT8));
  tflite::Conv2DOptionsT options;
  options.stride_h = options.stride_w = 1;
  options.padding = tflite::Padding::VALID;
  model.addOperator(BuiltinOperator::CONV_2D, {input, weights}, {model.addOutput({1, 1, 5, 1}, int16With(1e-30f))})
      .options.Set(options);
  for (const char *target : kTargets)
    EXPECT_EQ(outputOf(model, target), encode({-32768, -32768, 0, 32767, 32767}, TensorType::INT16)) << target;
}

} // namespace
} // namespace avocet::differential
