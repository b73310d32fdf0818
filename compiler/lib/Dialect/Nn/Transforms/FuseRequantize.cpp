//===- FuseRequantize.cpp - Fuses changes of signedness ---------*- C++ -*-===//
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

#define GEN_PASS_DEF_FUSEREQUANTIZEPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

constexpr llvm::StringLiteral kRemark = "signedness";

quant::UniformQuantizedType quantizedElement(Value value) {
  return dyn_cast<quant::UniformQuantizedType>(cast<RankedTensorType>(value.getType()).getElementType());
}

/// Between int8 and uint8 with equal scales and zero points 128 apart: the bytes change, the real numbers do not.
bool changesSignednessOnly(Operation *op) {
  auto from = quantizedElement(op->getOperand(0)), to = quantizedElement(op->getResult(0));
  if (!from || !to || from.isSigned() == to.isSigned() || from.getScale() != to.getScale() ||
      from.getStorageTypeIntegralWidth() != to.getStorageTypeIntegralWidth())
    return false;
  return to.getZeroPoint() - from.getZeroPoint() == (to.isSigned() ? -128 : 128);
}

/// A rescale by 1 whose types differ in nothing but signedness.
struct AsQuantize : OpRewritePattern<RescaleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RescaleOp op, PatternRewriter &rewriter) const override {
    const NumericsAttr numerics = op.getNumerics();
    if (!changesSignednessOnly(op) || numerics.getMultipliers().size() != 1 || numerics.getShifts()[0] > 30 ||
        numerics.getMultipliers()[0] != 1 << numerics.getShifts()[0])
      return rewriter.notifyMatchFailure(op, "changes more than the signedness");
    rewriter.replaceOpWithNewOp<QuantizeOp>(op, op.getType(), op.getInput());
    return success();
  }
};

/// Convolutions subtract the zero point of their input, so they can read the original.
template <typename MacOp> struct ReadOriginal : OpRewritePattern<MacOp> {
  using OpRewritePattern<MacOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(MacOp op, PatternRewriter &rewriter) const override {
    auto quantize = op.getInput().template getDefiningOp<QuantizeOp>();
    if (!quantize || !changesSignednessOnly(quantize))
      return rewriter.notifyMatchFailure(op, "input is no change of signedness");
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(quantize.getInput());
      op->setLoc(fusedLocation(op.getLoc(), quantize.getLoc()));
    });
    remarkFused(op, kRemark, "it reads the values before their signedness changes");
    return success();
  }
};

/// Convolutions add the zero point of their output and clamp to its range, so they can write the final type.
struct WriteFinal : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    Operation *producer = op.getInput().getDefiningOp();
    if (!changesSignednessOnly(op) || !isa_and_nonnull<Conv2dOp, DepthwiseConv2dOp, FullyConnectedOp>(producer))
      return rewriter.notifyMatchFailure(op, "producer cannot write the other signedness");
    if (!producer->hasOneUse())
      return remarkNotFused(rewriter, op, kRemark, "its input has another reader");
    rewriter.modifyOpInPlace(producer, [&] {
      producer->getResult(0).setType(op.getType());
      producer->setLoc(fusedIntoResult(producer->getLoc(), op.getLoc()));
    });
    rewriter.replaceOp(op, producer);
    remarkFused(producer, kRemark, "it writes its result with the final signedness");
    return success();
  }
};

/// quantize(f(x)) equals f(quantize(x)) if f does not depend on zero points: differences to the maximum (softmax),
/// order (max pool), position (reshape). This moves the change of signedness up towards a convolution.
struct MoveUp : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(QuantizeOp op, PatternRewriter &rewriter) const override {
    Operation *producer = op.getInput().getDefiningOp();
    if (!changesSignednessOnly(op) || !isa_and_nonnull<SoftmaxOp, ReshapeOp, MaxPool2dOp>(producer) ||
        !producer->hasOneUse())
      return rewriter.notifyMatchFailure(op, "producer does not commute with a change of signedness");
    Value source = producer->getOperand(0);
    rewriter.setInsertionPoint(producer);
    auto moved = QuantizeOp::create(rewriter, producer->getLoc(), flipped(source), source);
    rewriter.modifyOpInPlace(producer, [&] {
      producer->setOperand(0, moved);
      producer->getResult(0).setType(op.getType());
      producer->setLoc(fusedIntoResult(producer->getLoc(), op.getLoc()));
    });
    rewriter.replaceOp(op, producer);
    return success();
  }

private:
  /// The type of the value with the other signedness.
  static RankedTensorType flipped(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    auto from = quantizedElement(value);
    bool toSigned = !from.isSigned();
    auto element = quant::UniformQuantizedType::get(
        toSigned ? quant::QuantizationFlags::Signed : 0, from.getStorageType(), from.getExpressedType(),
        from.getScale(), from.getZeroPoint() + (toSigned ? -128 : 128), toSigned ? -128 : 0, toSigned ? 127 : 255);
    return RankedTensorType::get(type.getShape(), element);
  }
};

struct FuseRequantize : impl::FuseRequantizePassBase<FuseRequantize> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<AsQuantize, ReadOriginal<Conv2dOp>, ReadOriginal<DepthwiseConv2dOp>, ReadOriginal<FullyConnectedOp>,
                 WriteFinal, MoveUp>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      signalPassFailure();
  }
};

} // namespace
} // namespace avocet::compiler::nn
