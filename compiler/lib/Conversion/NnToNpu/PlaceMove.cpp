//===- PlaceMove.cpp - Operations that move elements ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rearrange.h"
#include "Views.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

int64_t product(ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= extent;
  return result;
}

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

/// The box of the storage tensor; nullopt if the slice is none.
std::optional<StorageShape> boxOf(nn::SliceOp op) {
  const ArrayRef<int64_t> from = tensorOf(op.getInput()).getShape(), to = tensorOf(op.getOutput()).getShape();
  StorageShape position{};
  bool isOutermost = true; // the axes before have extent 1
  for (size_t axis = 0; axis < from.size(); ++axis) {
    const size_t fromEnd = from.size() - axis;
    if (op.getStrides()[axis] != 1 && to[axis] != 1)
      return std::nullopt;
    if (fromEnd <= 2) {
      position[fromEnd == 1 ? 2 : 1] = op.getBegin()[axis];
      continue;
    }
    if (from[axis] != to[axis] && !isOutermost)
      return std::nullopt;
    const int64_t rows = product(from.slice(axis + 1, from.size() - axis - 3));
    position[0] += op.getBegin()[axis] * rows;
    isOutermost &= to[axis] == 1;
  }
  return position;
}

LogicalResult placeSlice(nn::SliceOp op, Placement &placement) {
  if (const std::optional<StorageShape> position = boxOf(op)) {
    const StorageShape box = storageShape(tensorOf(op.getOutput()).getShape());
    if (Value part = placePart(op, placement.operand(op.getInput()), *position, box, placement))
      return placement.finish(op, part);
  }
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
