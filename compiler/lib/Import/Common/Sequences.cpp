//===- Sequences.cpp - Positions along an axis ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sequences.h"

#include "Constants.h"
#include "Create.h"
#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

Value isPosition(ImportedOperation &op, Value indices, int64_t axis, int64_t extent) {
  const auto type = RankedTensorType::get({extent}, op.builder().getI32Type());
  if (!indices || failed(checkComputedBytes(op, "depth", type)))
    return {};
  SmallVector<int64_t> positions(shapeOf(indices).size() - axis + 1, 1), single(shapeOf(indices));
  positions.front() = extent;
  single.insert(single.begin() + axis, 1);
  Value numbers = castTo(op, ascending(op, positions), elementOf(indices));
  return compare(op, reshape(op, indices, single), nn::CompareKind::Equal, numbers);
}

/// For each batch and step the step that replaces it: [batches, steps].
static Value reversedSteps(ImportedOperation &op, Value lengths, int64_t batches, int64_t steps) {
  Type i32 = op.builder().getI32Type();
  Value length = reshape(op, castTo(op, lengths, i32), {batches, 1});
  Value number = ascending(op, {1, steps}), one = int32Constant(op, {1, 1}, {1});
  Value last = subtract(op, length, one);
  Value reversed = subtract(op, last, number);
  Value isInside = compare(op, number, nn::CompareKind::Less, length);
  return create<nn::SelectOp>(op, isInside, reversed, broadcastTo(op, number, {batches, steps}));
}

SmallVector<int64_t> frontedAxes(size_t rank, ArrayRef<int64_t> first) {
  SmallVector<int64_t> axes(first);
  for (int64_t axis = 0; axis < static_cast<int64_t>(rank); ++axis)
    if (!llvm::is_contained(first, axis))
      axes.push_back(axis);
  return axes;
}

SmallVector<int64_t> inverseOf(ArrayRef<int64_t> axes) {
  SmallVector<int64_t> inverse(axes.size());
  for (auto [position, axis] : llvm::enumerate(axes))
    inverse[axis] = static_cast<int64_t>(position);
  return inverse;
}

Value reversedSequences(ImportedOperation &op, Value input, Value lengths, int64_t batchAxis, int64_t stepAxis) {
  const int64_t batches = shapeOf(input)[batchAxis], steps = shapeOf(input)[stepAxis];
  if (stepAxis == batchAxis || shapeOf(lengths) != ArrayRef<int64_t>(batches))
    return op.malformed("must have different axes of batches and steps, and a length for each batch");
  Value indices = coordinatesOf(op, reversedSteps(op, lengths, batches, steps), batches);
  const SmallVector<int64_t> axes = frontedAxes(shapeOf(input).size(), {batchAxis, stepAxis});
  Value reversed = create<nn::GatherNdOp>(op, transpose(op, input, axes), indices);
  return transpose(op, reversed, inverseOf(axes));
}

} // namespace avocet::compiler
