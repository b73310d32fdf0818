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

bool keepsLayout(Operation *op) {
  auto layout = dyn_cast_or_null<LayoutInterface>(op);
  return !layout || !layout.layoutForm();
}

std::string nameOf(Operation *op) { return op->getName().getStringRef().str(); }

std::string reasonToStay(TransposeOp op) {
  Operation *producer = op.getInput().getDefiningOp();
  const bool isArgument = !producer;
  Operation *reader = nullptr;
  for (Operation *user : op->getUsers()) {
    if (user->hasTrait<OpTrait::IsTerminator>()) {
      const std::string result = isa<YieldOp>(user) ? "a result of a branch or loop" : "a result of the network";
      return result + " has another layout than " + (isArgument ? "an input" : nameOf(producer));
    }
    if (!reader || keepsLayout(user))
      reader = user;
  }
  if (isArgument)
    return "an input has another layout than " + nameOf(reader);
  if (keepsLayout(producer) && keepsLayout(reader))
    return nameOf(producer) + " and " + nameOf(reader) + " have different layouts";
  return "elsewhere than between " + nameOf(producer) + " and " + nameOf(reader) +
         " as many bytes or more would be transposed";
}

void remarkStays(TransposeOp op) {
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
