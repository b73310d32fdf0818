//===- NnRecurrentOps.cpp - Verifier of the LSTM ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

constexpr size_t kGates = 4;

LogicalResult verifyGroup(Operation *op, StringRef name, ValueRange values, ArrayRef<int64_t> shape) {
  if (values.size() != kGates)
    return op->emitOpError() << name << " has " << values.size() << " tensors, needs one for each of " << kGates
                             << " gates";
  for (Value value : values)
    if (tensorType(value).getShape() != shape)
      return op->emitOpError() << name << " has " << tensorType(value) << ", shape must be [" << shape << "]";
  return success();
}

LogicalResult verifyWeights(Operation *op, ValueRange values, bool quantized) {
  for (Value value : values) {
    auto type = dyn_cast<quant::UniformQuantizedType>(elementType(value));
    if (quantized && (!type || !type.isSigned() || type.getZeroPoint() != 0))
      return op->emitOpError("weights must be int8 with one scale and zero point 0");
    if (!quantized && !elementType(value).isF32())
      return op->emitOpError("weights of an f32 LSTM must be f32");
  }
  return success();
}

LogicalResult verifyStateTypes(LstmOp op, bool quantized) {
  if (!quantized)
    return op.getCellType() || op.getHiddenType() ? op.emitOpError("an f32 LSTM has no cell or hidden type")
                                                  : success();
  auto cell = dyn_cast_or_null<quant::UniformQuantizedType>(op.getCellType().value_or(Type()));
  auto hidden = dyn_cast_or_null<quant::UniformQuantizedType>(op.getHiddenType().value_or(Type()));
  if (!cell || cell.getStorageTypeIntegralWidth() != 16 || !cell.isSigned() || cell.getZeroPoint() != 0)
    return op.emitOpError("a quantised LSTM needs a 16-bit signed cell type with zero point 0");
  if (!hidden || hidden.getStorageTypeIntegralWidth() != 8 || !hidden.isSigned())
    return op.emitOpError("a quantised LSTM needs an 8-bit signed hidden type");
  return success();
}

} // namespace

LogicalResult LstmOp::verify() {
  if (failed(verifyRank(*this, "input", getInput(), 3)) || failed(verifyRank(*this, "result", getOutput(), 3)))
    return failure();
  auto input = tensorType(getInput()), output = tensorType(getOutput());
  if (input.getShape().drop_back() != output.getShape().drop_back())
    return emitOpError("batch and time of input and result must be equal");
  int64_t features = input.getShape().back(), cells = output.getShape().back();
  if (failed(verifyGroup(*this, "input weights", getInputWeights(), {cells, features})) ||
      failed(verifyGroup(*this, "recurrent weights", getRecurrentWeights(), {cells, cells})) ||
      failed(verifyGroup(*this, "biases", getBiases(), {cells})) ||
      failed(verifySameStorage(*this, {getInput(), getOutput()})))
    return failure();
  bool quantized = isQuantized(getInput());
  if (quantized && !cast<quant::QuantizedType>(elementType(getInput())).isSigned())
    return emitOpError("a quantised LSTM must be signed");
  for (Value bias : getBiases())
    if (elementType(bias).isF32() == quantized)
      return emitOpError() << "biases must be " << (quantized ? "i32" : "f32");
  if (failed(verifyWeights(*this, getInputWeights(), quantized)) ||
      failed(verifyWeights(*this, getRecurrentWeights(), quantized)))
    return failure();
  return verifyStateTypes(*this, quantized);
}
