//===- Powers.cpp - Squares as products and powers --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   x * x     square, if only sums and means read it; equal (Patterns.h)
//   x ^ 2     square; 2^-23
//
// The square is one instruction of the DSP for each vector. A product of the array reads x twice, and a power takes 24
// instructions. RMS normalization begins with it, and has no operation of its own.
//
// A product clamps infinities and a square does not, which matters where the result is read as a number: halves above
// 255 have no finite square. A sum or a mean of such numbers has no meaning in either form.
//
//===----------------------------------------------------------------------===//

#include "../Greedy.h"
#include "Parts.h"
#include "Patterns.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Origin.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr llvm::StringLiteral kRemark = "square";

LogicalResult replaceBySquare(Operation *op, PatternRewriter &rewriter) {
  const Value x = op->getOperand(0);
  if (!isa<FloatType>(elementOf(x)))
    return remarkNotFused(rewriter, op, kRemark, "it is no square of floats");
  if (x.getType() != op->getResult(0).getType())
    return remarkNotFused(rewriter, op, kRemark, "its result has another shape than its input");
  auto square = UnaryOp::create(rewriter, replacementLocation(op->getLoc(), "SQUARE"), x.getType(), x,
                                UnaryKind::Square, APFloat(1.0f));
  rewriter.replaceOp(op, square);
  remarkFused(square, kRemark, "a square instead of a product or a power");
  return success();
}

struct SquareFromProduct : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    if (op.getLhs() != op.getRhs())
      return rewriter.notifyMatchFailure(op, "multiplies two values");
    if (activationOf(op) != Activation::kNone)
      return remarkNotFused(rewriter, op, kRemark, "its result is clamped");
    if (isa<FloatType>(elementOf(op)) && (elementOf(op).isF16() || !llvm::all_of(op->getUsers(), isSum)))
      return remarkNotFused(rewriter, op, kRemark, "its infinities are clamped, since not only sums of floats read it");
    return replaceBySquare(op, rewriter);
  }

private:
  static bool isSum(Operation *op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    return isa<MeanOp>(op) || (reduce && reduce.getKind() == ReduceKind::Sum);
  }
};

struct SquareFromPower : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const override {
    const std::optional<double> exponent = splatOf(op.getRhs());
    if (!exponent)
      return rewriter.notifyMatchFailure(op, "its exponent is no constant");
    if (*exponent != 2)
      return remarkNotFused(rewriter, op, kRemark, "its exponent is not 2");
    return replaceBySquare(op, rewriter);
  }
};

} // namespace

void addPowerPatterns(RewritePatternSet &patterns) {
  patterns.add<SquareFromProduct, SquareFromPower>(patterns.getContext());
}

} // namespace avocet::compiler::nn
