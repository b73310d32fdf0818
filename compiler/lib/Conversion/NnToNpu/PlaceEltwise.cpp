//===- PlaceEltwise.cpp - Operations of two tensors on the array -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// An input that broadcasts has stride 0 along that axis; channels need no stride.
FeatureMap inputMap(Value storage, const FeatureMap &output, int32_t zeroPoint) {
  FeatureMap map = fullMap(storage, zeroPoint);
  if (map.height != output.height)
    map.rowStride = 0;
  if (map.width != output.width)
    map.pixelStride = 0;
  map.height = map.ringRows = output.height;
  map.width = output.width;
  return map;
}

LogicalResult placeOnArray(Operation *op, StorageShape shapeA, StorageShape shapeB, EltwiseCommand command,
                           Placement &placement) {
  Value a = placement.view(op->getLoc(), placement.operand(op->getOperand(0)), shapeA);
  Value b = placement.view(op->getLoc(), placement.operand(op->getOperand(1)), shapeB);
  command.inputA.zeroPoint = quantizationOf(op->getOperand(0)).zeroPoint;
  command.inputB.zeroPoint = quantizationOf(op->getOperand(1)).zeroPoint;
  command.output.zeroPoint = quantizationOf(op->getResult(0)).zeroPoint;
  auto eltwise = npu::EltwiseOp::create(placement.builder(), op->getLoc(), storageType(tensorOf(op->getResult(0))), a,
                                        b, command, placement.layerOf(op));
  command.output = fullMap(eltwise.getResult(), command.output.zeroPoint);
  command.inputA = inputMap(a, command.output, command.inputA.zeroPoint);
  command.inputB = inputMap(b, command.output, command.inputB.zeroPoint);
  if (failed(placement.check(op, command)))
    return failure();
  return placement.finish(op, eltwise);
}

kernels::BinaryKind dspKind(EltwiseKind kind) {
  switch (kind) {
  case EltwiseKind::Add:
    return kernels::BinaryKind::Add;
  case EltwiseKind::Sub:
    return kernels::BinaryKind::Sub;
  case EltwiseKind::Mul:
    return kernels::BinaryKind::Mul;
  case EltwiseKind::Min:
    return kernels::BinaryKind::Minimum;
  case EltwiseKind::Max:
    return kernels::BinaryKind::Maximum;
  }
  llvm_unreachable("all kinds are listed");
}

/// Places on the array if it has the type and the operands broadcast along rows, pixels and channels; else on the DSP.
LogicalResult placeEltwise(Operation *op, const EltwiseCommand &command, Placement &placement) {
  ArrayRef<int64_t> result = tensorOf(op->getResult(0)).getShape();
  auto a = broadcastStorage(op->getOperand(0), result), b = broadcastStorage(op->getOperand(1), result);
  if (a && b && placement.target().macsPerCycle(quantizationOf(op->getResult(0)).type) != 0)
    return placeOnArray(op, *a, *b, command, placement);
  kernels::BinaryParameters parameters;
  parameters.kind = dspKind(command.kind);
  parameters.clamp = command.clamp;
  parameters.leftShift = command.leftShift;
  parameters.rescaleA = command.rescaleA;
  parameters.rescaleB = command.rescaleB;
  parameters.rescaleOutput = command.rescaleOutput;
  return placeBinary(op, parameters, placement);
}

template <EltwiseKind kind, typename Op> LogicalResult placeSum(Op op, Placement &placement) {
  Quantization a = quantizationOf(op.getLhs()), b = quantizationOf(op.getRhs()), out = quantizationOf(op.getOutput());
  EltwiseCommand command;
  command.kind = kind;
  command.clamp = clampFor(op.getActivation(), out);
  if (isQuantized(op.getOutput())) {
    // Both inputs are converted to twice the larger scale.
    kernels::AddRescales rescales = op.getShiftScales() ? kernels::prepareShiftedAdd(a.scale, b.scale, out.scale)
                                                        : kernels::prepareAdd(out.type, a.scale, b.scale, out.scale);
    command.leftShift = rescales.leftShift;
    command.rescaleA = rescales.inputA;
    command.rescaleB = rescales.inputB;
    command.rescaleOutput = rescales.output;
  }
  return placeEltwise(op, command, placement);
}

