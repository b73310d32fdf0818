//===- Reductions.cpp - Axes that reductions drop -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

#include "Create.h"
#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

FailureOr<SmallVector<int64_t>> distinctAxes(ImportedOperation &op, int64_t rank) {
  FailureOr<SmallVector<int64_t>> axes = op.axes(1, rank);
  if (failed(axes))
    return failure();
  llvm::sort(*axes);
  axes->erase(llvm::unique(*axes), axes->end());
  return axes;
}

/// Binds what is left of a tensor.
static LogicalResult finishReduced(ImportedOperation &op, Value left, size_t leastRank) {
  if (left && shapeOf(left).size() < leastRank)
    left = reshape(op, left, SmallVector<int64_t>(leastRank, 1));
  return left && op.resultType(0, shapeOf(left)) ? op.finish(left) : failure();
}

/// Reduces operand 0 with `reduce(input, axes, keep, element)`.
static LogicalResult finishReduction(ImportedOperation &op, ReducedAxes reduced,
                                     llvm::function_ref<Value(Value, ArrayRef<int64_t>, bool, Type)> reduce) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<SmallVector<int64_t>> axes = distinctAxes(op, shapeOf(input).size());
  Type element = op.resultElement(0);
  if (failed(axes) || !element)
    return failure();
  if (axes->empty() && elementOf(input) == element) // no axis is reduced
    return finishReduced(op, input, reduced.leastRank);
  // A result of another scale needs a reduction, of an axis of one element.
  const bool keep = reduced.keep && !axes->empty();
  if (axes->empty()) {
    SmallVector<int64_t> shape(shapeOf(input));
    axes->push_back(static_cast<int64_t>(shape.size()));
    shape.push_back(1);
    input = reshape(op, input, shape);
  }
  return finishReduced(op, reduce(input, *axes, keep, element), reduced.leastRank);
}

LogicalResult finishMean(ImportedOperation &op, ReducedAxes reduced) {
  return finishReduction(op, reduced, [&](Value input, ArrayRef<int64_t> axes, bool keep, Type element) {
    return createAs<nn::MeanOp>(op, element, input, axes, keep);
  });
}

LogicalResult finishReduce(ImportedOperation &op, nn::ReduceKind kind, ReducedAxes reduced) {
  return finishReduction(op, reduced, [&](Value input, ArrayRef<int64_t> axes, bool keep, Type element) {
    return createAs<nn::ReduceOp>(op, element, input, kind, axes, keep);
  });
}

LogicalResult finishArgReduce(ImportedOperation &op, nn::ArgReduceKind kind, size_t leastRank) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> axis = op.axis(1, input);
  Type element = op.resultElement(0), i32 = op.builder().getI32Type();
  if (failed(axis) || !element)
    return failure();
  if (elementOf(input).isInteger(1)) // truth values have no order of their own
    input = castTo(op, input, i32);
  Value index = createAs<nn::ArgReduceOp>(op, i32, input, kind, *axis, /*keepDims=*/false);
  return finishReduced(op, castTo(op, index, element), leastRank);
}

} // namespace avocet::compiler
