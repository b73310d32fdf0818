//===- Sequences.cpp - Positions along an axis ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sequences.h"

#include "Constants.h"
#include "Formula.h"
#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

Value isPosition(ImportedOperation &op, Value indices, int64_t axis, int64_t extent) {
  const auto type = RankedTensorType::get({extent}, op.builder().getI32Type());
  if (!indices || failed(checkComputedBytes(op, "depth", type)))
    return {};
  const SmallVector<int64_t> positions = lineShape(shapeOf(indices).size() - axis + 1, 0, extent);
  Value numbers = castTo(op, ascending(op, positions), elementOf(indices));
  return compare(op, withAxis(op, indices, axis), nn::CompareKind::Equal, numbers);
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

Value reversedSequences(ImportedOperation &op, Value input, Value lengths, int64_t batchAxis, int64_t stepAxis) {
  const int64_t batches = shapeOf(input)[batchAxis], steps = shapeOf(input)[stepAxis];
  if (stepAxis == batchAxis || shapeOf(lengths) != ArrayRef<int64_t>(batches))
    return op.malformed("must have different axes of batches and steps, and a length for each batch");
  Value indices = coordinatesOf(op, reversedSteps(op, lengths, batches, steps), batches);
  const SmallVector<int64_t> axes = frontedAxes(shapeOf(input).size(), {batchAxis, stepAxis});
  Value reversed = create<nn::GatherNdOp>(op, transpose(op, input, axes), indices);
  return transpose(op, reversed, inverseOf(axes));
}

Value cumulativeProduct(ImportedOperation &op, Value x, int64_t axis, bool isExclusive, bool isReverse) {
  const int64_t extent = shapeOf(x)[axis];
  Formula f(op, elementOf(x));
  // Ones enter at the beginning.
  const auto shifted = [&](Value value, int64_t by) {
    SmallVector<int64_t> ones(shapeOf(x));
    ones[axis] = by;
    Value first = broadcastTo(op, f.constant(1), ones);
    return by == extent ? first : concatenate(op, {first, partOf(op, value, axis, 0, extent - by)}, axis);
  };
  Value product = isReverse ? reverse(op, x, {axis}) : x;
  if (isExclusive && extent > 0)
    product = shifted(product, 1);
  // Each element is multiplied with the one 1, 2, 4 and so on places before it.
  for (int64_t by = 1; by < extent; by *= 2)
    product = f.mul(product, shifted(product, by));
  return isReverse ? reverse(op, product, {axis}) : product;
}

} // namespace avocet::compiler
