//===- WindowLayer.cpp - Convolutions and matrix products on the vector DSP --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers/WindowLayer.h"

#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Window.h"

using namespace mlir;
using namespace avocet::firmware;

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

/// 16-bit inputs have 64-bit sums unless the bias says otherwise, as in the reference.
bool hasWideSums(const WindowLayer &layer) {
  return quantizationOf(layer.input).type == DataType::Int16 && !(layer.bias && elementOf(layer.bias).isInteger(32));
}

/// Features, filter, bias, scales, in the kernel's order.
void appendOperands(const WindowLayer &layer, Placement &placement, Placement::Dsp &dsp) {
  Quantization input = quantizationOf(layer.input), output = quantizationOf(layer.op->getResult(0));
  addInput(dsp, placement.view(layer.op->getLoc(), placement.operand(layer.input), layer.inputShape), input.zeroPoint);
  addInput(dsp, weightStorage(layer.filter, layer.filterShape, placement), filterZeroPoint(layer.filter));
  if (layer.bias)
    addInput(dsp, weightStorage(layer.bias, {1, 1, layer.outputShape[2]}, placement), 0);
  auto filter = dyn_cast<quant::QuantizedType>(tensorOf(layer.filter).getElementType());
  if (filter && isQuantized(layer.op->getResult(0)))
    addInput(
        dsp,
        scaleRecords(ChannelRescales(input, filter, output, layer.numerics, hasWideSums(layer)), layer.op, placement),
        0);
}

} // namespace

static kernels::WindowConvParameters parametersOf(const WindowLayer &layer) {
  kernels::WindowConvParameters parameters = layer.parameters;
  parameters.hasBias = layer.bias ? 1 : 0;
  parameters.rounding = layer.numerics.rounding();
  parameters.clamp = clampFor(layer.activation, quantizationOf(layer.op->getResult(0)));
  return parameters;
}

std::optional<uint64_t> windowLayerCycles(const WindowLayer &layer, const Target &target) {
  const auto map = [](StorageShape shape, Value value) {
    return fullMap(storageType(shape, storageElement(tensorOf(value).getElementType())), 0);
  };
  DspCommand command;
  command.kernel = kernels::kWindowConvKernel.number;
  command.parameters = kernels::packParameters(parametersOf(layer));
  command.inputs = {map(layer.inputShape, layer.input), map(layer.filterShape, layer.filter)};
  if (layer.bias)
    command.inputs.push_back(map({1, 1, layer.outputShape[2]}, layer.bias));
  if (isQuantized(layer.op->getResult(0))) { // a multiplier and a shift; their number takes no time
    FeatureMap scales{.type = DataType::Int32, .height = 1, .width = 1, .channels = 2, .ringRows = 1};
    scales.rowStride = scales.pixelStride = 2 * sizeOf(scales.type);
    command.inputs.push_back(scales);
  }
  command.outputs = {map(layer.outputShape, layer.op->getResult(0))};
  const kernels::Kernel &kernel = *kernels::findKernel(CommandBody(command));
  if (!kernel.check(target, command).isOk())
    return std::nullopt;
  return kernel.cost(target, command).cycles;
}

LogicalResult placeWindowLayer(const WindowLayer &layer, Placement &placement) {
  Value result = layer.op->getResult(0);
  Quantization output = quantizationOf(result);
  if (quantizationOf(layer.input).isFloat() && isQuantized(layer.filter))
    return placement.refuse(layer.op, "filter", "is constant for an input that is quantized at run time", "computed");
  Placement::Dsp dsp;
  dsp.kernel = kernels::kWindowConvKernel;
  dsp.parameters = kernels::packParameters(parametersOf(layer));
  appendOperands(layer, placement, dsp);
  dsp.results = {storageType(layer.outputShape, storageElement(tensorOf(result).getElementType()))};
  dsp.resultZeroPoints = {output.zeroPoint};
  FailureOr<npu::DspOp> conv = placement.dsp(layer.op, dsp);
  return failed(conv) ? failure() : placement.finish(layer.op, conv->getResult(0));
}

} // namespace avocet::compiler
