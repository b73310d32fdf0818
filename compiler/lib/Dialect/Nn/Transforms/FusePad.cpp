//===- FusePad.cpp - Padding into the convolution that reads it -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Greedy.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_FUSEPADPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

template <typename ConvOp> struct FusePadPattern : OpRewritePattern<ConvOp> {
  using OpRewritePattern<ConvOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto pad = op.getInput().template getDefiningOp<PadOp>();
    if (!pad)
      return rewriter.notifyMatchFailure(op, "input is not padded");
    ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
    if (low[0] || high[0] || low[3] || high[3])
      return rewriter.notifyMatchFailure(op, "batch or channels are padded");
    SmallVector<int64_t> sum{low[1], high[1], low[2], high[2]};
    for (auto [total, own] : llvm::zip(sum, op.getPad()))
      total += own;
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(pad.getInput());
      op.setPad(sum);
    });
    return success();
  }
};

struct FusePad : impl::FusePadPassBase<FusePad> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FusePadPattern<Conv2dOp>, FusePadPattern<DepthwiseConv2dOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      signalPassFailure();
  }
};

} // namespace
} // namespace avocet::compiler::nn
