//===- NnNormalizeOps.cpp - Verifiers of normalisations -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include <cmath>

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

template <typename Op> LogicalResult verifyLines(Op op, bool sameStorage = true) {
  int64_t rank = tensorType(op.getInput()).getRank();
  if (rank == 0)
    return op.emitOpError("needs an axis to normalise along");
  if (op.getAxis() < -rank || op.getAxis() >= rank)
    return op.emitOpError() << "has the axis " << op.getAxis() << ", must be " << -rank << " to " << rank - 1;
  return sameStorage ? verifySameShape(op, op.getInput(), op.getOutput())
                     : verifySameShapes(op, {op.getInput(), op.getOutput()});
}

} // namespace

/// Whether a signed 8-bit input gives a 16-bit result.
static bool widens(SoftmaxOp op) {
  auto from = dyn_cast<quant::UniformQuantizedType>(elementType(op.getInput()));
  auto to = dyn_cast<quant::UniformQuantizedType>(elementType(op.getOutput()));
  return from && to && from.isSigned() && from.getStorageTypeIntegralWidth() == 8 &&
         to.getStorageTypeIntegralWidth() == 16;
}

static LogicalResult verifyWidening(SoftmaxOp op) {
  auto type = cast<quant::UniformQuantizedType>(elementType(op.getOutput()));
  if (op.positiveAxis() != tensorType(op.getInput()).getRank() - 1)
    return op.emitOpError("16-bit results of 8-bit numbers need the last axis");
  if (std::abs(type.getScale() * 65536 - 1) > 0.001 || type.getZeroPoint() != -32768)
    return op.emitOpError() << "16-bit result of 8-bit numbers must have scale 1/65536 and zero point -32768, has "
                            << type;
  return success();
}

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyLines(*this, /*sameStorage=*/!widens(*this))))
    return failure();
  if (widens(*this))
    return verifyWidening(*this);
  return verifyBoundedResult(*this, getOutput(), 1.0 / 256, -128, ScaleRule::Near);
}

LogicalResult LogSoftmaxOp::verify() {
  if (failed(verifyLines(*this)))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 16, 127);
}

LogicalResult L2NormalizeOp::verify() {
  if (failed(verifyLines(*this)))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 128, 0);
}

LogicalResult LocalResponseNormalizeOp::verify() {
  if (static_cast<int32_t>(getRadius()) < 0)
    return emitOpError() << "has the radius " << static_cast<int32_t>(getRadius()) << ", must be 0 or more";
  return verifyLines(*this);
}

LogicalResult CumulativeSumOp::verify() { return verifyLines(*this); }

LogicalResult InstanceNormalizeOp::verify() {
  if (failed(verifyRank(*this, "input", getInput(), 4)))
    return failure();
  return verifySameShape(*this, getInput(), getOutput());
}
