//===- PlaceConv.cpp - Convolutions on the array or the DSP ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MacLayer.h"
#include "PlacementRemarks.h"
#include "TransposedLayer.h"
#include "WindowLayer.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

template <typename ConvOp> firmware::Window windowOf(ConvOp op) {
  auto filter = tensorOf(op.getFilter());
  Window window;
  window.kernelHeight = filter.getDimSize(1);
  window.kernelWidth = filter.getDimSize(2);
  window.strideHeight = op.getStride()[0];
  window.strideWidth = op.getStride()[1];
  window.padTop = op.getPad()[0];
  window.padLeft = op.getPad()[2];
  if constexpr (requires { op.getDilation(); }) {
    window.dilationHeight = op.getDilation()[0];
    window.dilationWidth = op.getDilation()[1];
  }
  return window;
}

/// Whether the array can run the layer, judging by its operands in the network.
template <typename ConvOp> bool arrayTakes(ConvOp op) {
  auto input = tensorOf(op.getInput()), output = tensorOf(op.getOutput()), filter = tensorOf(op.getFilter());
  ArrayRef<int64_t> pad = op.getPad();
  for (int axis : {0, 1})
    if (!arrayTakesAxis({input.getDimSize(1 + axis), output.getDimSize(1 + axis), filter.getDimSize(1 + axis),
                         op.getStride()[axis], op.getDilation()[axis], pad[2 * axis], pad[2 * axis + 1]}))
      return false;
  return arrayTakesWeights(op.getFilter(), op.getBias()) &&
         arrayTakesBatch(input, output, filter.getDimSize(1), op.getStride()[0], pad[0] + pad[1]);
}

/// Common fields of layers with a window: the filter's extents are axes 1 and 2.
template <typename ConvOp> MacLayer macLayer(ConvOp op, Placement &placement) {
  auto input = tensorOf(op.getInput()), output = tensorOf(op.getOutput());
  MacLayer layer{op, op.getInput(), placement.operand(op.getInput()), op.getFilter(), op.getBias(), op.getActivation()};
  layer.window = windowOf(op);
  layer.dims = {static_cast<uint32_t>(output.getDimSize(3)), layer.window.kernelHeight, layer.window.kernelWidth,
                static_cast<uint32_t>(input.getDimSize(3))};
  layer.padBottom = op.getPad()[1];
  layer.padRight = op.getPad()[3];
  layer.outputShape = storageShape(output.getShape());
  layer.floatMultipliers = op.getFloatScales();
  return layer;
}

template <typename ConvOp>
LogicalResult placeWindow(ConvOp op, kernels::WindowConvForm form, uint32_t groups, Placement &placement) {
  WindowLayer layer{op, op.getInput(), op.getFilter(), op.getBias()};
  layer.inputShape = storageShape(tensorOf(op.getInput()).getShape());
  layer.filterShape = storageShape(tensorOf(op.getFilter()).getShape());
  layer.outputShape = storageShape(tensorOf(op.getOutput()).getShape());
  layer.activation = op.getActivation();
  layer.floatScales = op.getFloatScales();
  layer.parameters.form = form;
  layer.parameters.batch = tensorOf(op.getInput()).getDimSize(0);
  layer.parameters.groups = groups;
  layer.parameters.window = windowOf(op);
  return placeWindowLayer(layer, placement);
}

/// Places on the array, or on the DSP if the blocks of the windows do not fit into the array. Only the array supports
/// quantised filters of float inputs.
template <typename ConvOp>
LogicalResult placeOnEither(ConvOp op, const MacLayer &layer, kernels::WindowConvForm form, Placement &placement) {
  bool hybrid = isa<quant::QuantizedType>(tensorOf(op.getFilter()).getElementType()) !=
                isa<quant::QuantizedType>(tensorOf(op.getInput()).getElementType());
  if (hybrid || arrayTakesLayer(layer, placement))
    return placeMacLayer(layer, placement);
  remarkNotOnArray(op, "the smallest block of its windows does not fit in the buffer of the array");
  return placeWindow(op, form, 1, placement);
}

