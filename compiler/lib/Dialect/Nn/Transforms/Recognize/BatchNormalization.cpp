//===- BatchNormalization.cpp - Scale and shift of channels -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   layer(x) * scale, layer(x) + shift   of a layer with weights: its weights times the scale, and another bias. Scaled
//                                        weights and sums are rounded: (k + 3) * 2^-23 times the magnitudes of the k
//                                        products and the bias together.
//   x * scale + shift                    with numbers for each channel, after no such layer: a depthwise convolution
//                                        with one product for each element, if that fills the array; equal
//                                        (Patterns.h).
//
//===----------------------------------------------------------------------===//

#include "../Greedy.h"
#include "Parts.h"
#include "Patterns.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Origin.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr llvm::StringLiteral kRemark = "batch_norm";

/// One number for each channel, which is the last axis of the result; a splat is repeated.
std::optional<std::vector<float>> perChannel(Value constant, Value result) {
  const auto channels = static_cast<size_t>(shapeOf(result).empty() ? 1 : shapeOf(result).back());
  if (auto splat = splatOf(constant))
    return std::vector<float>(channels, static_cast<float>(*splat));
  const ArrayRef<int64_t> shape = shapeOf(constant);
  if (shape.empty() || static_cast<size_t>(shape.back()) != channels ||
      static_cast<size_t>(tensorOf(constant).getNumElements()) != channels)
    return std::nullopt;
  return floatsOf(constant);
}

/// Operands of layers with weights.
constexpr unsigned kFilter = 1, kBias = 2;

bool isLayer(Operation *op) {
  return isa_and_nonnull<Conv2dOp, DepthwiseConv2dOp, GroupedConv2dOp, TransposeConv2dOp, FullyConnectedOp>(op);
}

Value biasOf(Operation *layer) { return layer->getNumOperands() > kBias ? layer->getOperand(kBias) : Value(); }

/// A scaled number would lose bits that its exponent has no room for.
bool losesBits(float scaled, float from, Type element) {
  const float least = element.isF16() ? 0x1p-14f : 0x1p-126f, most = element.isF16() ? 65504.0f : 0x1.fffffep127f;
  return from != 0 && !(std::abs(scaled) >= least && std::abs(scaled) <= most);
}

/// A product or sum of a layer's result and a constant for each channel.
struct Affine {
  Operation *layer;
  std::vector<float> numbers;
};

template <typename Op> struct IntoLayer : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    std::optional<Affine> affine = read(op);
    if (!affine)
      return rewriter.notifyMatchFailure(op, "no constants for the channels of a layer");
    if (StringRef reason = obstacle(op, affine->layer); !reason.empty())
      return remarkNotFused(rewriter, op, kRemark, reason);
    const bool isDone = std::is_same_v<Op, MulOp> ? scale(*affine, rewriter) : shift(*affine, rewriter);
    if (!isDone)
      return remarkNotFused(rewriter, op, kRemark, "scaled weights would overflow, or lose bits");
    rewriter.modifyOpInPlace(affine->layer, [&] {
      affine->layer->setAttr("activation", ActivationAttr::get(op.getContext(), op.getActivation()));
      affine->layer->setLoc(fusedIntoResult(affine->layer->getLoc(), op.getLoc()));
    });
    rewriter.replaceOp(op, affine->layer);
    remarkFused(affine->layer, kRemark, "the layer before it has these numbers in its weights and its bias");
    return success();
  }

