//===- LayerNormalization.cpp - Layer normalization from its steps -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   (x - mean) / sqrt(variance + epsilon)   along the last axes (layer normalization) or rows and columns of images:
//                                           instance normalization, with each row of the last axes as an image of one
//                                           channel. Equal (Patterns.h); 2^-22 if the inverse root is multiplied.
//   x * k + (beta - mean * k)               with k = gamma / sqrt(variance + epsilon): the same times gamma plus beta.
//                                           2^-22 times the larger of 1 and |x * k| + |mean * k|.
//
//   x / sqrt(mean of x^2 + epsilon)         along the last axes: RMS normalization; 2^-22.
//
//===----------------------------------------------------------------------===//

#include "../Greedy.h"
#include "Parts.h"
#include "Patterns.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr llvm::StringLiteral kRemark = "layer_norm", kRmsRemark = "rms_norm";

/// The shape in which instance normalization computes along the axes; empty: it cannot.
SmallVector<int64_t> imagesAlong(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  if (shape.size() == 4 && axes == ArrayRef<int64_t>{1, 2})
    return SmallVector<int64_t>(shape);
  const size_t first = shape.size() - axes.size();
  if (axes.front() != static_cast<int64_t>(first))
    return {};
  return {llvm::product_of(shape.take_front(first)), 1, llvm::product_of(shape.drop_front(first)), 1};
}

/// What a normalization computes with.
struct Moments {
  Value x;
  SmallVector<int64_t> axes;
  double epsilon = 0;
};

/// Reads a sum of a constant and the mean of (x - mean)^2, where `mean` is the mean of x.
std::optional<Moments> takeVariance(Parts &parts, Value value, Value x, Value mean) {
  MeanOp first = parts.takeReduction<MeanOp>(mean);
  const Sum sum = parts.takeSum(value);
  if (!first || first.getInput() != x || !sum.onlyTerm())
    return std::nullopt;
  MeanOp second = parts.takeReduction<MeanOp>(sum.onlyTerm());
  if (!second || second.getAxes() != first.getAxes())
    return std::nullopt;
  const Value squares = second.getInput();
  auto difference = parts.take<BinaryOp>(squares);
  bool isSquare = difference && difference.getKind() == BinaryKind::SquaredDifference &&
                  ((difference.getLhs() == x && difference.getRhs() == mean) ||
                   (difference.getLhs() == mean && difference.getRhs() == x));
  if (!difference) {
    const Product product = parts.takeProduct(squares);
    auto sub = product.values.size() == 2 ? parts.take<SubOp>(product.values[0]) : SubOp();
    isSquare = sub && product.factor == 1 && product.values[1] == product.values[0] && sub.getLhs() == x &&
               sub.getRhs() == mean;
  }
  return isSquare ? std::optional(Moments{x, SmallVector<int64_t>(first.getAxes()), sum.constant}) : std::nullopt;
}

/// Reads a sum of a constant and the mean of x^2.
std::optional<Moments> takeMeanSquare(Parts &parts, Value value, Value x) {
  const Sum sum = parts.takeSum(value);
  auto mean = sum.onlyTerm() ? parts.takeReduction<MeanOp>(sum.onlyTerm()) : MeanOp();
  const Product product = mean ? parts.takeProduct(mean.getInput()) : Product();
  if (product.values.size() != 2 || product.factor != 1 || product.values[0] != x || product.values[1] != x)
    return std::nullopt;
  return Moments{x, SmallVector<int64_t>(mean.getAxes()), sum.constant};
}

/// Why instance normalization cannot replace the root; empty: it can.
StringRef obstacleOf(const Parts &parts, const Moments &moments) {
  if (StringRef obstacle = parts.obstacle(moments.x); !obstacle.empty())
    return obstacle;
  if (imagesAlong(shapeOf(moments.x), moments.axes).empty())
    return "its axes are not the last ones, nor rows and columns";
  if (!std::isfinite(moments.epsilon) || moments.epsilon < 0)
    return "its epsilon is negative or not finite";
  return {};
}

