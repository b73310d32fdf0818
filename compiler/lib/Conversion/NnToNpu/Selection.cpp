//===- Selection.cpp - Moving elements with the array -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Selection.h"

#include <cstring>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

ConvCommand commandFor(const Quantization &quantization, const Selection &selection) {
  ConvCommand command;
  command.kind = selection.kind;
  command.scaling = OutputScaling::Requantize;
  command.weightType = DataType::Int8;
  command.input.zeroPoint = command.output.zeroPoint = quantization.zeroPoint;
  command.window = selection.window;
  command.clamp = clampFor(nn::Activation::None, quantization);
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

} // namespace

bool isSelectable(Type element) {
  auto quantized = dyn_cast<quant::UniformQuantizedType>(element);
  return quantized && quantized.getStorageTypeIntegralWidth() == 8;
}

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

} // namespace avocet::compiler
