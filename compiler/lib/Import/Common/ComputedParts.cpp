//===- ComputedParts.cpp - Parts whose start the device computes -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedParts.h"

#include "Constants.h"
#include "Create.h"
#include "Moves.h"

#include <cstdlib>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The largest number of positions along an axis, which are a constant of the program.
constexpr int64_t kMostPositions = 1 << 20;

/// Refuses more positions than a program may have.
LogicalResult checkPositions(ImportedOperation &op, StringRef operand, int64_t count) {
  if (count <= kMostPositions)
    return success();
  return op.refuse(operand, "extent of an axis along which the device computes positions", Twine(count),
                   Twine(kMostPositions));
}

/// 0, stride, 2 * stride and so on, i32 [count].
Value multiplesOf(ImportedOperation &op, int64_t stride, int64_t count) {
  SmallVector<int32_t> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(static_cast<int32_t>(i * stride));
  return int32Constant(op, {count}, numbers);
}

/// The starts as i32; numbers out of its range become the nearest ones.
FailureOr<Value> narrowed(ImportedOperation &op, Value begin) {
  const Type element = elementOf(begin), i32 = op.builder().getI32Type();
  if (element == i32)
    return begin;
  if (!element.isInteger(64))
    return op.malformed("has starts that are not integers of 32 or 64 bits");
  return castTo(op, begin, i32);
}

/// The starts as i32 [rank].
FailureOr<Value> startsOf(ImportedOperation &op, Value begin, size_t rank) {
  if (shapeOf(begin) != ArrayRef<int64_t>({static_cast<int64_t>(rank)}))
    return op.malformed("has no start for each of " + Twine(rank) + " axes");
  return narrowed(op, begin);
}

Value atMost(ImportedOperation &op, Value start, int64_t most) {
  Value limit = int32Constant(op, {1}, {static_cast<int32_t>(most)});
  return createPair<nn::MinimumOp>(op, start, limit);
}

Value clamped(ImportedOperation &op, Value start, int64_t least, int64_t most) {
  Value lower = int32Constant(op, {1}, {static_cast<int32_t>(least)});
  return atMost(op, createPair<nn::MaximumOp>(op, start, lower), most);
}

/// One start, i32 [1].
Value elementAt(ImportedOperation &op, Value starts, size_t index) {
  return slice(op, starts, {static_cast<int64_t>(index)}, {1}, {1});
}

/// The start along an axis, i32 [1], from 0 to `most`.
Value startOf(ImportedOperation &op, Value starts, size_t axis, int64_t most) {
  return clamped(op, elementAt(op, starts, axis), 0, most);
}

/// The position that a start means: a negative one counts from the end of the axis.
Value fromEnd(ImportedOperation &op, Value start, int64_t extent) {
  Value none = int32Constant(op, {1}, {0}), end = int32Constant(op, {1}, {static_cast<int32_t>(extent)});
  return create<nn::SelectOp>(op, compare(op, start, nn::CompareKind::Less, none), add(op, start, end), start);
}

/// The slices at the positions, i32 [count], along an axis. All must be inside: the device reports others as errors
/// of the network.
Value gathered(ImportedOperation &op, Value input, Value positions, size_t axis) {
  return create<nn::GatherOp>(op, input, positions, static_cast<int64_t>(axis));
}

/// Whether offset i is its nearest one inside of the part, repeated along all other axes of the shape.
Value isInside(ImportedOperation &op, Value offsets, Value nearest, ArrayRef<int64_t> shape, size_t axis) {
  Value flags = compare(op, nearest, nn::CompareKind::Equal, offsets);
  SmallVector<int64_t> alone(shape.size(), 1);
  alone[axis] = shape[axis];
  return broadcastTo(op, reshape(op, flags, alone), shape);
}

Value both(ImportedOperation &op, Value lhs, Value rhs) {
  return lhs ? create<nn::LogicalOp>(op, lhs, rhs, nn::LogicalKind::And) : rhs;
}