/// Instance normalization along the axes, times gamma plus beta.
Value normalize(const Moments &moments, double gamma, double beta, Location loc, PatternRewriter &rewriter) {
  auto images = RankedTensorType::get(imagesAlong(shapeOf(moments.x), moments.axes), elementOf(moments.x));
  const auto attribute = [](double number) { return APFloat(static_cast<float>(number)); };
  auto normal = InstanceNormalizeOp::create(rewriter, loc, images, reshaped(moments.x, images, loc, rewriter),
                                            attribute(gamma), attribute(beta), attribute(moments.epsilon));
  remarkFused(normal, kRemark, "instance normalization instead of means, differences and squares");
  return reshaped(normal, tensorOf(moments.x), loc, rewriter);
}

/// RMS normalization along the axes, or why not.
LogicalResult replaceByRms(Operation *op, const Parts &parts, const Moments &moments, PatternRewriter &rewriter) {
  const auto shape = shapeOf(moments.x);
  const size_t first = shape.size() - moments.axes.size();
  if (StringRef obstacle = obstacleOf(parts, moments); !obstacle.empty())
    return remarkNotFused(rewriter, op, kRmsRemark, obstacle);
  if (moments.axes.front() != static_cast<int64_t>(first))
    return remarkNotFused(rewriter, op, kRmsRemark, "its axes are not the last ones");
  const Location loc = parts.locationAs(kRmsRemark);
  auto lines = RankedTensorType::get(
      {llvm::product_of(shape.take_front(first)), llvm::product_of(shape.drop_front(first))}, elementOf(moments.x));
  auto normal = RmsNormalizeOp::create(rewriter, loc, lines, reshaped(moments.x, lines, loc, rewriter),
                                       APFloat(static_cast<float>(moments.epsilon)), /*axis=*/-1);
  remarkFused(normal, kRmsRemark, "RMS normalization instead of squares, their mean and a root");
  rewriter.replaceOp(op, reshaped(normal, tensorOf(moments.x), loc, rewriter));
  return success();
}

/// (x - mean) / sqrt(variance + epsilon), where the quotient may be a product with the inverse root.
template <typename QuotientOp> struct LayerNormFromQuotient : OpRewritePattern<QuotientOp> {
  using OpRewritePattern<QuotientOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(QuotientOp op, PatternRewriter &rewriter) const override {
    if (!hasReals(op) || activationOf(op) != Activation::kNone)
      return rewriter.notifyMatchFailure(op, "divides integers, or clamps the quotient");
    constexpr bool kIsDivision = std::is_same_v<QuotientOp, DivOp>;
    Parts parts(op);
    Value dividend, square;
    const auto match = [&](Value each, Value root) {
      dividend = each;
      square = parts.takeUnary(root, kIsDivision ? UnaryKind::Sqrt : UnaryKind::Rsqrt);
      return bool(square);
    };
    const Value a = op.getLhs(), b = op.getRhs();
    if (kIsDivision ? !match(a, b) : !parts.inEitherOrder(a, b, match))
      return rewriter.notifyMatchFailure(op, "does not divide by a root");
    auto difference = parts.take<SubOp>(dividend);
    const std::optional<Moments> moments =
        difference ? takeVariance(parts, square, difference.getLhs(), difference.getRhs()) : std::nullopt;
    if (!moments) {
      const std::optional<Moments> squares = takeMeanSquare(parts, square, dividend);
      return squares ? replaceByRms(op, parts, *squares, rewriter)
                     : rewriter.notifyMatchFailure(op, "does not divide by the root of a variance");
    }
    if (StringRef obstacle = obstacleOf(parts, *moments); !obstacle.empty())
      return remarkNotFused(rewriter, op, kRemark, obstacle);
    rewriter.replaceOp(op, normalize(*moments, 1, 0, parts.locationAs(kRemark), rewriter));
    return success();
  }
};

