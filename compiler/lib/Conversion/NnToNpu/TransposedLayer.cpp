//===- TransposedLayer.cpp - Transposed convolutions on the array -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransposedLayer.h"

#include "MacLayer.h"
#include "Rearrange.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Output position y reads input i at kernel position k where y + pad = i * stride + k. With q = (y + pad) / stride and
/// phase r = (y + pad) % stride, k = r + stride * j and i = q - j: a convolution over j whose output is q.
struct PhaseAxis {
  int64_t input, output, kernel, stride, pad;

  int64_t taps() const { return (kernel + stride - 1) / stride; }
  /// The first q, and the number of them, which is also enough to read all of the input.
  int64_t first() const { return pad / stride; }
  int64_t padBefore() const { return taps() - 1 - first(); }
  int64_t count() const {
    return std::max((output - 1 + pad) / stride - first() + 1, input + padBefore() - taps() + 1);
  }
  int64_t padAfter() const { return count() - 1 + taps() - padBefore() - input; }

  /// The first output position of a phase, and the number of its outputs.
  int64_t firstOutput(int64_t phase) const { return (phase - pad % stride + stride) % stride; }
  int64_t outputs(int64_t phase) const {
    return std::max<int64_t>((output - firstOutput(phase) + stride - 1) / stride, 0);
  }
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
  layer.floatMultipliers = op.getFloatScales();
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

} // namespace

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

} // namespace avocet::compiler
