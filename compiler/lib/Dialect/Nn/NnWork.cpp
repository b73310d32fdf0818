//===- NnWork.cpp - How much work an operation is ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnWork.h"

#include "NnVerify.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <vector>

using namespace mlir;

namespace avocet::compiler::nn {

static uint64_t countOf(Value value) { return static_cast<uint64_t>(tensorOf(value).getNumElements()); }

static uint64_t countOf(ValueRange values) {
  uint64_t most = 0;
  for (Value value : values)
    most = std::max(most, countOf(value));
  return most;
}

static bool hasBits(Type element, unsigned bits) {
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  return quantized && quantized.getStorageTypeIntegralWidth() == bits;
}

/// A float that meets 8-bit weights is first rounded to 8 bits.
static Type multipliedType(Type input, Type weights) {
  return isa<FloatType>(input) && isa<quant::QuantizedType>(weights) ? weights : input;
}

Work moveWork() { return {}; }

/// A smaller image is sampled: not all elements of the larger one are read.
static uint64_t elementsOf(Operation *op) {
  const uint64_t made = countOf(op->getResults());
  return isa<ResizeOp>(op) ? made : std::max(countOf(op->getOperands()), made);
}

/// Positions of an image from which samples are taken: at least one for each row and column of them.
static uint64_t sampledElements(ResizeOp resize) {
  const ArrayRef<int64_t> input = shapeOf(resize.getInput()), output = shapeOf(resize.getOutput());
  return static_cast<uint64_t>(input[0] * std::min(input[1], output[1]) * std::min(input[2], output[2]) * input[3]);
}

Work vectorWork(Operation *op, uint64_t instructions) {
  Work work;
  if (auto resize = dyn_cast<ResizeOp>(op))
    work.reads = sampledElements(resize);
  work.instructions = instructions;
  work.kind = WorkKind::Vector;
  work.elements = elementsOf(op);
  work.input = op->getNumOperands() != 0 ? elementOf(op->getOperand(0)) : elementOf(op->getResult(0));
  return work;
}

namespace {

/// A window along one axis of the input.
struct AxisWindow {
  int64_t inputs, outputs, kernel, stride, dilation, pad;
};

/// Beyond that an axis counts whole: no network has so long an axis with positions that no window reads.
constexpr int64_t kMostPositions = 1 << 16;

/// Positions of the input that some window reads.
uint64_t readPositions(const AxisWindow &axis) {
  if (axis.inputs > kMostPositions || axis.kernel > kMostPositions / std::max<int64_t>(1, axis.outputs))
    return static_cast<uint64_t>(axis.inputs);
  std::vector<bool> isRead(static_cast<size_t>(axis.inputs));
  for (int64_t output = 0; output < axis.outputs; ++output)
    for (int64_t tap = 0; tap < axis.kernel; ++tap)
      if (const int64_t at = output * axis.stride + tap * axis.dilation - axis.pad; at >= 0 && at < axis.inputs)
        isRead[static_cast<size_t>(at)] = true;
  return static_cast<uint64_t>(std::ranges::count(isRead, true));
}

/// Elements of the input that some window of the operation reads.
template <typename Op> uint64_t readElements(Op op, ArrayRef<int64_t> kernel, ArrayRef<int64_t> dilation) {
  const ArrayRef<int64_t> input = shapeOf(op->getOperand(0)), output = shapeOf(op->getResult(0));
  uint64_t elements = static_cast<uint64_t>(input[0]) * static_cast<uint64_t>(input[3]);
  for (size_t i = 0; i < 2; ++i)
    elements *=
        readPositions({input[1 + i], output[1 + i], kernel[i], op.getStride()[i], dilation[i], op.getPad()[2 * i]});
  return elements;
}

} // namespace

/// Positions of the result.
static WorkGrid gridOf(Value result, std::pair<uint64_t, uint64_t> kernel = {1, 1}) {
  const ArrayRef<int64_t> shape = shapeOf(result);
  WorkGrid grid;
  grid.channels = shape.empty() ? 1 : static_cast<uint64_t>(shape.back());
  grid.columns = shape.size() < 2 ? 1 : static_cast<uint64_t>(shape[shape.size() - 2]);
  grid.rows = countOf(result) / grid.channels / grid.columns;
  std::tie(grid.kernel[0], grid.kernel[1]) = kernel;
  grid.isFree = llvm::is_contained(grid.kernel, 1u) || grid.rows == 1 || grid.columns == 1;
  return grid;
}

Work pairWork(WorkKind kind, Operation *op) {
  Work work = vectorWork(op);
  work.kind = kind;
  return work;
}

Work functionWork(Operation *op, uint64_t instructions) {
  Work work = vectorWork(op, instructions);
  if (hasBits(work.input, 8))
    work.kind = WorkKind::Lookup;
  return work;
}

Work fourierWork(Operation *op) {
  const auto points = static_cast<uint64_t>(cast<RfftOp>(op).getPoints());
  Work work = vectorWork(op, points < 2 ? 1 : 2 * llvm::Log2_64(points) - 1);
  work.elements = 2 * countOf(op->getResult(0)); // a longer input is not read whole
  return work;
}

static Work windowWork(WorkKind kind, Operation *op, uint64_t terms) {
  Work work = vectorWork(op);
  work.kind = kind;
  work.elements = countOf(op->getResult(0));
  work.terms = terms;
  work.reads = countOf(op->getOperand(0));
  return work;
}

/// Terms of a pool that reduces rows of the window and then columns, or the other way, whichever are fewer. A window
/// that overlaps the one before needs the elements that are new in it, and two more: what both have, and what left.
static uint64_t axisTermsOf(Operation *op, ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride) {
  const auto extentOf = [](Value value, size_t axis) { return static_cast<uint64_t>(shapeOf(value)[axis]); };
  const auto input = [&](size_t axis) { return extentOf(op->getOperand(0), axis); };
  const auto output = [&](size_t axis) { return extentOf(op->getResult(0), axis); };
  const auto terms = [&](size_t axis) { // of one line
    const auto next = static_cast<uint64_t>(std::min(kernel[axis], stride[axis] + 2));
    return static_cast<uint64_t>(kernel[axis]) + (output(1 + axis) - 1) * next;
  };
  const auto from = [&](size_t first) {
    const size_t second = 1 - first;
    const uint64_t read = std::min(input(1 + second), output(1 + second) * static_cast<uint64_t>(kernel[second]));
    return terms(first) * read + output(1 + first) * terms(second);
  };
  return output(0) * output(3) * std::min(from(0), from(1));
}

Work poolWork(WorkKind kind, Operation *op, ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride) {
  Work work = windowWork(kind, op, static_cast<uint64_t>(kernel[0]) * static_cast<uint64_t>(kernel[1]));
  work.grid = gridOf(op->getResult(0), {kernel[0], kernel[1]});
  work.axisTerms = isa<L2Pool2dOp>(op) ? 0 : axisTermsOf(op, kernel, stride);
  work.reads =
      TypeSwitch<Operation *, uint64_t>(op)
          .Case<AveragePool2dOp, MaxPool2dOp, L2Pool2dOp>([&](auto pool) { return readElements(pool, kernel, {1, 1}); })
          .Default(work.reads);
  return work;
}

Work meanWork(Operation *op) {
  return windowWork(WorkKind::AveragePool, op, countOf(op->getOperand(0)) / countOf(op->getResult(0)));
}

/// Whether sums have 64 bits (NnConvOps.td, the 16-bit form).
static bool hasWideSums(Value input, Value bias) {
  return hasBits(elementOf(input), 16) && !(bias && elementOf(bias).isInteger(32));
}

/// Rows and columns of a filter; a matrix has one of each.
static std::pair<uint64_t, uint64_t> kernelOf(Value filter) {
  const ArrayRef<int64_t> shape = shapeOf(filter);
  return shape.size() == 4 ? std::pair<uint64_t, uint64_t>(shape[1], shape[2]) : std::pair<uint64_t, uint64_t>(1, 1);
}

static Work filterWork(Operation *op, Value filter, Value bias, uint64_t channels) {
  Value input = op->getOperand(0);
  Work work;
  work.kind = WorkKind::Dense;
  work.elements = countOf(op->getResult(0));
  work.terms = countOf(filter) / channels;
  work.macs = work.elements * work.terms;
  work.weights = countOf(filter);
  work.input = multipliedType(elementOf(input), elementOf(filter));
  work.multiplier = elementOf(filter);
  work.bias = bias;
  work.channels = channels;
  work.hasWideSums = hasWideSums(input, bias);
  work.grid = gridOf(op->getResult(0), kernelOf(filter));
  work.reads = countOf(input);
  TypeSwitch<Operation *>(op).Case<Conv2dOp, GroupedConv2dOp, DepthwiseConv2dOp>([&](auto convolution) {
    std::ranges::copy(convolution.getStride(), work.grid.stride);
    work.reads = readElements(convolution, shapeOf(filter).slice(1, 2), convolution.getDilation());
  });
  return work;
}

Work convolutionWork(Operation *op, Value filter, Value bias) {
  Work work = filterWork(op, filter, bias, static_cast<uint64_t>(shapeOf(filter).front()));
  if (auto grouped = dyn_cast<GroupedConv2dOp>(op))
    work.grid.groups = grouped.getGroups();
  return work;
}

Work depthwiseWork(Operation *op, Value filter, Value bias) {
  Work work = filterWork(op, filter, bias, static_cast<uint64_t>(shapeOf(filter).back()));
  const bool hasOneChannel = tensorOf(op->getOperand(0)).getShape().back() == 1;
  work.kind = hasOneChannel ? WorkKind::Dense : WorkKind::Depthwise;
  return work;
}

Work transposedWork(Operation *op, Value filter, Value bias) {
  Work work = convolutionWork(op, filter, bias);
  const auto inputChannels = static_cast<uint64_t>(shapeOf(filter).back());
  work.macs = countOf(op->getOperand(0)) * (countOf(filter) / inputChannels);
  work.terms = 1; // outputs differ in the number of elements that meet in them
  work.grid.isTransposed = true;
  std::ranges::copy(cast<TransposeConv2dOp>(op).getStride(), work.grid.stride);
  work.grid.inputChannels = inputChannels;
  work.grid.inputPositions = countOf(op->getOperand(0)) / inputChannels;
  return work;
}

Work matmulWork(Operation *op, uint64_t terms) {
  Work work;
  work.kind = WorkKind::Dense;
  work.elements = countOf(op->getResult(0));
  work.terms = terms;
  work.macs = work.elements * terms;
  work.multiplier = elementOf(op->getOperand(1));
  work.input = multipliedType(elementOf(op->getOperand(0)), work.multiplier);
  work.grid = gridOf(op->getResult(0));
  return work;
}

/// Steps of a layer over a sequence; 0 for a single step, which waits for none before.
static uint64_t stepsOf(Operation *op) {
  const ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  const bool isBatchMajor = TypeSwitch<Operation *, bool>(op)
                                .Case<LstmOp>([](auto lstm) { return !lstm.getTimeMajor(); })
                                .Case<LstmCellOp, RnnCellOp>([](auto cell) { return cell.getBatchMajor(); })
                                .Default(false);
  return isa<SvdfOp>(op) || shape.size() < 3 ? 0 : static_cast<uint64_t>(shape[isBatchMajor ? 1 : 0]);
}

Work recurrentWork(Operation *op, ValueRange inputMatrices, ArrayRef<ValueRange> others) {
  RankedTensorType input = tensorOf(op->getOperand(0));
  const auto vectors = static_cast<uint64_t>(input.getNumElements() / input.getShape().back());
  Work work;
  work.kind = WorkKind::Dense;
  for (Value matrix : inputMatrices) {
    work.weights += countOf(matrix);
    work.elements += vectors * static_cast<uint64_t>(shapeOf(matrix).front());
  }
  for (ValueRange group : others)
    for (Value matrix : group)
      if (tensorOf(matrix).getRank() == 2) {
        work.weights += countOf(matrix);
        work.sequence.weights += countOf(matrix);
        work.sequence.outputs += static_cast<uint64_t>(shapeOf(matrix).front());
      }
  work.macs = vectors * work.weights;
  work.multiplier = elementOf(inputMatrices.front());
  work.input = multipliedType(input.getElementType(), work.multiplier);
  work.sequence.steps = stepsOf(op);
  return work;
}

} // namespace avocet::compiler::nn