/// The positions, of which those of the numbers from the gap's start on grow by its length.
Value movedFrom(ImportedOperation &op, Value positions, Value numbers, const Gap &gap) {
  Value isAfter = compare(op, numbers, nn::CompareKind::GreaterEqual, gap.start);
  Value moves = multiply(op, castTo(op, isAfter, op.builder().getI32Type()), gap.length);
  return add(op, positions, moves);
}

} // namespace

LogicalResult convertComputedSlice(ImportedOperation &op) {
  Value input = op.value(0, "input"), begin = op.value(1, "begin");
  if (!input || !begin)
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  FailureOr<SmallVector<int64_t>> size = op.integers(2, "size", shape.size());
  FailureOr<Value> starts = startsOf(op, begin, shape.size());
  if (failed(size) || failed(starts))
    return failure();
  Value part = input;
  for (auto [axis, extent] : llvm::enumerate(*size)) {
    if (extent < 0)
      return op.refuse("size", "is known, if the device computes where the part begins", Twine(extent));
    if (extent > shape[axis])
      return op.malformed("takes " + Twine(extent) + " elements of an axis of " + Twine(shape[axis]));
    if (extent == 0)
      return op.refuse("result", "has 1 to 2^31 - 1 elements", "none");
    if (extent == shape[axis])
      continue;
    if (failed(checkPositions(op, "begin", extent)))
      return failure();
    // Unlike a STRIDED_SLICE, one that leaves the axis is an error, which the device reports.
    Value start = elementAt(op, *starts, axis), numbers = ascending(op, extent);
    part = gathered(op, part, add(op, numbers, start), axis);
  }
  return finishMoved(op, input, part);
}

Value partFrom(ImportedOperation &op, Value input, const ComputedStart &start, const AxisPart &part) {
  const int64_t extent = shapeOf(input)[part.axis];
  if (part.count < 1)
    return op.refuse("result", "has 1 to 2^31 - 1 elements", "none");
  const int64_t stride = part.count == 1 ? 1 : part.stride;
  if (std::abs(stride) > extent || (part.count - 1) * std::abs(stride) >= extent)
    return op.refuse("end", "is inside of the axis, if the device computes where the part begins",
                     Twine(part.count) + " elements with stride " + Twine(stride), Twine(extent));
  FailureOr<Value> starts = narrowed(op, start.starts);
  if (failed(starts) || failed(checkPositions(op, "begin", part.count)))
    return {};
  const int64_t span = (part.count - 1) * stride;
  Value first = fromEnd(op, elementAt(op, *starts, start.index), extent);
  first = clamped(op, first, std::max<int64_t>(-span, 0), extent - 1 - std::max<int64_t>(span, 0));
  Value offsets = multiplesOf(op, stride, part.count);
  return gathered(op, input, add(op, offsets, first), part.axis);
}

Value updatedAt(ImportedOperation &op, Value target, Value update, Value begin) {
  ArrayRef<int64_t> shape = shapeOf(target), covered = shapeOf(update);
  FailureOr<Value> starts = startsOf(op, begin, shape.size());
  if (failed(starts))
    return {};
  Value spread = update, isUpdated;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (covered[axis] == shape[axis])
      continue;
    if (failed(checkPositions(op, "begin", shape[axis])))
      return {};
    Value start = startOf(op, *starts, axis, shape[axis] - covered[axis]), numbers = ascending(op, shape[axis]);
    Value offsets = subtract(op, numbers, start);
    Value nearest = clamped(op, offsets, 0, covered[axis] - 1);
    spread = gathered(op, spread, nearest, axis);
    isUpdated = both(op, isUpdated, isInside(op, offsets, nearest, shape, axis));
  }
  if (!isUpdated)
    return update;
  return create<nn::SelectOp>(op, isUpdated, spread, target);
}

Value withoutGaps(ImportedOperation &op, Value input, ArrayRef<Gap> gaps) {
  const int64_t extent = shapeOf(input)[0];
  if (failed(checkPositions(op, "result", extent)))
    return {};
  Value numbers = ascending(op, extent), positions = numbers;
  for (const Gap &gap : gaps)
    positions = movedFrom(op, positions, numbers, gap);
  return gathered(op, input, atMost(op, positions, extent - 1), 0);
}

} // namespace avocet::compiler
