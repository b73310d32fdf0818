//===- Move.cpp - Operators that move or rename elements ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

const std::vector<Kind> kAnyKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool};
const std::vector<Kind> kNumericKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64};

/// The same elements in a shape of another rank.
Shape regrouped(Draft &draft, const Shape &shape) {
  Shape result = {1};
  for (int32_t extent : shape)
    if (draft.oneIn(2) && result.size() < 4)
      result.push_back(extent);
    else
      result.back() *= extent;
  return result;
}

void drawReshape(Draft &draft) {
  const Shape shape = draft.shape(1, 4), result = regrouped(draft, shape);
  const Element element = draft.element();
  const std::vector<int64_t> wanted(result.begin(), result.end());
  draft.op(BuiltinOperator::RESHAPE, {draft.input(shape, element), draft.integers(wanted)},
           {draft.output(result, element)});
}

void drawSqueeze(Draft &draft) {
  const Shape shape = draft.shape(2, 4);
  const auto rank = static_cast<int32_t>(shape.size());
  tflite::SqueezeOptionsT options;
  Shape result;
  for (int32_t axis = 0; axis < rank; ++axis)
    if (const int32_t extent = shape[static_cast<size_t>(axis)]; extent == 1 && draft.oneIn(2))
      options.squeeze_dims.push_back(draft.oneIn(2) ? axis : axis - rank);
    else
      result.push_back(extent);
  if (options.squeeze_dims.empty()) // all axes of one element
    std::erase(result, 1);
  const Element element = draft.element();
  draft.op(BuiltinOperator::SQUEEZE, {draft.input(shape, element)}, {draft.output(result, element)}, options);
}

void drawExpandDims(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  const auto rank = static_cast<int32_t>(shape.size());
  const int32_t axis = draft.pick(-rank - 1, rank);
  Shape result = shape;
  result.insert(result.begin() + (axis < 0 ? axis + rank + 1 : axis), 1);
  const Element element = draft.element();
  draft.op(BuiltinOperator::EXPAND_DIMS, {draft.input(shape, element), draft.integer(axis)},
           {draft.output(result, element)});
}

void drawPad(Draft &draft) {
  const Shape shape = draft.shape(1, 4, 5);
  Shape result = shape;
  std::vector<int64_t> amounts;
  for (int32_t &extent : result)
    for (int side = 0; side < 2; ++side) {
      amounts.push_back(draft.oneIn(2) ? 0 : draft.pick(0, 3));
      extent += static_cast<int32_t>(amounts.back());
    }
  const Element element = draft.element();
  const auto rank = static_cast<int32_t>(shape.size());
  const int32_t paddings = draft.model().addConstant({rank, 2}, Draft::plain(TensorType::INT32),
                                                     encode({amounts.begin(), amounts.end()}, TensorType::INT32));
  draft.op(BuiltinOperator::PAD, {draft.input(shape, element), paddings}, {draft.output(result, element)});
}

void drawConcatenation(Draft &draft) {
  // More axes than the device has kernels for are merged.
  const Shape shape = draft.oneIn(8) ? draft.shape(9, 12, 2) : draft.shape(1, 4);
  const Element element = draft.element();
  tflite::ConcatenationOptionsT options;
  options.axis = draft.axis(static_cast<int32_t>(shape.size()));
  const size_t axis = static_cast<size_t>(options.axis) + (options.axis < 0 ? shape.size() : 0);
  Shape result = shape;
  result[axis] = 0;
  std::vector<int32_t> parts;
  for (int32_t count = draft.pick(1, 4); count > 0; --count) {
    Shape part = shape;
    part[axis] = !parts.empty() && draft.oneIn(8) ? 0 : draft.pick(1, 5);
    result[axis] += part[axis];
    // Unsigned inputs may differ from the result in their quantization.
    const Element own = draft.kind() == Kind::U8 && draft.oneIn(2) ? draft.element() : element;
    // Graph inputs have elements.
    const bool isEmpty = part[axis] == 0;
    parts.push_back(parts.empty() ? draft.input(part, own)
                    : isEmpty     ? draft.constant(part, own)
                                  : draft.operand(part, own));
  }
  draft.op(BuiltinOperator::CONCATENATION, parts, {draft.output(result, element)}, options);
}

const Row kRows[] = {
    {BuiltinOperator::RESHAPE, kAnyKinds, drawReshape, 0},
    {BuiltinOperator::SQUEEZE, kAnyKinds, drawSqueeze, 0},
    {BuiltinOperator::EXPAND_DIMS, kAnyKinds, drawExpandDims, 0},
    {BuiltinOperator::PAD, kNumericKinds, drawPad, 0},
    {BuiltinOperator::CONCATENATION, kAnyKinds, drawConcatenation, 0},
};

} // namespace

std::span<const Row> moveRows() { return kRows; }

} // namespace avocet::differential
