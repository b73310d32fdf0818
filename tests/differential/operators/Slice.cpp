//===- Slice.cpp - Operators that take parts of tensors -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

#include <algorithm>
#include <numeric>

namespace avocet::differential {
namespace {

const std::vector<Kind> kAnyKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool};

/// All axes have one range of starts: a graph input has one for all of its elements.
void drawComputedSlice(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  Shape result;
  int32_t last = 6;
  for (int32_t extent : shape) {
    result.push_back(draft.pick(1, extent));
    last = std::min(last, extent - result.back());
  }
  const Element element = draft.element();
  const TensorType type = draft.oneIn(3) ? TensorType::INT64 : TensorType::INT32;
  const int32_t begin = draft.input({static_cast<int32_t>(shape.size())}, Draft::plain(type), {0, double(last)});
  const std::vector<int64_t> size(result.begin(), result.end());
  draft.op(BuiltinOperator::SLICE, {draft.input(shape, element), begin, draft.integers(size, type)},
           {draft.output(result, element)});
}

void drawSlice(Draft &draft) {
  if (draft.oneIn(4))
    return drawComputedSlice(draft);
  const Shape shape = draft.shape(1, 4);
  Shape result;
  std::vector<int64_t> begin, size;
  for (int32_t extent : shape) {
    begin.push_back(draft.pick(0, extent - 1));
    const auto rest = static_cast<int32_t>(extent - begin.back());
    result.push_back(draft.oneIn(3) ? rest : draft.pick(1, rest));
    size.push_back(result.back() == rest && draft.oneIn(2) ? -1 : result.back());
  }
  const Element element = draft.element();
  const TensorType type = draft.oneIn(3) ? TensorType::INT64 : TensorType::INT32;
  draft.op(BuiltinOperator::SLICE,
           {draft.input(shape, element), draft.integers(begin, type), draft.integers(size, type)},
           {draft.output(result, element)});
}

/// One axis of a strided slice: what is written in the operands, and how many elements it takes.
struct StridedAxis {
  int64_t begin, end, stride;
  bool noBegin, noEnd, shrinks;
  int32_t count;
};

StridedAxis stridedAxis(Draft &draft, int32_t extent) {
  StridedAxis axis{0, 0, draft.pick(1, 3), draft.oneIn(4), draft.oneIn(4), draft.oneIn(6), 1};
  const int32_t first = draft.pick(0, extent - 1);
  if (axis.shrinks) {
    axis = {draft.oneIn(2) ? first - extent : first, 0, 1, false, false, true, 1};
    axis.end = axis.begin + 1;
    return axis;
  }
  int32_t from = first, to = draft.pick(first + 1, extent); // exclusive
  if (draft.oneIn(3)) {                                     // backwards
    axis.stride = -axis.stride;
    from = axis.noBegin ? extent - 1 : to - 1;
    to = axis.noEnd ? -1 : first - 1;
    axis.begin = from;
    axis.end = to < 0 ? -extent - 1 : to;
    axis.count = (from - to - 1) / static_cast<int32_t>(-axis.stride) + 1;
    return axis;
  }
  from = axis.noBegin ? 0 : from;
  to = axis.noEnd ? extent : to;
  axis.begin = draft.oneIn(3) ? from - extent : from;
  axis.end = to < extent && draft.oneIn(3) ? to - extent : to;
  axis.count = (to - from - 1) / static_cast<int32_t>(axis.stride) + 1;
  return axis;
}

/// Starts from a graph input, inside for all axes; the ends are a constant away, or one axis vanishes.
void drawComputedStridedSlice(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const auto rank = static_cast<int32_t>(shape.size());
  Shape result;
  std::vector<int64_t> size, stride(shape.size(), 1);
  int32_t last = 6;
  for (int32_t extent : shape) {
    result.push_back(draft.pick(1, extent));
    size.push_back(result.back());
    last = std::min(last, extent - result.back());
  }
  tflite::StridedSliceOptionsT options;
  if (draft.oneIn(2)) {
    const int32_t axis = draft.pick(0, rank - 1);
    options.shrink_axis_mask = 1 << axis;
    size[static_cast<size_t>(axis)] = 1;
    result.erase(result.begin() + axis);
  }
  const Element element = draft.element(), position = Draft::plain(TensorType::INT32);
  const int32_t begin = draft.input({rank}, position, {0, double(last)}),
                end = draft.model().addTensor({rank}, position);
  draft.op(BuiltinOperator::ADD, {begin, draft.integers(size)}, {end}, tflite::AddOptionsT());
  draft.op(BuiltinOperator::STRIDED_SLICE, {draft.input(shape, element), begin, end, draft.integers(stride)},
           {draft.output(result, element)}, options);
}

void drawStridedSlice(Draft &draft) {
  if (draft.oneIn(4))
    return drawComputedStridedSlice(draft);
  const Shape shape = draft.shape(1, 4);
  tflite::StridedSliceOptionsT options;
  std::vector<int64_t> begin, end, stride;
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i) {
    const StridedAxis axis = stridedAxis(draft, shape[i]);
    begin.push_back(axis.begin);
    end.push_back(axis.end);
    stride.push_back(axis.stride);
    options.begin_mask |= axis.noBegin << i;
    options.end_mask |= axis.noEnd << i;
    options.shrink_axis_mask |= axis.shrinks << i;
    if (!axis.shrinks)
      result.push_back(axis.count);
  }
  const Element element = draft.element();
  draft.op(BuiltinOperator::STRIDED_SLICE,
           {draft.input(shape, element), draft.integers(begin), draft.integers(end), draft.integers(stride)},
           {draft.output(result, element)}, options);
}

