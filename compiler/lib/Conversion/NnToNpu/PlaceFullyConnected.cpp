//===- PlaceFullyConnected.cpp - FULLY_CONNECTED on the array ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedWeights.h"
#include "MacLayer.h"
#include "Rearrange.h"
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

/// Row `row` of the input, as the only one.
FailureOr<Value> rowOf(const MacLayer &layer, int64_t row, int64_t depth, Placement &placement) {
  kernels::RearrangeParameters parameters;
  parameters.moves.push_back({0, static_cast<uint32_t>(row * depth), 0, {{static_cast<uint32_t>(depth), 1, 1}}});
  return placeRearrange(layer.op, placement.operand(layer.input), {1, 1, depth}, parameters, placement);
}

/// Puts up to kMost rows of equal length below each other, as few commands as possible.
FailureOr<Value> joinRows(Operation *op, SmallVector<Value> parts, Placement &placement) {
  constexpr size_t kMost = 24; // a command has limited words
  while (parts.size() > 1) {
    SmallVector<Value> joined;
    for (ArrayRef<Value> rest = parts; !rest.empty(); rest = rest.drop_front(std::min(kMost, rest.size()))) {
      kernels::RearrangeParameters parameters;
      int64_t elements = 0;
      ArrayRef<Value> group = rest.take_front(kMost);
      for (auto [number, part] : llvm::enumerate(group)) {
        int64_t own = tensorOf(part).getNumElements();
        parameters.moves.push_back(
            {static_cast<uint32_t>(number), 0, static_cast<uint32_t>(elements), {{static_cast<uint32_t>(own), 1, 1}}});
        elements += own;
      }
      FailureOr<Value> whole = placeRearrange(op, group, {1, 1, elements}, parameters, placement);
      if (failed(whole))
        return failure();
      joined.push_back(*whole);
    }
    parts = joined;
  }
  return parts.front();
}

/// Each row has its own scale, so each is a layer of its own.
LogicalResult placeHybridRows(MacLayer layer, int64_t rows, int64_t depth, Placement &placement) {
  SmallVector<Value> inputs;
  for (int64_t row = 0; row < rows; ++row) {
    FailureOr<Value> input = rowOf(layer, row, depth, placement);
    if (failed(input))
      return failure();
    inputs.push_back(*input);
  }
  layer.inputStorage = inputs.front();
  FailureOr<SmallVector<Value>> results = createMacLayers(layer, inputs, placement);
  if (failed(results))
    return failure();
  FailureOr<Value> joined = joinRows(layer.op, std::move(*results), placement);
  return failed(joined) ? failure() : placement.finish(layer.op, *joined);
}

LogicalResult placeFullyConnected(nn::FullyConnectedOp op, Placement &placement) {
  auto filter = tensorOf(op.getFilter());
  int64_t outputs = filter.getDimSize(0), depth = filter.getDimSize(1);
  int64_t rows = tensorOf(op.getInput()).getNumElements() / depth;
  if (op.getBias() && !op.getBias().getDefiningOp<nn::ConstantOp>())
    return placeOnDsp(op, rows, outputs, depth, placement);
  bool quantizedFilter = isa<quant::QuantizedType>(filter.getElementType());
  bool hybrid = quantizedFilter && tensorOf(op.getInput()).getElementType().isF32();
  // A row takes four commands; more rows would make the program too long.
  constexpr int64_t kMostHybridRows = 512;
  if (hybrid && rows > kMostHybridRows)
    return placement.refuse(op, "input", "rows with a run-time scale", Twine(rows), Twine(kMostHybridRows));
  auto [height, width] = rowsAsImage(hybrid ? 1 : rows, placement);
  Value input = placement.operand(op.getInput());
  if (!hybrid || rows == 1)
    input = placement.view(op.getLoc(), input, {height, width, depth});
  MacLayer layer{op, op.getInput(), input, op.getFilter(), op.getBias(), op.getActivation()};
  layer.dims = {static_cast<uint32_t>(outputs), 1, 1, static_cast<uint32_t>(depth)};
  layer.outputShape = {height, width, outputs};
  layer.floatMultipliers = !isa<quant::UniformQuantizedPerAxisType>(filter.getElementType());
  if (hybrid && rows > 1)
    return placeHybridRows(layer, rows, depth, placement);
  if (!hybrid && !arrayTakesLayer(layer, placement))
    return placeOnDsp(op, rows, outputs, depth, placement);
  if (!op.getFilter().getDefiningOp<nn::ConstantOp>()) {
    FailureOr<Value> weights =
        reorderWeights(op, {placement.operand(op.getFilter()), {}, {outputs, depth}, {depth, 1}}, placement);
    if (failed(weights))
      return failure();
    layer.computedWeights = *weights;
  }
  return placeMacLayer(layer, placement);
}

} // namespace

void addFullyConnectedPlacers(PlacerTable &table) { table.add(placeFullyConnected); }

} // namespace avocet::compiler
