//===- OutputParts.cpp - Layers in parts of their outputs -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputParts.h"

#include "Views.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

/// A part takes a step's time for its products even if it has one output, so that more parts than this take longer to
/// multiply than to decode. It has at least the bytes that a channel keeps in flight.
uint32_t outputPartsOf(const MacLayer &layer, Placement &placement) {
  const Target &target = placement.target();
  const MacArrayModel &mac = target.mac();
  const Type element = storageElement(tensorOf(layer.filter).getElementType());
  const uint64_t outputs = layer.dims.outputChannels, depth = layer.dims.inputChannels;
  const bool isPlain = isa<quant::QuantizedType>(tensorOf(layer.filter).getElementType()) && element.isInteger(8) &&
                       storageElement(tensorOf(layer.input).getElementType()).isInteger(8);
  if (!isPlain || !layer.filter.getDefiningOp<nn::ConstantOp>() || outputs > mac.dense.channels)
    return 1;
  const uint64_t decode = outputs * depth / mac.denseDecodeRate;
  const uint64_t multiply = llvm::divideCeil(depth, mac.dense.products) * mac.dense.cycles;
  const uint64_t inFlight = std::max(1u, target.dma().outstandingBytes);
  return uint32_t(std::max<uint64_t>(1, std::min({outputs, decode / multiply, outputs * depth / inFlight})));
}

LogicalResult placeInOutputParts(const MacLayer &layer, uint32_t parts, Placement &placement) {
  const uint32_t outputs = layer.dims.outputChannels;
  SmallVector<Value> results;
  for (uint32_t number = 0; number < parts; ++number) {
    const uint32_t first = outputs * number / parts, end = outputs * (number + 1) / parts;
    MacLayer part = layer;
    part.dims.outputChannels = end - first;
    part.outputShape[2] = end - first;
    part.order = takeFilterRows(first, end - first, layer.dims.inputChannels);
    part.firstRecord = first;
    part.recordPeriod = outputs;
    FailureOr<Value> result = createMacLayer(part, placement);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  FailureOr<Value> whole = placeJoin(layer.op, results, 2, placement);
  return failed(whole) ? failure() : placement.finish(layer.op, *whole);
}

} // namespace avocet::compiler
