//===- TfliteTruth.cpp - Relations and choices ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Elements.h"
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"

#include "mlir/Dialect/Traits.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The operands of a choice, each with the shape of the result.
LogicalResult finishSelect(TfliteOperator &op, Value condition, Value lhs, Value rhs, ArrayRef<int64_t> shape) {
  RankedTensorType result = op.resultType(0, shape);
  condition = broadcastTo(op, condition, shape);
  lhs = broadcastTo(op, lhs, shape);
  rhs = broadcastTo(op, rhs, shape);
  if (!result || !condition || !lhs || !rhs)
    return failure();
  return op.finish(nn::SelectOp::create(op.builder(), op.location(), result, condition, lhs, rhs));
}

/// A condition of rank 1 chooses between rows.
LogicalResult convertSelect(TfliteOperator &op) {
  Value condition = op.value(0, "condition"), lhs = op.value(1, "input 1"), rhs = op.value(2, "input 2");
  if (!condition || !lhs || !rhs)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(lhs);
  if (shapeOf(condition).size() == 1 && shape.size() > 1) {
    SmallVector<int64_t> rows(shape.size(), 1);
    rows[0] = shapeOf(condition)[0];
    condition = reshape(op, condition, rows);
  }
  return finishSelect(op, condition, lhs, rhs, shape);
}

LogicalResult convertSelectV2(TfliteOperator &op) {
  Value condition = op.value(0, "condition"), lhs = op.value(1, "input 1"), rhs = op.value(2, "input 2");
  if (!condition || !lhs || !rhs)
    return failure();
  SmallVector<int64_t> inputs, shape;
  if (!OpTrait::util::getBroadcastedShape(shapeOf(lhs), shapeOf(rhs), inputs) ||
      !OpTrait::util::getBroadcastedShape(shapeOf(condition), inputs, shape))
    return op.malformed("has inputs whose shapes do not broadcast");
  return finishSelect(op, condition, lhs, rhs, shape);
}

/// Quantised numbers are compared in fixed point, as in the reference.
template <nn::CompareKind kind> LogicalResult convertComparison(TfliteOperator &op) {
  Value lhs = op.value(0, "input 0");
  return lhs ? createBinary<nn::CompareOp>(op, kind, isa<quant::QuantizedType>(elementOf(lhs))) : failure();
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::EQUAL, 2, 2, convertComparison<nn::CompareKind::Equal>},
    {BuiltinOperator::GREATER, 2, 2, convertComparison<nn::CompareKind::Greater>},
    {BuiltinOperator::GREATER_EQUAL, 2, 2, convertComparison<nn::CompareKind::GreaterEqual>},
    {BuiltinOperator::LESS, 2, 2, convertComparison<nn::CompareKind::Less>},
    {BuiltinOperator::LESS_EQUAL, 2, 2, convertComparison<nn::CompareKind::LessEqual>},
    {BuiltinOperator::LOGICAL_AND, 2, 2, shared<convertLogical<nn::LogicalKind::And>>},
    {BuiltinOperator::LOGICAL_OR, 2, 2, shared<convertLogical<nn::LogicalKind::Or>>},
    {BuiltinOperator::NOT_EQUAL, 2, 2, convertComparison<nn::CompareKind::NotEqual>},
    {BuiltinOperator::SELECT, 3, 3, convertSelect},
    {BuiltinOperator::SELECT_V2, 3, 3, convertSelectV2},
};

} // namespace

ArrayRef<TfliteConverter> tfliteTruthConverters() { return kConverters; }

} // namespace avocet::compiler