private:
  /// A difference has the constant second, and counts as the sum with the negative numbers.
  static std::optional<Affine> read(Op op) {
    Parts parts(op);
    Affine affine{};
    const auto match = [&](Value result, Value constant) {
      affine.layer = result.getDefiningOp();
      if (!isLayer(affine.layer) || result.getType() != op.getType() || !constant.getDefiningOp<ConstantOp>())
        return false;
      // Numbers of quantized constants do not matter: such layers are refused.
      auto numbers = isQuantized(result) ? std::vector<float>() : perChannel(constant, result);
      affine.numbers = numbers.value_or(std::vector<float>());
      return numbers.has_value();
    };
    constexpr bool kIsDifference = std::is_same_v<Op, SubOp>;
    if (!(kIsDifference ? match(op.getLhs(), op.getRhs()) : parts.inEitherOrder(op.getLhs(), op.getRhs(), match)))
      return std::nullopt;
    if (kIsDifference)
      for (float &number : affine.numbers)
        number = -number;
    return affine;
  }

  static StringRef obstacle(Op op, Operation *layer) {
    if (isQuantized(op))
      return "each step rounds to a quantized number";
    if (!layer->hasOneUse())
      return "another operation reads the result of the layer";
    if (activationOf(layer) != Activation::kNone)
      return "the layer clamps its result";
    const Value filter = layer->getOperand(kFilter), bias = biasOf(layer);
    if (bias && !bias.getDefiningOp<ConstantOp>())
      return "the bias of the layer is computed";
    if (!std::is_same_v<Op, MulOp>)
      return {};
    if (isQuantized(filter))
      return "the weights of the layer are quantized";
    if (!filter.getDefiningOp<ConstantOp>() || !filter.hasOneUse())
      return "the weights of the layer are computed, or another layer has them too";
    return {};
  }

  static void setBias(Operation *layer, ArrayRef<float> bias, PatternRewriter &rewriter) {
    auto type = RankedTensorType::get({static_cast<int64_t>(bias.size())}, elementOf(layer->getResult(0)));
    const Value constant = floatConstant(rewriter, layer->getLoc(), type, bias);
    rewriter.modifyOpInPlace(layer, [&] {
      if (biasOf(layer))
        layer->setOperand(kBias, constant);
      else
        layer->insertOperands(kBias, constant);
    });
  }

  static bool shift(const Affine &affine, PatternRewriter &rewriter) {
    std::vector<float> bias = affine.numbers;
    if (const Value own = biasOf(affine.layer)) {
      const std::optional<std::vector<float>> numbers = floatsOf(own);
      if (!numbers)
        return false;
      for (auto [sum, number] : llvm::zip(bias, *numbers))
        sum += number;
    }
    rewriter.setInsertionPoint(affine.layer);
    setBias(affine.layer, bias, rewriter);
    return true;
  }

  static bool scale(const Affine &affine, PatternRewriter &rewriter) {
    const Value filter = affine.layer->getOperand(kFilter), own = biasOf(affine.layer);
    const Type element = elementOf(filter);
    auto weights = floatsOf(filter), bias = own ? floatsOf(own) : std::vector<float>();
    if (!weights || !bias)
      return false;
    // The output channels are the last axis of depthwise filters, else the first.
    const size_t channels = affine.numbers.size();
    const size_t run = isa<DepthwiseConv2dOp>(affine.layer) ? 1 : weights->size() / channels;
    for (auto [index, weight] : llvm::enumerate(*weights)) {
      const float scaled = weight * affine.numbers[index / run % channels];
      if (losesBits(scaled, weight, element))
        return false;
      weight = scaled;
    }
    for (auto [number, factor] : llvm::zip(*bias, affine.numbers))
      number *= factor;
    rewriter.setInsertionPoint(affine.layer);
    const Value constant = floatConstant(rewriter, filter.getLoc(), tensorOf(filter), *weights);
    rewriter.modifyOpInPlace(affine.layer, [&] { affine.layer->setOperand(kFilter, constant); });
    if (own)
      setBias(affine.layer, *bias, rewriter);
    return true;
  }
};

/// Rows, columns and channels of a depthwise convolution of single pixels.
struct Image {
  int64_t rows, columns, channels;

  /// Whether it fills half of the steps of an array that makes 4 x 4 positions of 16 channels, as wide ones do. With
  /// less, a product and a sum can be faster.
  bool fillsSteps() const {
    constexpr uint64_t kPositions = 4, kChannels = 16;
    return static_cast<uint64_t>(2 * rows * columns * channels) >=
           llvm::alignTo(rows, kPositions) * llvm::alignTo(columns, kPositions) * llvm::alignTo(channels, kChannels);
  }
};

