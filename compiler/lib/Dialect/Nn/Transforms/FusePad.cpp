//===- FusePad.cpp - Padding into the convolution that reads it -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Greedy.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/firmware_iface/WindowInputs.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_FUSEPADPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

constexpr llvm::StringLiteral kPad = "pad", kCrop = "crop"; // names of remarks

template <typename ConvOp> struct FusePadPattern : OpRewritePattern<ConvOp> {
  using OpRewritePattern<ConvOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto pad = op.getInput().template getDefiningOp<PadOp>();
    if (!pad)
      return rewriter.notifyMatchFailure(op, "input is not padded");
    if (pad.getValue())
      return remarkNotFused(rewriter, op, kPad, "padding need not be zero");
    ArrayRef<int64_t> low = pad.getLow(), high = pad.getHigh();
    if (low[0] || high[0] || low[3] || high[3])
      return remarkNotFused(rewriter, op, kPad, "batch or channels are padded");
    SmallVector<int64_t> sum{low[1], high[1], low[2], high[2]};
    for (auto [total, own] : llvm::zip(sum, op.getPad()))
      total += own;
    for (int axis : {0, 1})
      if (std::max(sum[2 * axis], sum[2 * axis + 1]) >= windowExtent(op, axis))
        return remarkNotFused(rewriter, op, kPad, "a window would lie in padding alone");
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(pad.getInput());
      op.setPad(sum);
      op->setLoc(fusedLocation(op.getLoc(), pad.getLoc()));
    });
    remarkFused(op, kPad, "the convolution pads its input itself");
    return success();
  }

private:
  /// Rows or columns that the dilated window covers; the filter's extents are axes 1 and 2 of both operations.
  static int64_t windowExtent(ConvOp op, int axis) {
    int64_t kernel = cast<RankedTensorType>(op.getFilter().getType()).getDimSize(1 + axis);
    return firmware::windowReach(kernel, op.getDilation()[axis]);
  }
};

/// Zeros after lines, which a spectrum reads where a line ends. A reshape between them may keep the lines.
struct SpectrumPadPattern : OpRewritePattern<RfftOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RfftOp op, PatternRewriter &rewriter) const override {
    auto reshape = op.getInput().getDefiningOp<ReshapeOp>();
    auto pad = (reshape ? reshape.getInput() : op.getInput()).getDefiningOp<PadOp>();
    if (!pad)
      return rewriter.notifyMatchFailure(op, "input is not padded");
    ArrayRef<int64_t> padded = cast<RankedTensorType>(pad.getType()).getShape(), low = pad.getLow(),
                      high = pad.getHigh();
    auto lines = cast<RankedTensorType>(op.getInput().getType());
    if (lines.getShape().back() != padded.back())
      return remarkNotFused(rewriter, op, kPad, "the padding is not between two lines");
    if (pad.getValue())
      return remarkNotFused(rewriter, op, kPad, "padding need not be zero");
    if (llvm::any_of(low, [](int64_t amount) { return amount != 0; }) ||
        llvm::any_of(high.drop_back(), [](int64_t amount) { return amount != 0; }))
      return remarkNotFused(rewriter, op, kPad, "padding is not only after lines");
    Value input = pad.getInput();
    if (reshape) {
      SmallVector<int64_t> shape(lines.getShape());
      shape.back() -= high.back();
      const auto type = RankedTensorType::get(shape, lines.getElementType());
      input = ReshapeOp::create(rewriter, reshape.getLoc(), type, input, shape);
    }
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(input);
      op->setLoc(fusedLocation(op.getLoc(), pad.getLoc()));
    });
    remarkFused(op, kPad, "the spectrum continues lines with zeros itself");
    return success();
  }
};

/// The rows and columns at the border of a result that nothing reads are not made: padding that only they read is less.
template <typename ConvOp> struct CropPattern : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op, PatternRewriter &rewriter) const override {
    auto conv = op.getInput().template getDefiningOp<ConvOp>();
    if (!conv || !conv->hasOneUse())
      return rewriter.notifyMatchFailure(op, "is not the only reader of a convolution");
    if (llvm::any_of(op.getStrides(), [](int64_t stride) { return stride != 1; }))
      return remarkNotFused(rewriter, op, kCrop, "the slice leaves gaps");
    ArrayRef<int64_t> from = cast<RankedTensorType>(conv.getType()).getShape(), begin = op.getBegin();
    ArrayRef<int64_t> to = cast<RankedTensorType>(op.getType()).getShape();
    if (from[0] != to[0] || from[3] != to[3])
      return remarkNotFused(rewriter, op, kCrop, "the slice crops batch or channels");
    SmallVector<int64_t> pad(conv.getPad());
    for (int axis : {0, 1}) {
      const int64_t low = begin[1 + axis], high = from[1 + axis] - low - to[1 + axis];
      pad[2 * axis] -= low * conv.getStride()[axis];
      pad[2 * axis + 1] -= high * conv.getStride()[axis];
    }
    if (llvm::any_of(pad, [](int64_t each) { return each < 0; }))
      return remarkNotFused(rewriter, op, kCrop, "the slice crops more than the padding makes");
    rewriter.modifyOpInPlace(conv, [&] {
      conv.setPad(pad);
      conv.getOutput().setType(op.getType());
      conv->setLoc(fusedIntoResult(conv.getLoc(), op.getLoc()));
    });
    rewriter.replaceOp(op, conv);
    remarkFused(conv, kCrop, "the convolution makes only what the slice leaves");
    return success();
  }
};

struct FusePad : impl::FusePadPassBase<FusePad> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FusePadPattern<Conv2dOp>, FusePadPattern<DepthwiseConv2dOp>, CropPattern<Conv2dOp>,
                 CropPattern<DepthwiseConv2dOp>, SpectrumPadPattern>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      signalPassFailure();
  }
};

} // namespace
} // namespace avocet::compiler::nn
