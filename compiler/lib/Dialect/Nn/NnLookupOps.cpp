//===- NnLookupOps.cpp - Verifiers of look-ups, hashes, resampling -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

LogicalResult GatherOp::verify() {
  ArrayRef<int64_t> input = tensorType(getInput()).getShape(), indices = tensorType(getIndices()).getShape();
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
  ArrayRef<int64_t> input = tensorType(getInput()).getShape(), values = tensorType(getValues()).getShape();
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
  ArrayRef<int64_t> values = tensorType(getValues()).getShape();
  if (values.empty())
    return emitOpError("values must have rows");
  if (failed(verifyRank(*this, "lookups", getLookups(), 1)))
    return failure();
  SmallVector<int64_t> shape(values);
  shape[0] = tensorType(getLookups()).getDimSize(0);
  if (failed(verifyShape(*this, "keys", getKeys(), values.take_front())) ||
      failed(verifyShape(*this, "the result", getOutput(), shape)) ||
      failed(verifyShape(*this, "hits", getHits(), tensorType(getLookups()).getShape())))
    return failure();
  return verifySameElements(*this, {getValues(), getOutput()});
}

LogicalResult LshProjectionOp::verify() {
  if (failed(verifyRank(*this, "seeds", getSeeds(), 2)))
    return failure();
  ArrayRef<int64_t> seeds = tensorType(getSeeds()).getShape(), input = tensorType(getInput()).getShape();
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
  auto input = tensorType(getInput()), output = tensorType(getOutput());
  for (int axis : {0, 3})
    if (input.getDimSize(axis) != output.getDimSize(axis))
      return emitOpError() << "extent " << axis << " of the result is " << output.getDimSize(axis) << ", must be "
                           << input.getDimSize(axis);
  return verifySameElements(*this, {getInput(), getOutput()});
}
