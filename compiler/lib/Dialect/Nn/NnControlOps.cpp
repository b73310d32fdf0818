//===- NnControlOps.cpp - Branches and loops --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

/// Fails unless the region ends with an nn.yield of values of these types.
static LogicalResult verifyYield(Operation *op, Region &region, TypeRange types, StringRef name) {
  auto yield = dyn_cast<YieldOp>(region.front().back());
  if (!yield)
    return op->emitOpError() << name << " must end with nn.yield";
  if (TypeRange(yield.getValues()) == types)
    return success();
  return op->emitOpError() << name << " yields " << yield.getValues().getTypes() << ", must yield " << types;
}

static LogicalResult verifyArguments(Operation *op, Region &region, TypeRange types, StringRef name) {
  if (TypeRange(region.getArguments()) == types)
    return success();
  return op->emitOpError() << name << " takes other values than the loop has";
}

static LogicalResult verifyCondition(Operation *op, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getNumElements() == 1 && tensor.getElementType().isInteger(1))
    return success();
  return op->emitOpError() << "condition is " << type << ", must be a boolean of one element";
}

LogicalResult IfOp::verifyRegions() {
  if (failed(verifyCondition(*this, getCondition().getType())) ||
      failed(verifyYield(*this, getThenRegion(), getResultTypes(), "the branch for true")))
    return failure();
  return verifyYield(*this, getElseRegion(), getResultTypes(), "the branch for false");
}

LogicalResult WhileOp::verifyRegions() {
  TypeRange types = getInits().getTypes();
  if (types != TypeRange(getResultTypes()))
    return emitOpError("must have the types of its initial values");
  if (failed(verifyArguments(*this, getCondition(), types, "the condition")) ||
      failed(verifyArguments(*this, getBody(), types, "the body")) ||
      failed(verifyYield(*this, getBody(), types, "the body")))
    return failure();
  auto yield = dyn_cast<YieldOp>(getCondition().front().back());
  if (!yield || yield.getValues().size() != 1)
    return emitOpError("condition must yield one value");
  return verifyCondition(*this, yield.getValues().front().getType());
}
