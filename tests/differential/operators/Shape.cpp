//===- Shape.cpp - Operators whose results depend on shapes ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

const std::vector<Kind> kAnyKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool};

void drawShape(Draft &draft) {
  tflite::ShapeOptionsT options;
  options.out_type = draft.oneIn(2) ? TensorType::INT64 : TensorType::INT32;
  const Shape shape = draft.shape(1, 4);
  draft.op(BuiltinOperator::SHAPE, {draft.input(shape, draft.element())},
           {draft.output({static_cast<int32_t>(shape.size())}, Draft::plain(options.out_type))}, options);
}

void drawRank(Draft &draft) {
  draft.op(BuiltinOperator::RANK, {draft.input(draft.shape(1, 4), draft.element())},
           {draft.output({}, Draft::plain(TensorType::INT32))});
}

void drawBroadcastTo(Draft &draft) {
  Shape result = draft.shape(1, 5, 5), shape = result;
  for (int32_t &extent : shape)
    extent = draft.oneIn(3) ? 1 : extent;
  shape.erase(shape.begin(), shape.begin() + draft.pick(0, static_cast<int32_t>(shape.size()) - 1));
  const Element element = draft.element();
  draft.op(BuiltinOperator::BROADCAST_TO,
           {draft.input(shape, element),
            draft.integers({result.begin(), result.end()}, draft.oneIn(3) ? TensorType::INT64 : TensorType::INT32)},
           {draft.output(result, element)});
  draft.model().setVersion(2); // the first
}

/// Of constants: the number of elements is known.
void drawRange(Draft &draft) {
  const int32_t start = draft.pick(-9, 9), count = draft.pick(1, 9),
                step = draft.oneIn(2) ? draft.pick(1, 3) : -draft.pick(1, 3);
  const Element element = draft.element();
  const auto scalar = [&](double value) {
    return draft.model().addConstant({}, element, encode({value}, element.type));
  };
  const std::vector<int32_t> operands = {scalar(start), scalar(start + step * count), scalar(step)};
  draft.op(BuiltinOperator::RANGE, operands, {draft.output({count}, element)});
}

void drawBroadcastArgs(Draft &draft) {
  const Draft::Broadcast shapes = draft.broadcast(4);
  const auto extents = [&](const Shape &shape) { return draft.integers({shape.begin(), shape.end()}); };
  draft.op(BuiltinOperator::BROADCAST_ARGS, {extents(shapes.first), extents(shapes.second)},
           {draft.output({static_cast<int32_t>(shapes.result.size())}, Draft::plain(TensorType::INT32))});
}

void drawFill(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const Element element = draft.element();
  draft.op(BuiltinOperator::FILL, {draft.integers({shape.begin(), shape.end()}), draft.input({}, element)},
           {draft.output(shape, element)});
}

void drawPadV2(Draft &draft) {
  const Shape shape = draft.shape(1, 4, 5);
  Shape result = shape;
  std::vector<double> amounts;
  for (int32_t &extent : result)
    for (int side = 0; side < 2; ++side) {
      amounts.push_back(draft.pick(0, 3));
      extent += static_cast<int32_t>(amounts.back());
    }
  const Element element = draft.element();
  const int32_t paddings = draft.model().addConstant(
      {static_cast<int32_t>(shape.size()), 2}, Draft::plain(TensorType::INT32), encode(amounts, TensorType::INT32));
  draft.op(BuiltinOperator::PADV2, {draft.input(shape, element), paddings, draft.constant({1}, element)},
           {draft.output(result, element)});
}

const Row kRows[] = {
    {BuiltinOperator::SHAPE, kAnyKinds, drawShape},
    {BuiltinOperator::RANK, kAnyKinds, drawRank},
    {BuiltinOperator::BROADCAST_TO, kAnyKinds, drawBroadcastTo, 0},
    {BuiltinOperator::RANGE, {Kind::F32, Kind::I32}, drawRange},
    {BuiltinOperator::BROADCAST_ARGS, {Kind::I32}, drawBroadcastArgs},
    {BuiltinOperator::FILL, {Kind::F32, Kind::I8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool}, drawFill, 0},
    {BuiltinOperator::PADV2, {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64}, drawPadV2, 0},
};

} // namespace

std::span<const Row> shapeRows() { return kRows; }

} // namespace avocet::differential