LogicalResult placeMul(nn::MulOp op, Placement &placement) {
  Quantization a = quantizationOf(op.getLhs()), b = quantizationOf(op.getRhs()), out = quantizationOf(op.getOutput());
  EltwiseCommand command;
  command.kind = EltwiseKind::Mul;
  command.clamp = clampFor(op.getActivation(), out);
  if (isQuantized(op.getOutput())) {
    command.rescaleOutput = kernels::prepareMul(a.scale, b.scale, out.scale);
  }
  return placeEltwise(op, command, placement);
}

template <EltwiseKind kind, typename Op> LogicalResult placeSelecting(Op op, Placement &placement) {
  EltwiseCommand command;
  command.kind = kind;
  command.clamp = plainClampFor(nn::Activation::None, quantizationOf(op.getOutput()));
  return placeEltwise(op, command, placement);
}

LogicalResult placeDiv(nn::DivOp op, Placement &placement) {
  Quantization a = quantizationOf(op.getLhs()), b = quantizationOf(op.getRhs()), out = quantizationOf(op.getOutput());
  kernels::BinaryParameters parameters;
  parameters.kind = op.getTruncates() ? kernels::BinaryKind::TruncatedDiv : kernels::BinaryKind::Div;
  parameters.clamp = clampFor(op.getActivation(), out);
  if (isQuantized(op.getOutput())) {
    const float ratio = a.scale / (b.scale * out.scale);
    parameters.rescaleOutput = kernels::quantizeMultiplier(ratio);
  }
  return placeBinary(op, parameters, placement);
}

kernels::BinaryKind dspKind(nn::BinaryKind kind) {
  switch (kind) {
  case nn::BinaryKind::Atan2:
    return kernels::BinaryKind::Atan2;
  case nn::BinaryKind::FloorDiv:
    return kernels::BinaryKind::FloorDiv;
  case nn::BinaryKind::FloorMod:
    return kernels::BinaryKind::FloorMod;
  case nn::BinaryKind::SquaredDifference:
    return kernels::BinaryKind::SquaredDifference;
  case nn::BinaryKind::BitwiseXor:
    return kernels::BinaryKind::BitwiseXor;
  case nn::BinaryKind::RightShift:
    return kernels::BinaryKind::RightShift;
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult placeFunction(nn::BinaryOp op, Placement &placement) {
  Quantization a = quantizationOf(op.getLhs()), b = quantizationOf(op.getRhs()), out = quantizationOf(op.getOutput());
  kernels::BinaryParameters parameters;
  parameters.kind = dspKind(op.getKind());
  if (isQuantized(op.getOutput())) {
    kernels::AddRescales rescales = kernels::prepareSquaredDifference(a.scale, b.scale, out.scale);
    parameters.leftShift = rescales.leftShift;
    parameters.rescaleA = rescales.inputA;
    parameters.rescaleB = rescales.inputB;
    parameters.rescaleOutput = rescales.output;
  }
  return placeBinary(op, parameters, placement);
}

LogicalResult placePow(nn::PowOp op, Placement &placement) {
  kernels::BinaryParameters parameters;
  parameters.kind = kernels::BinaryKind::Pow;
  return placeBinary(op, parameters, placement);
}

LogicalResult placePrelu(nn::PreluOp op, Placement &placement) {
  Quantization a = quantizationOf(op.getLhs()), b = quantizationOf(op.getRhs()), out = quantizationOf(op.getOutput());
  kernels::BinaryParameters parameters;
  parameters.kind = kernels::BinaryKind::Prelu;
  if (isQuantized(op.getOutput())) {
    // Both ratios are of floats, as in the reference.
    parameters.rescaleA = kernels::quantizeMultiplier(a.scale / out.scale);
    parameters.rescaleOutput = kernels::prepareMul(a.scale, b.scale, out.scale);
  }
  return placeBinary(op, parameters, placement);
}

} // namespace

void addEltwisePlacers(PlacerTable &table) {
  table.add(placeDiv);
  table.add(placeFunction);
  table.add(placePow);
  table.add(placePrelu);
  table.add(placeSum<EltwiseKind::Add, nn::AddOp>);
  table.add(placeSum<EltwiseKind::Sub, nn::SubOp>);
  table.add(placeMul);
  table.add(placeSelecting<EltwiseKind::Min, nn::MinimumOp>);
  table.add(placeSelecting<EltwiseKind::Max, nn::MaximumOp>);
}

} // namespace avocet::compiler
