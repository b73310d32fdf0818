//===- NnCellOps.cpp - Verifiers of recurrent steps -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

/// Fails unless the group has one of the counts, and every tensor in it the shape.
LogicalResult verifyGroup(Operation *op, StringRef name, ValueRange values, ArrayRef<size_t> counts,
                          ArrayRef<int64_t> shape) {
  if (!llvm::is_contained(counts, values.size()))
    return op->emitOpError() << name << " has " << values.size() << " tensors, must have " << counts.back();
  for (Value value : values)
    if (failed(verifyShape(op, name, value, shape)))
      return failure();
  return success();
}

/// Checks the ranks of the tensors from which the other shapes are derived, and that all have one element type.
LogicalResult verifyCell(Operation *op, ArrayRef<Value> matrices) {
  for (Value value : matrices)
    if (failed(verifyRank(op, "input, state or weights", value, 2)))
      return failure();
  if (failed(verifySameElements(op, op->getOperands())))
    return failure();
  for (Value result : op->getResults())
    if (failed(verifySameElements(op, {op->getOperand(0), result})))
      return failure();
  return success();
}

/// Checks the input's rank, and the output's shape that follows from it.
template <typename CellOp> LogicalResult verifySequence(CellOp op, int64_t outputs) {
  auto input = tensorType(op.getInput());
  if (input.getRank() != 3 && (input.getRank() != 2 || op.getBatchMajor()))
    return op.emitOpError() << "rank of input is " << input.getRank() << ", must be 3 for a sequence"
                            << (op.getBatchMajor() ? "" : " and 2 for a step");
  SmallVector<int64_t> shape(input.getShape());
  shape.back() = outputs;
  return verifyShape(op, "output", op.getOutput(), shape);
}

template <typename CellOp> int64_t batchOf(CellOp op) {
  auto input = tensorType(op.getInput());
  return input.getDimSize(input.getRank() == 2 || op.getBatchMajor() ? 0 : 1);
}

LogicalResult verifyProjection(LstmCellOp op, int64_t outputs, int64_t cells) {
  auto projection = op.getProjection();
  if (projection.empty() && outputs != cells)
    return op.emitOpError() << "has " << outputs << " outputs of " << cells << " cells, but no projection";
  if (projection.size() > 2)
    return op.emitOpError("has more than a projection and its bias");
  if (!projection.empty() && failed(verifyShape(op, "projection", projection[0], {outputs, cells})))
    return failure();
  return projection.size() < 2 ? success() : verifyShape(op, "projection bias", projection[1], {outputs});
}

LogicalResult verifyStates(LstmCellOp op, int64_t batch, int64_t gates, int64_t outputs, int64_t cells) {
  if (failed(verifyShape(op, "output state", op.getOutputState(), {batch, outputs})) ||
      failed(verifyShape(op, "cell state", op.getCellState(), {batch, cells})) ||
      failed(verifyShape(op, "gates", op.getGates(), {batch, gates * cells})) ||
      failed(verifyShape(op, "new output state", op.getOutputStateOut(), {batch, outputs})))
    return failure();
  return verifyShape(op, "new cell state", op.getCellStateOut(), {batch, cells});
}

} // namespace

LogicalResult LstmCellOp::verify() {
  if (failed(verifyCell(*this, {getOutputState(), getCellState()})))
    return failure();
  int64_t outputs = tensorType(getOutputState()).getDimSize(1), cells = tensorType(getCellState()).getDimSize(1);
  size_t gates = getInputWeights().size() == 3 ? 3 : 4;
  if (failed(verifySequence(*this, outputs)))
    return failure();
  int64_t features = tensorType(getInput()).getShape().back();
  if (failed(verifyStates(*this, batchOf(*this), gates, outputs, cells)) ||
      failed(verifyGroup(*this, "input weights", getInputWeights(), {gates}, {cells, features})) ||
      failed(verifyGroup(*this, "recurrent weights", getRecurrentWeights(), {gates}, {cells, outputs})) ||
      failed(verifyGroup(*this, "peepholes", getPeepholes(), {0, gates - 1}, {cells})) ||
      failed(verifyGroup(*this, "biases", getBiases(), {gates}, {cells})) ||
      failed(verifyGroup(*this, "layer norm", getLayerNorm(), {0, gates}, {cells})))
    return failure();
  return verifyProjection(*this, outputs, cells);
}

LogicalResult RnnCellOp::verify() {
  if (failed(verifyCell(*this, {getState()})))
    return failure();
  int64_t units = tensorType(getState()).getDimSize(1);
  if (failed(verifySequence(*this, units)))
    return failure();
  int64_t batch = batchOf(*this), features = tensorType(getInput()).getShape().back();
  if (failed(verifyShape(*this, "weights", getWeights(), {units, features})) ||
      failed(verifyShape(*this, "recurrent weights", getRecurrentWeights(), {units, units})) ||
      failed(verifyShape(*this, "bias", getBias(), {units})) ||
      failed(verifyShape(*this, "state", getState(), {batch, units})))
    return failure();
  return verifyShape(*this, "new state", getStateOut(), {batch, units});
}

LogicalResult SvdfOp::verify() {
  if (failed(verifyCell(*this, {getInput(), getFeatureWeights(), getTimeWeights()})))
    return failure();
  int64_t batch = tensorType(getInput()).getDimSize(0), features = tensorType(getInput()).getDimSize(1);
  int64_t filters = tensorType(getFeatureWeights()).getDimSize(0), memory = tensorType(getTimeWeights()).getDimSize(1);
  int64_t rank = getRank();
  if (rank < 1 || filters % rank != 0)
    return emitOpError() << "has the rank " << rank << ", must divide the " << filters << " filters";
  if (failed(verifyShape(*this, "feature weights", getFeatureWeights(), {filters, features})) ||
      failed(verifyShape(*this, "time weights", getTimeWeights(), {filters, memory})) ||
      (getBias() && failed(verifyShape(*this, "bias", getBias(), {filters / rank}))) ||
      failed(verifyShape(*this, "state", getState(), {batch, filters * memory})) ||
      failed(verifyShape(*this, "new state", getStateOut(), {batch, filters * memory})))
    return failure();
  return verifyShape(*this, "output", getOutput(), {batch, filters / rank});
}
