//===- WindowLayer.cpp - Convolutions and matrix products on the vector DSP --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowLayer.h"

#include "avocet/kernels/dsp/Window.h"

#include "MacLayer.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Storage of a filter or bias. Constants that only layers with weights read do not have one yet.
Value weightStorage(Value value, StorageShape shape, Placement &placement) {
  auto type = storageType(shape, storageElement(tensorOf(value).getElementType()));
  if (auto constant = value.getDefiningOp<nn::ConstantOp>())
    return placement.constant(constant, type);
  return placement.view(value.getLoc(), placement.operand(value), shape);
}

/// {multiplier, shift} per output channel, or one pair for all.
Value scaleRecords(const ChannelRescales &rescales, Operation *op, Placement &placement) {
  SmallVector<int32_t> words;
  for (size_t channel = 0; channel < rescales.count(); ++channel) {
    firmware::Rescale rescale = rescales[channel];
    words.append({rescale.multiplier, rescale.shift});
  }
  auto type = storageType({1, 1, static_cast<int64_t>(words.size())}, placement.builder().getI32Type());
  auto value = DenseElementsAttr::get(type, ArrayRef(words));
  return npu::ConstantOp::create(placement.builder(), op->getLoc(), type, value);
}

void addInput(Placement::Dsp &dsp, Value storage, int32_t zeroPoint) {
  dsp.inputs.push_back(storage);
  dsp.inputZeroPoints.push_back(zeroPoint);
}

/// The filter's single zero point; 0 for filters with scales per channel.
int32_t filterZeroPoint(Value filter) { return quantizationOf(filter).zeroPoint; }

/// Features, filter, bias, scales, in the kernel's order.
void appendOperands(const WindowLayer &layer, Placement &placement, Placement::Dsp &dsp) {
  Quantization input = quantizationOf(layer.input), output = quantizationOf(layer.op->getResult(0));
  addInput(dsp, placement.view(layer.op->getLoc(), placement.operand(layer.input), layer.inputShape), input.zeroPoint);
  addInput(dsp, weightStorage(layer.filter, layer.filterShape, placement), filterZeroPoint(layer.filter));
  if (layer.bias)
    addInput(dsp, weightStorage(layer.bias, {1, 1, layer.outputShape[2]}, placement), 0);
  auto filter = dyn_cast<quant::QuantizedType>(tensorOf(layer.filter).getElementType());
  if (filter)
    addInput(dsp, scaleRecords(ChannelRescales(input, filter, output, layer.floatScales), layer.op, placement), 0);
}

} // namespace

LogicalResult placeWindowLayer(const WindowLayer &layer, Placement &placement) {
  Value result = layer.op->getResult(0);
  Quantization output = quantizationOf(result);
  if (quantizationOf(layer.input).isFloat() && isQuantized(layer.filter))
    return placement.refuse(layer.op, "filter", "is constant for an input that is quantised at run time", "computed");
  kernels::WindowConvParameters parameters = layer.parameters;
  parameters.hasBias = layer.bias ? 1 : 0;
  parameters.clamp = clampFor(layer.activation, output);
  Placement::Dsp dsp;
  dsp.kernel = kernels::kWindowConvKernel;
  dsp.parameters = kernels::packParameters(parameters);
  appendOperands(layer, placement, dsp);
  dsp.results = {storageType(layer.outputShape, storageElement(tensorOf(result).getElementType()))};
  dsp.resultZeroPoints = {output.zeroPoint};
  FailureOr<npu::DspOp> conv = placement.dsp(layer.op, dsp);
  return failed(conv) ? failure() : placement.finish(layer.op, conv->getResult(0));
}

} // namespace avocet::compiler
