//===- PlaceShape.cpp - Constants and changes of shape ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceLstm.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// After input and states.
constexpr unsigned kFirstCellWeights = 3;

/// Only constants that are read as values become device constants; layers pack the weights that they read.
bool isReadAsValue(nn::ConstantOp op) {
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    if (auto cell = dyn_cast<nn::LstmCellOp>(use.getOwner()))
      return use.getOperandNumber() < kFirstCellWeights || !isPlainSequence(cell);
    bool hasWeights = isa<nn::Conv2dOp, nn::DepthwiseConv2dOp, nn::GroupedConv2dOp, nn::TransposeConv2dOp,
                          nn::FullyConnectedOp, nn::LstmOp>(use.getOwner());
    return !hasWeights || use.getOperandNumber() == 0;
  });
}

LogicalResult placeConstant(nn::ConstantOp op, Placement &placement) {
  if (isReadAsValue(op))
    placement.bind(op, placement.constant(op, storageType(tensorOf(op.getOutput()))));
  return success();
}

LogicalResult placeReshape(nn::ReshapeOp op, Placement &placement) {
  return placement.finish(op, placement.operand(op.getInput()));
}

LogicalResult placeBitcast(nn::BitcastOp op, Placement &placement) {
  placement.bind(op,
                 placement.view(op.getLoc(), placement.operand(op.getInput()), storageType(tensorOf(op.getOutput()))));
  return success();
}

} // namespace

void addShapePlacers(PlacerTable &table) {
  table.add(placeConstant);
  table.add(placeReshape);
  table.add(placeBitcast);
}

} // namespace avocet::compiler
