//===- Rectifiers.cpp - PReLU and leaky ReLU from their parts ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of these forms, all with a constant slope and in any order of operands:
//
//   relu(x) + slope * min(x, 0)            min(x, 0) also as -relu(-x) and as (x - |x|) / 2
//   max(x, slope * x), min(x, slope * x)   slope in (0, 1], or at least 1
//   x > 0 ? x : slope * x                  and the other three comparisons with 0
//   a * x + b * |x|                        a + b = 1, the slope is a - b; 2^-21
//
// Results of the others are equal (Patterns.h): one of the two parts is zero, the other one is exact or is the same
// product. Of x - |x|, those below 2^-126 may differ by 2^-148.
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

constexpr llvm::StringLiteral kRemark = "prelu";

/// What numbers below 0 are multiplied with.
struct Slope {
  double factor = 1; ///< a power of two, perhaps negative, if there are others
  Value others;      ///< null: none

  std::optional<double> splat() const {
    const std::optional<double> splat = others ? splatOf(others) : std::optional(1.0);
    return splat ? std::optional(*splat * factor) : std::nullopt;
  }
  /// All elements; empty: they are not constant.
  std::vector<float> elements() const {
    if (auto all = splat())
      return {static_cast<float>(*all)};
    std::vector<float> elements = floatsOf(others).value_or(std::vector<float>());
    for (float &element : elements)
      element = static_cast<float>(element * factor);
    return elements;
  }
};

/// Multiplies the slope with a constant; false: it has two constants already, whose product would have to be rounded.
bool multiply(Slope &slope, Value constant) {
  int exponent;
  if (auto splat = splatOf(constant); splat && std::abs(std::frexp(*splat, &exponent)) == 0.5) {
    slope.factor *= *splat;
    return true;
  }
  if (slope.others)
    return false;
  slope.others = constant;
  return true;
}

bool isConstant(Value value) { return value.getDefiningOp<ConstantOp>() || splatOf(value); }

/// Reads min(x, 0), or a multiple of it by a power of two.
Value takeNegativePart(Parts &parts, Value value, Slope &slope) {
  if (Value x = parts.takeBound<MinimumOp>(value, 0))
    return x;
  // The relu of a negative may be the activation of the product with -1.
  Value minus = parts.takeRelu(value);
  if (Value x = minus ? parts.takeNegative(minus) : parts.takeNegative(value, Activation::kRelu)) {
    slope.factor = -slope.factor;
    return x;
  }
  auto difference = parts.take<SubOp>(value);
  if (!difference)
    return {};
  const Value a = difference.getLhs(), b = difference.getRhs();
  const bool isDouble = parts.takeUnary(b, UnaryKind::Abs) == a;
  if (!isDouble && parts.takeUnary(a, UnaryKind::Abs) != b)
    return {};
  slope.factor *= isDouble ? 2 : -2;
  return isDouble ? a : b;
}

/// Reads slope * min(x, 0), where the slope may be several factors. Returns x, or null.
Value takeSlopedPart(Parts &parts, Value value, Slope &slope) {
  for (int most = 4; most > 0; --most) {
    Value x;
    if (parts.either([&] {
          Slope inner = slope;
          x = takeNegativePart(parts, value, inner);
          slope = x ? inner : slope;
          return bool(x);
        }))
      return x;
    if (Value negated = parts.takeNegative(value)) {
      slope.factor = -slope.factor;
      value = negated;
      continue;
    }
    auto mul = parts.take<MulOp>(value);
    if (!mul)
      return {};
    const bool isLeft = isConstant(mul.getLhs());
    const Value factor = isLeft ? mul.getLhs() : mul.getRhs(), rest = isLeft ? mul.getRhs() : mul.getLhs();
    if (isConstant(factor)) {
      if (!multiply(slope, factor))
        return {};
      value = rest;
      continue;
    }
    // A computed slope, which is reported.
    parts.inEitherOrder(factor, rest, [&](Value other, Value part) {
      Slope inner = slope;
      x = takeNegativePart(parts, part, inner);
      inner.others = other;
      slope = x ? inner : slope;
      return bool(x);
    });
    return x;
  }
  return {};
}

