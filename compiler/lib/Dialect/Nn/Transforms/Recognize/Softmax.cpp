//===- Softmax.cpp - Softmax from its steps ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along one axis, with d = x - max(x), perhaps times a constant:
//
//   exp(d) / sum(exp(d))     softmax; equal (Patterns.h), 2^-22 if the reciprocal of the sum is multiplied
//   d - log(sum(exp(d)))     logarithm of softmax; equal
//   softmax(c * x)           a softmax with beta, as for the scores of an attention; 2^-22 times the largest |c * x|
//
// The first two forms of halves stay: their steps compute on halves, of which the DSP has twice as many lanes, and the
// operation on floats. On p4096 it takes 1.4 times as long.
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

constexpr llvm::StringLiteral kSoftmax = "softmax", kLogSoftmax = "log_softmax"; // names of remarks

/// Whether the operation reduces one axis in this way.
bool isAlongAxis(ReduceOp op, ReduceKind kind) { return op && op.getKind() == kind && op.getAxes().size() == 1; }

/// beta * (x - max(x)) along the axis.
struct Difference {
  Value x;
  float beta = 1;
};

/// None, with the reason, if the value is something else.
std::optional<Difference> takeDifference(Parts &parts, Value value, int64_t axis, StringRef &reason) {
  const Product product = parts.takeProduct(value);
  auto sub = product.values.size() == 1 ? parts.take<SubOp>(product.values[0]) : SubOp();
  auto largest = sub ? parts.takeReduction<ReduceOp>(sub.getRhs()) : ReduceOp();
  reason = "no maximum is subtracted, so that exponentials of large numbers overflow";
  if (!isAlongAxis(largest, ReduceKind::Max) || largest.getInput() != sub.getLhs())
    return std::nullopt;
  reason = "its maximum and its sum are along different axes";
  if (largest.getAxes()[0] != axis)
    return std::nullopt;
  reason = "its factor is not positive and finite";
  const auto beta = static_cast<float>(product.factor);
  if (!std::isfinite(beta) || beta <= 0)
    return std::nullopt;
  return Difference{largest.getInput(), beta};
}

template <typename SoftmaxKind>
LogicalResult replaceBySoftmax(Operation *op, const Parts &parts, const Difference &difference, int64_t axis,
                               llvm::StringLiteral remark, PatternRewriter &rewriter) {
  if (llvm::StringRef obstacle = parts.obstacle(); !obstacle.empty())
    return remarkNotFused(rewriter, op, remark, obstacle);
  if (elementOf(difference.x).isF16())
    return remarkNotFused(rewriter, op, remark,
                          "the steps of halves can be faster than one operation, which computes on floats");
  auto softmax = SoftmaxKind::create(rewriter, parts.locationAs(remark), op->getResult(0).getType(), difference.x,
                                     APFloat(difference.beta), axis);
  rewriter.replaceOp(op, softmax);
  remarkFused(softmax, remark, "one operation instead of maximum, exponentials and their sum");
  return success();
}

/// exp(d) / sum(exp(d)), where the quotient may be a product with the reciprocal.
template <typename QuotientOp> struct SoftmaxFromQuotient : OpRewritePattern<QuotientOp> {
  using OpRewritePattern<QuotientOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(QuotientOp op, PatternRewriter &rewriter) const override {
    Parts parts(op);
    Value exponent;
    int64_t axis = 0;
    const auto match = [&](Value exponential, Value divisor) {
      exponent = divisor ? parts.takeUnary(exponential, UnaryKind::Exp) : Value();
      auto sum = exponent ? parts.takeReduction<ReduceOp>(divisor) : ReduceOp();
      if (!isAlongAxis(sum, ReduceKind::Sum) || sum.getInput() != exponential)
        return false;
      axis = sum.getAxes()[0];
      return true;
    };
    const Value a = op.getLhs(), b = op.getRhs();
    const bool matches =
        std::is_same_v<QuotientOp, DivOp>
            ? match(a, b)
            : parts.inEitherOrder(a, b, [&](Value each, Value other) { return match(each, divisorOf(parts, other)); });
    if (!matches || activationOf(op) != Activation::kNone)
      return rewriter.notifyMatchFailure(op, "no exponentials divided by their sum");
    StringRef reason;
    const std::optional<Difference> difference = takeDifference(parts, exponent, axis, reason);
    if (!difference)
      return remarkNotFused(rewriter, op, kSoftmax, reason);
    return replaceBySoftmax<SoftmaxOp>(op, parts, *difference, axis, kSoftmax, rewriter);
  }

private:
  /// Of a reciprocal; null: it is something else.
  static Value divisorOf(Parts &parts, Value value) {
    auto div = parts.take<DivOp>(value);
    return div && splatOf(div.getLhs()) == 1.0 ? div.getRhs() : Value();
  }
};

/// d - log(sum(exp(d))).
struct LogSoftmaxFromDifference : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    Parts parts(op);
    const Value exponent = op.getLhs(), reshaped = parts.takeReshape(op.getRhs());
    const Value sum = parts.takeUnary(reshaped ? reshaped : op.getRhs(), UnaryKind::Log);
    auto reduce = sum ? parts.take<ReduceOp>(sum) : ReduceOp();
    if (!reduce || parts.takeUnary(reduce.getInput(), UnaryKind::Exp) != exponent ||
        !isAlongAxis(reduce, ReduceKind::Sum) || activationOf(op) != Activation::kNone)
      return rewriter.notifyMatchFailure(op, "does not subtract the logarithm of a sum of exponentials");
    if (shapeOf(op.getRhs()) != ShapeRef(keptShape(shapeOf(exponent), reduce.getAxes())))
      return remarkNotFused(rewriter, op, kLogSoftmax, "its sum is subtracted along another axis");
    StringRef reason;
    const std::optional<Difference> difference = takeDifference(parts, exponent, reduce.getAxes()[0], reason);
    if (!difference)
      return remarkNotFused(rewriter, op, kLogSoftmax, reason);
    return replaceBySoftmax<LogSoftmaxOp>(op, parts, *difference, reduce.getAxes()[0], kLogSoftmax, rewriter);
  }
};

/// softmax(c * x).
struct ScaleIntoSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SoftmaxOp op, PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<MulOp, DivOp>(op.getInput().getDefiningOp()))
      return rewriter.notifyMatchFailure(op, "reads no product");
    Parts parts(op);
    const Product product = parts.takeProduct(op.getInput());
    if (product.values.size() != 1 || product.values[0] == op.getInput() ||
        product.values[0].getType() != op.getInput().getType())
      return rewriter.notifyMatchFailure(op, "reads no multiple of a value");
    const auto beta = static_cast<float>(op.getBeta().convertToDouble() * product.factor);
    if (!std::isfinite(beta) || beta <= 0)
      return remarkNotFused(rewriter, op, kSoftmax, "the factor before it is not positive and finite");
    if (llvm::StringRef obstacle = parts.obstacle(); !obstacle.empty())
      return remarkNotFused(rewriter, op, kSoftmax, obstacle);
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(product.values[0]);
      op.setBeta(APFloat(beta));
      op->setLoc(parts.location());
    });
    remarkFused(op, kSoftmax, "it scales its input itself");
    return success();
  }
};

} // namespace

void addSoftmaxPatterns(RewritePatternSet &patterns) {
  patterns.add<SoftmaxFromQuotient<DivOp>, SoftmaxFromQuotient<MulOp>, LogSoftmaxFromDifference, ScaleIntoSoftmax>(
      patterns.getContext());
}

} // namespace avocet::compiler::nn
