//===- PlaceConv.cpp - Convolutions on the array or the DSP -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MacLayer.h"
#include "Placement.h"
#include "PlacementRemarks.h"
#include "Views.h"
#include "WindowLayer.h"
#include "avocet/base/Rounding.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// Output position y reads input i at kernel position k where y + pad = i * stride + k. With q = (y + pad) / stride and
/// phase r = (y + pad) % stride, k = r + stride * j and i = q - j: a convolution over j whose output is q.
struct PhaseAxis {
  int64_t input, output, kernel, stride, pad;

  int64_t taps() const { return divideUp(kernel, stride); }
  /// The first q, and the number of them, which is also enough to read all of the input.
  int64_t first() const { return pad / stride; }
  int64_t padBefore() const { return taps() - 1 - first(); }
  int64_t count() const {
    return std::max((output - 1 + pad) / stride - first() + 1, input + padBefore() - taps() + 1);
  }
  int64_t padAfter() const { return count() - 1 + taps() - padBefore() - input; }

  /// The first output position of a phase, and the number of its outputs.
  int64_t firstOutput(int64_t phase) const { return (phase - pad % stride + stride) % stride; }
  int64_t outputs(int64_t phase) const { return std::max<int64_t>(divideUp(output - firstOutput(phase), stride), 0); }
  /// Position of that first output in the convolution's result.
  int64_t firstSource(int64_t phase) const { return (firstOutput(phase) + pad) / stride - first(); }

  bool arrayTakes() const {
    return padBefore() >= 0 && arrayTakesAxis({input, count(), taps(), 1, 1, padBefore(), padAfter()});
  }
};

PhaseAxis phaseAxis(nn::TransposeConv2dOp op, unsigned axis) {
  return {tensorOf(op.getInput()).getDimSize(1 + axis), tensorOf(op.getOutput()).getDimSize(1 + axis),
          tensorOf(op.getFilter()).getDimSize(1 + axis), op.getStride()[axis], op.getPad()[2 * axis]};
}

FilterPhases filterPhases(nn::TransposeConv2dOp op) {
  ArrayRef<int64_t> shape = tensorOf(op.getFilter()).getShape();
  FilterPhases phases{static_cast<size_t>(shape[0]), static_cast<size_t>(shape[3]), {}, {}};
  for (unsigned axis : {0, 1}) {
    phases.kernel[axis] = shape[1 + axis];
    phases.stride[axis] = op.getStride()[axis];
  }
  return phases;
}

/// Shape of the convolution's result: all phases of all outputs as channels.
StorageShape phasesShape(nn::TransposeConv2dOp op) {
  int64_t channels = tensorOf(op.getFilter()).getDimSize(0) * op.getStride()[0] * op.getStride()[1];
  return {phaseAxis(op, 0).count(), phaseAxis(op, 1).count(), channels};
}

MacLayer phasesLayer(nn::TransposeConv2dOp op, Placement &placement) {
  FilterPhases phases = filterPhases(op);
  PhaseAxis height = phaseAxis(op, 0), width = phaseAxis(op, 1);
  MacLayer layer{op, op.getInput(), placement.operand(op.getInput()), op.getFilter(), op.getBias(), op.getActivation()};
  layer.outputShape = phasesShape(op);
  layer.dims = {static_cast<uint32_t>(layer.outputShape[2]), static_cast<uint32_t>(height.taps()),
                static_cast<uint32_t>(width.taps()), static_cast<uint32_t>(phases.channels)};
  layer.window.kernelHeight = layer.dims.kernelHeight;
  layer.window.kernelWidth = layer.dims.kernelWidth;
  layer.window.padTop = height.padBefore();
  layer.window.padLeft = width.padBefore();
  layer.padBottom = height.padAfter();
  layer.padRight = width.padAfter();
  layer.floatMultipliers = op.getNumerics() == nn::Numerics::FloatScales;
  layer.order = splitFilterPhases(phases);
  layer.recordPeriod = phases.outputs;
  return layer;
}

