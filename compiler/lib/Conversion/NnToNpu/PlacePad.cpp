//===- PlacePad.cpp - Padding that no convolution took ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// Keeps the filter small; real networks pad by one or two.
constexpr int64_t kMostPadding = 64;

LogicalResult checkPad(nn::PadOp op, Placement &placement) {
  auto input = tensorOf(op.getInput());
  ArrayRef<int64_t> low = op.getLow(), high = op.getHigh();
  if (input.getRank() != 4)
    return placement.refuse(op, "input", "rank", Twine(input.getRank()), "4");
  for (int axis : {0, 3})
    if (low[axis] || high[axis])
      return placement.refuse(op, "paddings", "are along height and width", "axis " + Twine(axis));
  if (input.getDimSize(0) != 1)
    return placement.refuse(op, "input", "batch", Twine(input.getDimSize(0)), "1");
  for (int axis : {1, 2})
    if (low[axis] + high[axis] > kMostPadding)
      return placement.refuse(op, "paddings", "of one axis together", Twine(low[axis] + high[axis]),
                              Twine(kMostPadding));
  return success();
}

/// The window is the padding and one more, and the input is padded on both sides by all of it: with the one at `high`,
/// each output reads the element `low` places further up.
LogicalResult placePad(nn::PadOp op, Placement &placement) {
  if (failed(checkPad(op, placement)))
    return failure();
  auto channels = static_cast<uint32_t>(tensorOf(op.getInput()).getDimSize(3));
  Selection selection;
  selection.kind = ConvKind::Depthwise;
  selection.window.padTop = selection.padBottom = op.getLow()[1] + op.getHigh()[1];
  selection.window.padLeft = selection.padRight = op.getLow()[2] + op.getHigh()[2];
  selection.window.kernelHeight = selection.window.padTop + 1;
  selection.window.kernelWidth = selection.window.padLeft + 1;
  selection.dims = {channels, selection.window.kernelHeight, selection.window.kernelWidth, channels};
  selection.outputShape = storageShape(tensorOf(op.getOutput()).getShape());
  uint32_t one = op.getHigh()[1] * selection.window.kernelWidth + op.getHigh()[2];
  selection.isOne = [one](uint32_t, uint32_t tap) { return tap == one; };
  FailureOr<Value> padded =
      placeSelection(op, placement.operand(op.getInput()), quantizationOf(op.getInput()), selection, placement);
  return failed(padded) ? failure() : placement.finish(op, *padded);
}

} // namespace

void addPadPlacers(PlacerTable &table) { table.add(placePad); }

} // namespace avocet::compiler
