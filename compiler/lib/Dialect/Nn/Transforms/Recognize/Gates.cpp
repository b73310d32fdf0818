//===- Gates.cpp - Logistic, hard swish and GELU from their parts -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products may be nested in any way, with divisions by constants, and sums in any order:
//
//   1 / (1 + exp(-x))                            logistic; equal (Patterns.h), 0 instead of numbers below 2^-126
//   y / (1 + exp(-x))                            y * logistic(x), 2^-22
//   x * logistic(x)                              swish; 2^-22
//   x * relu6(x + 3) / 6                         hard swish; 2^-21
//   x * relu_0_to_1(x / 6 + 1/2)                 the same
//   relu6(x + 3) / 6, relu_0_to_1(a * x + 1/2)   hard sigmoid; 2^-22
//   x / 2 * (1 + tanh(r * (x + c * x^3)))        GELU with tanh, r = sqrt(2 / pi), c = 0.044715; 2^-20
//   x / 2 * (1 + erf(x / sqrt(2)))               GELU; 2^-20
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

constexpr llvm::StringLiteral kLogistic = "logistic", kSwish = "swish", kHardSwish = "hard_swish",
                              kHardSigmoid = "hard_sigmoid", kGelu = "gelu"; // names of remarks

/// Whether the reader of a value multiplies it with a constant: then it is a part of a larger product.
bool isScaledLater(Value value) {
  if (!value.hasOneUse())
    return false;
  Operation *user = *value.user_begin();
  return isa<MulOp, DivOp>(user) &&
         llvm::any_of(user->getOperands(), [](Value each) { return splatOf(each).has_value(); });
}

/// A product of x and another value: calls match(x, other) with both.
template <typename Match> bool inFactors(Parts &parts, const Product &product, Match &&match) {
  return product.values.size() == 2 && parts.inEitherOrder(product.values[0], product.values[1], match);
}

/// Replaces an operation by a function of x, or says why not.
LogicalResult replaceByFunction(Operation *op, const Parts &parts, Value x, UnaryKind kind, llvm::StringLiteral remark,
                                PatternRewriter &rewriter, double alpha = 1) {
  if (llvm::StringRef obstacle = parts.obstacle(x); !obstacle.empty())
    return remarkNotFused(rewriter, op, remark, obstacle);
  auto function =
      UnaryOp::create(rewriter, parts.locationAs(remark), x.getType(), x, kind, APFloat(static_cast<float>(alpha)));
  rewriter.replaceOp(op, function);
  remarkFused(function, remark, "one function instead of the operations that it was made of");
  return success();
}

/// x * relu6(x + 3) / 6, or x * relu_0_to_1(x / 6 + 1/2).
template <typename ProductOp> struct HardSwishFromProduct : OpRewritePattern<ProductOp> {
  using OpRewritePattern<ProductOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ProductOp op, PatternRewriter &rewriter) const override {
    if (!hasReals(op))
      return rewriter.notifyMatchFailure(op, "multiplies integers");
    Parts parts(op);
    const Product product = parts.takeProduct(op.getOutput());
    const Type element = elementOf(op.getOutput());
    Value x;
    bool isExact = false;
    const bool matches = inFactors(parts, product, [&](Value value, Value gate) {
      x = value;
      return parts.either(
          [&] {
            const std::optional<Sum> sum = parts.takeClampedSum(gate, Activation::kRelu6);
            isExact = sum && isNear(sum->constant, 3, element) && isNear(product.factor, 1.0 / 6, element);
            return sum && sum->onlyTerm() == x;
          },
          [&] {
            const std::optional<Sum> sum = parts.takeClampedSum(gate, Activation::kRelu0To1);
            const Product sixth = sum && sum->onlyTerm() ? parts.takeProduct(sum->onlyTerm()) : Product();
            isExact = sum && isNear(sum->constant, 0.5, element) && isNear(product.factor, 1, element) &&
                      isNear(sixth.factor, 1.0 / 6, element);
            return sixth.values.size() == 1 && sixth.values[0] == x;
          });
    });
    if (!matches || (!isExact && isScaledLater(op.getOutput())))
      return rewriter.notifyMatchFailure(op, "no product of a value and its clamped sum");
    if (!isExact)
      return remarkNotFused(rewriter, op, kHardSwish, "its constants are not 3 and 1/6");
    return replaceByFunction(op, parts, x, UnaryKind::HardSwish, kHardSwish, rewriter);
  }
};

