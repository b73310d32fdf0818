//===- NnNormalizeOps.cpp - Verifiers of normalisations -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

template <typename Op> LogicalResult verifyLines(Op op) {
  int64_t rank = tensorType(op.getInput()).getRank();
  if (rank == 0)
    return op.emitOpError("needs an axis to normalise along");
  if (op.getAxis() < -rank || op.getAxis() >= rank)
    return op.emitOpError() << "has the axis " << op.getAxis() << ", must be " << -rank << " to " << rank - 1;
  return verifySameShape(op, op.getInput(), op.getOutput());
}

} // namespace

LogicalResult SoftmaxOp::verify() {
  if (failed(verifyLines(*this)))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 256, -128);
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
