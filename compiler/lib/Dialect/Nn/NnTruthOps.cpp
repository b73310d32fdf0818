//===- NnTruthOps.cpp - Verifiers of relations and choices - -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

LogicalResult CompareOp::verify() {
  if (getFixedPoint() && !isQuantized(getLhs()))
    return emitOpError("only quantised numbers are compared in fixed point");
  if (failed(verifyBroadcast(*this, getLhs(), getRhs(), getOutput())))
    return failure();
  return verifySameStorage(*this, {getLhs(), getRhs()});
}

LogicalResult LogicalOp::verify() { return verifyBroadcast(*this, getLhs(), getRhs(), getOutput()); }

LogicalResult SelectOp::verify() {
  if (failed(verifySameShapes(*this, {getCondition(), getLhs(), getRhs(), getOutput()})))
    return failure();
  return verifySameElements(*this, {getLhs(), getRhs(), getOutput()});
}
