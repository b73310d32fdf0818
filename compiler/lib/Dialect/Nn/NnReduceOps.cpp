//===- NnReduceOps.cpp - Reductions and normalizations ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include "avocet/compiler/Dialect/Nn/NnStored.h"

#include <cmath>

using namespace mlir;
using namespace avocet::compiler::nn;

static bool isSignedQuantized(Type element) {
  auto type = dyn_cast<quant::UniformQuantizedType>(element);
  return type && type.isSigned();
}

/// Whether the result may have another quantization than the input.
static bool mayRescale(ReduceKind kind, Type element) {
  auto type = dyn_cast<quant::UniformQuantizedType>(element);
  if (kind == ReduceKind::Sum)
    return !type || type.getStorageTypeIntegralWidth() == 8;
  return kind == ReduceKind::Prod;
}

/// Whether a reduction supports the element type.
static bool takes(ReduceKind kind, Type element) {
  switch (kind) {
  case ReduceKind::Sum:
    return isa<FloatType, quant::UniformQuantizedType>(element) || element.isInteger(32) || element.isInteger(64);
  case ReduceKind::Prod:
    return isa<FloatType>(element) || element.isInteger(32) || element.isInteger(64) || isSignedQuantized(element);
  case ReduceKind::Max:
  case ReduceKind::Min:
    return !element.isInteger(1);
  case ReduceKind::All:
  case ReduceKind::Any:
    return element.isInteger(1);
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult ReduceOp::verify() {
  if (!takes(getKind(), elementOf(getInput())))
    return emitOpError() << "there is no " << stringifyReduceKind(getKind()) << " of " << elementOf(getInput());
  if (mayRescale(getKind(), elementOf(getInput())))
    return verifySameStorage(*this, {getInput(), getOutput()});
  return verifySameElements(*this, {getInput(), getOutput()});
}

LogicalResult MeanOp::verify() {
  const NumericsAttr numerics = getNumerics();
  if (numerics.getKind() == Numerics::Tflite)
    return verifySameStorage(*this, {getInput(), getOutput()});
  auto type = dyn_cast<quant::UniformQuantizedType>(elementOf(getInput()));
  const bool isTaken = numerics.getKind() == Numerics::DoubleRound || numerics.getKind() == Numerics::EvenRound;
  if (!isTaken || !type || type.getStorageTypeIntegralWidth() != 8)
    return emitOpError() << "has numerics " << stringifyNumerics(numerics.getKind())
                         << "; means of 8-bit numbers may have double_round or even_round, others have none";
  return failed(verifyExplicitNumerics(*this, numerics, 1)) ? failure()
                                                            : verifySameStorage(*this, {getInput(), getOutput()});
}

/// Whether a signed 8-bit input gives a 16-bit result.
static bool widens(SoftmaxOp op) {
  auto from = dyn_cast<quant::UniformQuantizedType>(elementOf(op.getInput()));
  auto to = dyn_cast<quant::UniformQuantizedType>(elementOf(op.getOutput()));
  return from && to && from.isSigned() && from.getStorageTypeIntegralWidth() == 8 &&
         to.getStorageTypeIntegralWidth() == 16;
}

static LogicalResult verifyWidening(SoftmaxOp op) {
  auto type = cast<quant::UniformQuantizedType>(elementOf(op.getOutput()));
  if (op.positiveAxis() != tensorOf(op.getInput()).getRank() - 1)
    return op.emitOpError("16-bit results of 8-bit numbers need the last axis");
  if (std::abs(type.getScale() * 65536 - 1) > 0.001 || type.getZeroPoint() != -32768)
    return op.emitOpError() << "16-bit result of 8-bit numbers must have scale 1/65536 and zero point -32768, has "
                            << type;
  return success();
}

static LogicalResult verifyNearest(SoftmaxOp op) {
  auto type = dyn_cast<quant::UniformQuantizedType>(elementOf(op.getOutput()));
  if (!type || type.getStorageTypeIntegralWidth() != 8 || type.getScale() < 0x1p-16)
    return op.emitOpError() << kNearestAttr << " needs 8-bit numbers, with a scale of at least 2^-16, has "
                            << elementOf(op.getOutput());
  return success();
}

LogicalResult SoftmaxOp::verify() {
  if (widens(*this))
    return verifyWidening(*this);
  if (failed(verifySameStorage(*this, {getInput(), getOutput()})))
    return failure();
  return (*this)->hasAttr(kNearestAttr) ? verifyNearest(*this)
                                        : verifyBoundedResult(*this, getOutput(), 1.0 / 256, -128, ScaleRule::Near);
}

LogicalResult LogSoftmaxOp::verify() {
  if (failed(verifySameStorage(*this, {getInput(), getOutput()})))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 16, 127);
}

LogicalResult L2NormalizeOp::verify() {
  if (failed(verifySameStorage(*this, {getInput(), getOutput()})))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 128, 0);
}

LogicalResult LocalResponseNormalizeOp::verify() {
  if (static_cast<int32_t>(getRadius()) < 0)
    return emitOpError() << "has the radius " << static_cast<int32_t>(getRadius()) << ", must be 0 or more";
  return verifySameStorage(*this, {getInput(), getOutput()});
}

LogicalResult CumulativeSumOp::verify() { return verifySameStorage(*this, {getInput(), getOutput()}); }

LogicalResult RmsNormalizeOp::verify() {
  if (!getEpsilon().isFinite() || getEpsilon().isNegative())
    return emitOpError("epsilon must be finite and not negative");
  return verifySameStorage(*this, {getInput(), getOutput()});
}
LogicalResult InstanceNormalizeOp::verify() { return verifySameStorage(*this, {getInput(), getOutput()}); }
