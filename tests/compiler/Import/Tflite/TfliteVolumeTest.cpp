//===- TfliteVolumeTest.cpp - Convolutions of volumes, DILATE -*- C++ -*-===//
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
using tflite::Conv3DOptionsT;
using tflite::Padding;

Conv3DOptionsT options(Padding padding, int32_t depthStride, int32_t depthDilation = 1) {
  Conv3DOptionsT options;
  options.padding = padding;
  options.stride_d = depthStride;
  options.stride_h = options.stride_w = 1;
  options.dilation_d = depthDilation;
  return options;
}

TestTensor filter(std::vector<int32_t> shape, std::vector<float> values) { return floats(std::move(shape), values); }

/// One channel, one row: a volume is a list of depth steps with `width` columns.
TestModel conv(int32_t depth, int32_t width, const TestTensor &filter, int32_t results, const Conv3DOptionsT &options) {
  return {BuiltinOperator::CONV_3D,
          {{{1, depth, 1, width, 1}}, filter, floats({1}, {100})},
          {{{1, results, 1, width, 1}}},
          optionsOf(options)};
}

TEST(TfliteConv3d, AddsProductsOfDepthSteps) {
  // Steps of two columns: {0, 1}, {2, 3}, {4, 5}, {6, 7}.
  const TestTensor pair = filter({2, 1, 1, 1, 1}, {1, 10});
  EXPECT_EQ(run<float>(conv(4, 2, pair, 3, options(Padding::VALID, 1)), {bytesOf(counting(8))}),
            (Floats{120, 131, 142, 153, 164, 175}));
  EXPECT_EQ(run<float>(conv(4, 2, pair, 2, options(Padding::VALID, 2)), {bytesOf(counting(8))}),
            (Floats{120, 131, 164, 175}));
  EXPECT_EQ(run<float>(conv(4, 2, pair, 2, options(Padding::VALID, 1, 2)), {bytesOf(counting(8))}),
            (Floats{140, 151, 162, 173}));
}

TEST(TfliteConv3d, PadsTheDepthWithZeros) {
  const TestTensor three = filter({3, 1, 1, 1, 1}, {1, 10, 50});
  EXPECT_EQ(run<float>(conv(3, 1, three, 3, options(Padding::SAME, 1)), {bytesOf(Floats{1, 2, 3})}),
            (Floats{210, 271, 132}));
  // Both taps are outside of the volume for each result.
  const TestTensor two = filter({2, 1, 1, 1, 1}, {1, 10});
  EXPECT_EQ(run<float>(conv(3, 1, two, 3, options(Padding::SAME, 1, 10)), {bytesOf(Floats{1, 2, 3})}),
            (Floats{100, 100, 100}));
}

TEST(TfliteConv3d, ReadsChannelsOfEachTap) {
  // [depth, height, width, inputs, outputs]: output 0 takes channel 0 of the first step, output 1 channel 1 of the
  // next.
  const TestModel model{BuiltinOperator::CONV_3D,
                        {{{1, 2, 1, 1, 2}}, filter({2, 1, 1, 2, 2}, {1, 0, 0, 0, 0, 0, 0, 1})},
                        {{{1, 1, 1, 1, 2}}},
                        optionsOf(options(Padding::VALID, 1))};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{3, 5, 7, 11})}), (Floats{3, 11}));
}

TEST(TfliteConv3d, RefusesContradictions) {
  const TestTensor pair = filter({2, 1, 1, 1, 1}, {1, 10});
  EXPECT_THAT(operationsOf(conv(1, 2, pair, 1, options(Padding::VALID, 1))), HasSubstr("as large as the window"));
  EXPECT_THAT(operationsOf(conv(4, 2, pair, 4, options(Padding::SAME, 0))), HasSubstr("has the stride 0"));
  EXPECT_THAT(operationsOf(conv(4, 2, {{2, 1, 1, 1, 1}}, 3, options(Padding::VALID, 1))),
              HasSubstr("filter must be constant"));
  EXPECT_THAT(operationsOf(conv(4, 2, filter({2, 1, 1, 1}, {1, 10}), 3, options(Padding::VALID, 1))),
              HasSubstr("has the rank 4 of filter, must be 5"));
  EXPECT_THAT(operationsOf(conv(4, 2, filter({1, 1, 1, 2, 1}, {1, 10}), 4, options(Padding::VALID, 1))),
              HasSubstr("channels"));
  TestModel without = conv(4, 2, pair, 3, {});
  without.options = {};
  EXPECT_THAT(operationsOf(without), HasSubstr("lacks its options"));
}

