//===- NnQuantOps.cpp - Changes of quantisation -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

static LogicalResult verifyShapes(Operation *op, Value input, Value output) {
  if (tensorType(input).getShape() != tensorType(output).getShape())
    return op->emitOpError("result must have the shape of the input");
  return success();
}

/// Between i32, whose type has no scale, and a quantised type.
static LogicalResult verifyIntegerScale(QuantizeOp op) {
  const std::optional<APFloat> scale = op.getIntegerScale();
  if (!isQuantized(op.getInput()) && !isQuantized(op.getOutput()))
    return op.emitOpError("input or result must be quantised");
  if (!scale || !scale->isFiniteNonZero() || scale->isNegative())
    return op.emitOpError("i32 needs a positive integer_scale");
  return success();
}

LogicalResult QuantizeOp::verify() {
  const bool hasIntegers = elementType(getInput()).isInteger(32) || elementType(getOutput()).isInteger(32);
  if (hasIntegers && failed(verifyIntegerScale(*this)))
    return failure();
  if (!hasIntegers && getIntegerScale())
    return emitOpError("only i32 has an integer_scale");
  if (!hasIntegers && !isQuantized(getOutput()))
    return emitOpError("result must be quantised");
  return verifyShapes(*this, getInput(), getOutput());
}

OpFoldResult QuantizeOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

LogicalResult DequantizeOp::verify() {
  if (!isQuantized(getInput()) || isQuantized(getOutput()))
    return emitOpError("input must be quantised and the result f32");
  return verifyShapes(*this, getInput(), getOutput());
}

LogicalResult CastOp::verify() { return verifyShapes(*this, getInput(), getOutput()); }
