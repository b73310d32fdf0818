//===- NnPoolOps.cpp - Verifiers of pools and reductions --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

template <typename PoolOp> LogicalResult verifyPool(PoolOp op) {
  if (failed(verifyRank(op, "input", op.getInput(), 4)) || failed(verifyRank(op, "result", op.getOutput(), 4)) ||
      failed(verifyArray(op, "kernel", op.getKernel(), 2, 1)) ||
      failed(verifyArray(op, "stride", op.getStride(), 2, 1)) || failed(verifyArray(op, "pad", op.getPad(), 4, 0)) ||
      failed(verifySameElements(op, {op.getInput(), op.getOutput()})))
    return failure();
  auto input = tensorType(op.getInput()), output = tensorType(op.getOutput());
  for (int axis : {0, 3})
    if (input.getDimSize(axis) != output.getDimSize(axis))
      return op.emitOpError() << (axis == 0 ? "batch" : "channels")
                              << " of input and result differ: " << input.getDimSize(axis) << " and "
                              << output.getDimSize(axis);
  for (int axis : {0, 1}) {
    int64_t before = op.getPad()[2 * axis], after = op.getPad()[2 * axis + 1], kernel = op.getKernel()[axis];
    StringRef name = axis == 0 ? "height" : "width";
    // A window that covers only padding has no mean and no maximum.
    if (before >= kernel || after >= kernel)
      return op.emitOpError() << "padding of the " << name << " reaches the window's " << kernel;
    Axis window{name, input.getDimSize(1 + axis), kernel, op.getStride()[axis], 1, before, after};
    if (failed(verifyAxis(op, window, output.getDimSize(1 + axis))))
      return failure();
  }
  return success();
}

} // namespace

LogicalResult AveragePool2dOp::verify() { return verifyPool(*this); }
LogicalResult MaxPool2dOp::verify() { return verifyPool(*this); }

LogicalResult L2Pool2dOp::verify() {
  if (isQuantized(getInput()))
    return emitOpError("input must be of floats");
  return verifyPool(*this);
}

LogicalResult MeanOp::verify() {
  if (failed(verifyReduction(*this, getInput(), getAxes(), getOutput())))
    return failure();
  return verifySameStorage(*this, {getInput(), getOutput()});
}