bool hasScalePerChannel(Value filter) {
  return isa<quant::UniformQuantizedPerAxisType>(tensorOf(filter).getElementType());
}

LogicalResult placeConv(nn::Conv2dOp op, Placement &placement) {
  if (!arrayTakes(op))
    return placeWindow(op, kernels::WindowConvForm::Dense, 1, placement);
  MacLayer layer = macLayer(op, placement);
  layer.asymmetric = hasScalePerChannel(op.getFilter());
  return placeOnEither(op, layer, kernels::WindowConvForm::Dense, placement);
}

LogicalResult placeDepthwise(nn::DepthwiseConv2dOp op, Placement &placement) {
  if (!arrayTakes(op))
    return placeWindow(op, kernels::WindowConvForm::Depthwise, 1, placement);
  MacLayer layer = macLayer(op, placement);
  layer.asymmetric = true;
  if (layer.dims.inputChannels == 1) {
    // All filters read the one channel: place a dense convolution, in which the array takes many more products per
    // step.
    layer.order = swapFilterAxes(layer.dims.kernelHeight * layer.dims.kernelWidth, layer.dims.outputChannels);
  } else {
    layer.kind = ConvKind::Depthwise;
  }
  return placeOnEither(op, layer, kernels::WindowConvForm::Depthwise, placement);
}

/// Whether the array, including the products with zeros between groups, takes fewer cycles than the DSP without them.
bool groupsAreFewForArray(nn::GroupedConv2dOp op, const Target &target) {
  DataType type = *npu::dataTypeOf(storageElement(tensorOf(op.getInput()).getElementType()));
  DataType sums = isFloat(type) ? DataType::Float32 : DataType::Int16;
  uint64_t lanes = target.dsp().lanes[static_cast<uint32_t>(sums)];
  return op.getGroups() * lanes <= target.macsPerCycle(type);
}

bool arrayTakesGroups(nn::GroupedConv2dOp op, Placement &placement) {
  uint64_t elements = tensorOf(op.getFilter()).getNumElements() * op.getGroups();
  return groupsAreFewForArray(op, placement.target()) && arrayTakesSpreadFilter(op.getFilter(), elements, placement);
}

LogicalResult placeGrouped(nn::GroupedConv2dOp op, Placement &placement) {
  if (arrayTakes(op)) {
    MacLayer layer = macLayer(op, placement);
    size_t taps = layer.dims.kernelHeight * layer.dims.kernelWidth, outputs = layer.dims.outputChannels;
    bool depthwise = op.getGroups() == layer.dims.inputChannels && op.getGroups() > 1;
    if (depthwise) {
      layer.kind = ConvKind::Depthwise;
      layer.order = swapFilterAxes(outputs, taps);
    } else if (op.getGroups() > 1) {
      layer.order = spreadFilterGroups(outputs, taps, layer.dims.inputChannels, op.getGroups());
    }
    if ((depthwise || arrayTakesGroups(op, placement)) && arrayTakesLayer(layer, placement))
      return placeMacLayer(layer, placement);
    remarkNotOnArray(op, "it would spend more cycles on products with zeros between the groups than the DSP without "
                         "them, or the filter with these zeros is too large");
  }
  return placeWindow(op, kernels::WindowConvForm::Dense, op.getGroups(), placement);
}

LogicalResult placeTransposed(nn::TransposeConv2dOp op, Placement &placement) {
  if (arrayTakesTransposed(op, placement))
    return placeTransposedOnArray(op, placement);
  return placeWindow(op, kernels::WindowConvForm::Transposed, 1, placement);
}

} // namespace

void addConvPlacers(PlacerTable &table) {
  table.add(placeConv);
  table.add(placeDepthwise);
  table.add(placeGrouped);
  table.add(placeTransposed);
}

} // namespace avocet::compiler
