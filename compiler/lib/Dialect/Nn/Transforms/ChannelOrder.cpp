//===- ChannelOrder.cpp - Layers with channels in another order -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelOrder.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"

using namespace mlir;

namespace avocet::compiler::nn {

namespace {

/// Whether the constant has no other reader, and its bytes are there.
bool isOwn(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && constant->hasOneUse() && hasBytes(constant);
}

template <typename Layer> bool hasOwnConstants(Layer op) {
  return isOwn(op.getFilter()) && (!op.getBias() || isOwn(op.getBias()));
}

template <typename Layer>
void reorderConstants(Layer op, unsigned filterAxis, ArrayRef<int64_t> order, PatternRewriter &rewriter) {
  auto filter = op.getFilter().template getDefiningOp<ConstantOp>();
  const Value moved = reordered(filter, filterAxis, order, rewriter);
  rewriter.modifyOpInPlace(op, [&] { op.getFilterMutable().assign(moved); });
  if (!op.getBias())
    return;
  const Value bias = reordered(op.getBias().template getDefiningOp<ConstantOp>(), 0, order, rewriter);
  rewriter.modifyOpInPlace(op, [&] { op.getBiasMutable().assign(bias); });
}

} // namespace

bool hasFreeOutputs(Conv2dOp op) { return hasOwnConstants(op); }

bool hasFreeOutputs(DepthwiseConv2dOp op) {
  return hasOwnConstants(op) && shapeOf(op.getInput()).back() == shapeOf(op.getOutput()).back();
}

void reorderOutputs(Conv2dOp op, ArrayRef<int64_t> order, PatternRewriter &rewriter) {
  reorderConstants(op, 0, order, rewriter);
}

void reorderOutputs(DepthwiseConv2dOp op, ArrayRef<int64_t> order, PatternRewriter &rewriter) {
  reorderConstants(op, 3, order, rewriter);
}

bool hasFreeInputs(Conv2dOp op) { return isOwn(op.getFilter()) && isQuantized(op.getFilter()); }

bool isReadInAnyOrder(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUses(), [](OpOperand &use) {
    auto conv = dyn_cast<Conv2dOp>(use.getOwner());
    return conv && use.getOperandNumber() == 0 && hasFreeInputs(conv);
  });
}

void reorderInputs(Conv2dOp op, Value input, ArrayRef<int64_t> order, PatternRewriter &rewriter) {
  const Value filter = reordered(op.getFilter().getDefiningOp<ConstantOp>(), 3, order, rewriter);
  rewriter.modifyOpInPlace(op, [&] {
    op.getInputMutable().assign(input);
    op.getFilterMutable().assign(filter);
  });
}

} // namespace avocet::compiler::nn
