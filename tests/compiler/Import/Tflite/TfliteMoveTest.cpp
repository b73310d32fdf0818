//===- TfliteMoveTest.cpp - Operators that move elements ------*- C++ -*-===//
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
using tflite::StridedSliceOptionsT;

/// The input's elements are 0, 1, ...
Floats runCounting(const TestModel &model) {
  size_t count = 1;
  for (int32_t extent : model.operands.front().shape)
    count *= extent;
  return run<float>(model, {bytesOf(counting(count))});
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

TEST(TfliteParts, SplitsIntoEqualParts) {
  auto split = [](int32_t axis, std::vector<TestTensor> results) {
    return TestModel{BuiltinOperator::SPLIT, {scalar(axis), {{2, 4}}}, std::move(results)};
  };
  EXPECT_EQ(run<float>(split(-1, {{{2, 2}}, {{2, 2}}}), {bytesOf(counting(8))}), (Floats{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_THAT(operationsOf(split(1, {{{2, 1}}, {{2, 2}}, {{2, 1}}})), HasSubstr("splits 4 elements into 3 equal"));
  EXPECT_THAT(operationsOf(split(2, {{{2, 2}}, {{2, 2}}})), HasSubstr("has the axis 2"));
}

TEST(TfliteParts, SplitsIntoGivenExtents) {
  auto split = [](std::vector<int32_t> extents) {
    return TestModel{BuiltinOperator::SPLIT_V, {{{2, 4}}, ints(extents), scalar(1)}, {{{2, 1}}, {{2, 3}}}};
  };
  EXPECT_EQ(runCounting(split({1, -1})), (Floats{0, 4, 1, 2, 3, 5, 6, 7}));
  EXPECT_THAT(operationsOf(split({1, 2})), HasSubstr("splits 4 elements into 2 parts"));
  EXPECT_THAT(operationsOf(split({5, -1})), HasSubstr("splits off 5 of 4"));
}

TestModel stridedSlice(std::vector<int32_t> begin, std::vector<int32_t> end, std::vector<int32_t> strides,
                       const StridedSliceOptionsT &options, std::vector<int32_t> result) {
  return {BuiltinOperator::STRIDED_SLICE,
          {{{2, 3, 4}}, ints(begin), ints(end), ints(strides)},
          {{std::move(result)}},
          optionsOf(options)};
}

TEST(TfliteParts, TakesStridedRanges) {
  EXPECT_EQ(runCounting(stridedSlice({1, 0, -1}, {2, 3, -5}, {1, 2, -2}, {}, {1, 2, 2})), (Floats{15, 13, 23, 21}));
  StridedSliceOptionsT masks;
  masks.begin_mask = 0b10;
  masks.end_mask = 0b100;
  EXPECT_EQ(runCounting(stridedSlice({1, 2, 2}, {2, 1, 3}, {1, 1, 1}, masks, {1, 1, 2})), (Floats{14, 15}));
  EXPECT_THAT(operationsOf(stridedSlice({0, 0, 0}, {2, 3, 4}, {1, 0, 1}, {}, {2, 3, 4})), HasSubstr("stride 0"));
}

TEST(TfliteParts, ShrinksRegardlessOfTheEnd) {
  StridedSliceOptionsT options;
  options.shrink_axis_mask = 0b101;
  EXPECT_EQ(runCounting(stridedSlice({-1, 0, -1}, {0, 3, 0}, {1, 1, -1}, options, {3})), (Floats{15, 19, 23}));
  EXPECT_THAT(operationsOf(stridedSlice({2, 0, 0}, {3, 3, 1}, {1, 1, 1}, options, {3})),
              HasSubstr("shrinks axis 0 of which it takes 0"));
}

TEST(TfliteParts, ExpandsEllipsesAndNewAxes) {
  StridedSliceOptionsT options;
  options.new_axis_mask = 0b001;
  options.ellipsis_mask = 0b010;
  EXPECT_EQ(runCounting(stridedSlice({7, 7, 1}, {9, 9, 2}, {3, 3, 1}, options, {1, 2, 3, 1})),
            (Floats{1, 5, 9, 13, 17, 21}));
  EXPECT_EQ(runCounting(stridedSlice({1}, {2}, {1}, {}, {1, 3, 4})),
            runCounting(stridedSlice({1, 0, 0}, {2, 3, 4}, {1, 1, 1}, {}, {1, 3, 4})));
  EXPECT_THAT(operationsOf(stridedSlice({0, 0, 0, 0}, {1, 1, 1, 1}, {1, 1, 1, 1}, {}, {1, 1, 1})),
              HasSubstr("has 4 ranges for rank 3"));
}

TEST(TfliteParts, CountsEndsFromTheBeginning) {
  StridedSliceOptionsT options;
  options.offset = true;
  EXPECT_EQ(runCounting(stridedSlice({1, 1, -2}, {1, 2, 1}, {1, 1, 1}, options, {1, 2, 1})), (Floats{18, 22}));
}

TEST(TfliteParts, SlicesReversesAndUnpacks) {
  EXPECT_EQ(runCounting({BuiltinOperator::SLICE, {{{2, 4}}, ints({0, 1}), ints({-1, 2})}, {{{2, 2}}}}),
            (Floats{1, 2, 5, 6}));
  EXPECT_EQ(runCounting({BuiltinOperator::REVERSE_V2, {{{2, 3}}, ints({0, -1})}, {{{2, 3}}}}),
            (Floats{5, 4, 3, 2, 1, 0}));
  tflite::UnpackOptionsT unpack;
  unpack.axis = -1;
  TestModel model{BuiltinOperator::UNPACK, {{{2, 2}}}, {{{2}}, {{2}}}, optionsOf(unpack)};
  EXPECT_EQ(runCounting(model), (Floats{0, 2, 1, 3}));
  model.results.pop_back();
  EXPECT_THAT(operationsOf(model), HasSubstr("unpacks 2 elements into 1 outputs"));
}

TEST(TfliteParts, TransposesOtherTypes) {
  TestModel model{
      BuiltinOperator::TRANSPOSE, {{{2, 3}, TensorType::INT32}, ints({1, 0})}, {{{3, 2}, TensorType::INT32}}};
  EXPECT_EQ(run<int32_t>(model, {bytesOf(std::vector<int32_t>{1, 2, 3, 4, 5, 6})}),
            (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
  model.operands[1].data.clear();
  EXPECT_THAT(operationsOf(model), HasSubstr("permutation must be constant"));
}

//===----------------------------------------------------------------------===//
// Larger tensors
//===----------------------------------------------------------------------===//

TEST(TfliteUnions, PadsWithValuesAndMirrors) {
  TestTensor amounts = ints({0, 0, 1, 2});
  amounts.shape = {2, 2};
  EXPECT_EQ(runCounting({BuiltinOperator::PADV2, {{{1, 3}}, amounts, floats({}, {7})}, {{{1, 6}}}}),
            (Floats{7, 0, 1, 2, 7, 7}));
  tflite::MirrorPadOptionsT mirror;
  EXPECT_EQ(runCounting({BuiltinOperator::MIRROR_PAD, {{{1, 3}}, amounts}, {{{1, 6}}}, optionsOf(mirror)}),
            (Floats{1, 0, 1, 2, 1, 0}));
  mirror.mode = tflite::MirrorPadMode::SYMMETRIC;
  EXPECT_EQ(runCounting({BuiltinOperator::MIRROR_PAD, {{{1, 3}}, amounts}, {{{1, 6}}}, optionsOf(mirror)}),
            (Floats{0, 0, 1, 2, 2, 1}));
  EXPECT_THAT(operationsOf({BuiltinOperator::PADV2, {{{1, 3}}, amounts, ints({1, 2})}, {{{1, 6}}}}),
              HasSubstr("which is not one number"));
}

TEST(TfliteUnions, RepeatsAndBroadcasts) {
  EXPECT_EQ(runCounting({BuiltinOperator::TILE, {{{1, 2}}, ints({2, 2})}, {{{2, 4}}}}),
            (Floats{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(runCounting({BuiltinOperator::BROADCAST_TO, {{{2, 1}}, ints({2, 2, 2})}, {{{2, 2, 2}}}}),
            (Floats{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_THAT(operationsOf({BuiltinOperator::BROADCAST_TO, {{{2}}, ints({3})}, {{{3}}}}),
              HasSubstr("broadcasts an extent of 2 to 3"));
  EXPECT_EQ(run<float>({BuiltinOperator::FILL, {ints({2, 2}), {{}}}, {{{2, 2}}}}, {bytesOf(Floats{5})}),
            (Floats{5, 5, 5, 5}));
}

TEST(TfliteUnions, PacksAlongANewAxis) {
  tflite::PackOptionsT options;
  options.axis = 1;
  EXPECT_EQ(run<float>({BuiltinOperator::PACK, {{{2}}, floats({2}, {8, 9})}, {{{2, 2}}}, optionsOf(options)},
                       {bytesOf(counting(2))}),
            (Floats{0, 8, 1, 9}));
  // The axis is one of the first input's and beyond the other's.
  EXPECT_THAT(operationsOf({BuiltinOperator::PACK, {{{2}}, floats({}, {8})}, {{{2, 2}}}, optionsOf(options)}),
              HasSubstr("inputs of different types or shapes"));
}

TEST(TfliteUnions, UpdatesASliceInsideTheOperand) {
  auto update = [](std::vector<int32_t> start) {
    return TestModel{
        BuiltinOperator::DYNAMIC_UPDATE_SLICE, {{{3, 3}}, floats({2, 2}, {50, 51, 52, 53}), ints(start)}, {{{3, 3}}}};
  };
  EXPECT_EQ(runCounting(update({0, 1})), (Floats{0, 50, 51, 3, 52, 53, 6, 7, 8}));
  EXPECT_EQ(runCounting(update({9, -9})), (Floats{0, 1, 2, 50, 51, 5, 52, 53, 8}));
}

/// The result for a tensor [3, 3] that counts up from 0 and a computed start.
template <typename Start> Floats runFrom(BuiltinOperator code, TestTensor other, Start row, Start column) {
  const TestTensor target = {{3, 3}},
                   start = {{2}, sizeof(Start) == sizeof(int32_t) ? TensorType::INT32 : TensorType::INT64};
  const std::vector<std::vector<uint8_t>> inputs = {bytesOf(counting(9)), bytesOf(std::vector<Start>{row, column})};
  if (code == BuiltinOperator::SLICE)
    return run<float>({code, {target, start, other}, {{{2, 2}}}}, inputs);
  return run<float>({code, {target, other, start}, {{{3, 3}}}}, inputs);
}

TEST(TfliteParts, ComputedStartStaysInsideTheOperand) {
  const TestTensor size = ints({2, 2});
  EXPECT_EQ(runFrom(BuiltinOperator::SLICE, size, 1, 0), (Floats{3, 4, 6, 7}));
  const auto inside = testing::Each(testing::AllOf(testing::Ge(0), testing::Le(8)));
  EXPECT_THAT(runFrom(BuiltinOperator::SLICE, size, INT32_MAX, INT32_MIN), inside);
  EXPECT_THAT(runFrom<int64_t>(BuiltinOperator::SLICE, size, INT64_MIN, INT64_MAX), inside);
}

TEST(TfliteParts, UpdatesAtAComputedStart) {
  const TestTensor update = floats({2, 2}, {50, 51, 52, 53}), row = floats({1, 3}, {50, 51, 52});
  EXPECT_EQ(runFrom(BuiltinOperator::DYNAMIC_UPDATE_SLICE, update, 0, 1), (Floats{0, 50, 51, 3, 52, 53, 6, 7, 8}));
  EXPECT_EQ(runFrom(BuiltinOperator::DYNAMIC_UPDATE_SLICE, update, INT32_MAX, INT32_MIN),
            (Floats{0, 1, 2, 50, 51, 5, 52, 53, 8}));
  EXPECT_EQ(runFrom<int64_t>(BuiltinOperator::DYNAMIC_UPDATE_SLICE, row, 1, INT64_MAX),
            (Floats{0, 1, 2, 50, 51, 52, 6, 7, 8}));
}

TEST(TfliteParts, RejectsComputedStartWithOpenSize) {
  const TestTensor input = {{3, 3}}, start = {{2}, TensorType::INT32};
  EXPECT_THAT(operationsOf({BuiltinOperator::SLICE, {input, start, ints({2, -1})}, {{{2, 2}}}}),
              testing::HasSubstr("size must be known, if the device computes where the part begins"));
  EXPECT_THAT(operationsOf({BuiltinOperator::SLICE, {input, start, ints({2, 4})}, {{{2, 4}}}}),
              testing::HasSubstr("takes 4 elements of an axis of 3"));
}

/// Takes 1 element of axis 0 and every second one of axis 1, from computed starts, of a tensor [3, 3] that counts up.
template <typename Start>
Floats stridedFrom(Start row, Start column, int32_t stride, const StridedSliceOptionsT &options) {
  constexpr TensorType type = sizeof(Start) == sizeof(int32_t) ? TensorType::INT32 : TensorType::INT64;
  auto list = [](std::vector<Start> values) { return TestTensor{{2}, type, bytesOf(values)}; };
  const TestModel model{BuiltinOperator::STRIDED_SLICE,
                        {{{3, 3}}, {{2}, type}, list({0, stride > 0 ? 3 : -3}), list({1, Start(stride)})},
                        {{{2}}},
                        optionsOf(options)};
  return run<float>(model, {bytesOf(counting(9)), bytesOf(std::vector<Start>{row, column})});
}

TEST(TfliteParts, TakesStridedRangesFromComputedStarts) {
  StridedSliceOptionsT options;
  options.offset = true;
  options.shrink_axis_mask = 0b01;
  EXPECT_EQ(stridedFrom(1, 0, 2, options), (Floats{3, 5}));
  EXPECT_EQ(stridedFrom(-1, -3, 2, options), (Floats{6, 8}));
  EXPECT_EQ(stridedFrom(2, 2, -2, options), (Floats{8, 6}));
  EXPECT_EQ(stridedFrom<int64_t>(0, -1, -2, options), (Floats{2, 0}));
}

TEST(TfliteParts, ComputedStridedStartStaysInside) {
  StridedSliceOptionsT options;
  options.offset = true;
  options.shrink_axis_mask = 0b01;
  EXPECT_EQ(stridedFrom(INT32_MAX, INT32_MAX, 2, options), (Floats{6, 8}));
  EXPECT_EQ(stridedFrom(INT32_MIN, INT32_MIN, -2, options), (Floats{2, 0}));
  EXPECT_EQ(stridedFrom<int64_t>(INT64_MIN, INT64_MAX, 2, options), (Floats{0, 2}));
}

TEST(TfliteParts, RejectsComputedStartWithUnrelatedEnd) {
  const TestTensor input = {{3, 3}}, computed = {{1}, TensorType::INT32};
  auto slice = [&](TestTensor begin, TestTensor end, int32_t endMask) {
    StridedSliceOptionsT options;
    options.end_mask = endMask;
    return operationsOf(
        {BuiltinOperator::STRIDED_SLICE, {input, begin, end, ints({1})}, {{{2, 3}}}, optionsOf(options)});
  };
  for (const std::string &text : {slice(computed, ints({2}), 0), slice(computed, computed, 0),
                                  slice(ints({0}), computed, 0), slice(computed, ints({2}), 1)})
    EXPECT_THAT(text, HasSubstr("end must be known, or a constant away from `begin`"));
}

TEST(TfliteSpace, MovesBlocksAndCrops) {
  tflite::SpaceToDepthOptionsT toDepth;
  toDepth.block_size = 2;
  EXPECT_EQ(runCounting({BuiltinOperator::SPACE_TO_DEPTH, {{{1, 2, 4, 1}}}, {{{1, 1, 2, 4}}}, optionsOf(toDepth)}),
            (Floats{0, 1, 4, 5, 2, 3, 6, 7}));
  tflite::DepthToSpaceOptionsT toSpace;
  toSpace.block_size = 2;
  EXPECT_EQ(runCounting({BuiltinOperator::DEPTH_TO_SPACE, {{{1, 1, 2, 4}}}, {{{1, 2, 4, 1}}}, optionsOf(toSpace)}),
            (Floats{0, 1, 4, 5, 2, 3, 6, 7}));
  TestTensor amounts = ints({1, 0});
  amounts.shape = {1, 2};
  EXPECT_EQ(runCounting({BuiltinOperator::SPACE_TO_BATCH_ND, {{{1, 3, 2}}, ints({2}), amounts}, {{{2, 2, 2}}}}),
            (Floats{0, 0, 2, 3, 0, 1, 4, 5}));
  EXPECT_EQ(runCounting({BuiltinOperator::BATCH_TO_SPACE_ND, {{{2, 2, 2}}, ints({2}), amounts}, {{{1, 3, 2}}}}),
            (Floats{4, 5, 2, 3, 6, 7}));
}

TEST(TfliteConcatenation, ConvertsUnsignedBytesInFloats) {
  tflite::ConcatenationOptionsT options;
  const TestTensor wide{{3}, TensorType::UINT8, {}, 0.5f, 10}, narrow{{1}, TensorType::UINT8, {7}, 0.25f, 3};
  TestModel model{
      BuiltinOperator::CONCATENATION, {wide, narrow}, {{{4}, TensorType::UINT8, {}, 0.25f, 3}}, optionsOf(options)};
  EXPECT_EQ(run<uint8_t>(model, {{8, 12, 255}}), (std::vector<uint8_t>{0, 7, 255, 7}));
  for (TestTensor *tensor : {&model.operands[0], &model.operands[1], &model.results[0]})
    tensor->type = TensorType::INT8;
  EXPECT_THAT(operationsOf(model), HasSubstr("input 0: type, scale and zero point of the result, found others"));
}

} // namespace
} // namespace avocet::compiler
