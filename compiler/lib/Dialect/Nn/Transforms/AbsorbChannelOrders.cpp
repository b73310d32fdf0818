//===- AbsorbChannelOrders.cpp - Orders of channels into weights *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelOrder.h"
#include "ElementOrder.h"
#include "Greedy.h"

#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Origin.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_ABSORBCHANNELORDERSPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

constexpr llvm::StringLiteral kOrder = "channel_order"; // name of remarks

/// The channel of the source in each place of the moved pixels; nullopt if elements leave their pixels, or none moves.
std::optional<ChannelOrder> channelOrder(const MovedElements &moved, int64_t channels) {
  if (moved.order.isIdentity())
    return std::nullopt;
  const std::optional<ElementOrder> inner = moved.order.insideRows(channels);
  return inner ? std::optional(inner->places()) : std::nullopt;
}

/// A convolution makes its outputs in the order that a transpose gives them.
struct OrderOutputs : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    const MovedElements moved = traceMoves(op.getOutput());
    auto conv = moved.source.getDefiningOp<Conv2dOp>();
    if (!conv || !isReadBy(conv, op))
      return rewriter.notifyMatchFailure(op, "moves no convolution's result, or not alone");
    const std::optional<ChannelOrder> order = channelOrder(moved, shapeOf(conv.getOutput()).back());
    if (!order)
      return rewriter.notifyMatchFailure(op, "moves elements out of their pixels");
    if (!hasFreeOutputs(conv))
      return remarkNotFused(rewriter, op, kOrder, "the weights before it are not constants of one layer");
    reorderOutputs(conv, *order, rewriter);
    rewriter.modifyOpInPlace(conv, [&] { conv->setLoc(fusedIntoResult(conv.getLoc(), op.getLoc())); });
    remarkFused(conv, kOrder, "its outputs have the order after the transpose");
    replaceWithReshapes(op, conv, rewriter);
    return success();
  }
};

/// A convolution reads its inputs in the order before a transpose.
struct OrderInputs : OpRewritePattern<Conv2dOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(Conv2dOp op, PatternRewriter &rewriter) const override {
    const MovedElements moved = traceMoves(op.getInput());
    const std::optional<ChannelOrder> order = channelOrder(moved, shapeOf(op.getInput()).back());
    if (!order)
      return rewriter.notifyMatchFailure(op, "input has no pixels with moved channels");
    if (!hasFreeInputs(op))
      return remarkNotFused(rewriter, op, kOrder, "its weights are not integers of its own");
    reorderInputs(op, reshaped(moved.source, tensorOf(op.getInput()), op.getLoc(), rewriter), inverse(*order),
                  rewriter);
    remarkFused(op, kOrder, "its inputs have the order before the transpose");
    return success();
  }
};

/// A depthwise convolution before such convolutions leaves the order to them.
struct PassDepthwise : OpRewritePattern<DepthwiseConv2dOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DepthwiseConv2dOp op, PatternRewriter &rewriter) const override {
    const MovedElements moved = traceMoves(op.getInput());
    const std::optional<ChannelOrder> order = channelOrder(moved, shapeOf(op.getInput()).back());
    if (!order || !hasFreeOutputs(op))
      return rewriter.notifyMatchFailure(op, "input has no pixels with moved channels, or weights have other readers");
    if (!isReadInAnyOrder(op.getOutput()))
      return remarkNotFused(rewriter, op, kOrder, "something else than convolutions of integers reads its result");
    const ChannelOrder before = inverse(*order);
    Value input = reshaped(moved.source, tensorOf(op.getInput()), op.getLoc(), rewriter);
    reorderOutputs(op, before, rewriter);
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(input);
      op->setLoc(unnamedResult(op.getLoc()));
    });
    for (Operation *reader : llvm::make_early_inc_range(op->getUsers()))
      reorderInputs(cast<Conv2dOp>(reader), op.getOutput(), before, rewriter);
    remarkFused(op, kOrder, "its channels have the order before the transpose, and its readers' inputs too");
    return success();
  }
};

struct AbsorbChannelOrders : impl::AbsorbChannelOrdersPassBase<AbsorbChannelOrders> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<OrderOutputs, OrderInputs, PassDepthwise>(&getContext());
    addShufflePatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      signalPassFailure();
  }
};

} // namespace
} // namespace avocet::compiler::nn
