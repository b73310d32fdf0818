//===- PlacePad.cpp - Padding that is not fused -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include "Views.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include <cstring>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// A convolution that only moves elements: each output channel has at most one weight that is 1, all others are 0, and
/// the output stage multiplies by 1. Exact for all stored values; where no weight is 1, and in the padding, the result
/// is the real number zero.
struct Selection {
  firmware::ConvKind kind = firmware::ConvKind::Dense;
  firmware::WeightDims dims = {};
  firmware::Window window = {};
  uint32_t padBottom = 0, padRight = 0;
  StorageShape outputShape = {};
  /// Whether a weight is 1. `product` counts within one output channel as in WeightLayout::indexOf.
  std::function<bool(uint32_t channel, uint32_t product)> isOne;
};

ConvCommand commandFor(const Quantization &quantization, const Selection &selection) {
  ConvCommand command;
  command.kind = selection.kind;
  command.scaling = OutputScaling::Requantize;
  command.weightType = DataType::Int8;
  command.input.zeroPoint = command.output.zeroPoint = quantization.zeroPoint;
  command.window = selection.window;
  command.clamp = clampFor(nn::Activation::kNone, quantization);
  return command;
}

/// Ones and zeros in the order that WeightLayout expects.
std::vector<uint8_t> plainWeights(const Selection &selection, const WeightLayout &layout) {
  bool depthwise = selection.kind == ConvKind::Depthwise;
  uint32_t channels = layout.outputChannels(), products = layout.products();
  std::vector<uint8_t> plain(layout.bytes());
  for (uint32_t channel = 0; channel < channels; ++channel)
    for (uint32_t product = 0; product < products; ++product)
      if (selection.isOne(channel, product))
        plain[depthwise ? size_t(product) * channels + channel : size_t(channel) * products + product] = 1;
  return plain;
}

Value recordsOfOne(Operation *op, uint32_t channels, Placement &placement) {
  Rescale identity = kernels::quantizeMultiplier(1.0);
  const RequantRecord record{0, identity.multiplier, identity.shift};
  return placement.bytes(op, "records", channels * sizeof(record), [&](llvm::MutableArrayRef<uint8_t> bytes) {
    for (size_t at = 0; at < bytes.size(); at += sizeof(record))
      std::memcpy(&bytes[at], &record, sizeof(record));
  });
}

/// Whether selections support the element type: 8-bit quantized numbers. Among floats an infinity times 0 would turn
/// its neighbors into NaN.
bool isSelectable(Type element) {
  auto quantized = dyn_cast<quant::UniformQuantizedType>(element);
  return quantized && quantized.getStorageTypeIntegralWidth() == 8;
}

/// The selected elements of `storage`; the result has the same quantization.
FailureOr<Value> placeSelection(Operation *op, Value storage, const Quantization &quantization,
                                const Selection &selection, Placement &placement) {
  ConvCommand command = commandFor(quantization, selection);
  auto layout =
      WeightLayout::create(placement.target().mac(), selection.kind, selection.dims, sizeOf(command.weightType));
  if (!layout)
    return placement.refuse(op, "", layout.status().message(), "");
  // The network's file does not contain these weights, so its size does not bound them; they need a limit.
  if (uint64_t limit = placement.target().sram().bytes; layout->bytes() > limit)
    return placement.refuse(op, "", "bytes of weights that move its elements", Twine(layout->bytes()), Twine(limit));
  Value weights = placement.bytes(op, "weights", layout->bytes(), [&](llvm::MutableArrayRef<uint8_t> packed) {
    const std::vector<uint8_t> plain = plainWeights(selection, *layout);
    layout->pack(plain, {packed.data(), packed.size()});
  });
  Value records = recordsOfOne(op, layout->outputChannels(), placement);
  auto type = storageType(selection.outputShape, tensorOf(storage).getElementType());
  auto conv = npu::ConvOp::create(placement.builder(), op->getLoc(), type, storage, weights, records, Value(), Value(),
                                  Value(), command, selection.padBottom, selection.padRight, placement.layerOf(op));
  command.input = fullMap(conv.getInput(), quantization.zeroPoint);
  command.output = fullMap(conv.getResult(), quantization.zeroPoint);
  command.weightBytes = layout->bytes();
  if (failed(placement.check(op, command)))
    return failure();
  return conv.getResult();
}

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
