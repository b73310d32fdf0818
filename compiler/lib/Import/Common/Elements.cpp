//===- Elements.cpp - Converters of element-wise operations -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "mlir/Dialect/Traits.h"

using namespace mlir;

namespace avocet::compiler {

RankedTensorType broadcastResult(ImportedOperation &op, Value lhs, Value rhs) {
  SmallVector<int64_t> shape;
  if (!OpTrait::util::getBroadcastedShape(shapeOf(lhs), shapeOf(rhs), shape))
    return op.malformed("has inputs whose shapes do not broadcast");
  return op.resultType(0, shape);
}

Value requantized(ImportedOperation &op, Value value, Type element) {
  Type own = elementOf(value);
  if (own == element || !isa<quant::UniformQuantizedType>(own) || !isa<quant::UniformQuantizedType>(element))
    return value;
  return nn::QuantizeOp::create(op.builder(), op.location(), RankedTensorType::get(shapeOf(value), element), value);
}

} // namespace avocet::compiler