void drawSplit(Draft &draft) {
  Shape shape = draft.shape(1, 4);
  const int32_t axis = draft.axis(static_cast<int32_t>(shape.size()));
  tflite::SplitOptionsT options;
  options.num_splits = draft.pick(1, 4);
  int32_t &extent = shape[static_cast<size_t>(axis) + (axis < 0 ? shape.size() : 0)];
  const int32_t part = extent;
  extent *= options.num_splits;
  const Shape whole = shape;
  extent = part;
  const Element element = draft.element();
  std::vector<int32_t> parts;
  for (int32_t i = 0; i < options.num_splits; ++i)
    parts.push_back(draft.output(shape, element));
  draft.op(BuiltinOperator::SPLIT, {draft.integer(axis), draft.input(whole, element)}, parts, options);
}

void drawSplitV(Draft &draft) {
  Shape shape = draft.shape(1, 4);
  const int32_t axis = draft.axis(static_cast<int32_t>(shape.size()));
  int32_t &extent = shape[static_cast<size_t>(axis) + (axis < 0 ? shape.size() : 0)];
  const Element element = draft.element();
  tflite::SplitVOptionsT options;
  options.num_splits = draft.pick(1, 4);
  std::vector<int64_t> sizes;
  std::vector<int32_t> parts;
  int32_t sum = 0;
  for (int32_t i = 0; i < options.num_splits; ++i) {
    extent = draft.pick(1, 4);
    sum += extent;
    sizes.push_back(extent);
    parts.push_back(draft.output(shape, element));
  }
  extent = sum;
  if (draft.oneIn(3)) // the rest
    sizes[static_cast<size_t>(draft.pick(0, options.num_splits - 1))] = -1;
  draft.op(BuiltinOperator::SPLIT_V, {draft.input(shape, element), draft.integers(sizes), draft.integer(axis)}, parts,
           options);
}

void drawPack(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  tflite::PackOptionsT options;
  options.values_count = draft.pick(1, 4);
  const auto rank = static_cast<int32_t>(shape.size());
  options.axis = draft.pick(-rank - 1, rank);
  Shape result = shape;
  result.insert(result.begin() + (options.axis < 0 ? options.axis + rank + 1 : options.axis), options.values_count);
  const Element element = draft.element();
  std::vector<int32_t> parts;
  for (int32_t i = 0; i < options.values_count; ++i)
    parts.push_back(i == 0 ? draft.input(shape, element) : draft.operand(shape, element));
  draft.op(BuiltinOperator::PACK, parts, {draft.output(result, element)}, options);
}

