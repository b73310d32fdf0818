//===- RowCounts.cpp - The number of rows that are valid --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCounts.h"

#include "Import/Common/Constants.h"
#include "Import/Common/Moves.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

RankedTensorType withElement(Value value, Type element) { return RankedTensorType::get(shapeOf(value), element); }

/// The sum of ones and zeros, i32 [1].
Value sumOf(ImportedOperation &op, Value ones) {
  const auto axes = llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(ones).size()));
  auto type = RankedTensorType::get({1}, op.builder().getI32Type());
  return nn::ReduceOp::create(op.builder(), op.location(), type, ones, nn::ReduceKind::Sum, axes);
}

/// Class 0 is the background, which is never selected; rows without a box have class 0.
Value countOfClasses(ImportedOperation &op, Value classes) {
  Value one = int32Constant(op, {1}, {1});
  return sumOf(op, nn::MinimumOp::create(op.builder(), op.location(), classes.getType(), classes, one));
}

/// Selected boxes have a positive width, rows without a box have none. Since other types may round a width to zero, the
/// boxes are selected again as f32.
Value countOfBoxes(ImportedOperation &op, nn::GenerateProposalsOp proposals) {
  OpBuilder &builder = op.builder();
  Value boxes = proposals.getBestBoxes();
  if (!elementOf(boxes).isF32()) {
    auto copy = cast<nn::GenerateProposalsOp>(builder.clone(*proposals));
    copy.getBestBoxes().setType(withElement(boxes, builder.getF32Type()));
    boxes = copy.getBestBoxes();
  }
  const int64_t rows = shapeOf(boxes)[0];
  Value left = slice(op, boxes, {0, 0}, {rows, 1}, {1, 1}), right = slice(op, boxes, {0, 2}, {rows, 1}, {1, 1});
  Value isBox = nn::CompareOp::create(builder, op.location(), withElement(left, builder.getI1Type()), right, left,
                                      nn::CompareKind::Greater);
  return sumOf(op, nn::CastOp::create(builder, op.location(), withElement(isBox, builder.getI32Type()), isBox));
}

/// The number of boxes that an operation selects.
Value boxCount(NnapiGraph &graph, uint32_t source) {
  NnapiOperation op(graph, source);
  const auto &outputs = *graph.subgraph().operations()->Get(source)->outputs();
  if (op.type() == OperationType::BoxWithNmsLimit)
    return countOfClasses(op, graph.value(outputs.Get(2)));
  return countOfBoxes(op, graph.value(outputs.Get(1)).getDefiningOp<nn::GenerateProposalsOp>());
}

} // namespace

Value rowCount(NnapiGraph &graph, const OpenRows &rows) {
  Value count = boxCount(graph, rows.source);
  if (rows.factor == 1)
    return count;
  NnapiOperation op(graph, rows.source);
  Value factor = int32Constant(op, {1}, {static_cast<int32_t>(rows.factor)});
  return nn::MulOp::create(op.builder(), op.location(), count.getType(), count, factor, nn::Activation::None);
}

Value validScores(NnapiOperation &op, uint32_t position, Value scores) {
  const OpenRowMap *map = op.import().openRows;
  const OpenRows *rows = map && op.isInMain() ? map->of(op.inputIndex(position)) : nullptr;
  if (!rows)
    return scores;
  auto type = cast<RankedTensorType>(scores.getType());
  if (type.getNumElements() > static_cast<int64_t>(kMaxOpenElements))
    return op.refuse("scores", "number of elements if rows depend on data", Twine(type.getNumElements()),
                     Twine(kMaxOpenElements));
  SmallVector<int32_t> numbers(type.getDimSize(0));
  std::iota(numbers.begin(), numbers.end(), 0);
  Value row = broadcastTo(op, int32Constant(op, {shapeOf(scores)[0], 1}, numbers), shapeOf(scores));
  Value isValid = nn::CompareOp::create(op.builder(), op.location(), withElement(row, op.builder().getI1Type()), row,
                                        rowCount(op.graph(), *rows), nn::CompareKind::Less);
  const auto element = dyn_cast<quant::UniformQuantizedType>(type.getElementType());
  const auto zero = static_cast<char>(element ? element.getZeroPoint() : 0); // of 8 bits if there is a zero point
  ElementsAttr zeros =
      computedElements(type, "noScores", [&](MutableArrayRef<char> bytes) { llvm::fill(bytes, zero); });
  Value none = nn::ConstantOp::create(op.builder(), op.location(), type, zeros);
  return nn::SelectOp::create(op.builder(), op.location(), type, isValid, scores, none);
}

} // namespace avocet::compiler
