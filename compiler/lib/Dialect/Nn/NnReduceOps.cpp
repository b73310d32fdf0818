//===- NnReduceOps.cpp - Verifiers of reductions ---- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

static bool isSignedQuantized(Type element) {
  auto type = dyn_cast<quant::UniformQuantizedType>(element);
  return type && type.isSigned();
}

/// Whether the result may have another quantisation than the input.
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
  if (!takes(getKind(), elementType(getInput())))
    return emitOpError() << "there is no " << stringifyReduceKind(getKind()) << " of " << elementType(getInput());
  if (failed(verifyReduction(*this, getInput(), getAxes(), getOutput())))
    return failure();
  if (mayRescale(getKind(), elementType(getInput())))
    return verifySameStorage(*this, {getInput(), getOutput()});
  return verifySameElements(*this, {getInput(), getOutput()});
}

LogicalResult ArgReduceOp::verify() {
  auto input = tensorType(getInput()), output = tensorType(getOutput());
  if (getAxis() >= static_cast<uint64_t>(input.getRank()))
    return emitOpError() << "axis " << static_cast<int64_t>(getAxis()) << " is outside of rank " << input.getRank();
  SmallVector<int64_t> dropped(input.getShape());
  dropped.erase(dropped.begin() + getAxis());
  bool isOne = dropped.empty() && output.getRank() == 1 && output.getDimSize(0) == 1;
  if (isOne || output.getShape() == ArrayRef(dropped))
    return success();
  return emitOpError() << "shape of the result does not follow from " << input << " without axis " << getAxis();
}
