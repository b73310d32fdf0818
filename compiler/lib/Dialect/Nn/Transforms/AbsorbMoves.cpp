//===- AbsorbMoves.cpp - Transposes into their neighbors -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelOrder.h"
#include "ElementOrder.h"
#include "Greedy.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_ABSORBMOVESPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

constexpr llvm::StringLiteral kTranspose = "transpose", kDilation = "dilation"; // names of remarks

/// Transposes that move axes of extent 1 only, or that those before them undo.
struct ReplaceByReshape : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    const MovedElements moved = traceMoves(op.getOutput());
    if (moved.source == op.getOutput() || !moved.order.isIdentity())
      return rewriter.notifyMatchFailure(op, "moves elements");
    replaceWithReshapes(op, moved.source, rewriter);
    return success();
  }
};

/// The columns of the weights in the order of the input's elements.
struct PermuteWeights : OpRewritePattern<FullyConnectedOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(FullyConnectedOp op, PatternRewriter &rewriter) const override {
    auto filter = op.getFilter().getDefiningOp<ConstantOp>();
    if (!filter || !filter->hasOneUse() || !hasBytes(filter))
      return rewriter.notifyMatchFailure(op, "weights are not constants of its own");
    const MovedElements moved = traceMoves(op.getInput());
    const auto order = moved.order.insideRows(tensorOf(filter).getDimSize(1));
    if (moved.order.isIdentity() || !order)
      return rewriter.notifyMatchFailure(op, "input has no rows with moved elements");
    auto permuted = reordered(filter, 1, inverse(order->places()), rewriter);
    Value input = reshaped(moved.source, tensorOf(op.getInput()), op.getLoc(), rewriter);
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(input);
      op.getFilterMutable().assign(permuted);
    });
    remarkFused(op, kTranspose, "the columns of its weights have the order of the elements before the transpose");
    return success();
  }
};

/// Blocks of an image, whose elements become images of their own.
struct Blocks {
  int64_t images, rows, columns;

  ElementOrder toBatches(ArrayRef<int64_t> batches) const {
    const int64_t split[] = {images, batches[1], rows, batches[2], columns, batches[3]};
    return *ElementOrder(llvm::product_of(batches)).transposed(split, {2, 4, 0, 1, 3, 5});
  }
  ElementOrder toSpace(ArrayRef<int64_t> batches) const {
    const int64_t split[] = {rows, columns, images, batches[1], batches[2], batches[3]};
    return *ElementOrder(llvm::product_of(batches)).transposed(split, {2, 3, 0, 4, 1, 5});
  }
  RankedTensorType space(RankedTensorType batches) const {
    ArrayRef<int64_t> shape = batches.getShape();
    return RankedTensorType::get({images, shape[1] * rows, shape[2] * columns, shape[3]}, batches.getElementType());
  }
};

/// A convolution between SPACE_TO_BATCH and BATCH_TO_SPACE reads every n-th row and column: it is a dilated
/// convolution.
template <typename ConvOp> struct DilateConvolution : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    const MovedElements after = traceMoves(op.getOutput());
    auto conv = after.source.template getDefiningOp<ConvOp>();
    if (!conv || !isReadBy(conv, op))
      return rewriter.notifyMatchFailure(op, "moves no convolution's result, or not alone");
    constexpr int64_t kMostDilation = 256; // times that of the blocks, all devices still have it
    // A scale at run time is that of an image.
    if (llvm::any_of(conv.getStride(), [](int64_t stride) { return stride != 1; }) ||
        llvm::any_of(conv.getDilation(), [](int64_t dilation) { return dilation > kMostDilation; }) ||
        isQuantized(conv.getInput()) != isQuantized(conv.getFilter()))
      return remarkNotFused(rewriter, op, kDilation, "the convolution has strides, wide gaps, or scales of its images");
    const MovedElements before = traceMoves(conv.getInput());
    const std::optional<Blocks> blocks = findBlocks(conv, before.order, after.order);
    if (!blocks)
      return rewriter.notifyMatchFailure(op, "moves do not exchange space and batches");
    Value dilated = dilate(conv, before.source, *blocks, rewriter);
    remarkFused(dilated.getDefiningOp(), kDilation, "a dilated convolution instead of moves to batches and back");
    replaceWithReshapes(op, dilated, rewriter);
    return success();
  }

