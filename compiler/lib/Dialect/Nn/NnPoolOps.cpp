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
    // A window that lies in padding alone has no mean and no maximum.
    if (before >= kernel || after >= kernel)
      return op.emitOpError() << "padding of the " << name << " reaches the window's " << kernel;
    Axis window{name, input.getDimSize(1 + axis), kernel, op.getStride()[axis], 1, before, after};
    if (failed(verifyAxis(op, window, output.getDimSize(1 + axis))))
      return failure();
  }
  return success();
}

/// The shape that a reduction leaves, with the reduced axes kept or dropped.
SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, bool keep) {
  SmallVector<int64_t> result;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      result.push_back(extent);
    else if (keep)
      result.push_back(1);
  }
  return result;
}

} // namespace

LogicalResult AveragePool2dOp::verify() { return verifyPool(*this); }
LogicalResult MaxPool2dOp::verify() { return verifyPool(*this); }

LogicalResult MeanOp::verify() {
  auto input = tensorType(getInput()), output = tensorType(getOutput());
  for (auto [index, axis] : llvm::enumerate(getAxes())) {
    if (axis < 0 || axis >= input.getRank())
      return emitOpError() << "axis " << axis << " is outside of rank " << input.getRank();
    if (index > 0 && axis <= getAxes()[index - 1])
      return emitOpError("axes must be sorted and unique");
  }
  if (getAxes().empty())
    return emitOpError("needs at least one axis");
  if (output.getShape() != ArrayRef(reducedShape(input.getShape(), getAxes(), true)) &&
      output.getShape() != ArrayRef(reducedShape(input.getShape(), getAxes(), false)))
    return emitOpError() << "shape of the result does not follow from " << input << " without axes " << getAxes();
  return verifySameStorage(*this, {getInput(), getOutput()});
}
