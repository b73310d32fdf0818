//===- NnScatterOps.cpp - Verifiers of slices at coordinates ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

/// Checks that the last axis of the indices has coordinates on the first axes of the table, and that `slices` have the
/// shape that follows.
static LogicalResult verifySlices(Operation *op, Value table, Value indices, StringRef name, Value slices) {
  ArrayRef<int64_t> shape = tensorType(table).getShape(), coordinates = tensorType(indices).getShape();
  if (coordinates.empty() || coordinates.back() > static_cast<int64_t>(shape.size()))
    return op->emitOpError() << "indices have " << tensorType(indices) << ", the last axis must have 1 to "
                             << shape.size() << " coordinates";
  SmallVector<int64_t> expected(coordinates.drop_back());
  llvm::append_range(expected, shape.drop_front(coordinates.back()));
  if (failed(verifyShape(op, name, slices, expected)))
    return failure();
  return verifySameElements(op, {table, slices});
}

LogicalResult GatherNdOp::verify() { return verifySlices(*this, getInput(), getIndices(), "the result", getOutput()); }

LogicalResult ScatterNdOp::verify() {
  if (getKind() != ScatterKind::Set && (isQuantized(getTable()) || elementType(getTable()).isInteger(1)))
    return emitOpError() << "there is no " << stringifyScatterKind(getKind()) << " of " << elementType(getTable());
  if (failed(verifySlices(*this, getTable(), getIndices(), "updates", getUpdates())) ||
      failed(verifyShape(*this, "the result", getOutput(), tensorType(getTable()).getShape())))
    return failure();
  return verifySameElements(*this, {getTable(), getOutput()});
}