/// x * k + (beta - mean * k), where k is gamma / sqrt(variance + epsilon).
template <typename SumOp> struct LayerNormFromSum : OpRewritePattern<SumOp> {
  using OpRewritePattern<SumOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SumOp op, PatternRewriter &rewriter) const override {
    Parts parts(op);
    const std::optional<Terms> terms = readTerms(parts, op.getOutput());
    Value x, mean, factor;
    const bool matches = terms && parts.inEitherOrder(terms->plus[0], terms->plus[1], [&](Value value, Value each) {
      x = value;
      factor = each;
      return parts.inEitherOrder(terms->minus[0], terms->minus[1], [&](Value average, Value other) {
        mean = average;
        return other == factor && parts.takeReduction<MeanOp>(mean);
      });
    });
    if (!matches)
      return rewriter.notifyMatchFailure(op, "no difference to a mean, both times a factor");
    const Product factors = parts.takeProduct(factor);
    Value square, gamma;
    for (Value each : factors.values)
      if (each.getDefiningOp<ConstantOp>())
        gamma = each;
      else
        square = parts.takeUnary(each, UnaryKind::Rsqrt);
    if (!square || factors.values.size() != (gamma ? 2 : 1))
      return rewriter.notifyMatchFailure(op, "the factor is no inverse root");
    const std::optional<Moments> moments = takeVariance(parts, square, x, mean);
    if (!moments)
      return remarkNotFused(rewriter, op, kRemark, "the root is not that of its own variance");
    if (StringRef obstacle = obstacleOf(parts, *moments); !obstacle.empty())
      return remarkNotFused(rewriter, op, kRemark, obstacle);
    // Constants for each channel follow as a product and a sum.
    const bool isPlain = !gamma && !terms->beta;
    const Location loc = parts.locationAs(kRemark);
    Value normal = normalize(*moments, factors.factor, isPlain ? terms->constant : 0, loc, rewriter);
    if (gamma)
      normal = MulOp::create(rewriter, loc, op.getType(), normal, gamma, Activation::kNone);
    if (!isPlain)
      normal = AddOp::create(rewriter, loc, op.getType(), normal, betaOf(op, *terms, rewriter), Activation::kNone);
    rewriter.replaceOp(op, normal);
    return success();
  }

private:
  struct Terms {
    SmallVector<Value, 4> plus, minus; ///< two factors each
    Value beta;                        ///< null: only the constant
    double constant = 0;
  };

  static std::optional<Terms> readTerms(Parts &parts, Value value) {
    const Sum sum = parts.takeSum(value);
    Terms terms;
    terms.constant = sum.constant;
    for (const Sum::Term &term : sum.terms) {
      if (term.value.getDefiningOp<ConstantOp>() && term.sign == 1 && !terms.beta) {
        terms.beta = term.value;
        continue;
      }
      SmallVector<Value, 4> &factors = term.sign == 1 ? terms.plus : terms.minus;
      const Product product = parts.takeProduct(term.value);
      if (!factors.empty() || product.factor != 1 || product.values.size() != 2)
        return std::nullopt;
      factors = product.values;
    }
    // A network has one form of beta.
    const bool isWhole = !terms.plus.empty() && !terms.minus.empty() && !(terms.beta && terms.constant != 0);
    return isWhole ? std::optional(terms) : std::nullopt;
  }

  static Value betaOf(SumOp op, const Terms &terms, PatternRewriter &rewriter) {
    if (terms.beta)
      return terms.beta;
    auto one = RankedTensorType::get({1}, elementOf(op.getOutput()));
    return floatConstant(rewriter, op.getLoc(), one, static_cast<float>(terms.constant));
  }
};

} // namespace

void addLayerNormalizationPatterns(RewritePatternSet &patterns) {
  patterns.add<LayerNormFromQuotient<DivOp>, LayerNormFromQuotient<MulOp>, LayerNormFromSum<AddOp>,
               LayerNormFromSum<SubOp>>(patterns.getContext());
}

} // namespace avocet::compiler::nn