/// Whether the value may be the gate of a hard swish.
bool isGateOf(Value value, Value x) {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return isa<MulOp>(user) && llvm::is_contained(user->getOperands(), x); });
}

/// relu6(x + 3) / 6.
template <typename ProductOp> struct HardSigmoidFromProduct : OpRewritePattern<ProductOp> {
  using OpRewritePattern<ProductOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ProductOp op, PatternRewriter &rewriter) const override {
    if (!hasReals(op))
      return rewriter.notifyMatchFailure(op, "multiplies integers");
    Parts parts(op);
    const Product product = parts.takeProduct(op.getOutput());
    const Type element = elementOf(op.getOutput());
    const std::optional<Sum> sum = product.values.size() == 1 && isNear(product.factor, 1.0 / 6, element)
                                       ? parts.takeClampedSum(product.values[0], Activation::kRelu6)
                                       : std::nullopt;
    const Value x = sum ? sum->onlyTerm() : Value();
    if (!x || isGateOf(op, x))
      return rewriter.notifyMatchFailure(op, "no sixth of a clamped sum");
    if (!isNear(sum->constant, 3, element))
      return remarkNotFused(rewriter, op, kHardSigmoid, "the constant beside the value is not 3");
    return replaceByFunction(op, parts, x, UnaryKind::HardSigmoid, kHardSigmoid, rewriter, 1.0 / 6);
  }
};

/// relu_0_to_1(a * x + 1/2).
template <typename ClampedOp> struct HardSigmoidFromClamp : OpRewritePattern<ClampedOp> {
  using OpRewritePattern<ClampedOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ClampedOp op, PatternRewriter &rewriter) const override {
    if (!hasReals(op))
      return rewriter.notifyMatchFailure(op, "clamps integers");
    Parts parts(op);
    const std::optional<Sum> sum = parts.takeClampedSum(op.getOutput(), Activation::kRelu0To1);
    if (!sum || sum->terms.size() != 1 || !isNear(sum->constant, 0.5, elementOf(op.getOutput())))
      return rewriter.notifyMatchFailure(op, "no sum with 1/2, clamped to 0 and 1");
    const Product product = parts.takeProduct(sum->terms[0].value);
    if (product.values.size() != 1 || product.values[0] == sum->terms[0].value || isGateOf(op, product.values[0]))
      return rewriter.notifyMatchFailure(op, "no multiple of a value");
    return replaceByFunction(op, parts, product.values[0], UnaryKind::HardSigmoid, kHardSigmoid, rewriter,
                             product.factor * sum->terms[0].sign);
  }
};

/// x * logistic(x).
struct SwishFromProduct : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    if (!hasReals(op) || activationOf(op) != Activation::kNone)
      return rewriter.notifyMatchFailure(op, "multiplies integers, or clamps the product");
    Parts parts(op);
    Value x;
    const bool matches = parts.inEitherOrder(op.getLhs(), op.getRhs(), [&](Value value, Value gate) {
      x = value;
      auto logistic = parts.take<LogisticOp>(gate);
      return logistic && logistic.getInput() == x;
    });
    if (!matches)
      return rewriter.notifyMatchFailure(op, "no product of a value and its logistic function");
    return replaceByFunction(op, parts, x, UnaryKind::Swish, kSwish, rewriter);
  }
};

constexpr double kGeluFactor = 0.79788456080286535588, kGeluCubic = 0.044715;

/// x + c * x^3, or 1 + c * x^2 where that is multiplied with x.
bool isGeluSum(Parts &parts, Value value, Value x, bool isDivided) {
  const Type element = elementOf(value);
  const Sum sum = parts.takeSum(value);
  if (sum.terms.size() != (isDivided ? 1 : 2) || !isNear(sum.constant, isDivided ? 1 : 0, element) ||
      llvm::any_of(sum.terms, [](const Sum::Term &term) { return term.sign != 1; }))
    return false;
  const auto isPower = [&](Value power) {
    const Product product = parts.takeProduct(power);
    return isNear(product.factor, kGeluCubic, element) && product.values.size() == (isDivided ? 2 : 3) &&
           llvm::all_of(product.values, [&](Value each) { return each == x; });
  };
  if (isDivided)
    return isPower(sum.terms[0].value);
  return parts.inEitherOrder(sum.terms[0].value, sum.terms[1].value,
                             [&](Value plain, Value power) { return plain == x && isPower(power); });
}