/// The one operation, or the reason why there is none.
LogicalResult replaceByRectifier(Operation *op, const Parts &parts, Value x, const Slope &slope,
                                 PatternRewriter &rewriter) {
  if (llvm::StringRef obstacle = parts.obstacle(x); !obstacle.empty())
    return remarkNotFused(rewriter, op, kRemark, obstacle);
  const std::vector<float> elements = slope.elements();
  if (elements.empty())
    return remarkNotFused(rewriter, op, kRemark, "its slope is computed");
  if (!llvm::all_of(elements, [](float each) { return std::isfinite(each); }))
    return remarkNotFused(rewriter, op, kRemark, "its slope is not finite");
  const Location loc = parts.locationAs(kRemark);
  Operation *rectifier;
  if (slope.splat()) {
    rectifier = UnaryOp::create(rewriter, loc, x.getType(), x, UnaryKind::LeakyRelu, APFloat(elements.front()));
  } else {
    const Value each =
        slope.factor == 1 ? slope.others : floatConstant(rewriter, loc, tensorOf(slope.others), elements);
    rectifier = PreluOp::create(rewriter, loc, x.getType(), x, each);
  }
  rewriter.replaceOp(op, rectifier);
  remarkFused(rectifier, kRemark, "one rectifier with a slope instead of the operations that it was made of");
  return success();
}

/// relu(x) + slope * min(x, 0).
template <typename SumOp> struct PreluFromSum : OpRewritePattern<SumOp> {
  using OpRewritePattern<SumOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SumOp op, PatternRewriter &rewriter) const override {
    constexpr bool kIsDifference = std::is_same_v<SumOp, SubOp>;
    Parts parts(op);
    Value x, negative;
    Slope slope;
    const auto match = [&](Value above, Value below) {
      slope = {kIsDifference ? -1.0 : 1.0, {}};
      x = parts.takeRelu(above);
      negative = x ? takeSlopedPart(parts, below, slope) : Value();
      return bool(negative);
    };
    const Value a = op.getLhs(), b = op.getRhs();
    if (kIsDifference ? !match(a, b) : !parts.inEitherOrder(a, b, match))
      return rewriter.notifyMatchFailure(op, "no sum of positive and negative part");
    if (activationOf(op) != Activation::kNone)
      return remarkNotFused(rewriter, op, kRemark, "its result is clamped");
    if (x != negative)
      return remarkNotFused(rewriter, op, kRemark, "its two parts are of different values");
    return replaceByRectifier(op, parts, x, slope, rewriter);
  }
};

/// max(x, slope * x) or min(x, slope * x).
template <typename SelectingOp> struct PreluFromExtremum : OpRewritePattern<SelectingOp> {
  using OpRewritePattern<SelectingOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectingOp op, PatternRewriter &rewriter) const override {
    Parts parts(op);
    Slope slope;
    Value x;
    if (!hasReals(op))
      return rewriter.notifyMatchFailure(op, "selects integers");
    const bool matches = parts.inEitherOrder(op.getLhs(), op.getRhs(), [&](Value plain, Value product) {
      auto mul = parts.take<MulOp>(product);
      return mul && parts.inEitherOrder(mul.getLhs(), mul.getRhs(), [&](Value factor, Value other) {
        slope.others = factor;
        x = plain;
        return other == x && isConstant(factor);
      });
    });
    if (!matches)
      return rewriter.notifyMatchFailure(op, "no multiple of the other operand");
    // An infinity times 0 would be a NaN.
    constexpr bool kIsMaximum = std::is_same_v<SelectingOp, MaximumOp>;
    const auto isAllowed = [](float each) { return kIsMaximum ? each > 0 && each <= 1 : each >= 1; };
    if (!llvm::all_of(slope.elements(), isAllowed))
      return remarkNotFused(rewriter, op, kRemark,
                            kIsMaximum ? "its slope is not above 0 and at most 1" : "its slope is below 1");
    return replaceByRectifier(op, parts, x, slope, rewriter);
  }
};

