//===- PlaceMove.cpp - Operations that move elements ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rearrange.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Places an operation with one input whose result is one move.
LogicalResult placeMove(Operation *op, kernels::Move move, Placement &placement) {
  StorageShape shape = storageShape(tensorOf(op->getResult(0)).getShape());
  FailureOr<Value> moved =
      placeRearrange(op, placement.operand(op->getOperand(0)), shape, {false, 0, {std::move(move)}}, placement);
  return failed(moved) ? failure() : placement.finish(op, *moved);
}

kernels::MoveAxis axisOf(int64_t extent, int64_t inputStride, int64_t outputStride) {
  return {static_cast<uint32_t>(extent), static_cast<int32_t>(inputStride), static_cast<int32_t>(outputStride)};
}

LogicalResult placeTranspose(nn::TransposeOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getOutput()).getShape();
  SmallVector<int64_t> from = denseStrides(tensorOf(op.getInput()).getShape()), to = denseStrides(shape);
  kernels::Move move;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    move.axes.push_back(axisOf(shape[axis], from[op.getPermutation()[axis]], to[axis]));
  return placeMove(op, std::move(move), placement);
}

LogicalResult placeSlice(nn::SliceOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getOutput()).getShape();
  SmallVector<int64_t> from = denseStrides(tensorOf(op.getInput()).getShape()), to = denseStrides(shape);
  kernels::Move move;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    move.inputOffset += static_cast<uint32_t>(op.getBegin()[axis] * from[axis]);
    move.axes.push_back(axisOf(shape[axis], op.getStrides()[axis] * from[axis], to[axis]));
  }
  return placeMove(op, std::move(move), placement);
}

/// Every axis becomes two: one from copy to copy, which reads the same elements again, and one inside a copy.
LogicalResult placeTile(nn::TileOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getInput()).getShape();
  SmallVector<int64_t> from = denseStrides(shape), to = denseStrides(tensorOf(op.getOutput()).getShape());
  kernels::Move move;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    move.axes.push_back(axisOf(op.getMultiples()[axis], 0, shape[axis] * to[axis]));
    move.axes.push_back(axisOf(shape[axis], from[axis], to[axis]));
  }
  return placeMove(op, std::move(move), placement);
}

} // namespace

void addMovePlacers(PlacerTable &table) {
  table.add(placeTranspose);
  table.add(placeSlice);
  table.add(placeTile);
}

} // namespace avocet::compiler
