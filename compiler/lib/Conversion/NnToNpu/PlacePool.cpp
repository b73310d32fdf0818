//===- PlacePool.cpp - Pools on the array -----------------------*- C++ -*-===//
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

template <PoolKind kind, typename PoolOp> LogicalResult placePool(PoolOp op, Placement &placement) {
  auto input = tensorOf(op.getInput()), output = tensorOf(op.getOutput());
  ArrayRef<int64_t> kernel = op.getKernel(), stride = op.getStride(), pad = op.getPad();
  if (failed(checkBatch(op, placement, input, output, kernel[0], stride[0], pad[0] + pad[1])))
    return failure();
  Quantization quantization = quantizationOf(op.getOutput());
  PoolCommand command;
  command.kind = kind;
  command.input.zeroPoint = command.output.zeroPoint = quantization.zeroPoint;
  command.window.kernelHeight = kernel[0];
  command.window.kernelWidth = kernel[1];
  command.window.strideHeight = stride[0];
  command.window.strideWidth = stride[1];
  command.window.padTop = pad[0];
  command.window.padLeft = pad[2];
  command.clamp = clampFor(op.getActivation(), quantization);
  auto pool = npu::PoolOp::create(placement.builder(), op.getLoc(), storageType(output),
                                  placement.operand(op.getInput()), command, pad[1], pad[3], placement.layerOf(op));
  command.input = fullMap(pool.getInput(), quantization.zeroPoint);
  command.output = fullMap(pool.getResult(), quantization.zeroPoint);
  if (failed(placement.check(op, command)))
    return failure();
  return placement.finish(op, pool);
}

} // namespace

void addPoolPlacers(PlacerTable &table) {
  table.add(placePool<PoolKind::Average, nn::AveragePool2dOp>);
  table.add(placePool<PoolKind::Max, nn::MaxPool2dOp>);
}

} // namespace avocet::compiler
