//===- PlaceConv.cpp - Convolutions on the array or the DSP -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageRows.h"
#include "Layers/ConvPieces.h"
#include "Layers/WindowLayer.h"
#include "Placement.h"
#include "PlacementRemarks.h"
#include "avocet/base/Rounding.h"

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
  layer.numerics = numericsOfLayer(op);
  return layer;
}

template <typename ConvOp> WindowLayer windowLayer(ConvOp op, kernels::WindowConvForm form, uint32_t groups = 1) {
  WindowLayer layer{op, op.getInput(), op.getFilter(), op.getBias()};
  layer.inputShape = storageShape(tensorOf(op.getInput()).getShape());
  layer.filterShape = storageShape(tensorOf(op.getFilter()).getShape());
  layer.outputShape = storageShape(tensorOf(op.getOutput()).getShape());
  layer.activation = op.getActivation();
  layer.numerics = numericsOfLayer(op);
  layer.parameters.form = form;
  layer.parameters.batch = tensorOf(op.getInput()).getDimSize(0);
  layer.parameters.groups = groups;
  layer.parameters.window = windowOf(op);
  return layer;
}

bool isHybrid(Value input, Value filter) { return isQuantized(filter) != isQuantized(input); }

/// An axis of an operation whose images are so many stacks of rows.
template <typename ConvOp> ArrayAxis axisOf(ConvOp op, unsigned axis, int64_t stacked) {
  return {stacked * tensorOf(op.getInput()).getDimSize(1 + axis),
          stacked * tensorOf(op.getOutput()).getDimSize(1 + axis),
          tensorOf(op.getFilter()).getDimSize(1 + axis),
          op.getStride()[axis],
          op.getDilation()[axis],
          op.getPad()[2 * axis],
          op.getPad()[2 * axis + 1]};
}

/// The ways to divide an axis, except for the whole axis if it has phases and `isInPhases`.
SmallVector<AxisPieces> piecesOf(const ArrayAxis &axis, bool mayHavePhases, bool isInPhases) {
  SmallVector<AxisPieces> ways;
  if (axis.dilation > 1 && mayHavePhases)
    if (AxisPieces phases = dilationPhases(axis); !phases.empty())
      ways.push_back(phases);
  if (arrayTakesAxis(axis) && (ways.empty() || !isInPhases))
    ways.insert(ways.begin(), wholeAxis(axis));
  return ways;
}

/// Whether input and result do not fit into SRAM together. They then pass through it in rows: those that a dilated
/// window reaches need much more memory than those of a phase.
template <typename ConvOp> bool isLarge(ConvOp op, Placement &placement) {
  uint64_t bytes = 0;
  for (Value value : {op.getInput(), op.getOutput()})
    bytes += storageBytes(storageType(tensorOf(value)));
  return bytes > placement.target().sram().bytes;
}

/// Cycles on the array, UINT64_MAX if it cannot run the division. Phases of columns must gain something: each of them
/// needs all rows, and its elements do not follow each other in memory.
uint64_t costOf(const DividedConv &divided, Placement &placement) {
  if (divided.division.pieces() > kMostPieces)
    return UINT64_MAX;
  const uint64_t cycles = divided.cycles(placement).value_or(UINT64_MAX);
  const bool hasColumnPhases = divided.division.columns.size() > 1;
  return hasColumnPhases && cycles != UINT64_MAX ? cycles + cycles / 16 : cycles;
}

/// The division with the lowest cost on the array; nullopt if it cannot run the operation.
template <typename ConvOp>
std::optional<DividedConv> bestDivision(ConvOp op, const DividedConv &conv, ArrayRef<int64_t> groups,
                                        Placement &placement) {
  const auto input = tensorOf(op.getInput()), output = tensorOf(op.getOutput());
  const bool isStacked =
      arrayTakesBatch(input, output, conv.kernel[0], op.getStride()[0], op.getPad()[0] + op.getPad()[1]);
  const int64_t batch = input.getDimSize(0), images = isStacked ? 1 : batch;
  // The input of a hybrid layer has one scale, so that its rows are not divided.
  const bool mayHavePhases = !isHybrid(op.getInput(), op.getFilter());
  std::optional<DividedConv> best;
  uint64_t least = UINT64_MAX;
  for (const AxisPieces &columns : piecesOf(axisOf(op, 1, 1), mayHavePhases, false))
    for (const AxisPieces &rows : piecesOf(axisOf(op, 0, batch / images), mayHavePhases, isLarge(op, placement)))
      for (const int64_t count : groups) {
        DividedConv divided = conv;
        divided.division = {rows, columns, images, count};
        if (const uint64_t cost = costOf(divided, placement); cost < least) {
          least = cost;
          best = divided;
        }
      }
  return best;
}

