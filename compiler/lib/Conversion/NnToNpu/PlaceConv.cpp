//===- PlaceConv.cpp - CONV_2D and DEPTHWISE_CONV_2D on the array -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MacLayer.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// What the two have in common: the filter's extents are axes 1 and 2.
template <typename ConvOp> FailureOr<MacLayer> windowedLayer(ConvOp op, Placement &placement) {
  auto input = tensorOf(op.getInput()), output = tensorOf(op.getOutput()), filter = tensorOf(op.getFilter());
  ArrayRef<int64_t> pad = op.getPad();
  if (failed(checkBatch(op, placement, input, output, filter.getDimSize(1), op.getStride()[0], pad[0] + pad[1])))
    return failure();
  MacLayer layer{op, op.getInput(), placement.operand(op.getInput()), op.getFilter(), op.getBias(), op.getActivation()};
  layer.dims = {static_cast<uint32_t>(output.getDimSize(3)), static_cast<uint32_t>(filter.getDimSize(1)),
                static_cast<uint32_t>(filter.getDimSize(2)), static_cast<uint32_t>(input.getDimSize(3))};
  layer.window.kernelHeight = layer.dims.kernelHeight;
  layer.window.kernelWidth = layer.dims.kernelWidth;
  layer.window.strideHeight = op.getStride()[0];
  layer.window.strideWidth = op.getStride()[1];
  layer.window.dilationHeight = op.getDilation()[0];
  layer.window.dilationWidth = op.getDilation()[1];
  layer.window.padTop = pad[0];
  layer.window.padLeft = pad[2];
  layer.padBottom = pad[1];
  layer.padRight = pad[3];
  layer.outputShape = storageShape(output.getShape());
  return layer;
}

bool hasScalePerChannel(Value filter) {
  return isa<quant::UniformQuantizedPerAxisType>(tensorOf(filter).getElementType());
}

LogicalResult placeConv(nn::Conv2dOp op, Placement &placement) {
  FailureOr<MacLayer> layer = windowedLayer(op, placement);
  if (failed(layer))
    return failure();
  layer->asymmetric = hasScalePerChannel(op.getFilter());
  return placeMacLayer(*layer, placement);
}

LogicalResult placeDepthwise(nn::DepthwiseConv2dOp op, Placement &placement) {
  FailureOr<MacLayer> layer = windowedLayer(op, placement);
  if (failed(layer))
    return failure();
  layer->asymmetric = true;
  if (layer->dims.inputChannels == 1) {
    // All filters read the one channel: a dense convolution, in which the array takes many more products per step.
    layer->channelsLast = true;
  } else {
    layer->kind = ConvKind::Depthwise;
  }
  return placeMacLayer(*layer, placement);
}

} // namespace

void addConvPlacers(PlacerTable &table) {
  table.add(placeConv);
  table.add(placeDepthwise);
}

} // namespace avocet::compiler
