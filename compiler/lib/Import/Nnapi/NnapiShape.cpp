//===- NnapiShape.cpp - Axes and shapes -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Moves.h"
#include "NnapiGraph.h"
#include "ValueChoices.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

//===----------------------------------------------------------------------===//
// The same elements in the same order
//===----------------------------------------------------------------------===//

LogicalResult convertReshape(NnapiOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> shape = op.integers(1, "shape");
  return input && succeeded(shape) ? finishReshape(op, input, *shape) : failure();
}

LogicalResult convertSqueeze(NnapiOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<SmallVector<int64_t>> axes = op.hasInput(1) ? op.integers(1, "axes") : SmallVector<int64_t>();
  if (failed(axes))
    return failure();
  auto shape =
      squeezedShape(op, shapeOf(input), op.hasInput(1) ? std::optional<ArrayRef<int64_t>>(*axes) : std::nullopt);
  if (failed(shape))
    return failure();
  if (shape->empty())
    shape->push_back(1);
  return finishReshape(op, input, *shape);
}

//===----------------------------------------------------------------------===//
// Another order of axes
//===----------------------------------------------------------------------===//

/// The channels of a shape as two axes, groups and members. The other axes are merged if they would be too many.
SmallVector<int64_t> groupedShape(ArrayRef<int64_t> shape, int64_t axis, int64_t groups, int64_t &groupAxis) {
  groupAxis = shape.size() < kMaxRank ? axis : 1;
  SmallVector<int64_t> grouped(shape);
  if (shape.size() >= kMaxRank)
    grouped = {llvm::product_of(shape.take_front(axis)), shape[axis], llvm::product_of(shape.drop_front(axis + 1))};
  grouped[groupAxis] = groups;
  grouped.insert(grouped.begin() + groupAxis + 1, shape[axis] / groups);
  return grouped;
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
  int64_t groupAxis = 0;
  SmallVector<int64_t> grouped = groupedShape(shape, *axis, *groups, groupAxis);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, grouped.size()));
  std::swap(order[groupAxis], order[groupAxis + 1]);
  return finishMoved(op, input, reshape(op, transpose(op, reshape(op, input, grouped), order), shape));
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
  return op.finish(int32Constant(op, {}, {rank}));
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Reshape, 2, 2, 1 << 1, convertReshape, reshapeChoices},
    {OperationType::Squeeze, 1, 2, 1 << 1, convertSqueeze, squeezedAxesChoices},
    {OperationType::Transpose, 1, 2, 1 << 1, shared<convertTranspose>, permutationChoices},
    {OperationType::ChannelShuffle, 3, 3, 1 << 1 | 1 << 2, convertChannelShuffle},
    {OperationType::ExpandDims, 2, 2, 1 << 1, shared<convertExpandDims>, expandedAxisChoices},
    {OperationType::Fill, 2, 2, 1 << 0, shared<convertFill>, fillChoices},
    {OperationType::Rank, 1, 1, 0, convertRank},
};

} // namespace

ArrayRef<NnapiConverter> nnapiShapeConverters() { return kConverters; }

} // namespace avocet::compiler
