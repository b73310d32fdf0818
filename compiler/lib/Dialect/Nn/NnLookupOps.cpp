//===- NnLookupOps.cpp - Lookups, scatters and random draws -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

LogicalResult GatherOp::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput()), indices = shapeOf(getIndices());
  if (getAxis() >= input.size())
    return emitOpError() << "axis " << static_cast<int64_t>(getAxis()) << " is outside of rank " << input.size();
  SmallVector<int64_t> shape(input.take_front(getAxis()));
  llvm::append_range(shape, indices);
  llvm::append_range(shape, input.drop_front(getAxis() + 1));
  if (failed(verifyShape(*this, "the result", getOutput(), shape)))
    return failure();
  return verifySameElements(*this, {getInput(), getOutput()});
}

LogicalResult TopkV2Op::verify() {
  ArrayRef<int64_t> input = shapeOf(getInput()), values = shapeOf(getValues());
  if (input.empty())
    return emitOpError("input must have an axis");
  SmallVector<int64_t> shape(input);
  shape.back() = values.empty() ? 0 : values.back();
  if (shape.back() > input.back())
    return emitOpError() << "takes " << shape.back() << " of " << input.back() << " elements";
  if (failed(verifyShape(*this, "values", getValues(), shape)) ||
      failed(verifyShape(*this, "indices", getIndices(), shape)))
    return failure();
  return verifySameElements(*this, {getInput(), getValues()});
}

LogicalResult HashtableLookupOp::verify() {
  ArrayRef<int64_t> values = shapeOf(getValues());
  if (values.empty())
    return emitOpError("values must have rows");
  if (failed(verifyRank(*this, "lookups", getLookups(), 1)))
    return failure();
  SmallVector<int64_t> shape(values);
  shape[0] = tensorOf(getLookups()).getDimSize(0);
  if (failed(verifyShape(*this, "keys", getKeys(), values.take_front())) ||
      failed(verifyShape(*this, "the result", getOutput(), shape)) ||
      failed(verifyShape(*this, "hits", getHits(), shapeOf(getLookups()))))
    return failure();
  return verifySameElements(*this, {getValues(), getOutput()});
}

LogicalResult LshProjectionOp::verify() {
  if (failed(verifyRank(*this, "seeds", getSeeds(), 2)))
    return failure();
  ArrayRef<int64_t> seeds = shapeOf(getSeeds()), input = shapeOf(getInput());
  if (input.empty())
    return emitOpError("input must have rows");
  if (seeds[1] > 32)
    return emitOpError() << "a hash has " << seeds[1] << " bits, must have at most 32";
  int64_t results = getKind() == LshKind::Dense ? seeds[0] * seeds[1] : seeds[0];
  if (failed(verifyShape(*this, "the result", getOutput(), {results})))
    return failure();
  if (!getWeights())
    return success();
  if (failed(verifyShape(*this, "weights", getWeights(), input.take_front())))
    return failure();
  return verifySameElements(*this, {getSeeds(), getWeights()});
}

LogicalResult ResizeOp::verify() {
  if (failed(verifyRank(*this, "input", getInput(), 4)) || failed(verifyRank(*this, "result", getOutput(), 4)))
    return failure();
  if (getAlignCorners() && getHalfPixelCenters())
    return emitOpError("align_corners and half_pixel_centers exclude each other");
  auto input = tensorOf(getInput()), output = tensorOf(getOutput());
  for (int axis : {0, 3})
    if (input.getDimSize(axis) != output.getDimSize(axis))
      return emitOpError() << "extent " << axis << " of the result is " << output.getDimSize(axis) << ", must be "
                           << input.getDimSize(axis);
  return verifySameElements(*this, {getInput(), getOutput()});
}

/// Checks that the last axis of the indices has coordinates on the first axes of the table, and that `slices` have the
/// shape that follows.
static LogicalResult verifySlices(Operation *op, Value table, Value indices, StringRef name, Value slices) {
  ArrayRef<int64_t> shape = shapeOf(table), coordinates = shapeOf(indices);
  if (coordinates.empty() || coordinates.back() > static_cast<int64_t>(shape.size()))
    return op->emitOpError() << "indices have " << tensorOf(indices) << ", the last axis must have 1 to "
                             << shape.size() << " coordinates";
  SmallVector<int64_t> expected(coordinates.drop_back());
  llvm::append_range(expected, shape.drop_front(coordinates.back()));
  if (failed(verifyShape(op, name, slices, expected)))
    return failure();
  return verifySameElements(op, {table, slices});
}

LogicalResult GatherNdOp::verify() { return verifySlices(*this, getInput(), getIndices(), "the result", getOutput()); }

LogicalResult ScatterNdOp::verify() {
  if (getKind() != ScatterKind::Set && (isQuantized(getTable()) || elementOf(getTable()).isInteger(1)))
    return emitOpError() << "there is no " << stringifyScatterKind(getKind()) << " of " << elementOf(getTable());
  if (failed(verifySlices(*this, getTable(), getIndices(), "updates", getUpdates())) ||
      failed(verifyShape(*this, "the result", getOutput(), shapeOf(getTable()))))
    return failure();
  return verifySameElements(*this, {getTable(), getOutput()});
}

LogicalResult RandomMultinomialOp::verify() {
  if (failed(verifyRank(*this, "logits", getLogits(), 2)) || failed(verifyShape(*this, "seeds", getSeeds(), {2})) ||
      failed(verifyRank(*this, "result", getOutput(), 2)))
    return failure();
  if (tensorOf(getOutput()).getDimSize(0) != tensorOf(getLogits()).getDimSize(0))
    return emitOpError("logits and result must have the same batch");
  return success();
}
