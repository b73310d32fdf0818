//===- FuseRescale.cpp - Rescales into the operations before them -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   rescale(layer(x))                  the layer with the multipliers of the rescale
//   rescale(sum or product)            RescaledPairs.cpp
//   rescale(sums along axes)           RescaledMeans.cpp
//
//===----------------------------------------------------------------------===//

#include "Greedy.h"
#include "RescalePatterns.h"

#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Origin.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_FUSERESCALEPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

quant::UniformQuantizedType quantizedForm(Type element) {
  if (auto quantized = dyn_cast<quant::UniformQuantizedType>(element))
    return quantized;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || (integer.getWidth() != 8 && integer.getWidth() != 16))
    return {};
  const bool isSigned = !integer.isUnsigned();
  const int64_t values = int64_t(1) << integer.getWidth();
  MLIRContext *context = element.getContext();
  return quant::UniformQuantizedType::get(isSigned ? quant::QuantizationFlags::Signed : 0,
                                          IntegerType::get(context, integer.getWidth()), Float32Type::get(context),
                                          /*scale=*/1.0, /*zeroPoint=*/0, isSigned ? -values / 2 : 0,
                                          isSigned ? values / 2 - 1 : values - 1);
}

std::optional<int64_t> integerOf(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  const std::optional<Integers> integers = integersOf(constant, tensorOf(value));
  if (!integers || !llvm::all_equal(*integers))
    return std::nullopt;
  return integers->front();
}

Value bitcastTo(Value value, Type element, PatternRewriter &rewriter) {
  if (auto cast = value.getDefiningOp<BitcastOp>(); cast && shapeOf(cast.getInput()) == shapeOf(value))
    value = cast.getInput();
  if (elementOf(value) == element)
    return value;
  return BitcastOp::create(rewriter, value.getLoc(), RankedTensorType::get(shapeOf(value), element), value,
                           TypeAttr::get(element));
}

namespace {

constexpr llvm::StringLiteral kRemark = "rescale";

struct IntoLayer : OpRewritePattern<RescaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RescaleOp op, PatternRewriter &rewriter) const override {
    Operation *layer = op.getInput().getDefiningOp();
    if (!isa_and_nonnull<Conv2dOp, DepthwiseConv2dOp, GroupedConv2dOp, TransposeConv2dOp, FullyConnectedOp,
                         BatchMatmulOp>(layer))
      return rewriter.notifyMatchFailure(op, "its input are no sums of a layer");
    if (!layer->hasOneUse())
      return remarkNotFused(rewriter, op, kRemark, "the sums before it have another reader");
    const Type element = elementOf(op.getOutput());
    const quant::UniformQuantizedType stored = quantizedForm(element);
    const unsigned width = cast<quant::QuantizedType>(elementOf(layer->getOperand(0))).getStorageTypeIntegralWidth();
    if (!stored || stored.getStorageTypeIntegralWidth() != width ||
        (width != 8 && (!stored.isSigned() || stored.getZeroPoint() != 0)))
      return remarkNotFused(rewriter, op, kRemark, "the layer before it cannot store results of this type");
    rewriter.modifyOpInPlace(layer, [&] {
      layer->getResult(0).setType(RankedTensorType::get(shapeOf(op.getOutput()), stored));
      layer->setAttr("numerics", op.getNumerics());
      layer->setLoc(fusedIntoResult(layer->getLoc(), op.getLoc()));
    });
    rewriter.replaceOp(op, bitcastTo(layer->getResult(0), element, rewriter));
    remarkFused(layer, kRemark, "the layer before it rescales its sums itself");
    return success();
  }
};

struct FuseRescale : impl::FuseRescalePassBase<FuseRescale> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<IntoLayer>(&getContext());
    addRescaledPairPatterns(patterns);
    addRescaledMeanPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      signalPassFailure();
  }
};

} // namespace
} // namespace avocet::compiler::nn