/// Moves one phase's channels to its rows and columns of the result.
kernels::Move phaseMove(nn::TransposeConv2dOp op, int64_t phaseY, int64_t phaseX) {
  PhaseAxis height = phaseAxis(op, 0), width = phaseAxis(op, 1);
  StorageShape from = phasesShape(op);
  int64_t channels = tensorOf(op.getFilter()).getDimSize(0), row = width.output * channels;
  kernels::Move move;
  move.inputOffset = (height.firstSource(phaseY) * from[1] + width.firstSource(phaseX)) * from[2] +
                     (phaseY * width.stride + phaseX) * channels;
  move.outputOffset = height.firstOutput(phaseY) * row + width.firstOutput(phaseX) * channels;
  auto axis = [](int64_t extent, int64_t inputStride, int64_t outputStride) {
    return kernels::MoveAxis{static_cast<uint32_t>(extent), static_cast<int32_t>(inputStride),
                             static_cast<int32_t>(outputStride)};
  };
  move.axes = {axis(height.outputs(phaseY), from[1] * from[2], height.stride * row),
               axis(width.outputs(phaseX), from[2], width.stride * channels), axis(channels, 1, 1)};
  return move;
}

kernels::RearrangeParameters phaseMoves(nn::TransposeConv2dOp op) {
  kernels::RearrangeParameters parameters;
  for (int64_t y = 0; y < op.getStride()[0]; ++y)
    for (int64_t x = 0; x < op.getStride()[1]; ++x)
      if (phaseAxis(op, 0).outputs(y) > 0 && phaseAxis(op, 1).outputs(x) > 0)
        parameters.moves.push_back(phaseMove(op, y, x));
  return parameters;
}

bool phasesFit(nn::TransposeConv2dOp op, Placement &placement) {
  StorageShape shape = phasesShape(op);
  int64_t elements = shape[0] * shape[1] * shape[2] + tensorOf(op.getOutput()).getNumElements();
  int64_t size = firmware::sizeOf(*npu::dataTypeOf(storageElement(tensorOf(op.getOutput()).getElementType())));
  return elements <= static_cast<int64_t>(placement.target().sram().bytes) / size;
}

/// Whether a transposed convolution can run as one convolution on the array: constant weights, one image, windows that
/// start on or just before the input, strides whose phases fit the words of a rearrangement, and results that fit into
/// SRAM twice.
bool arrayTakesTransposed(nn::TransposeConv2dOp op, Placement &placement) {
  constexpr int64_t kMostPhases = 16;
  if (tensorOf(op.getInput()).getDimSize(0) != 1 || !arrayTakesWeights(op.getFilter(), op.getBias()) ||
      op.getStride()[0] > kMostPhases || op.getStride()[1] > kMostPhases / op.getStride()[0])
    return false;
  PhaseAxis height = phaseAxis(op, 0), width = phaseAxis(op, 1);
  if (!height.arrayTakes() || !width.arrayTakes() || !phasesFit(op, placement))
    return false;
  FilterPhases phases = filterPhases(op);
  uint64_t elements = phases.phases() * phases.outputs * phases.taps(0) * phases.taps(1) * phases.channels;
  return arrayTakesSpreadFilter(op.getFilter(), elements, placement) &&
         arrayTakesLayer(phasesLayer(op, placement), placement);
}

/// Outputs whose positions agree modulo the strides (a phase) read the same part of the filter. One convolution makes
/// all phases as channels, then the DSP distributes them to their rows and columns.
LogicalResult placeTransposedOnArray(nn::TransposeConv2dOp op, Placement &placement) {
  FailureOr<Value> phases = createMacLayer(phasesLayer(op, placement), placement);
  if (failed(phases))
    return failure();
  if (op.getStride()[0] == 1 && op.getStride()[1] == 1 &&
      phasesShape(op) == storageShape(tensorOf(op.getOutput()).getShape()))
    return placement.finish(op, *phases);
  FailureOr<Value> result =
      placeRearrange(op, *phases, storageShape(tensorOf(op.getOutput()).getShape()), phaseMoves(op), placement);
  return failed(result) ? failure() : placement.finish(op, *result);
}

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
  layer.floatMultipliers = op.getNumerics() == nn::Numerics::FloatScales;
  return layer;
}

template <typename ConvOp>
LogicalResult placeWindow(ConvOp op, kernels::WindowConvForm form, uint32_t groups, Placement &placement) {
  WindowLayer layer{op, op.getInput(), op.getFilter(), op.getBias()};
  layer.inputShape = storageShape(tensorOf(op.getInput()).getShape());
  layer.filterShape = storageShape(tensorOf(op.getFilter()).getShape());
  layer.outputShape = storageShape(tensorOf(op.getOutput()).getShape());
  layer.activation = op.getActivation();
  layer.floatScales = op.getNumerics() == nn::Numerics::FloatScales;
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
  bool hybrid = isQuantized(op.getFilter()) != isQuantized(op.getInput());
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
