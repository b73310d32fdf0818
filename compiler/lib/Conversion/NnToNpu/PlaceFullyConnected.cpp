//===- PlaceFullyConnected.cpp - FULLY_CONNECTED on the array ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedWeights.h"
#include "HybridRows.h"
#include "MacLayer.h"
#include "OutputParts.h"
#include "WindowLayer.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

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
  if (op.getBias() && !op.getBias().getDefiningOp<nn::ConstantOp>())
    return placeOnDsp(op, rows, outputs, depth, placement);
  bool quantizedFilter = isa<quant::QuantizedType>(filter.getElementType());
  bool hybrid = quantizedFilter && tensorOf(op.getInput()).getElementType().isF32();
  auto [height, width] = rowsAsImage(hybrid ? 1 : rows, placement);
  Value input = placement.operand(op.getInput());
  if (!hybrid || rows == 1)
    input = placement.view(op.getLoc(), input, {height, width, depth});
  MacLayer layer{op, op.getInput(), input, op.getFilter(), op.getBias(), op.getActivation()};
  layer.dims = {static_cast<uint32_t>(outputs), 1, 1, static_cast<uint32_t>(depth)};
  layer.outputShape = {height, width, outputs};
  layer.floatMultipliers = !isa<quant::UniformQuantizedPerAxisType>(filter.getElementType());
  if (hybrid && rows > 1)
    return placeHybridRows(layer, input, rows, placement);
  if (!hybrid && !arrayTakesLayer(layer, placement))
    return placeOnDsp(op, rows, outputs, depth, placement);
  if (!op.getFilter().getDefiningOp<nn::ConstantOp>()) {
    FailureOr<Value> weights =
        reorderWeights(op, {placement.operand(op.getFilter()), {}, {outputs, depth}, {depth, 1}}, placement);
    if (failed(weights))
      return failure();
    layer.computedWeights = *weights;
  }
  const uint32_t parts = rows == 1 ? outputPartsOf(layer, placement) : 1;
  if (parts > 1)
    return placeInOutputParts(layer, parts, placement);
  return placeMacLayer(layer, placement);
}

} // namespace

void addFullyConnectedPlacers(PlacerTable &table) { table.add(placeFullyConnected); }

} // namespace avocet::compiler
