//===- Moves.cpp - Operations that move elements ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Moves.h"

using namespace mlir;

namespace avocet::compiler {

static Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

/// A type of the dialect, or null after a refusal.
static RankedTensorType boundedType(NnapiOperation &op, ArrayRef<int64_t> shape, Type element) {
  auto type = RankedTensorType::get(shape, element);
  if (nn::hasBoundedShape(type))
    return type;
  return op.refuse("", "tensors of rank at most 8 with 1 to 2^31 - 1 elements", "another one on the way");
}

RankedTensorType movedType(NnapiOperation &op, uint32_t position, Value input, ArrayRef<int64_t> shape) {
  RankedTensorType type = op.resultType(position, shape);
  if (type && type.getElementType() != elementOf(input))
    return op.malformed("has a result of another type, scale or zero point than its input");
  return type;
}

Value reshape(NnapiOperation &op, Value input, ArrayRef<int64_t> shape) {
  RankedTensorType type = input ? boundedType(op, shape, elementOf(input)) : RankedTensorType();
  return type ? nn::ReshapeOp::create(op.builder(), op.location(), type, input).getOutput() : Value();
}

Value slice(NnapiOperation &op, Value input, ArrayRef<int64_t> begin, ArrayRef<int64_t> extents,
            ArrayRef<int64_t> strides) {
  RankedTensorType type = input ? boundedType(op, extents, elementOf(input)) : RankedTensorType();
  return type ? nn::SliceOp::create(op.builder(), op.location(), type, input, begin, strides).getOutput() : Value();
}

Value pad(NnapiOperation &op, Value input, ArrayRef<int64_t> low, ArrayRef<int64_t> high, std::optional<double> value) {
  if (!input)
    return {};
  SmallVector<int64_t> shape(shapeOf(input));
  for (size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] += low[axis] + high[axis];
  RankedTensorType type = boundedType(op, shape, elementOf(input));
  if (!type)
    return {};
  FloatAttr fill = value ? op.builder().getF64FloatAttr(*value) : FloatAttr();
  return nn::PadOp::create(op.builder(), op.location(), type, input, low, high, fill);
}

Value concatenate(NnapiOperation &op, ValueRange inputs, int64_t axis) {
  if (llvm::is_contained(inputs, Value()))
    return {};
  SmallVector<int64_t> shape(shapeOf(inputs.front()));
  for (Value input : inputs.drop_front())
    shape[axis] += shapeOf(input)[axis];
  RankedTensorType type = boundedType(op, shape, elementOf(inputs.front()));
  return type ? nn::ConcatenationOp::create(op.builder(), op.location(), type, inputs, axis).getOutput() : Value();
}

} // namespace avocet::compiler