TestModel transposed(int32_t depth, const TestTensor &filter, int32_t results, const Conv3DOptionsT &options) {
  return {BuiltinOperator::CONV_3D_TRANSPOSE,
          {ints({1, results, 1, 1, 1}), filter, {{1, depth, 1, 1, 1}}},
          {{{1, results, 1, 1, 1}}},
          optionsOf(options)};
}

TEST(TfliteConv3dTranspose, SpreadsDepthSteps) {
  const TestTensor three = filter({3, 1, 1, 1, 1}, {1, 10, 100});
  EXPECT_EQ(run<float>(transposed(3, three, 7, options(Padding::VALID, 2)), {bytesOf(Floats{1, 2, 3})}),
            (Floats{1, 10, 102, 20, 203, 30, 300}));
  EXPECT_EQ(run<float>(transposed(3, three, 6, options(Padding::SAME, 2)), {bytesOf(Floats{1, 2, 3})}),
            (Floats{1, 10, 102, 20, 203, 30}));
  EXPECT_EQ(run<float>(transposed(3, three, 3, options(Padding::SAME, 1)), {bytesOf(Floats{1, 2, 3})}),
            (Floats{12, 123, 230}));
}

TEST(TfliteConv3dTranspose, LeavesStepsWithoutProductsZero) {
  const TestTensor one = filter({1, 1, 1, 1, 1}, {5});
  EXPECT_EQ(run<float>(transposed(2, one, 4, options(Padding::VALID, 3)), {bytesOf(Floats{1, 2})}),
            (Floats{5, 0, 0, 10}));
  const TestTensor two = filter({2, 1, 1, 1, 1}, {1, 10});
  EXPECT_EQ(run<float>(transposed(2, two, 4, options(Padding::VALID, 1, 2)), {bytesOf(Floats{1, 2})}),
            (Floats{1, 2, 10, 20}));
}

TEST(TfliteConv3dTranspose, SpreadsDilatedTapsOfTheWidth) {
  Conv3DOptionsT wide = options(Padding::VALID, 1);
  wide.dilation_w = 2;
  const TestModel model{BuiltinOperator::CONV_3D_TRANSPOSE,
                        {ints({1, 1, 1, 4, 1}), filter({1, 1, 2, 1, 1}, {1, 10}), {{1, 1, 1, 2, 1}}},
                        {{{1, 1, 1, 4, 1}}},
                        optionsOf(wide)};
  EXPECT_EQ(run<float>(model, {bytesOf(Floats{1, 2})}), (Floats{1, 2, 10, 20}));
}

TEST(TfliteConv3dTranspose, RefusesWhatBecomesTooLarge) {
  const TestTensor one = filter({1, 1, 1, 1, 1}, {5});
  EXPECT_THAT(operationsOf(transposed(2, one, 100, options(Padding::VALID, 65))), HasSubstr("stride"));
  Conv3DOptionsT wide = options(Padding::VALID, 1);
  wide.dilation_w = 1 << 30;
  const TestTensor two = filter({1, 1, 2, 1, 1}, {1, 10});
  EXPECT_THAT(operationsOf(transposed(2, two, 2, wide)), HasSubstr("zeros between dilated taps"));
}

TestModel dilate(std::vector<int32_t> shape, const std::vector<int32_t> &steps, std::vector<int32_t> result) {
  return {BuiltinOperator::DILATE, {{std::move(shape)}, ints(steps), floats({}, {9})}, {{std::move(result)}}};
}

TEST(TfliteDilate, PutsTheValueBetweenElements) {
  EXPECT_EQ(run<float>(dilate({2, 2}, {2, 3}, {3, 4}), {bytesOf(counting(4))}),
            (Floats{0, 9, 9, 1, 9, 9, 9, 9, 2, 9, 9, 3}));
  EXPECT_EQ(run<float>(dilate({1, 2}, {5, 1}, {1, 2}), {bytesOf(counting(2))}), (Floats{0, 1}));
}

TEST(TfliteDilate, RefusesContradictions) {
  EXPECT_THAT(operationsOf(dilate({2, 2}, {2, 0}, {3, 1})), HasSubstr("has the dilation 0"));
  EXPECT_THAT(operationsOf(dilate({2, 2}, {1 << 30, 1 << 30}, {3, 3})), HasSubstr("2^31 - 1 elements"));
  const TestTensor large{{}, TensorType::INT64, bytesOf(std::vector<int64_t>{(int64_t(1) << 53) + 1})};
  const TestModel wide{
      BuiltinOperator::DILATE, {{{2}, TensorType::INT64}, ints({2}), large}, {{{3}, TensorType::INT64}}};
  EXPECT_THAT(operationsOf(wide), HasSubstr("9007199254740993"));
}

} // namespace
} // namespace avocet::compiler
