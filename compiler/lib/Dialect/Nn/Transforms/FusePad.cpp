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
    if (pad.getValue())
      return rewriter.notifyMatchFailure(op, "padding need not be zero");
    ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
    if (low[0] || high[0] || low[3] || high[3])
      return rewriter.notifyMatchFailure(op, "batch or channels are padded");
    SmallVector<int64_t> sum{low[1], high[1], low[2], high[2]};
    for (auto [total, own] : llvm::zip(sum, op.getPad()))
      total += own;
    for (int axis : {0, 1})
      if (std::max(sum[2 * axis], sum[2 * axis + 1]) >= windowExtent(op, axis))
        return rewriter.notifyMatchFailure(op, "a window would lie in padding alone");
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(pad.getInput());
      op.setPad(sum);
    });
    return success();
  }

private:
  /// Rows or columns that the dilated window covers; the filter's extents are axes 1 and 2 of both operations.
  static int64_t windowExtent(ConvOp op, int axis) {
    int64_t kernel = cast<RankedTensorType>(op.getFilter().getType()).getDimSize(1 + axis);
    return (kernel - 1) * op.getDilation()[axis] + 1;
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
