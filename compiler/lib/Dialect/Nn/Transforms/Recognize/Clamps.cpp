//===- Clamps.cpp - Clamps from their parts ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   max(x, low), min(x, high)   a clamp; equal (Patterns.h)
//   clamp(clamp(x))             one clamp to what both ranges have in common; equal
//
// The operation that makes x can take the clamp as its activation.
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

constexpr llvm::StringLiteral kRemark = "clamp";

LogicalResult replaceByClamp(Operation *op, const Parts &parts, Value x, Activation range, PatternRewriter &rewriter) {
  if (llvm::StringRef obstacle = parts.obstacle(x); !obstacle.empty())
    return remarkNotFused(rewriter, op, kRemark, obstacle);
  auto clamp = ClampOp::create(rewriter, parts.locationAs(kRemark), x.getType(), x, range);
  rewriter.replaceOp(op, clamp);
  remarkFused(clamp, kRemark, "one clamp instead of a minimum or a maximum, or of two clamps");
  return success();
}

/// max(x, low) or min(x, high).
template <typename BoundOp> struct ClampFromBound : OpRewritePattern<BoundOp> {
  using OpRewritePattern<BoundOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(BoundOp op, PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(elementOf(op.getOutput())))
      return rewriter.notifyMatchFailure(op, "bounds no floats");
    const auto clamp = readClamp(op);
    if (!clamp || std::isnan(clamp->second.low) || std::isnan(clamp->second.high) || clamp->second == Activation::kNone)
      return rewriter.notifyMatchFailure(op, "has no constant bound");
    return replaceByClamp(op, Parts(op), clamp->first, clamp->second, rewriter);
  }
};

struct MergeClamps : OpRewritePattern<ClampOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ClampOp op, PatternRewriter &rewriter) const override {
    Parts parts(op);
    auto first = parts.take<ClampOp>(op.getInput());
    if (!first || !isa<FloatType>(elementOf(op.getOutput())))
      return rewriter.notifyMatchFailure(op, "follows no clamp of floats");
    const std::optional<Activation> both = kernels::intersectionOf(first.getRange(), op.getRange());
    if (!both)
      return remarkNotFused(rewriter, op, kRemark, "its range and that of the clamp before it have nothing in common");
    return replaceByClamp(op, parts, first.getInput(), *both, rewriter);
  }
};

} // namespace

void addClampPatterns(RewritePatternSet &patterns) {
  patterns.add<ClampFromBound<MaximumOp>, ClampFromBound<MinimumOp>, MergeClamps>(patterns.getContext());
}

} // namespace avocet::compiler::nn
