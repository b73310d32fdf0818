//===- NnapiShape.cpp - Axes and shapes -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Moves.h"

#include "llvm/ADT/SmallBitVector.h"

#include "ValueChoices.h"
#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

//===----------------------------------------------------------------------===//
// The same elements in the same order
//===----------------------------------------------------------------------===//

LogicalResult finishReshape(NnapiOperation &op, Value input, ArrayRef<int64_t> shape) {
  RankedTensorType result = movedType(op, 0, input, shape);
  return result ? op.finish(reshape(op, input, shape)) : failure();
}

/// One extent may be -1; it follows from the others.
LogicalResult convertReshape(NnapiOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> shape = op.integers(1, "shape");
  if (!input || failed(shape))
    return failure();
  int64_t elements = cast<RankedTensorType>(input.getType()).getNumElements(), known = 1;
  for (int64_t extent : *shape) {
    if (extent != -1 && (extent < 1 || extent > elements / known))
      return op.malformed("has a shape that its input's " + Twine(elements) + " elements do not fill");
    known *= extent == -1 ? 1 : extent;
  }
  if (llvm::count(*shape, -1) > 1)
    return op.malformed("has a shape with more than one unknown extent");
  llvm::replace(*shape, int64_t(-1), elements / known);
  if (std::accumulate(shape->begin(), shape->end(), int64_t(1), std::multiplies()) != elements)
    return op.malformed("has a shape that its input's " + Twine(elements) + " elements do not fill");
  return finishReshape(op, input, *shape);
}

/// Axes to squeeze, normalised: the given ones, or without that operand all axes of extent 1.
FailureOr<llvm::SmallBitVector> squeezedAxes(NnapiOperation &op, ArrayRef<int64_t> shape) {
  const auto rank = static_cast<int64_t>(shape.size());
  llvm::SmallBitVector squeezed(shape.size());
  if (!op.hasInput(1)) {
    for (int64_t axis = 0; axis < rank; ++axis)
      squeezed[axis] = shape[axis] == 1;
    return squeezed;
  }
  FailureOr<SmallVector<int64_t>> axes = op.integers(1, "axes");
  if (failed(axes))
    return failure();
  for (int64_t axis : *axes) {
    if (axis < -rank || axis >= rank || shape[axis < 0 ? axis + rank : axis] != 1)
      return op.malformed("squeezes the axis " + Twine(axis) + ", which is none of extent 1");
    squeezed.set(axis < 0 ? axis + rank : axis);
  }
  return squeezed;
}

/// If no axis is left, the result has one axis of extent 1.
LogicalResult convertSqueeze(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<llvm::SmallBitVector> squeezed = squeezedAxes(op, shapeOf(input));
  if (failed(squeezed))
    return failure();
  SmallVector<int64_t> shape;
  for (auto [axis, extent] : llvm::enumerate(shapeOf(input)))
    if (!squeezed->test(axis))
      shape.push_back(extent);
  if (shape.empty())
    shape.push_back(1);
  return finishReshape(op, input, shape);
}

LogicalResult convertExpandDims(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  FailureOr<int64_t> axis = op.axis(1, static_cast<int64_t>(shape.size()) + 1);
  if (failed(axis))
    return failure();
  shape.insert(shape.begin() + *axis, 1);
  return finishReshape(op, input, shape);
}

//===----------------------------------------------------------------------===//
// Another order of axes
//===----------------------------------------------------------------------===//

bool isPermutation(ArrayRef<int64_t> axes, size_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t axis : axes)
    if (axis >= 0 && axis < static_cast<int64_t>(rank))
      seen.set(axis);
  return axes.size() == rank && seen.all();
}