/// a * x + b * |x|.
template <typename SumOp> struct PreluFromAbsolute : OpRewritePattern<SumOp> {
  using OpRewritePattern<SumOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SumOp op, PatternRewriter &rewriter) const override {
    Parts parts(op);
    const Sum sum = parts.takeSum(op.getOutput());
    if (sum.terms.size() != 2 || sum.constant != 0)
      return rewriter.notifyMatchFailure(op, "no sum of two terms");
    Product first = parts.takeProduct(sum.terms[0].value), second = parts.takeProduct(sum.terms[1].value);
    if (first.values.size() != 1 || second.values.size() != 1)
      return rewriter.notifyMatchFailure(op, "no multiples of two values");
    first.factor *= sum.terms[0].sign;
    second.factor *= sum.terms[1].sign;
    Value x = parts.takeUnary(second.values[0], UnaryKind::Abs);
    if (x != first.values[0]) {
      std::swap(first, second);
      x = parts.takeUnary(second.values[0], UnaryKind::Abs);
    }
    // The difference alone is a part of the first form.
    if (!x || x != first.values[0] || first.factor + second.factor == 0)
      return rewriter.notifyMatchFailure(op, "no multiples of a value and its magnitude");
    if (!isNear(first.factor + second.factor, 1, elementOf(x)))
      return remarkNotFused(rewriter, op, kRemark, "the factors of the value and of its magnitude do not add up to 1");
    return replaceByRectifier(op, parts, x, {first.factor - second.factor, {}}, rewriter);
  }
};

/// x > 0 ? x : slope * x.
struct PreluFromSelect : OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op, PatternRewriter &rewriter) const override {
    Parts parts(op);
    auto compare = parts.take<CompareOp>(op.getCondition());
    const std::optional<bool> isAbove = compare ? choosesAbove(compare) : std::nullopt;
    if (!isAbove)
      return rewriter.notifyMatchFailure(op, "no comparison with 0");
    const bool isRight = splatOf(compare.getRhs()).has_value();
    const Value x = isRight ? compare.getLhs() : compare.getRhs();
    const Value above = *isAbove ? op.getLhs() : op.getRhs(), below = *isAbove ? op.getRhs() : op.getLhs();
    Slope slope;
    auto mul = parts.take<MulOp>(below);
    const bool matches =
        above == x && mul && parts.inEitherOrder(mul.getLhs(), mul.getRhs(), [&](Value factor, Value other) {
          slope.others = factor;
          return other == x;
        });
    if (!matches)
      return rewriter.notifyMatchFailure(op, "does not choose between a value and its multiple");
    return replaceByRectifier(op, parts, x, slope, rewriter);
  }

private:
  /// Whether numbers above 0 satisfy a comparison with 0; none: it is another comparison.
  static std::optional<bool> choosesAbove(CompareOp op) {
    const bool isRight = splatOf(op.getRhs()) == 0.0;
    if (!isRight && splatOf(op.getLhs()) != 0.0)
      return std::nullopt;
    switch (op.getKind()) {
    case CompareKind::Greater:
    case CompareKind::GreaterEqual:
      return isRight;
    case CompareKind::Less:
    case CompareKind::LessEqual:
      return !isRight;
    default:
      return std::nullopt;
    }
  }
};

} // namespace

void addRectifierPatterns(RewritePatternSet &patterns) {
  patterns.add<PreluFromSum<AddOp>, PreluFromSum<SubOp>, PreluFromExtremum<MaximumOp>, PreluFromExtremum<MinimumOp>,
               PreluFromAbsolute<AddOp>, PreluFromAbsolute<SubOp>, PreluFromSelect>(patterns.getContext());
}

} // namespace avocet::compiler::nn
