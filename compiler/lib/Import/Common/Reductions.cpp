//===- Reductions.cpp - Axes that reductions drop -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"

#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

/// The axes of operand 1, where negative ones count from the end and duplicates are allowed.
static FailureOr<SmallVector<int64_t>> axesOf(ImportedOperation &op, int64_t rank) {
  FailureOr<SmallVector<int64_t>> axes = op.integers(1, "axes");
  if (failed(axes))
    return failure();
  for (int64_t &axis : *axes) {
    FailureOr<int64_t> normalized = op.normalizedAxis(axis, rank);
    if (failed(normalized))
      return failure();
    axis = *normalized;
  }
  llvm::sort(*axes);
  axes->erase(llvm::unique(*axes), axes->end());
  return axes;
}

SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, ReducedAxes reduced) {
  SmallVector<int64_t> left;
  for (auto [axis, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      left.push_back(extent);
    else if (reduced.keep)
      left.push_back(1);
  if (left.empty())
    left.append(reduced.leastRank, 1);
  return left;
}

FailureOr<Reduction> reductionOf(ImportedOperation &op, ReducedAxes reduced) {
  Reduction reduction;
  reduction.input = op.value(0, "input");
  if (!reduction.input)
    return failure();
  FailureOr<SmallVector<int64_t>> axes = axesOf(op, shapeOf(reduction.input).size());
  if (failed(axes))
    return failure();
  reduction.axes = std::move(*axes);
  reduction.result = op.resultType(0, reducedShape(shapeOf(reduction.input), reduction.axes, reduced));
  if (!reduction.result)
    return failure();
  return reduction;
}

/// Whether the input is the result, since no axis is reduced.
static bool isCopy(const Reduction &reduction) {
  return reduction.axes.empty() && reduction.input.getType() == reduction.result;
}

/// Reduces an axis of one element if there is no other, for a result of another scale.
static void addAxis(ImportedOperation &op, Reduction &reduction) {
  if (!reduction.axes.empty())
    return;
  SmallVector<int64_t> shape(shapeOf(reduction.input));
  reduction.axes.push_back(static_cast<int64_t>(shape.size()));
  shape.push_back(1);
  reduction.input = reshape(op, reduction.input, shape);
}

LogicalResult finishMean(ImportedOperation &op, ReducedAxes reduced) {
  FailureOr<Reduction> reduction = reductionOf(op, reduced);
  if (failed(reduction))
    return failure();
  if (isCopy(*reduction))
    return op.finish(reduction->input);
  addAxis(op, *reduction);
  return op.finish(
      nn::MeanOp::create(op.builder(), op.location(), reduction->result, reduction->input, reduction->axes));
}

LogicalResult finishReduce(ImportedOperation &op, nn::ReduceKind kind, ReducedAxes reduced) {
  FailureOr<Reduction> reduction = reductionOf(op, reduced);
  if (failed(reduction))
    return failure();
  if (isCopy(*reduction))
    return op.finish(reduction->input);
  addAxis(op, *reduction);
  return op.finish(
      nn::ReduceOp::create(op.builder(), op.location(), reduction->result, reduction->input, kind, reduction->axes));
}

LogicalResult finishArgReduce(ImportedOperation &op, nn::ArgReduceKind kind, size_t leastRank) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<int64_t> axis = op.axis(1, shapeOf(input).size());
  if (failed(axis))
    return failure();
  RankedTensorType result = op.resultType(0, reducedShape(shapeOf(input), {*axis}, {false, leastRank}));
  return result ? op.finish(nn::ArgReduceOp::create(op.builder(), op.location(), result, input, kind, *axis))
                : failure();
}

} // namespace avocet::compiler
