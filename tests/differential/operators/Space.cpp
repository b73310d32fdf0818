//===- Space.cpp - Operators that rearrange blocks and images -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

const std::vector<Kind> kImageKinds = {Kind::F32, Kind::I8, Kind::U8};
const std::vector<Kind> kBlockKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I32, Kind::I64};

void drawTranspose(Draft &draft) {
  const Shape shape = draft.shape(1, 5, 6);
  std::vector<int64_t> order;
  for (size_t i = 0; i < shape.size(); ++i)
    order.insert(order.begin() + draft.pick(0, static_cast<int32_t>(i)), static_cast<int64_t>(i));
  Shape result;
  for (int64_t axis : order)
    result.push_back(shape[static_cast<size_t>(axis)]);
  const Element element = draft.element();
  draft.op(BuiltinOperator::TRANSPOSE, {draft.input(shape, element), draft.integers(order)},
           {draft.output(result, element)});
}

template <typename Options, BuiltinOperator code> void drawBlocks(Draft &draft) {
  Options options;
  options.block_size = draft.pick(1, 3);
  const int32_t block = options.block_size;
  const Shape small = {draft.pick(1, 3), draft.pick(1, 4), draft.pick(1, 4), draft.pick(1, 5)};
  const Shape wide = {small[0], small[1] * block, small[2] * block, small[3]};
  const Shape deep = {small[0], small[1], small[2], small[3] * block * block};
  const bool isDeeper = code == BuiltinOperator::SPACE_TO_DEPTH;
  const Element element = draft.element();
  draft.op(code, {draft.input(isDeeper ? wide : deep, element)}, {draft.output(isDeeper ? deep : wide, element)},
           options);
}

/// Block extents, and what is added to or cut from each side.
template <BuiltinOperator code> void drawBatches(Draft &draft) {
  const std::vector<int64_t> blocks = {draft.pick(1, 3), draft.pick(1, 3)};
  std::vector<int64_t> margins; // before and after, of both axes
  Shape space = {draft.pick(1, 3), 0, 0, draft.pick(1, 4)};
  Shape batches = {space[0] * static_cast<int32_t>(blocks[0] * blocks[1]), 0, 0, space[3]};
  for (size_t axis = 0; axis < 2; ++axis) {
    const auto block = static_cast<int32_t>(blocks[axis]);
    batches[axis + 1] = draft.pick(1, 4);
    const int32_t whole = batches[axis + 1] * block;
    margins.push_back(draft.pick(0, std::min(2, whole - 1)));
    margins.push_back(draft.pick(0, std::min(2, static_cast<int32_t>(whole - 1 - margins.back()))));
    space[axis + 1] = static_cast<int32_t>(whole - margins[2 * axis] - margins[2 * axis + 1]);
  }
  const bool isToBatch = code == BuiltinOperator::SPACE_TO_BATCH_ND;
  const Element element = draft.element();
  const int32_t input = draft.input(isToBatch ? space : batches, element);
  const int32_t blockTensor = draft.integers(blocks);
  const int32_t marginTensor = draft.model().addConstant({2, 2}, Draft::plain(TensorType::INT32),
                                                         encode({margins.begin(), margins.end()}, TensorType::INT32));
  draft.op(code, {input, blockTensor, marginTensor}, {draft.output(isToBatch ? batches : space, element)});
}

template <typename Options, BuiltinOperator code> void drawResize(Draft &draft) {
  Options options;
  options.half_pixel_centers = draft.oneIn(2);
  options.align_corners = !options.half_pixel_centers && draft.oneIn(2);
  const Shape shape = {draft.pick(1, 2), draft.pick(1, 8), draft.pick(1, 8), draft.pick(1, 4)};
  const int32_t height = draft.pick(1, 12), width = draft.pick(1, 12);
  const Element element = draft.element();
  draft.op(code, {draft.input(shape, element), draft.integers({height, width})},
           {draft.output({shape[0], height, width, shape[3]}, element)}, options);
}

void drawMirrorPad(Draft &draft) {
  tflite::MirrorPadOptionsT options;
  options.mode = draft.oneIn(2) ? tflite::MirrorPadMode::REFLECT : tflite::MirrorPadMode::SYMMETRIC;
  const Shape shape = draft.shape(1, 4, 6);
  Shape result = shape;
  std::vector<int64_t> amounts;
  for (size_t i = 0; i < shape.size(); ++i)
    for (int side = 0; side < 2; ++side) {
      amounts.push_back(draft.pick(0, shape[i] - (options.mode == tflite::MirrorPadMode::REFLECT ? 1 : 0)));
      result[i] += static_cast<int32_t>(amounts.back());
    }
  const Element element = draft.element();
  const int32_t paddings =
      draft.model().addConstant({static_cast<int32_t>(shape.size()), 2}, Draft::plain(TensorType::INT32),
                                encode({amounts.begin(), amounts.end()}, TensorType::INT32));
  draft.op(BuiltinOperator::MIRROR_PAD, {draft.input(shape, element), paddings}, {draft.output(result, element)},
           options);
}

constexpr KnownDifference kBilinear = {
    1, "u8: the optimized kernel adds in another order than the reference, whose sums the compiler has", false,
    Kind::U8};

const Row kRows[] = {
    {BuiltinOperator::TRANSPOSE,
     {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool},
     drawTranspose,
     0},
    {BuiltinOperator::SPACE_TO_DEPTH, kBlockKinds,
     drawBlocks<tflite::SpaceToDepthOptionsT, BuiltinOperator::SPACE_TO_DEPTH>, 0},
    {BuiltinOperator::DEPTH_TO_SPACE, kBlockKinds,
     drawBlocks<tflite::DepthToSpaceOptionsT, BuiltinOperator::DEPTH_TO_SPACE>, 0},
    {BuiltinOperator::SPACE_TO_BATCH_ND, kBlockKinds, drawBatches<BuiltinOperator::SPACE_TO_BATCH_ND>, 0},
    {BuiltinOperator::BATCH_TO_SPACE_ND, kBlockKinds, drawBatches<BuiltinOperator::BATCH_TO_SPACE_ND>, 0},
    {BuiltinOperator::RESIZE_BILINEAR, kRealKinds,
     drawResize<tflite::ResizeBilinearOptionsT, BuiltinOperator::RESIZE_BILINEAR>, kTolerance, kBilinear},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, kRealKinds,
     drawResize<tflite::ResizeNearestNeighborOptionsT, BuiltinOperator::RESIZE_NEAREST_NEIGHBOR>, 0},
    {BuiltinOperator::MIRROR_PAD, {Kind::F32, Kind::I8, Kind::U8, Kind::I32, Kind::I64}, drawMirrorPad, 0},
};

} // namespace

std::span<const Row> spaceRows() { return kRows; }

} // namespace avocet::differential