void drawUnpack(Draft &draft) {
  Shape shape = draft.shape(2, 4, 5);
  tflite::UnpackOptionsT options;
  options.axis = draft.axis(static_cast<int32_t>(shape.size()));
  const auto axis = shape.begin() + options.axis + (options.axis < 0 ? static_cast<int32_t>(shape.size()) : 0);
  options.num = *axis;
  const Element element = draft.element();
  const int32_t input = draft.input(shape, element);
  shape.erase(axis);
  std::vector<int32_t> parts;
  for (int32_t i = 0; i < options.num; ++i)
    parts.push_back(draft.output(shape, element));
  draft.op(BuiltinOperator::UNPACK, {input}, parts, options);
}

/// Indices as constants or as a graph input.
int32_t indices(Draft &draft, const Shape &shape, int32_t count, TensorType type) {
  return draft.operand(shape, Draft::plain(type), {0, static_cast<double>(count - 1)});
}

void drawGather(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  Shape places = draft.shape(1, 2, 5);
  tflite::GatherOptionsT options;
  const auto rank = static_cast<int32_t>(shape.size());
  options.axis = draft.axis(rank);
  const int32_t axis = options.axis < 0 ? options.axis + rank : options.axis;
  const int32_t batches = std::min(draft.oneIn(2) ? 0 : draft.pick(0, axis), static_cast<int32_t>(places.size()));
  std::copy_n(shape.begin(), batches, places.begin());
  const int32_t own = static_cast<int32_t>(places.size()) - batches;
  options.batch_dims = own > 0 && draft.oneIn(3) ? -own : batches;
  Shape result(shape.begin(), shape.begin() + axis);
  result.insert(result.end(), places.begin() + batches, places.end());
  result.insert(result.end(), shape.begin() + axis + 1, shape.end());
  const Element element = draft.element();
  const TensorType type = draft.oneIn(3) ? TensorType::INT64 : TensorType::INT32;
  const int32_t input = draft.input(shape, element);
  draft.op(BuiltinOperator::GATHER, {input, indices(draft, places, shape[static_cast<size_t>(axis)], type)},
           {draft.output(result, element)}, options);
}

void drawTile(Draft &draft) {
  const Shape shape = draft.shape(1, 4, 4);
  Shape result = shape;
  std::vector<int64_t> multiples;
  for (int32_t &extent : result) {
    multiples.push_back(draft.oneIn(2) ? 1 : draft.pick(1, 3));
    extent *= static_cast<int32_t>(multiples.back());
  }
  const Element element = draft.element();
  draft.op(
      BuiltinOperator::TILE,
      {draft.input(shape, element), draft.integers(multiples, draft.oneIn(3) ? TensorType::INT64 : TensorType::INT32)},
      {draft.output(result, element)});
}

void drawReverse(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const Element element = draft.element();
  draft.op(BuiltinOperator::REVERSE_V2,
           {draft.input(shape, element), draft.integers({draft.pick(0, static_cast<int32_t>(shape.size()) - 1)})},
           {draft.output(shape, element)});
}

const Row kRows[] = {
    {BuiltinOperator::SLICE, kAnyKinds, drawSlice, 0},
    {BuiltinOperator::STRIDED_SLICE, kAnyKinds, drawStridedSlice, 0},
    {BuiltinOperator::SPLIT, {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32}, drawSplit, 0},
    {BuiltinOperator::SPLIT_V, {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64}, drawSplitV, 0},
    {BuiltinOperator::PACK, {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64}, drawPack, 0},
    {BuiltinOperator::UNPACK, {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::Bool}, drawUnpack, 0},
    {BuiltinOperator::GATHER, kAnyKinds, drawGather, 0},
    {BuiltinOperator::TILE, {Kind::F32, Kind::I8, Kind::U8, Kind::I32, Kind::I64, Kind::Bool}, drawTile, 0},
    {BuiltinOperator::REVERSE_V2, kAnyKinds, drawReverse, 0},
};

} // namespace

std::span<const Row> sliceRows() { return kRows; }

} // namespace avocet::differential
