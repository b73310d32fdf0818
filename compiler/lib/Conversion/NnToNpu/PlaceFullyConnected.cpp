//===- PlaceFullyConnected.cpp - FULLY_CONNECTED on the array ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MacLayer.h"
#include "WindowLayer.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// Rows of a matrix as pixels of an image: as many side by side as one array step covers, if they divide evenly.
std::pair<int64_t, int64_t> imageOf(int64_t rows, int64_t stepWidth) {
  int64_t width = std::min(rows, stepWidth);
  while (rows % width != 0)
    --width;
  return {rows / width, width};
}

/// A 1 x 1 window over rows, which are pixels in one column.
LogicalResult placeOnDsp(nn::FullyConnectedOp op, int64_t rows, int64_t outputs, int64_t depth, Placement &placement) {
  WindowLayer layer{op, op.getInput(), op.getFilter(), op.getBias()};
  layer.inputShape = {rows, 1, depth};
  layer.filterShape = {outputs, 1, depth};
  layer.outputShape = {rows, 1, outputs};
  layer.activation = op.getActivation();
  layer.floatScales = !isa<quant::UniformQuantizedPerAxisType>(tensorOf(op.getFilter()).getElementType());
  return placeWindowLayer(layer, placement);
}

LogicalResult placeFullyConnected(nn::FullyConnectedOp op, Placement &placement) {
  auto filter = tensorOf(op.getFilter());
  int64_t outputs = filter.getDimSize(0), depth = filter.getDimSize(1);
  int64_t rows = tensorOf(op.getInput()).getNumElements() / depth;
  if (!arrayTakesWeights(op.getFilter(), op.getBias()))
    return placeOnDsp(op, rows, outputs, depth, placement);
  bool quantizedFilter = isa<quant::QuantizedType>(filter.getElementType());
  bool hybrid = quantizedFilter && tensorOf(op.getInput()).getElementType().isF32();
  // Each row would need its own scale.
  if (hybrid && rows != 1)
    return placement.refuse(op, "input", "rows with a run-time scale", Twine(rows), "1");
  auto [height, width] = imageOf(rows, placement.target().mac().dense.width);
  Value input = placement.view(op.getLoc(), placement.operand(op.getInput()), {height, width, depth});
  MacLayer layer{op, op.getInput(), input, op.getFilter(), op.getBias(), op.getActivation()};
  layer.dims = {static_cast<uint32_t>(outputs), 1, 1, static_cast<uint32_t>(depth)};
  layer.outputShape = {height, width, outputs};
  layer.floatMultipliers = !isa<quant::UniformQuantizedPerAxisType>(filter.getElementType());
  if (!hybrid && !arrayTakesLayer(layer, placement))
    return placeOnDsp(op, rows, outputs, depth, placement);
  return placeMacLayer(layer, placement);
}

} // namespace

void addFullyConnectedPlacers(PlacerTable &table) { table.add(placeFullyConnected); }

} // namespace avocet::compiler