private:
  static std::optional<Blocks> findBlocks(ConvOp conv, const ElementOrder &before, const ElementOrder &after) {
    constexpr int64_t kMost = 64; // usual dilations are less; it bounds the search
    ArrayRef<int64_t> input = tensorOf(conv.getInput()).getShape(), output = tensorOf(conv.getOutput()).getShape();
    for (int64_t rows = 1; rows <= std::min(kMost, input[0]); ++rows)
      for (int64_t columns = 1; columns <= std::min(kMost, input[0] / rows); ++columns) {
        const Blocks blocks{input[0] / rows / columns, rows, columns};
        if (rows * columns > 1 && input[0] % (rows * columns) == 0 && blocks.toBatches(input) == before &&
            blocks.toSpace(output) == after)
          return blocks;
      }
    return std::nullopt;
  }

  static Value dilate(ConvOp conv, Value source, const Blocks &blocks, PatternRewriter &rewriter) {
    Value image = reshaped(source, blocks.space(tensorOf(conv.getInput())), conv.getLoc(), rewriter);
    auto dilated = cast<ConvOp>(rewriter.clone(*conv));
    ArrayRef<int64_t> pad = conv.getPad(), dilation = conv.getDilation();
    rewriter.modifyOpInPlace(dilated, [&] {
      dilated.getInputMutable().assign(image);
      dilated.setDilation({dilation[0] * blocks.rows, dilation[1] * blocks.columns});
      dilated.setPad({pad[0] * blocks.rows, pad[1] * blocks.rows, pad[2] * blocks.columns, pad[3] * blocks.columns});
      dilated.getOutput().setType(blocks.space(tensorOf(conv.getOutput())));
    });
    return dilated;
  }
};

/// Whether the slice leaves out nothing but rows and columns after the first ones.
bool cutsEnd(SliceOp slice) {
  const auto isFirst = [](int64_t begin) { return begin == 0; };
  const auto isDense = [](int64_t stride) { return stride == 1; };
  return llvm::all_of(slice.getBegin(), isFirst) && llvm::all_of(slice.getStrides(), isDense) &&
         shapeOf(slice.getInput()).size() == 4 && slice.isWholeAlong(0) && slice.isWholeAlong(3);
}

/// Rows and columns after the last window are read by none, so that they need not be cut off.
template <typename ConvOp> struct IgnoreRest : OpRewritePattern<ConvOp> {
  using OpRewritePattern<ConvOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    auto slice = op.getInput().template getDefiningOp<SliceOp>();
    // A scale at run time is that of the rows that are left.
    if (!slice || !cutsEnd(slice) || isQuantized(op.getInput()) != isQuantized(op.getFilter()))
      return rewriter.notifyMatchFailure(op, "reads no image without its last rows");
    for (unsigned axis : {0, 1}) {
      const int64_t whole = shapeOf(slice.getInput())[1 + axis];
      if (whole == shapeOf(op.getInput())[1 + axis])
        continue;
      const int64_t reach = (shapeOf(op.getFilter())[1 + axis] - 1) * op.getDilation()[axis] + 1;
      const int64_t windows = (whole + op.getPad()[2 * axis] - reach) / op.getStride()[axis] + 1;
      if (op.getPad()[2 * axis + 1] != 0 || windows != shapeOf(op.getOutput())[1 + axis])
        return rewriter.notifyMatchFailure(op, "the rows would be those of windows");
    }
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(slice.getInput()); });
    return success();
  }
};

struct AbsorbMoves : impl::AbsorbMovesPassBase<AbsorbMoves> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ReplaceByReshape, PermuteWeights, DilateConvolution<Conv2dOp>, DilateConvolution<DepthwiseConv2dOp>,
                 IgnoreRest<Conv2dOp>, IgnoreRest<DepthwiseConv2dOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      signalPassFailure();
  }
};

} // namespace
} // namespace avocet::compiler::nn