/// The tensor as an image whose rows fold all axes but the last two; if that has few rows or columns, with as many of
/// both as its positions allow. None: it does not fill the steps of an array.
std::optional<Image> imageOf(ArrayRef<int64_t> shape) {
  const int64_t channels = shape.back(), positions = llvm::product_of(shape.drop_back());
  const Image natural{llvm::product_of(shape.drop_back(2)), shape[shape.size() - 2], channels};
  if (natural.fillsSteps())
    return natural;
  int64_t rows = 1;
  for (int64_t divisor = 1; divisor * divisor <= positions; ++divisor)
    if (positions % divisor == 0)
      rows = divisor;
  const Image square{rows, positions / rows, channels};
  return square.fillsSteps() ? std::optional(square) : std::nullopt;
}

/// x * scale + shift.
template <typename SumOp> struct ScaleAndShift : OpRewritePattern<SumOp> {
  using OpRewritePattern<SumOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SumOp op, PatternRewriter &rewriter) const override {
    const ArrayRef<int64_t> shape = shapeOf(op.getOutput());
    Parts parts(op);
    Value x, scale, shift;
    const bool matches = parts.inEitherOrder(op.getLhs(), op.getRhs(), [&](Value product, Value constant) {
      auto mul = parts.take<MulOp>(product);
      shift = constant;
      return mul && constant.getDefiningOp<ConstantOp>() &&
             parts.inEitherOrder(mul.getLhs(), mul.getRhs(), [&](Value input, Value factor) {
               x = input;
               scale = factor;
               return factor.getDefiningOp<ConstantOp>() && input.getType() == op.getType();
             });
    });
    if (!matches || shape.size() < 2 || isLayer(x.getDefiningOp()) || !isa<FloatType>(elementOf(x)))
      return rewriter.notifyMatchFailure(op, "no product and sum with constants");
    // Single numbers are parts of other patterns.
    auto factors = perChannel(scale, x), shifts = perChannel(shift, x);
    if (!factors || !shifts || (splatOf(scale) && splatOf(shift)))
      return rewriter.notifyMatchFailure(op, "no constants for each channel");
    if (llvm::StringRef obstacle = parts.obstacle(); !obstacle.empty())
      return remarkNotFused(rewriter, op, kRemark, obstacle);
    const std::optional<Image> image = imageOf(shape);
    if (!image)
      return remarkNotFused(rewriter, op, kRemark, "it has too few positions or channels for the array");
    if (std::is_same_v<SumOp, SubOp>)
      for (float &each : op.getRhs() == shift ? *shifts : *factors)
        each = -each;
    Value layer = depthwise(op, x, *image, *factors, *shifts, parts.locationAs(kRemark), rewriter);
    rewriter.replaceOp(op, layer);
    return success();
  }

private:
  static Value depthwise(SumOp op, Value x, const Image &image, ArrayRef<float> factors, ArrayRef<float> shifts,
                         Location loc, PatternRewriter &rewriter) {
    const auto tensor = [&](ArrayRef<int64_t> extents) { return RankedTensorType::get(extents, elementOf(x)); };
    const auto type = tensor({1, image.rows, image.columns, image.channels});
    const Value input = reshaped(x, type, loc, rewriter);
    const Value filter = floatConstant(rewriter, loc, tensor({1, 1, 1, image.channels}), factors);
    const Value bias = floatConstant(rewriter, loc, tensor({image.channels}), shifts);
    auto layer = DepthwiseConv2dOp::create(rewriter, loc, type, input, filter, bias, ArrayRef<int64_t>{1, 1},
                                           ArrayRef<int64_t>{1, 1}, ArrayRef<int64_t>{0, 0, 0, 0}, op.getActivation());
    remarkFused(layer, kRemark, "a depthwise convolution instead of a product and a sum");
    return reshaped(layer, op.getType(), loc, rewriter);
  }
};

} // namespace

void addBatchNormalizationPatterns(RewritePatternSet &patterns) {
  patterns.add<IntoLayer<MulOp>, IntoLayer<AddOp>, IntoLayer<SubOp>, ScaleAndShift<AddOp>, ScaleAndShift<SubOp>>(
      patterns.getContext());
}

} // namespace avocet::compiler::nn