/// Without a permutation the axes are reversed.
LogicalResult convertTranspose(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  const size_t rank = shapeOf(input).size();
  auto reversed = llvm::to_vector(llvm::reverse(llvm::to_vector(llvm::seq<int64_t>(0, rank))));
  FailureOr<SmallVector<int64_t>> axes = op.hasInput(1) ? op.integers(1, "permutation") : reversed;
  if (failed(axes))
    return failure();
  if (!isPermutation(*axes, rank))
    return op.malformed("has a permutation that does not name every axis once");
  auto shape = llvm::map_to_vector(*axes, [&](int64_t axis) { return shapeOf(input)[axis]; });
  return movedType(op, 0, input, shape) ? op.finish(transpose(op, input, *axes)) : failure();
}

/// Channels [group, member] become [member, group].
LogicalResult convertChannelShuffle(NnapiOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> groups = op.integer(1, "groups");
  if (!input || failed(groups))
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  FailureOr<int64_t> axis = op.axis(2, static_cast<int64_t>(shape.size()));
  if (failed(axis))
    return failure();
  if (*groups < 1 || shape[*axis] % *groups != 0)
    return op.malformed("has " + Twine(*groups) + " groups of " + Twine(shape[*axis]) + " channels");
  if (!movedType(op, 0, input, shape))
    return failure();
  SmallVector<int64_t> grouped(shape);
  grouped[*axis] = *groups;
  grouped.insert(grouped.begin() + *axis + 1, shape[*axis] / *groups);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, grouped.size()));
  std::swap(order[*axis], order[*axis + 1]);
  Value members = reshape(op, input, grouped);
  return members ? op.finish(reshape(op, transpose(op, members, order), shape)) : failure();
}

//===----------------------------------------------------------------------===//
// Shapes as values, and values as shapes
//===----------------------------------------------------------------------===//

LogicalResult convertRank(NnapiOperation &op) {
  const nnapi::Operand &input = op.inputOperand(0);
  RankedTensorType result = op.resultType(0, {});
  if (!result)
    return failure();
  if (!result.getElementType().isInteger(32))
    return op.malformed("has a result that is no INT32");
  Value value = op.graph().value(op.inputIndex(0));
  const auto rank = static_cast<int32_t>(value ? shapeOf(value).size() : input.dimensions()->size());
  auto attribute = DenseElementsAttr::get(result, rank);
  return op.finish(nn::ConstantOp::create(op.builder(), op.location(), result, attribute));
}

/// Repeats the value for each element: a tile of a tensor of ones.
LogicalResult convertFill(NnapiOperation &op) {
  FailureOr<SmallVector<int64_t>> shape = op.integers(0, "dimensions");
  Value value = op.value(1, "value");
  if (failed(shape) || !value)
    return failure();
  if (llvm::any_of(*shape, [](int64_t extent) { return extent < 1; }))
    return op.refuse("dimensions", "are positive", "a dimension that is not");
  RankedTensorType result = movedType(op, 0, value, *shape);
  if (!result || !shapeOf(value).empty())
    return result ? op.malformed("has a value that is no scalar") : failure();
  Value one = reshape(op, value, SmallVector<int64_t>(shape->size(), 1));
  return op.finish(nn::TileOp::create(op.builder(), op.location(), result, one, *shape));
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Reshape, 2, 2, 1 << 1, convertReshape, reshapeChoices},
    {OperationType::Squeeze, 1, 2, 1 << 1, convertSqueeze, squeezedAxesChoices},
    {OperationType::Transpose, 1, 2, 1 << 1, convertTranspose, permutationChoices},
    {OperationType::ChannelShuffle, 3, 3, 1 << 1 | 1 << 2, convertChannelShuffle},
    {OperationType::ExpandDims, 2, 2, 1 << 1, convertExpandDims, expandedAxisChoices},
    {OperationType::Fill, 2, 2, 1 << 0, convertFill, fillChoices},
    {OperationType::Rank, 1, 1, 0, convertRank},
};

} // namespace

ArrayRef<NnapiConverter> nnapiShapeConverters() { return kConverters; }

} // namespace avocet::compiler
