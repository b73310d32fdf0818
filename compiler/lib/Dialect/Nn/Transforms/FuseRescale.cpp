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
//   clamp(bitcast(x)), min(bitcast(x), c), max(bitcast(x), c)
//                                      the bitcast of a clamp of x, which the operation before it can take
//
//===----------------------------------------------------------------------===//

#include "Greedy.h"
#include "RescalePatterns.h"

#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/kernels/Quantization.h"

#include <limits>

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

/// Whether a layer with these operands can store results of the type.
bool layerStores(Value input, quant::UniformQuantizedType result) {
  const unsigned width = cast<quant::QuantizedType>(elementOf(input)).getStorageTypeIntegralWidth();
  if (!result || result.getStorageTypeIntegralWidth() != width)
    return false;
  return width == 8 || (result.isSigned() && result.getZeroPoint() == 0);
}

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
    if (!layerStores(layer->getOperand(0), stored))
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

//===----------------------------------------------------------------------===//
// Clamps
//===----------------------------------------------------------------------===//

std::optional<firmware::DataType> storageOf(quant::UniformQuantizedType type) {
  if (type.getStorageTypeIntegralWidth() == 8)
    return type.isSigned() ? firmware::DataType::Int8 : firmware::DataType::UInt8;
  return type.isSigned() ? std::optional(firmware::DataType::Int16) : std::nullopt;
}

/// The range of real numbers of a type whose stored numbers are those of the clamp.
Activation rangeOf(firmware::Clamp stored, quant::UniformQuantizedType type) {
  const firmware::DataType storage = *storageOf(type);
  const auto real = [&](int32_t number) {
    return static_cast<float>(static_cast<double>(number - type.getZeroPoint()) * type.getScale());
  };
  constexpr float kUnbounded = std::numeric_limits<float>::infinity();
  return {stored.min == kernels::minValue(storage) ? -kUnbounded : real(stored.min),
          stored.max == kernels::maxValue(storage) ? kUnbounded : real(stored.max)};
}

/// Replaces `op`, which clamps the result of a bitcast, by a clamp of the numbers before the bitcast.
LogicalResult clampBeforeBitcast(Operation *op, Value value, firmware::Clamp stored, PatternRewriter &rewriter) {
  const auto after = quantizedForm(elementOf(value));
  Value clamped = value;
  while (auto bitcast = clamped.getDefiningOp<BitcastOp>()) {
    if (!bitcast->hasOneUse())
      return remarkNotFused(rewriter, op, kRemark, "the numbers before the clamp have another reader");
    clamped = bitcast.getInput();
  }
  auto before = dyn_cast<quant::UniformQuantizedType>(elementOf(clamped));
  if (!before || !after || before.isSigned() != after.isSigned() || !storageOf(before) ||
      before.getStorageType() != after.getStorageType() || shapeOf(op->getResult(0)) != shapeOf(clamped))
    return rewriter.notifyMatchFailure(op, "clamps no quantised numbers under another name");
  if (const Activation range = rangeOf(stored, before); range != Activation::kNone)
    clamped = ClampOp::create(rewriter, op->getLoc(), clamped.getType(), clamped, range);
  rewriter.replaceOp(op, bitcastTo(clamped, elementOf(op->getResult(0)), rewriter));
  return success();
}

struct ClampOfBitcast : OpRewritePattern<ClampOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ClampOp op, PatternRewriter &rewriter) const override {
    auto bitcast = op.getInput().getDefiningOp<BitcastOp>();
    auto type = dyn_cast<quant::UniformQuantizedType>(elementOf(op.getInput()));
    if (!bitcast || !type || !storageOf(type) || op.getInput().getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "follows no bitcast to its own type");
    const auto stored =
        kernels::quantizedActivationClamp(op.getRange(), *storageOf(type), static_cast<float>(type.getScale()),
                                          static_cast<int32_t>(type.getZeroPoint()));
    return clampBeforeBitcast(op, bitcast, stored, rewriter);
  }
};

/// Of plain integers.
template <typename BoundOp> struct BoundOfBitcast : OpRewritePattern<BoundOp> {
  using OpRewritePattern<BoundOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(BoundOp op, PatternRewriter &rewriter) const override {
    if (!isa<IntegerType>(elementOf(op.getOutput())))
      return rewriter.notifyMatchFailure(op, "bounds no plain integers");
    for (auto [value, bound] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto bitcast = value.template getDefiningOp<BitcastOp>();
      const std::optional<int64_t> number = integerOf(bound);
      if (!bitcast || !number)
        continue;
      firmware::Clamp clamp;
      (std::is_same_v<BoundOp, MaximumOp> ? clamp.min : clamp.max) = static_cast<int32_t>(*number);
      const auto type = quantizedForm(elementOf(value));
      if (!type || !storageOf(type))
        break;
      clamp.min = std::max(clamp.min, kernels::minValue(*storageOf(type)));
      clamp.max = std::min(clamp.max, kernels::maxValue(*storageOf(type)));
      return clampBeforeBitcast(op, bitcast, clamp, rewriter);
    }
    return rewriter.notifyMatchFailure(op, "has no constant bound of numbers under another name");
  }
};

struct FuseRescale : impl::FuseRescalePassBase<FuseRescale> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<IntoLayer, ClampOfBitcast, BoundOfBitcast<MinimumOp>, BoundOfBitcast<MaximumOp>>(&getContext());
    addRescaledPairPatterns(patterns);
    addRescaledMeanPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      signalPassFailure();
  }
};

} // namespace
} // namespace avocet::compiler::nn
