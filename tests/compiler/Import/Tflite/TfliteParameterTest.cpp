//===- TfliteParameterTest.cpp - Computed filters, groups ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteModels.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace avocet::compiler {
namespace {

using Floats = std::vector<float>;

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

tflite::OperatorOptionsUnion convOptions() {
  tflite::Conv2DOptionsT options;
  options.padding = tflite::Padding::VALID;
  options.stride_h = options.stride_w = 1;
  return optionsOf(options);
}

/// Two pixels of two channels, two results.
TEST(TfliteParameter, ConvolvesWithComputedFilterAndBias) {
  TestModel model{BuiltinOperator::CONV_2D, {{{1, 1, 2, 2}}, {{2, 1, 1, 2}}, {{2}}}, {{{1, 1, 2, 2}}}, convOptions()};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2, 3, 4}), bytesOf(Floats{1, 1, 1, -1}), bytesOf(Floats{10, 20})}),
            (Floats{13, 19, 17, 19}));
}

TEST(TfliteParameter, ConvolvesDepthwiseWithComputedFilter) {
  tflite::DepthwiseConv2DOptionsT options;
  options.padding = tflite::Padding::VALID;
  options.stride_h = options.stride_w = options.depth_multiplier = 1;
  TestModel model{BuiltinOperator::DEPTHWISE_CONV_2D,
                  {{{1, 1, 2, 2}}, {{1, 1, 2, 2}}, floats({2}, {0.5f, 1})},
                  {{{1, 1, 1, 2}}},
                  optionsOf(options)};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2, 3, 4}), bytesOf(Floats{1, 2, 3, 4})}), (Floats{10.5f, 21}));
}

TEST(TfliteParameter, ConvolvesTransposedWithComputedFilter) {
  tflite::TransposeConvOptionsT options;
  options.padding = tflite::Padding::VALID;
  options.stride_h = options.stride_w = 2;
  TestModel model{BuiltinOperator::TRANSPOSE_CONV,
                  {ints({1, 2, 4, 1}), {{1, 2, 2, 1}}, {{1, 1, 2, 1}}, {{1}}},
                  {{{1, 2, 4, 1}}},
                  optionsOf(options)};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2, 3, 4}), bytesOf(Floats{1, 10}), bytesOf(Floats{1})}),
            (Floats{2, 3, 11, 21, 4, 5, 31, 41}));
}

TEST(TfliteParameter, MultipliesWithComputedWeightsAndBias) {
  TestModel model{BuiltinOperator::FULLY_CONNECTED,
                  {{{1, 2}}, {{2, 2}}, {{2}}},
                  {{{1, 2}}},
                  optionsOf(tflite::FullyConnectedOptionsT{})};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2}), bytesOf(Floats{1, 1, 1, -1}), bytesOf(Floats{10, 20})}),
            (Floats{13, 19}));
}

/// The first two results see the first two channels, the others the last two.
TEST(TfliteParameter, FilterOfFewerChannelsMakesGroups) {
  TestModel model{BuiltinOperator::CONV_2D,
                  {{{1, 1, 1, 4}}, floats({4, 1, 1, 2}, {1, 0, 0, 1, 1, 1, 1, -1})},
                  {{{1, 1, 1, 4}}},
                  convOptions()};
  EXPECT_EQ(operationsOf(model), "grouped_conv_2d");
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2, 3, 5})}), (Floats{1, 2, 8, -2}));
  model.operands[1] = floats({3, 1, 1, 2}, {1, 0, 0, 1, 1, 1});
  model.results[0].shape = {1, 1, 1, 3};
  EXPECT_THAT(operationsOf(model), HasSubstr("input has 4 channels, the filter reads 2"));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

constexpr TensorType kInts = TensorType::INT32;

TEST(TfliteParameter, ReductionWithoutAxesCopies) {
  for (auto code : {BuiltinOperator::MEAN, BuiltinOperator::SUM, BuiltinOperator::REDUCE_MAX,
                    BuiltinOperator::REDUCE_MIN, BuiltinOperator::REDUCE_PROD}) {
    const TestModel model{code, {{{2, 2}}, ints({})}, {{{2, 2}}}, optionsOf(tflite::ReducerOptionsT{})};
    EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2, 3, 4})}), (Floats{1, 2, 3, 4}));
  }
}

/// As the reference for quantized means, whose result may have a scale of its own.
TEST(TfliteParameter, MeanWithoutAxesRescales) {
  const TestModel model{BuiltinOperator::MEAN,
                        {{{4}, TensorType::INT8, {}, 0.5f, 0}, ints({})},
                        {{{4}, TensorType::INT8, {}, 0.25f, 1}},
                        optionsOf(tflite::ReducerOptionsT{})};
  EXPECT_EQ(run<int8_t>(model, {{1, 2, 3, 100}}), (std::vector<int8_t>{3, 5, 7, 127}));
}

TEST(TfliteParameter, DeclaredShapesDoNotCount) {
  const TestModel transposed{BuiltinOperator::TRANSPOSE, {{{2, 3}, kInts}, ints({1, 0})}, {{{1, 3}, kInts}}};
  EXPECT_EQ(run<int32_t>(transposed, {bytesOf(std::vector{1, 2, 3, 4, 5, 6})}), (std::vector{1, 4, 2, 5, 3, 6}));
  TestModel convolved{
      BuiltinOperator::CONV_2D, {{{1, 1, 2, 2}}, floats({1, 1, 1, 2}, {1, 1})}, {{{1, 1, 1, 1}}}, convOptions()};
  EXPECT_EQ(run<float>(convolved, {bytesOf(Floats{1, 2, 3, 4})}), (Floats{3, 7}));
}

TEST(TfliteParameter, NumberFromDataIsTheRecordedExtent) {
  const auto resultsOf = [](int32_t values, int32_t indices) {
    return operationsOf({BuiltinOperator::TOPK_V2, {{{4}}, {{1}, kInts}}, {{{values}}, {{indices}, kInts}}});
  };
  EXPECT_THAT(resultsOf(2, 2), HasSubstr("topk_v2"));
  for (const auto &[values, indices] : {std::pair(2, 3), std::pair(1, 1)})
    EXPECT_THAT(resultsOf(values, indices), HasSubstr("or is recorded as the extent of both results"));
}

} // namespace
} // namespace avocet::compiler
