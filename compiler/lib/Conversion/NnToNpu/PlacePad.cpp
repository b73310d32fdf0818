//===- PlacePad.cpp - Padding that is not fused -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rearrange.h"
#include "Selection.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// Keeps the filter small; typical networks pad by one or two.
constexpr int64_t kMostPadding = 64;

/// Whether the array can pad: rows and columns of one image of bytes, with zero.
bool isForArray(nn::PadOp op) {
  auto input = tensorOf(op.getInput());
  ArrayRef<int64_t> low = op.getLow(), high = op.getHigh();
  if (op.getValue() || !isSelectable(input.getElementType()) || input.getRank() != 4 || input.getDimSize(0) != 1)
    return false;
  return !low[0] && !high[0] && !low[3] && !high[3] && low[1] + high[1] <= kMostPadding &&
         low[2] + high[2] <= kMostPadding;
}

/// The window is the padding plus one, and the input is padded by the whole padding on both sides. With the one at
/// `high`, each output reads the element `low` places before it.
FailureOr<Value> padOnArray(nn::PadOp op, Placement &placement) {
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
  return placeSelection(op, placement.operand(op.getInput()), quantizationOf(op.getInput()), selection, placement);
}

/// The bits of the padding elements.
uint64_t paddingBits(nn::PadOp op) {
  Type element = tensorOf(op.getInput()).getElementType();
  if (auto real = dyn_cast<FloatType>(element)) {
    llvm::APFloat value = op.getValue().value_or(llvm::APFloat(0.0));
    bool losesInfo = false;
    value.convert(real.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.bitcastToAPInt().getZExtValue();
  }
  if (op.getValue()) {
    auto bits = static_cast<uint64_t>(static_cast<int64_t>(op.getValue()->convertToDouble()));
    return element.isInteger(64) ? bits : static_cast<uint32_t>(bits);
  }
  auto quantized = dyn_cast<quant::UniformQuantizedType>(element);
  return quantized ? static_cast<uint32_t>(quantized.getZeroPoint()) : 0;
}

FailureOr<Value> padOnDsp(nn::PadOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getOutput()).getShape();
  kernels::Move move = placedAt(0, tensorOf(op.getInput()).getShape(), shape, op.getLow());
  return placeRearrange(op, placement.operand(op.getInput()), storageShape(shape), {true, paddingBits(op), {move}},
                        placement);
}

LogicalResult placePad(nn::PadOp op, Placement &placement) {
  FailureOr<Value> padded = isForArray(op) ? padOnArray(op, placement) : padOnDsp(op, placement);
  return failed(padded) ? failure() : placement.finish(op, *padded);
}

} // namespace

void addPadPlacers(PlacerTable &table) { table.add(placePad); }

} // namespace avocet::compiler