LogicalResult placeDivided(const DividedConv &conv, Placement &placement) {
  FailureOr<Value> result = conv.create(placement);
  return failed(result) ? failure() : placement.finish(conv.whole.op, *result);
}

/// The layer of a window of one pixel in other rows (shapeInRows()). Nullopt: it has another window, or gains nothing.
template <typename ConvOp> std::optional<MacLayer> inRowsOfPixels(ConvOp op, MacLayer layer, Placement &placement) {
  const StorageShape own = storageShape(tensorOf(op.getInput()).getShape());
  if (isHybrid(op.getInput(), op.getFilter()) || layer.dims.kernelHeight != 1 || layer.dims.kernelWidth != 1 ||
      llvm::any_of(op.getStride(), [](int64_t stride) { return stride != 1; }) ||
      llvm::any_of(op.getPad(), [](int64_t pad) { return pad != 0; }))
    return std::nullopt;
  const StorageShape shape = shapeInRows(layer.inputStorage, own, placement);
  if (shape == own)
    return std::nullopt;
  const std::optional<uint64_t> before = arrayCycles(layer, placement);
  layer.inputStorage = placement.view(op->getLoc(), layer.inputStorage, shape);
  layer.outputShape = {shape[0], shape[1], layer.outputShape[2]};
  const std::optional<uint64_t> cycles = arrayCycles(layer, placement);
  const uint64_t worthOfStripes = before.value_or(0) / 16; // they stay on chip
  return cycles && (!before || *cycles <= *before + worthOfStripes) ? std::optional(layer) : std::nullopt;
}

/// Places on the array, or on the DSP if the blocks of the windows do not fit into the array. Only the array supports
/// quantized filters of float inputs.
template <typename ConvOp>
LogicalResult placeOnEither(ConvOp op, const MacLayer &layer, kernels::WindowConvForm form, Placement &placement) {
  if (const std::optional<MacLayer> inRows = inRowsOfPixels(op, layer, placement))
    return placeMacLayer(*inRows, placement);
  const DividedConv whole{layer, {}, {layer.dims.kernelHeight, layer.dims.kernelWidth}};
  if (std::optional<DividedConv> divided = bestDivision(op, whole, {1}, placement))
    return placeDivided(*divided, placement);
  if (isHybrid(op.getInput(), op.getFilter()))
    return placeMacLayer(layer, placement); // says why not
  remarkNotOnArray(op, "the smallest block of its windows does not fit in the buffer of the array");
  return placeWindowLayer(windowLayer(op, form), placement);
}

bool hasScalePerChannel(Value filter) {
  return isa<quant::UniformQuantizedPerAxisType>(tensorOf(filter).getElementType());
}

LogicalResult placeConv(nn::Conv2dOp op, Placement &placement) {
  if (!arrayTakesWeights(op.getFilter(), op.getBias()))
    return placeWindowLayer(windowLayer(op, kernels::WindowConvForm::Dense), placement);
  MacLayer layer = macLayer(op, placement);
  layer.asymmetric = hasScalePerChannel(op.getFilter());
  return placeOnEither(op, layer, kernels::WindowConvForm::Dense, placement);
}

