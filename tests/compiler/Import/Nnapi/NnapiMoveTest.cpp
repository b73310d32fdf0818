//===- NnapiMoveTest.cpp - NNAPI operations that move data ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes that follow from parameters, and invalid parameters, which must give diagnostics. The conformance vectors test
// the results of the operations.
//
//===----------------------------------------------------------------------===//

#include "NnapiModels.h"

#include <gmock/gmock.h>

namespace avocet::compiler {
namespace {

using testing::HasSubstr;

constexpr int32_t kLowest = INT32_MIN, kHighest = INT32_MAX;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST(NnapiShape, ReshapesOrRejectsElementCount) {
  EXPECT_EQ(importOne(OperationType::Reshape, {floats({4, 6}), ints({2, -1, 3})}), "tensor<2x4x3xf32>");
  EXPECT_THAT(importOne(OperationType::Reshape, {floats({4, 6}), ints({-1, -1})}),
              HasSubstr("more than one unknown extent"));
  for (std::vector<int32_t> shape : {std::vector{5, -1}, {23}, {0, -1}, {-2, 12}, {kHighest, kHighest, kHighest}})
    EXPECT_THAT(importOne(OperationType::Reshape, {floats({4, 6}), ints(shape)}), HasSubstr("24 elements do not fill"));
  EXPECT_EQ(importOne(OperationType::Reshape, {floats({4, 6}), intInput({2})}), "inputs by value: 1");
}

TEST(NnapiShape, SqueezesAndExpandsOrRejectsAxes) {
  EXPECT_EQ(importOne(OperationType::Squeeze, {floats({1, 4, 1})}), "tensor<4xf32>");
  EXPECT_EQ(importOne(OperationType::Squeeze, {floats({1, 4, 1}), ints({-1})}), "tensor<1x4xf32>");
  EXPECT_EQ(importOne(OperationType::Squeeze, {floats({1, 1})}), "tensor<1xf32>");
  for (int32_t axis : {1, 3, -4, kLowest, kHighest})
    EXPECT_THAT(importOne(OperationType::Squeeze, {floats({1, 4, 1}), ints({axis})}), HasSubstr("none of extent 1"));
  EXPECT_EQ(importOne(OperationType::ExpandDims, {floats({4, 2}), scalar(-1)}), "tensor<4x2x1xf32>");
  for (int32_t axis : {3, -4, kLowest, kHighest})
    EXPECT_THAT(importOne(OperationType::ExpandDims, {floats({4, 2}), scalar(axis)}), HasSubstr("has the axis"));
}

TEST(NnapiShape, PermutesAxesOrRejectsInvalidOrder) {
  EXPECT_EQ(importOne(OperationType::Transpose, {floats({2, 3, 4})}), "tensor<4x3x2xf32>");
  EXPECT_EQ(importOne(OperationType::Transpose, {floats({2, 3, 4}), ints({0, 2, 1})}), "tensor<2x4x3xf32>");
  for (std::vector<int32_t> order :
       {std::vector{0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 0, 1}, {0, 1, 2, 2}, {kLowest, 0, 1}})
    EXPECT_THAT(importOne(OperationType::Transpose, {floats({2, 3, 4}), ints(order)}), HasSubstr("every axis once"));
  EXPECT_EQ(importOne(OperationType::ChannelShuffle, {floats({2, 6}), scalar(3), scalar(-1)}), "tensor<2x6xf32>");
  for (int32_t groups : {0, -3, 4, kLowest, kHighest})
    EXPECT_THAT(importOne(OperationType::ChannelShuffle, {floats({2, 6}), scalar(groups), scalar(1)}),
                HasSubstr("of 6 channels"));
}

TEST(NnapiShape, RankBecomesConstant) {
  TestOperand number{OperandType::Int32};
  EXPECT_EQ(operationsOf(OperationType::Rank, {floats({2, 3, 4})}, {number}), "constant");
  EXPECT_EQ(importOne(OperationType::Rank, {floats({2, 3, 4})}, {number}), "tensor<i32>");
}

TEST(NnapiShape, FillsOrRejectsExtents) {
  EXPECT_EQ(importOne(OperationType::Fill, {ints({2, 3}), scalar(1.5f)}), "tensor<2x3xf32>");
  EXPECT_EQ(importOne(OperationType::Fill, {intInput({2}), scalar(1.5f)}), "inputs by value: 0");
  EXPECT_THAT(importOne(OperationType::Fill, {ints({2, 0}), scalar(1.5f)}), HasSubstr("dimensions must be positive"));
  EXPECT_THAT(importOne(OperationType::Fill, {ints({kHighest, kHighest}), scalar(1.5f)}),
              HasSubstr("2^31 - 1 elements"));
  EXPECT_THAT(importOne(OperationType::Fill, {ints({2}), scalar(7)}), HasSubstr("another type"));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

std::string stridedSlice(std::vector<int32_t> begin, std::vector<int32_t> end, std::vector<int32_t> strides,
                         int32_t beginMask = 0, int32_t endMask = 0, int32_t shrinkMask = 0) {
  return importOne(OperationType::StridedSlice, {floats({4, 6}), ints(begin), ints(end), ints(strides),
                                                 scalar(beginMask), scalar(endMask), scalar(shrinkMask)});
}

TEST(NnapiParts, SlicesOrRejectsRanges) {
  auto slice = [](std::vector<int32_t> begin, std::vector<int32_t> size) {
    return importOne(OperationType::Slice, {floats({4, 6}), ints(begin), ints(size)});
  };
  EXPECT_EQ(slice({1, 2}, {2, -1}), "tensor<2x4xf32>");
  EXPECT_THAT(slice({1, 2}, {4, 1}), HasSubstr("takes 4 elements from 1 of an axis of 4"));
  EXPECT_THAT(slice({-1, 0}, {1, 1}), HasSubstr("takes 1 elements from -1"));
  EXPECT_THAT(slice({kHighest, 0}, {kHighest, 1}), HasSubstr("of an axis of 4"));
  EXPECT_THAT(slice({kLowest, 0}, {-1, 1}), HasSubstr("of an axis of 4"));
  EXPECT_THAT(slice({0}, {1, 1}), HasSubstr("has 1 begin, must have 2"));
  EXPECT_THAT(slice({4, 0}, {-1, 1}), HasSubstr("1 to 2^31 - 1 elements"));
}

TEST(NnapiParts, StridedSlicesOrRejectsStrides) {
  EXPECT_EQ(stridedSlice({1, -1}, {4, -7}, {2, -2}), "tensor<2x3xf32>");
  EXPECT_EQ(stridedSlice({9, 9}, {9, 9}, {1, 1}, 3, 3), "tensor<4x6xf32>");
  EXPECT_EQ(stridedSlice({9, 9}, {9, 9}, {-1, -1}, 3, 3), "tensor<4x6xf32>");
  EXPECT_EQ(stridedSlice({1, 2}, {2, 5}, {1, 1}, 0, 0, 1), "tensor<3xf32>");
  EXPECT_EQ(stridedSlice({1, 2}, {2, 3}, {1, 1}, 0, 0, 3), "tensor<1xf32>");
  EXPECT_EQ(stridedSlice({kLowest, kLowest}, {kHighest, kHighest}, {kHighest, 3}), "tensor<1x2xf32>");
  EXPECT_EQ(stridedSlice({kHighest, kHighest}, {kLowest, kLowest}, {kLowest, -1}), "tensor<1x6xf32>");
  EXPECT_THAT(stridedSlice({0, 0}, {4, 6}, {0, 1}), HasSubstr("has the stride 0"));
  EXPECT_THAT(stridedSlice({0, 0}, {4, 6}, {1, 1}, 0, 0, 1), HasSubstr("shrinks axis 0 of which it takes 4"));
  EXPECT_THAT(stridedSlice({2, 0}, {1, 6}, {1, 1}), HasSubstr("1 to 2^31 - 1 elements"));
}

TEST(NnapiParts, SplitsAndReversesOrRejectsAxes) {
  auto split = [](int32_t axis, int32_t parts, size_t outputs) {
    return importOne(OperationType::Split, {floats({4, 6}), scalar(axis), scalar(parts)},
                     std::vector<TestOperand>(outputs));
  };
  EXPECT_EQ(split(-1, 3, 3), "tensor<4x2xf32> tensor<4x2xf32> tensor<4x2xf32>");
  EXPECT_THAT(split(1, 3, 2), HasSubstr("into 3 parts and 2 outputs"));
  EXPECT_THAT(split(1, 4, 4), HasSubstr("splits 6 elements into 4 equal parts"));
  EXPECT_THAT(split(1, 0, 1), HasSubstr("into 0 equal parts"));
  EXPECT_THAT(split(2, 2, 2), HasSubstr("has the axis 2"));
  EXPECT_EQ(operationsOf(OperationType::Reverse, {floats({4, 6}), ints({1})}), "slice");
  EXPECT_THAT(importOne(OperationType::Reverse, {floats({4, 6}), ints({2})}), HasSubstr("has the axis 2"));
  EXPECT_THAT(importOne(OperationType::Reverse, {floats({4, 6}), ints({0, 1})}), HasSubstr("must have 1"));
}

//===----------------------------------------------------------------------===//
// Pads, repetitions, concatenations
//===----------------------------------------------------------------------===//

TestOperand table(std::vector<int32_t> values) {
  TestOperand operand = ints(values);
  operand.shape = {static_cast<uint32_t>(values.size() / 2), 2};
  return operand;
}

TEST(NnapiUnions, PadsOrRejectsAmounts) {
  EXPECT_EQ(importOne(OperationType::Pad, {floats({4, 6}), table({1, 0, 0, 2})}), "tensor<5x8xf32>");
  EXPECT_EQ(importOne(OperationType::PadV2, {floats({4, 6}), table({1, 0, 0, 2}), scalar(0.5f)}), "tensor<5x8xf32>");
  EXPECT_THAT(importOne(OperationType::Pad, {floats({4, 6}), table({1, 0})}), HasSubstr("has 2 paddings, must have 4"));
  EXPECT_THAT(importOne(OperationType::Pad, {floats({4, 6}), table({1, 0, -1, 2})}), HasSubstr("has the padding -1"));
  EXPECT_THAT(importOne(OperationType::Pad, {floats({4, 6}), table({kHighest, kHighest, kHighest, kHighest})}),
              HasSubstr("1 to 2^31 - 1 elements"));
  TestOperand image = bytes({2}, 0.5f, 3);
  EXPECT_THAT(importOne(OperationType::PadV2, {image, table({1, 0}), scalar(256)}, {bytes({}, 0.5f, 3)}),
              HasSubstr("is none of"));
  EXPECT_THAT(importOne(OperationType::Pad, {image, table({1, 0})}, {bytes({}, 0.25f, 3)}),
              HasSubstr("another type, scale"));
}

TEST(NnapiUnions, MirrorsOrRejectsAmounts) {
  auto mirror = [](std::vector<int32_t> amounts, int32_t mode) {
    return importOne(OperationType::MirrorPad, {floats({4}), table(amounts), scalar(mode)});
  };
  EXPECT_EQ(mirror({3, 3}, 0), "tensor<10xf32>");
  EXPECT_EQ(mirror({4, 4}, 1), "tensor<12xf32>");
  EXPECT_THAT(mirror({4, 0}, 0), HasSubstr("mirrors more than axis 0 has"));
  EXPECT_THAT(mirror({0, kHighest}, 1), HasSubstr("mirrors more than axis 0 has"));
  EXPECT_THAT(mirror({1, 1}, 2), HasSubstr("has the mode 2"));
}

TEST(NnapiUnions, TilesOrRejectsMultiples) {
  EXPECT_EQ(importOne(OperationType::Tile, {floats({4, 6}), ints({2, 1})}), "tensor<8x6xf32>");
  EXPECT_THAT(importOne(OperationType::Tile, {floats({4, 6}), ints({2, 0})}), HasSubstr("multiples must be positive"));
  EXPECT_THAT(importOne(OperationType::Tile, {floats({4, 6}), ints({kHighest, kHighest})}),
              HasSubstr("1 to 2^31 - 1 elements"));
}

TEST(NnapiUnions, ConcatenatesOrRejectsShapes) {
  EXPECT_EQ(importOne(OperationType::Concatenation, {floats({4, 6}), floats({4, 1}), scalar(-1)}), "tensor<4x7xf32>");
  EXPECT_THAT(importOne(OperationType::Concatenation, {floats({4, 6}), floats({3, 6}), scalar(1)}),
              HasSubstr("does not fit to [4, 6] along axis 1"));
  EXPECT_THAT(importOne(OperationType::Concatenation, {floats({4, 6}), floats({4}), scalar(1)}),
              HasSubstr("rank of input is 1, must be 2"));
  EXPECT_THAT(importOne(OperationType::Concatenation, {floats({4, 6}), scalar(2)}), HasSubstr("has the axis 2"));
  // An input whose scale differs from the result's is requantized first.
  EXPECT_EQ(operationsOf(OperationType::Concatenation, {bytes({2}, 0.5f, 3), bytes({2}, 0.25f, 3), scalar(0)},
                         {bytes({}, 0.5f, 3)}),
            "quantize concatenation");
  EXPECT_EQ(importOne(OperationType::Pack, {scalar(1), floats({4, 6}), floats({4, 6})}), "tensor<4x2x6xf32>");
  EXPECT_THAT(importOne(OperationType::Pack, {scalar(0), floats({4, 6}), floats({4})}),
              HasSubstr("different types or shapes"));
  EXPECT_THAT(importOne(OperationType::Pack, {scalar(3), floats({4, 6})}), HasSubstr("has the axis 3"));
}

//===----------------------------------------------------------------------===//
// Space
//===----------------------------------------------------------------------===//

TEST(NnapiSpace, MovesBlocksToChannelsAndBack) {
  EXPECT_EQ(importOne(OperationType::SpaceToDepth, {floats({1, 4, 6, 3}), scalar(2)}), "tensor<1x2x3x12xf32>");
  EXPECT_EQ(importOne(OperationType::SpaceToDepth, {floats({1, 3, 4, 6}), scalar(2), scalar(true)}),
            "tensor<1x12x2x3xf32>");
  EXPECT_EQ(importOne(OperationType::DepthToSpace, {floats({1, 2, 3, 12}), scalar(2)}), "tensor<1x4x6x3xf32>");
  for (int32_t block : {0, -1, 4, kLowest, kHighest}) {
    EXPECT_THAT(importOne(OperationType::SpaceToDepth, {floats({1, 4, 6, 3}), scalar(block)}), HasSubstr("block"))
        << block;
    EXPECT_THAT(importOne(OperationType::DepthToSpace, {floats({1, 4, 6, 3}), scalar(block)}), HasSubstr("block"))
        << block;
  }
  EXPECT_THAT(importOne(OperationType::SpaceToDepth, {floats({4, 6, 3}), scalar(2)}),
              HasSubstr("of rank 3, must be 4"));
}

TEST(NnapiSpace, MovesBlocksToBatchesAndBack) {
  auto toBatch = [](std::vector<int32_t> block, std::vector<int32_t> paddings) {
    return importOne(OperationType::SpaceToBatchNd, {floats({1, 3, 6, 2}), ints(block), table(paddings)});
  };
  EXPECT_EQ(toBatch({2, 3}, {1, 0, 0, 0}), "tensor<6x2x2x2xf32>");
  EXPECT_THAT(toBatch({2, 3}, {0, 0, 0, 0}), HasSubstr("blocks do not fill"));
  EXPECT_THAT(toBatch({0, 3}, {1, 0, 0, 0}), HasSubstr("positive numbers"));
  EXPECT_THAT(toBatch({2}, {1, 0, 0, 0}), HasSubstr("must have 2"));
  EXPECT_THAT(toBatch({2, 3}, {-1, 0, 0, 0}), HasSubstr("4 numbers of at least 0"));
  EXPECT_THAT(toBatch({kHighest, kHighest}, {kHighest, kHighest, kHighest, kHighest}), HasSubstr("2^31 - 1 elements"));
  EXPECT_EQ(importOne(OperationType::BatchToSpaceNd, {floats({6, 2, 2, 2}), ints({2, 3})}), "tensor<1x4x6x2xf32>");
  EXPECT_THAT(importOne(OperationType::BatchToSpaceNd, {floats({6, 2, 2, 2}), ints({4, 1})}),
              HasSubstr("do not divide"));
  EXPECT_THAT(importOne(OperationType::BatchToSpaceNd, {floats({6, 2, 2, 2}), ints({kHighest, kHighest})}),
              HasSubstr("do not divide"));
}

TEST(NnapiSpace, ResizesOrRejectsSizes) {
  auto resize = [](TestOperand width, TestOperand height) {
    return importOne(OperationType::ResizeBilinear, {floats({1, 2, 3, 4}), std::move(width), std::move(height)});
  };
  EXPECT_EQ(resize(scalar(6), scalar(5)), "tensor<1x5x6x4xf32>");
  EXPECT_EQ(resize(scalar(1.9f), scalar(2.0f)), "tensor<1x4x5x4xf32>");
  for (int32_t size : {0, -1, kLowest})
    EXPECT_THAT(resize(scalar(size), scalar(5)), HasSubstr("'size' has the entry"));
  for (float factor : {0.0f, -1.0f, 1e30f, std::numeric_limits<float>::quiet_NaN()})
    EXPECT_THAT(resize(scalar(factor), scalar(1.0f)), HasSubstr("resizes 3 by"));
  EXPECT_THAT(importOne(OperationType::ResizeBilinear,
                        {floats({1, 2, 3, 4}), scalar(1), scalar(1), scalar(false), scalar(true), scalar(true)}),
              HasSubstr("aligns corners"));
}

//===----------------------------------------------------------------------===//
// Look-ups
//===----------------------------------------------------------------------===//

TEST(NnapiLookups, GathersOrRejectsAxisAndType) {
  EXPECT_EQ(importOne(OperationType::Gather, {floats({4, 6}), scalar(1), intInput({2, 3})}), "tensor<4x2x3xf32>");
  EXPECT_EQ(importOne(OperationType::EmbeddingLookup, {intInput({3}), floats({4, 6})}), "tensor<3x6xf32>");
  EXPECT_THAT(importOne(OperationType::Gather, {floats({4, 6}), scalar(2), intInput({2})}),
              HasSubstr("has the axis 2"));
  EXPECT_THAT(importOne(OperationType::Gather, {floats({4, 6}), scalar(0), floats({2})}),
              HasSubstr("that are not INT32"));
}

TEST(NnapiLookups, LooksUpHashtablesOrRejectsShapes) {
  TestOperand hits = bytes({}, 1, 0);
  EXPECT_EQ(
      importOne(OperationType::HashtableLookup, {intInput({3}), intInput({4}), floats({4, 6})}, {floats({}), hits}),
      "tensor<3x6xf32> tensor<3x!quant.uniform<u8:f32, 1.000000e+00>>");
  EXPECT_THAT(
      importOne(OperationType::HashtableLookup, {intInput({3}), intInput({5}), floats({4, 6})}, {floats({}), hits}),
      HasSubstr("keys has the shape [5], must have [4]"));
  EXPECT_THAT(importOne(OperationType::HashtableLookup, {intInput({3}), intInput({4}), floats({4, 6})},
                        {floats({}), floats({})}),
              HasSubstr("hits that are not of 8 bits"));
}

TEST(NnapiLookups, ComputesLshShapesOrRejectsParameters) {
  TestOperand numbers = intInput({});
  auto lsh = [&](int32_t kind, uint32_t bits) {
    return importOne(OperationType::LshProjection, {floats({4, bits}), intInput({3, 2}), floats({3}), scalar(kind)},
                     {numbers});
  };
  EXPECT_EQ(lsh(2, 3), "tensor<12xi32>");
  EXPECT_EQ(lsh(3, 3), "tensor<4xi32>");
  EXPECT_THAT(lsh(0, 3), HasSubstr("has the type 0"));
  EXPECT_THAT(lsh(4, 3), HasSubstr("has the type 4"));
  EXPECT_THAT(lsh(3, 33), HasSubstr("33 bits"));
}

} // namespace
} // namespace avocet::compiler
