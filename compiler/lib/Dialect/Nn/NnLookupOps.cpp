//===- NnLookupOps.cpp - Lookups, scatters and random draws -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

LogicalResult LshProjectionOp::verify() {
  return getWeights() ? verifySameElements(*this, {getSeeds(), getWeights()}) : success();
}

LogicalResult ResizeOp::verify() {
  if (getAlignCorners() && getHalfPixelCenters())
    return emitOpError("align_corners and half_pixel_centers exclude each other");
  return success();
}

LogicalResult ScatterNdOp::verify() {
  const Type element = elementOf(getTable());
  if (getKind() != ScatterKind::Set && (isQuantized(getTable()) || element.isInteger(1) || element.isBF16()))
    return emitOpError() << "there is no " << stringifyScatterKind(getKind()) << " of " << element;
  return verifySameElements(*this, {getTable(), getUpdates()});
}
