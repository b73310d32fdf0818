//===- SinkTransposes.cpp - Layouts with few transposes ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutChoice.h"
#include "Relayout.h"

#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Remarks.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_SINKTRANSPOSESPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

constexpr llvm::StringLiteral kLayout = "layout"; // name of remarks

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// Whether it exchanges rows and columns of matrices.
bool exchangesMatrices(TransposeOp op) {
  const ArrayRef<int64_t> order = op.getPermutation();
  Permutation exchanged = identity(order.size());
  if (exchanged.size() < 2)
    return false;
  std::swap(exchanged.back(), exchanged[exchanged.size() - 2]);
  return order == ArrayRef<int64_t>(exchanged);
}

/// Products read either form of a matrix. The left one is copied for it, so that nothing is saved if the transpose has
/// other readers.
void absorbExchanges(BatchMatmulOp op) {
  if (auto right = op.getRhs().getDefiningOp<TransposeOp>(); right && exchangesMatrices(right)) {
    op.getRhsMutable().assign(right.getInput());
    op.setTransposeRhs(!op.getTransposeRhs());
  }
  if (auto left = op.getLhs().getDefiningOp<TransposeOp>();
      left && exchangesMatrices(left) && (op.getTransposeLhs() || left->hasOneUse())) {
    op.getLhsMutable().assign(left.getInput());
    op.setTransposeLhs(!op.getTransposeLhs());
  }
}

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

/// Whether the operation can have the tensor with its axes in this order. `axes` are those of the tensor.
bool canFollow(Operation *op, Value tensor, llvm::function_ref<TensorAxes(const LayoutForm &)> axesOf,
               ArrayRef<int64_t> order) {
  auto layout = dyn_cast<LayoutInterface>(op);
  const std::optional<LayoutForm> form = layout ? layout.layoutForm() : std::nullopt;
  const TensorAxes axes = form ? axesOf(*form) : std::nullopt;
  return axes && operationOrder(*form, *axes, shapeOf(tensor), order);
}

bool canProducerFollow(TransposeOp op) {
  const unsigned result = cast<OpResult>(op.getInput()).getResultNumber();
  return canFollow(
      op.getInput().getDefiningOp(), op.getInput(), [&](const LayoutForm &form) { return form.results[result]; },
      op.getPermutation());
}

bool canFollow(OpOperand &reader, TransposeOp op) {
  return canFollow(
      reader.getOwner(), op.getOutput(),
      [&](const LayoutForm &form) { return form.operands[reader.getOperandNumber()]; }, inverse(op.getPermutation()));
}

std::string nameOf(Operation *op) { return op->getName().getStringRef().str(); }

std::string reasonToStay(TransposeOp op) {
  Operation *producer = op.getInput().getDefiningOp();
  const std::string before = producer ? nameOf(producer) : "an input";
  Operation *reader = nullptr;
  bool isStuck = !producer || !canProducerFollow(op);
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (user->hasTrait<OpTrait::IsTerminator>())
      return (isa<YieldOp>(user) ? "a result of a branch or loop" : "a result of the network") +
             (" has another layout than " + before);
    const bool follows = canFollow(use, op);
    isStuck &= !follows;
    if (!reader || !follows)
      reader = user;
  }
  if (!producer || isStuck)
    return before + " and " + nameOf(reader) + " have different layouts";
  return "elsewhere than between " + before + " and " + nameOf(reader) + " as many bytes or more would be transposed";
}

void remarkStays(TransposeOp op) {
  if (op->use_empty())
    return;
  remark::failed(op.getLoc(), remarkOptions(remarks::kFusion, kLayout))
      << remark::metric(remarks::kReason, reasonToStay(op));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Chooses layouts until no choice is better: an operation has a choice of two in each round.
void relayout(Block &block) {
  constexpr int kMostRounds = 8;
  bool isBetter = true;
  for (int round = 0; isBetter && round < kMostRounds; ++round) {
    for (auto op : block.getOps<BatchMatmulOp>())
      absorbExchanges(op);
    const AxesViews views(block);
    LayoutGraph graph(block, views);
    isBetter = chooseLayouts(graph);
    applyLayouts(block, views, graph);
  }
}

struct SinkTransposes : impl::SinkTransposesPassBase<SinkTransposes> {
  void runOnOperation() override {
    llvm::SetVector<Block *> blocks;
    getOperation().walk([&](TransposeOp op) { blocks.insert(op->getBlock()); });
    for (Block *block : blocks)
      relayout(*block);
    if (wantsRemarks(&getContext()))
      getOperation().walk(remarkStays);
  }
};

} // namespace
} // namespace avocet::compiler::nn
