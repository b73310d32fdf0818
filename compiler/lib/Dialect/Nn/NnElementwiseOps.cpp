//===- NnElementwiseOps.cpp - Verifiers of element-wise operations -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

template <typename BinaryOp> LogicalResult verifyArithmetic(BinaryOp op) {
  if (failed(verifyBroadcast(op, op.getLhs(), op.getRhs(), op.getOutput())))
    return failure();
  return verifySameStorage(op, {op.getLhs(), op.getRhs(), op.getOutput()});
}

template <typename BinaryOp> LogicalResult verifySelecting(BinaryOp op) {
  if (failed(verifyBroadcast(op, op.getLhs(), op.getRhs(), op.getOutput())))
    return failure();
  return verifySameElements(op, {op.getLhs(), op.getRhs(), op.getOutput()});
}

LogicalResult verifyNotQuantized(Operation *op, Value value) {
  return isQuantized(value) ? op->emitOpError("does not take quantised numbers") : success();
}

} // namespace

LogicalResult AddOp::verify() { return verifyArithmetic(*this); }
LogicalResult SubOp::verify() { return verifyArithmetic(*this); }
LogicalResult MulOp::verify() { return verifyArithmetic(*this); }
LogicalResult DivOp::verify() {
  return failed(verifyNotQuantized(*this, getLhs())) ? failure() : verifyArithmetic(*this);
}
LogicalResult PowOp::verify() {
  return failed(verifyNotQuantized(*this, getLhs())) ? failure() : verifyArithmetic(*this);
}
LogicalResult PreluOp::verify() { return verifyArithmetic(*this); }
LogicalResult MinimumOp::verify() { return verifySelecting(*this); }
LogicalResult MaximumOp::verify() { return verifySelecting(*this); }
LogicalResult ReluOp::verify() {
  if (getKind() == Activation::None)
    return emitOpError("kind must not be none");
  return verifySameShape(*this, getInput(), getOutput());
}

/// Whether a function supports the element type.
static bool takes(UnaryKind kind, Type element) {
  bool isReal = isa<FloatType>(element);
  switch (kind) {
  case UnaryKind::Abs:
  case UnaryKind::Neg:
    return isReal || element.isInteger(32);
  case UnaryKind::Rsqrt:
  case UnaryKind::HardSwish:
    return isReal || isa<quant::QuantizedType>(element);
  case UnaryKind::LogicalNot:
    return element.isInteger(1);
  default:
    return isReal;
  }
}

LogicalResult UnaryOp::verify() {
  if (!takes(getKind(), elementType(getInput())))
    return emitOpError() << "there is no " << stringifyUnaryKind(getKind()) << " of " << elementType(getInput());
  return verifySameShape(*this, getInput(), getOutput());
}

LogicalResult LogisticOp::verify() {
  if (failed(verifySameShape(*this, getInput(), getOutput())))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 256, -128);
}

LogicalResult TanhOp::verify() {
  if (failed(verifySameShape(*this, getInput(), getOutput())))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 128, 0);
}
