//===- PlaceConcatenation.cpp - CONCATENATION --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along channels, on the array: a 1x1 convolution moves each input to its channels of the result and leaves the others
// zero; then the parts are added. Equal scales make the addition exact: the inputs are multiplied by 1/2 and the sum by
// 2, in 20 more bits. The DSP copies along other axes and types that the array does not have.
//
//===----------------------------------------------------------------------===//

#include "Rearrange.h"
#include "Selection.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// `storage` with its channels at `offset` among `channels`, zero elsewhere.
FailureOr<Value> spread(nn::ConcatenationOp op, Value storage, uint32_t offset, uint32_t channels,
                        Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(storage).getShape();
  auto own = static_cast<uint32_t>(shape[2]);
  Selection selection;
  selection.dims = {channels, 1, 1, own};
  selection.outputShape = {shape[0], shape[1], channels};
  selection.isOne = [offset](uint32_t channel, uint32_t product) { return channel == offset + product; };
  return placeSelection(op, storage, quantizationOf(op.getOutput()), selection, placement);
}

FailureOr<Value> add(nn::ConcatenationOp op, Value a, Value b, Placement &placement) {
  Quantization quantization = quantizationOf(op.getOutput());
  EltwiseCommand command;
  command.kind = EltwiseKind::Add;
  command.clamp = clampFor(nn::Activation::None, quantization);
  command.inputA.zeroPoint = command.inputB.zeroPoint = command.output.zeroPoint = quantization.zeroPoint;
  if (!quantization.isFloat()) {
    kernels::AddRescales rescales =
        kernels::prepareAdd(quantization.type, quantization.scale, quantization.scale, quantization.scale);
    command.leftShift = rescales.leftShift;
    command.rescaleA = rescales.inputA;
    command.rescaleB = rescales.inputB;
    command.rescaleOutput = rescales.output;
  }
  auto sum =
      npu::EltwiseOp::create(placement.builder(), op.getLoc(), a.getType(), a, b, command, placement.layerOf(op));
  command.inputA = command.inputB = command.output = fullMap(sum, quantization.zeroPoint);
  if (failed(placement.check(op, command)))
    return failure();
  return sum.getResult();
}

/// Whether the array can concatenate: along channels, if the weights for each pair of channels leave room in SRAM.
bool isForArray(nn::ConcatenationOp op, const Target &target) {
  auto output = tensorOf(op.getOutput());
  uint64_t channels = output.getShape().back();
  constexpr uint64_t kMostChannels = 1 << 16; // keeps the product below within 64 bits
  uint64_t weights = channels * channels * (output.getElementType().isF32() ? 4 : 1);
  return static_cast<int64_t>(op.getAxis()) == output.getRank() - 1 && isArrayElement(output.getElementType()) &&
         channels <= kMostChannels && weights <= target.sram().bytes / 4;
}

FailureOr<Value> concatenateOnArray(nn::ConcatenationOp op, Placement &placement) {
  uint32_t channels = tensorOf(op.getOutput()).getShape().back(), offset = 0;
  Value sum;
  for (Value input : op.getInputs()) {
    FailureOr<Value> part = spread(op, placement.operand(input), offset, channels, placement);
    if (succeeded(part) && sum)
      part = add(op, sum, *part, placement);
    if (failed(part))
      return failure();
    sum = *part;
    offset += tensorOf(input).getShape().back();
  }
  return sum;
}

/// A tensor that one command reads or writes.
struct Part {
  Value storage;
  SmallVector<int64_t> shape;
};

/// Concatenates the parts along the axis.
FailureOr<Part> join(nn::ConcatenationOp op, ArrayRef<Part> parts, Placement &placement) {
  Part whole{{}, parts.front().shape};
  whole.shape[op.getAxis()] = 0;
  for (const Part &part : parts)
    whole.shape[op.getAxis()] += part.shape[op.getAxis()];
  kernels::RearrangeParameters parameters;
  SmallVector<int64_t> position(whole.shape.size(), 0);
  SmallVector<Value> inputs;
  for (auto [number, part] : llvm::enumerate(parts)) {
    parameters.moves.push_back(placedAt(static_cast<uint32_t>(number), part.shape, whole.shape, position));
    position[op.getAxis()] += part.shape[op.getAxis()];
    inputs.push_back(part.storage);
  }
  FailureOr<Value> joined = placeRearrange(op, inputs, storageShape(whole.shape), parameters, placement);
  if (failed(joined))
    return failure();
  whole.storage = *joined;
  return whole;
}

/// Joins up to kMost parts per command: each is a box of two axes in ten words, and a command has limited words.
FailureOr<Value> concatenateOnDsp(nn::ConcatenationOp op, Placement &placement) {
  constexpr size_t kMost = 24;
  SmallVector<Part> parts;
  for (Value input : op.getInputs())
    parts.push_back({placement.operand(input), SmallVector<int64_t>(tensorOf(input).getShape())});
  while (parts.size() > 1) {
    SmallVector<Part> joined;
    for (ArrayRef<Part> rest = parts; !rest.empty(); rest = rest.drop_front(std::min(kMost, rest.size()))) {
      FailureOr<Part> part = join(op, rest.take_front(kMost), placement);
      if (failed(part))
        return failure();
      joined.push_back(*part);
    }
    parts = joined;
  }
  return parts.front().storage;
}

LogicalResult placeConcatenation(nn::ConcatenationOp op, Placement &placement) {
  FailureOr<Value> joined =
      isForArray(op, placement.target()) ? concatenateOnArray(op, placement) : concatenateOnDsp(op, placement);
  return failed(joined) ? failure() : placement.finish(op, *joined);
}

} // namespace

void addConcatenationPlacers(PlacerTable &table) { table.add(placeConcatenation); }

} // namespace avocet::compiler
