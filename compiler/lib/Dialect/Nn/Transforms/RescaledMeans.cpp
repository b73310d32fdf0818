//===- RescaledMeans.cpp - Sums along axes before rescales ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   rescale(sum(sum(x - zero)))     nn.mean with the multiplier
//
// x are 8-bit numbers, the sums i32.
//
//===----------------------------------------------------------------------===//

#include "Greedy.h"
#include "RescalePatterns.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/compiler/Support/Origin.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr llvm::StringLiteral kRemark = "rescale";

/// The sums of i32 that lead to a value, none of which has another reader.
struct Sums {
  Value of;
  SmallVector<int64_t> axes;
  SmallVector<Location> locations;
};

Sums sumsBefore(Value value) {
  Sums sums{value, {}, {}};
  while (auto sum = sums.of.getDefiningOp<ReduceOp>()) {
    if (sum.getKind() != ReduceKind::Sum || !sum.getKeepDims() || !sum->hasOneUse())
      break;
    llvm::append_range(sums.axes, sum.getAxes());
    sums.locations.push_back(sum.getLoc());
    sums.of = sum.getInput();
  }
  llvm::sort(sums.axes);
  sums.axes.erase(llvm::unique(sums.axes), sums.axes.end());
  return sums;
}

struct MeanOfSums : OpRewritePattern<RescaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RescaleOp op, PatternRewriter &rewriter) const override {
    const Sums sums = sumsBefore(op.getInput());
    if (sums.axes.empty() || !elementOf(sums.of).isInteger(32))
      return rewriter.notifyMatchFailure(op, "follows no sums of i32 along axes");
    const std::optional<CenteredBytes> bytes = readCentered(sums.of);
    const auto result = quantizedForm(elementOf(op.getOutput()));
    if (!bytes || !isBytes(result) || result.isSigned() != bytes->type.isSigned())
      return remarkNotFused(rewriter, op, kRemark, "the sums are no sums of 8-bit numbers, or its result is none");
    const NumericsAttr own = op.getNumerics();
    constexpr int32_t kMostCommonShift = 31; // of which both roundings give the same
    if (own.getMultipliers().size() != 1 ||
        (own.getKind() == Numerics::SingleRound && own.getShifts()[0] > kMostCommonShift))
      return remarkNotFused(rewriter, op, kRemark, "means have one multiplier and are rounded twice");
    Location location = bytes->loc;
    for (Location each : sums.locations)
      location = fusedLocation(each, location);
    const auto numerics =
        NumericsAttr::get(op.getContext(), Numerics::DoubleRound, own.getMultipliers(), own.getShifts());
    auto mean = MeanOp::create(rewriter, fusedIntoResult(location, op.getLoc()),
                               RankedTensorType::get(shapeOf(op.getOutput()), result),
                               bitcastTo(bytes->value, bytes->type, rewriter), sums.axes, /*keepDims=*/true, numerics);
    rewriter.replaceOp(op, bitcastTo(mean, elementOf(op.getOutput()), rewriter));
    remarkFused(mean, kRemark, "a mean with the multiplier of its sums");
    return success();
  }
};

} // namespace

void addRescaledMeanPatterns(RewritePatternSet &patterns) { patterns.add<MeanOfSums>(patterns.getContext()); }

} // namespace avocet::compiler::nn