LogicalResult placeDepthwise(nn::DepthwiseConv2dOp op, Placement &placement) {
  if (!arrayTakesWeights(op.getFilter(), op.getBias()))
    return placeWindowLayer(windowLayer(op, kernels::WindowConvForm::Depthwise), placement);
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

/// In how many pieces groups may run: in one each, or several with zeros between them, which the array multiplies. The
/// filter with zeros must not be too large.
SmallVector<int64_t> groupDivisions(nn::GroupedConv2dOp op, Placement &placement) {
  const int64_t groups = op.getGroups();
  const int64_t elements = tensorOf(op.getFilter()).getNumElements();
  SmallVector<int64_t> divisions;
  for (int64_t pieces = std::min<int64_t>(groups, kMostPieces); pieces > 0; --pieces)
    if (groups % pieces == 0 &&
        (pieces == groups || arrayTakesSpreadFilter(op.getFilter(), elements * (groups / pieces), placement)))
      divisions.push_back(pieces);
  return divisions;
}

/// Whether the DSP is faster by a third or more: the array makes few outputs of many groups at a time.
bool isForDsp(nn::GroupedConv2dOp op, const DividedConv &divided, const WindowLayer &layer, Placement &placement) {
  const std::optional<uint64_t> dsp = windowLayerCycles(layer, placement.target());
  if (!dsp)
    return false;
  const uint64_t array = *divided.cycles(placement);
  const bool isForDsp = *dsp * 3 / 2 < array;
  remarkEngines(op, array, *dsp, isForDsp ? EngineKind::Dsp : EngineKind::Mac);
  return isForDsp;
}

LogicalResult placeGrouped(nn::GroupedConv2dOp op, Placement &placement) {
  const WindowLayer onDsp = windowLayer(op, kernels::WindowConvForm::Dense, op.getGroups());
  if (arrayTakesWeights(op.getFilter(), op.getBias())) {
    const MacLayer layer = macLayer(op, placement);
    DividedConv whole{layer, {}, {layer.dims.kernelHeight, layer.dims.kernelWidth}};
    SmallVector<int64_t> divisions{1};
    if (op.getGroups() == layer.dims.inputChannels && op.getGroups() > 1) {
      whole.whole.kind = ConvKind::Depthwise;
      whole.whole.order = swapFilterAxes(layer.dims.outputChannels, whole.kernel[0] * whole.kernel[1]);
    } else if (op.getGroups() > 1) {
      whole.filterGroups = op.getGroups();
      divisions = groupDivisions(op, placement);
    }
    const std::optional<DividedConv> divided = bestDivision(op, whole, divisions, placement);
    if (divided && !isForDsp(op, *divided, onDsp, placement))
      return placeDivided(*divided, placement);
    if (!divided)
      remarkNotOnArray(op, "it has too many groups, or the smallest block of its windows does not fit in the buffer of "
                           "the array");
  }
  return placeWindowLayer(onDsp, placement);
}

/// A transposed convolution as one convolution for each phase of its rows and columns.
DividedConv phasesOf(nn::TransposeConv2dOp op, Placement &placement) {
  const auto input = tensorOf(op.getInput()), output = tensorOf(op.getOutput()), filter = tensorOf(op.getFilter());
  MacLayer layer{op, op.getInput(), placement.operand(op.getInput()), op.getFilter(), op.getBias(), op.getActivation()};
  layer.dims.outputChannels = output.getDimSize(3);
  layer.dims.inputChannels = input.getDimSize(3);
  layer.numerics = numericsOfLayer(op);
  const auto phases = [&](unsigned axis) {
    return transposedPhases({input.getDimSize(1 + axis), output.getDimSize(1 + axis), filter.getDimSize(1 + axis),
                             op.getStride()[axis], op.getPad()[2 * axis]});
  };
  return {layer,
          {phases(0), phases(1), input.getDimSize(0)},
          {static_cast<size_t>(filter.getDimSize(1)), static_cast<size_t>(filter.getDimSize(2))}};
}

LogicalResult placeTransposed(nn::TransposeConv2dOp op, Placement &placement) {
  if (arrayTakesWeights(op.getFilter(), op.getBias())) {
    const DividedConv phases = phasesOf(op, placement);
    const uint64_t pieces = phases.division.pieces();
    if (pieces > 0 && pieces <= kMostPieces && phases.cycles(placement))
      return placeDivided(phases, placement);
  }
  return placeWindowLayer(windowLayer(op, kernels::WindowConvForm::Transposed), placement);
}

} // namespace

void addConvPlacers(PlacerTable &table) {
  table.add(placeConv);
  table.add(placeDepthwise);
  table.add(placeGrouped);
  table.add(placeTransposed);
}

} // namespace avocet::compiler
