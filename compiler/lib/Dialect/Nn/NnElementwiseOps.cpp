//===- NnElementwiseOps.cpp - Verifiers of element-wise operations -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include "mlir/Dialect/Traits.h"

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

LogicalResult verifyBroadcast(Operation *op, Value lhs, Value rhs, Value output) {
  SmallVector<int64_t> shape;
  if (!OpTrait::util::getBroadcastedShape(tensorType(lhs).getShape(), tensorType(rhs).getShape(), shape))
    return op->emitOpError() << "shapes " << tensorType(lhs) << " and " << tensorType(rhs) << " do not broadcast";
  if (tensorType(output).getShape() != ArrayRef(shape))
    return op->emitOpError() << "shape of the result must be that of the broadcast inputs";
  return success();
}

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

LogicalResult verifySameShape(Operation *op, Value input, Value output) {
  if (tensorType(input).getShape() != tensorType(output).getShape())
    return op->emitOpError() << "result must have the shape of the input";
  return verifySameStorage(op, {input, output});
}

/// Results of bounded functions have a scale and zero point that the functions fix.
LogicalResult verifyBoundedResult(Operation *op, Value output, double scale, int64_t signedZero) {
  auto type = dyn_cast<quant::UniformQuantizedType>(elementType(output));
  if (!type)
    return success();
  int64_t zeroPoint = type.isSigned() ? signedZero : signedZero + 128;
  if (type.getScale() != scale || type.getZeroPoint() != zeroPoint)
    return op->emitOpError() << "result must have scale " << scale << " and zero point " << zeroPoint << ", has "
                             << type;
  return success();
}

} // namespace

LogicalResult AddOp::verify() { return verifyArithmetic(*this); }
LogicalResult SubOp::verify() { return verifyArithmetic(*this); }
LogicalResult MulOp::verify() { return verifyArithmetic(*this); }
LogicalResult MinimumOp::verify() { return verifySelecting(*this); }
LogicalResult MaximumOp::verify() { return verifySelecting(*this); }
LogicalResult ReluOp::verify() {
  if (getKind() == Activation::None)
    return emitOpError("kind must not be none");
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

LogicalResult SoftmaxOp::verify() {
  if (tensorType(getInput()).getRank() == 0)
    return emitOpError("needs an axis to normalise along");
  if (failed(verifySameShape(*this, getInput(), getOutput())))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 256, -128);
}