/// r * (x + c * x^3).
bool isGeluArgument(Parts &parts, Value value, Value x) {
  const Product product = parts.takeProduct(value);
  if (!isNear(product.factor, kGeluFactor, elementOf(value)))
    return false;
  if (product.values.size() == 1)
    return isGeluSum(parts, product.values[0], x, /*isDivided=*/false);
  return inFactors(parts, product,
                   [&](Value plain, Value sum) { return plain == x && isGeluSum(parts, sum, x, /*isDivided=*/true); });
}

/// x / sqrt(2).
bool isRootOfHalf(Parts &parts, Value value, Value x) {
  const Product product = parts.takeProduct(value);
  return product.values.size() == 1 && product.values[0] == x && isNear(product.factor, M_SQRT1_2, elementOf(value));
}

/// x / 2 * (1 + tanh(r * (x + c * x^3))), or with erf(x / sqrt(2)).
template <typename ProductOp> struct GeluFromProduct : OpRewritePattern<ProductOp> {
  using OpRewritePattern<ProductOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ProductOp op, PatternRewriter &rewriter) const override {
    if (!hasReals(op))
      return rewriter.notifyMatchFailure(op, "multiplies integers");
    Parts parts(op);
    const Product product = parts.takeProduct(op.getOutput());
    const Type element = elementOf(op.getOutput());
    Value x, argument;
    bool isTanh = false;
    const bool matches = inFactors(parts, product, [&](Value value, Value gate) {
      x = value;
      const Sum sum = parts.takeSum(gate);
      if (!sum.onlyTerm())
        return false;
      const Product scaled = parts.takeProduct(sum.onlyTerm());
      if (scaled.values.size() != 1)
        return false;
      auto tanh = parts.take<TanhOp>(scaled.values[0]);
      isTanh = bool(tanh);
      argument = isTanh ? tanh.getInput() : parts.takeUnary(scaled.values[0], UnaryKind::Erf);
      return argument && isNear(product.factor * sum.constant, 0.5, element) &&
             isNear(product.factor * scaled.factor, 0.5, element);
    });
    if (!matches)
      return rewriter.notifyMatchFailure(op, "no product of half a value and 1 plus its function");
    if (isTanh ? !isGeluArgument(parts, argument, x) : !isRootOfHalf(parts, argument, x))
      return remarkNotFused(rewriter, op, kGelu, "the argument of its tangent or error function is another one");
    return replaceByFunction(op, parts, x, isTanh ? UnaryKind::GeluTanh : UnaryKind::Gelu, kGelu, rewriter);
  }
};

/// y / (1 + exp(-x)).
struct LogisticFromQuotient : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op, PatternRewriter &rewriter) const override {
    if (!hasReals(op) || activationOf(op) != Activation::kNone)
      return rewriter.notifyMatchFailure(op, "divides integers, or clamps the quotient");
    Parts parts(op);
    const Sum sum = parts.takeSum(op.getRhs());
    Value exponent = sum.onlyTerm() ? parts.takeUnary(sum.onlyTerm(), UnaryKind::Exp) : Value();
    Value x = exponent ? parts.takeNegative(exponent) : Value();
    if (!x)
      return rewriter.notifyMatchFailure(op, "divisor has no exponential of a negative");
    if (sum.constant != 1)
      return remarkNotFused(rewriter, op, kLogistic, "the constant beside its exponential is not 1");
    const bool isPlain = splatOf(op.getLhs()) == 1.0;
    if (llvm::StringRef obstacle = isPlain ? parts.obstacle(x) : parts.obstacle(); !obstacle.empty())
      return remarkNotFused(rewriter, op, kLogistic, obstacle);
    const Location loc = parts.locationAs(kLogistic);
    Value logistic = LogisticOp::create(rewriter, loc, x.getType(), x);
    Value quotient =
        isPlain ? logistic : MulOp::create(rewriter, loc, op.getType(), op.getLhs(), logistic, Activation::kNone);
    rewriter.replaceOp(op, quotient);
    remarkFused(logistic.getDefiningOp(), kLogistic, "a logistic function instead of exponential, sum and quotient");
    return success();
  }
};

} // namespace

void addGatePatterns(RewritePatternSet &patterns) {
  patterns.add<HardSwishFromProduct<MulOp>, HardSwishFromProduct<DivOp>, GeluFromProduct<MulOp>, GeluFromProduct<DivOp>,
               HardSigmoidFromProduct<MulOp>, HardSigmoidFromProduct<DivOp>, HardSigmoidFromClamp<AddOp>,
               HardSigmoidFromClamp<ClampOp>, LogisticFromQuotient, SwishFromProduct>(patterns.getContext());
}

} // namespace avocet::compiler::nn
