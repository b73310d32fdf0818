//===- FuseActivation.cpp - Rectifiers into their producers -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Greedy.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Support/Origin.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_FUSEACTIVATIONPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

/// Name of the attribute that all operations with a fused activation share.
constexpr llvm::StringLiteral kActivation = "activation";

constexpr llvm::StringLiteral kRemark = "activation";

bool takesActivation(Operation *op) {
  return isa_and_nonnull<Conv2dOp, DepthwiseConv2dOp, FullyConnectedOp, AddOp, SubOp, MulOp, AveragePool2dOp,
                         MaxPool2dOp>(op);
}

struct FuseActivationPattern : OpRewritePattern<ClampOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ClampOp op, PatternRewriter &rewriter) const override {
    Operation *producer = op.getInput().getDefiningOp();
    if (!takesActivation(producer))
      return remarkNotFused(rewriter, op, kRemark, "its input is made by no operation with an activation");
    if (!producer->hasOneUse())
      return remarkNotFused(rewriter, op, kRemark, "its input has another reader");
    if (op.getInput().getType() != op.getType())
      return remarkNotFused(rewriter, op, kRemark, "the element type changes");
    const std::optional<Activation> both = kernels::intersectionOf(activationOf(producer), op.getRange());
    if (!both)
      return remarkNotFused(rewriter, op, kRemark, "its range and that of the operation before it are apart");
    // The layer keeps its name, since it does the work; its result is that of the activation.
    rewriter.modifyOpInPlace(producer, [&] {
      producer->setAttr(kActivation, ActivationAttr::get(op.getContext(), *both));
      producer->setLoc(fusedIntoResult(producer->getLoc(), op.getLoc()));
    });
    rewriter.replaceOp(op, producer);
    remarkFused(producer, kRemark, "the operation before it clamps its result itself");
    return success();
  }
};

struct FuseActivation : impl::FuseActivationPassBase<FuseActivation> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseActivationPattern>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      signalPassFailure();
  }
};

} // namespace
} // namespace avocet::compiler::nn
