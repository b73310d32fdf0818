//===- PlaceConcatenation.cpp - CONCATENATION on the array ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each input moves to its channels of the result by a 1x1 convolution that leaves the others zero, and the parts are
// added up. Equal scales make the addition exact: the inputs are multiplied by 1/2 and the sum by 2, in 20 more bits.
//
//===----------------------------------------------------------------------===//

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

LogicalResult placeConcatenation(nn::ConcatenationOp op, Placement &placement) {
  auto output = tensorOf(op.getOutput());
  if (static_cast<int64_t>(op.getAxis()) != output.getRank() - 1)
    return placement.refuse(op, "axis", "is the last one", Twine(op.getAxis()), Twine(output.getRank() - 1));
  uint32_t channels = output.getShape().back(), offset = 0;
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
  return placement.finish(op, sum);
}

} // namespace

void addConcatenationPlacers(PlacerTable &table) { table.add(placeConcatenation); }

} // namespace avocet::compiler
