//===- Moves.cpp - Operations that move elements ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

/// A type of the dialect, or null after a refusal.
static RankedTensorType boundedType(ImportedOperation &op, ArrayRef<int64_t> shape, Type element) {
  auto type = RankedTensorType::get(shape, element);
  if (nn::hasBoundedShape(type))
    return type;
  return op.refuse("", "tensors of rank at most 32 with 1 to 2^31 - 1 elements", "another one on the way");
}

RankedTensorType movedType(ImportedOperation &op, uint32_t position, Value input, ArrayRef<int64_t> shape) {
  RankedTensorType type = op.resultType(position, shape);
  if (type && type.getElementType() != elementOf(input))
    return op.malformed("has a result of another type, scale or zero point than its input");
  return type;
}

LogicalResult finishMoved(ImportedOperation &op, Value input, Value moved, uint32_t position) {
  return moved && movedType(op, position, input, shapeOf(moved)) ? op.finish(moved, position) : failure();
}

Value reshape(ImportedOperation &op, Value input, ArrayRef<int64_t> shape) {
  RankedTensorType type = input ? boundedType(op, shape, elementOf(input)) : RankedTensorType();
  return type ? nn::ReshapeOp::create(op.builder(), op.location(), type, input).getOutput() : Value();
}

Value slice(ImportedOperation &op, Value input, ArrayRef<int64_t> begin, ArrayRef<int64_t> extents,
            ArrayRef<int64_t> strides) {
  RankedTensorType type = input ? boundedType(op, extents, elementOf(input)) : RankedTensorType();
  return type ? nn::SliceOp::create(op.builder(), op.location(), type, input, begin, strides).getOutput() : Value();
}

Value reverse(ImportedOperation &op, Value input, ArrayRef<int64_t> axes) {
  if (!input)
    return {};
  SmallVector<int64_t> begin(shapeOf(input).size(), 0), strides(begin.size(), 1);
  for (int64_t axis : axes) {
    begin[axis] = shapeOf(input)[axis] - 1;
    strides[axis] = -1;
  }
  return slice(op, input, begin, shapeOf(input), strides);
}

Value transpose(ImportedOperation &op, Value value, ArrayRef<int64_t> permutation) {
  if (!value)
    return {};
  auto shape = llvm::map_to_vector(permutation, [&](int64_t axis) { return shapeOf(value)[axis]; });
  auto result = RankedTensorType::get(shape, elementOf(value));
  return nn::TransposeOp::create(op.builder(), op.location(), result, value, permutation);
}

Value concatenate(ImportedOperation &op, ValueRange inputs, int64_t axis) {
  if (llvm::is_contained(inputs, Value()))
    return {};
  SmallVector<int64_t> shape(shapeOf(inputs.front()));
  for (Value input : inputs.drop_front())
    shape[axis] += shapeOf(input)[axis];
  RankedTensorType type = boundedType(op, shape, elementOf(inputs.front()));
  return type ? nn::ConcatenationOp::create(op.builder(), op.location(), type, inputs, axis).getOutput() : Value();
}

Value tile(ImportedOperation &op, Value input, ArrayRef<int64_t> multiples) {
  if (!input)
    return {};
  SmallVector<int64_t> shape(shapeOf(input));
  for (auto [extent, multiple] : llvm::zip(shape, multiples))
    extent *= multiple;
  RankedTensorType type = boundedType(op, shape, elementOf(input));
  return type ? nn::TileOp::create(op.builder(), op.location(), type, input, multiples).getOutput() : Value();
}

Value broadcastTo(ImportedOperation &op, Value input, ArrayRef<int64_t> shape) {
  if (!input || shapeOf(input) == shape)
    return input;
  ArrayRef<int64_t> own = shapeOf(input);
  if (own.size() > shape.size())
    return op.malformed("broadcasts rank " + Twine(own.size()) + " to rank " + Twine(shape.size()));
  SmallVector<int64_t> extended(shape.size() - own.size(), 1), multiples;
  llvm::append_range(extended, own);
  for (auto [extent, wanted] : llvm::zip(extended, shape)) {
    if (wanted != extent && extent != 1)
      return op.malformed("broadcasts an extent of " + Twine(extent) + " to " + Twine(wanted));
    multiples.push_back(wanted / extent);
  }
  return tile(op, reshape(op, input, extended), multiples);
}

FailureOr<Amounts> amountsOf(ImportedOperation &op, uint32_t position, size_t rank) {
  FailureOr<SmallVector<int64_t>> values = op.integers(position, "paddings", 2 * rank);
  if (failed(values))
    return failure();
  Amounts amounts;
  for (auto [index, amount] : llvm::enumerate(*values)) {
    if (amount < 0)
      return op.malformed("has the padding " + Twine(amount));
    (index % 2 == 0 ? amounts.low : amounts.high).push_back(amount);
  }
  return amounts;
}

Value pad(ImportedOperation &op, Value input, const Amounts &amounts, std::optional<double> value) {
  if (!input)
    return {};
  SmallVector<int64_t> shape(shapeOf(input));
  for (size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] += amounts.low[axis] + amounts.high[axis];
  RankedTensorType type = boundedType(op, shape, elementOf(input));
  if (!type)
    return {};
  FloatAttr fill = value ? op.builder().getF64FloatAttr(*value) : FloatAttr();
  return nn::PadOp::create(op.builder(), op.location(), type, input, amounts.low, amounts.high, fill);
}

/// The input with mirrored parts of itself at both ends of an axis. `skipped` is 1 if the mirror is on the outermost
/// element (which is then not repeated), 0 if it is outside of it.
static Value mirrorAxis(ImportedOperation &op, Value input, int64_t axis, int64_t low, int64_t high, int64_t skipped) {
  SmallVector<int64_t> shape(shapeOf(input)), begin(shape.size(), 0), strides(shape.size(), 1);
  const int64_t extent = shape[axis];
  strides[axis] = -1;
  SmallVector<Value> parts = {input};
  if (low > 0) {
    shape[axis] = low;
    begin[axis] = low - 1 + skipped;
    parts.insert(parts.begin(), slice(op, input, begin, shape, strides));
  }
  if (high > 0) {
    shape[axis] = high;
    begin[axis] = extent - 1 - skipped;
    parts.push_back(slice(op, input, begin, shape, strides));
  }
  return parts.size() == 1 ? input : concatenate(op, parts, axis);
}

Value mirrorPad(ImportedOperation &op, Value input, const Amounts &amounts, MirrorMode mode) {
  const int64_t skipped = mode == MirrorMode::Reflect ? 1 : 0;
  Value padded = input;
  for (int64_t axis = 0; padded && axis < static_cast<int64_t>(amounts.low.size()); ++axis) {
    int64_t low = amounts.low[axis], high = amounts.high[axis];
    if (std::max(low, high) > shapeOf(input)[axis] - skipped)
      return op.malformed("mirrors more than axis " + Twine(axis) + " has");
    padded = mirrorAxis(op, padded, axis, low, high, skipped);
  }
  return padded;
}

} // namespace avocet::compiler
