//===- NnMoveOps.cpp - Verifiers of operations that move elements -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace avocet::compiler::nn;

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> input = tensorType(getInput()).getShape(), output = tensorType(getOutput()).getShape();
  if (failed(verifyRank(*this, "result", getOutput(), input.size())) ||
      failed(verifyArray(*this, "permutation", getPermutation(), input.size(), 0)))
    return failure();
  llvm::SmallBitVector seen(input.size());
  for (auto [axis, source] : llvm::enumerate(getPermutation())) {
    if (source >= static_cast<int64_t>(input.size()) || seen.test(source))
      return emitOpError() << "'permutation' must name every axis once";
    seen.set(source);
    if (output[axis] != input[source])
      return emitOpError() << "extent " << axis << " of the result is " << output[axis] << ", must be "
                           << input[source];
  }
  return verifySameElements(*this, {getInput(), getOutput()});
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  for (auto [axis, source] : llvm::enumerate(getPermutation()))
    if (source != static_cast<int64_t>(axis))
      return {};
  return getInput();
}

namespace {

/// transpose(transpose(x)) reads x: layouts that are left and entered again between two operations cancel.
struct MergeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter &rewriter) const override {
    auto producer = op.getInput().getDefiningOp<TransposeOp>();
    if (!producer)
      return rewriter.notifyMatchFailure(op, "input is not a transpose");
    SmallVector<int64_t> permutation =
        llvm::map_to_vector(op.getPermutation(), [&](int64_t axis) { return producer.getPermutation()[axis]; });
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(producer.getInput());
      op.setPermutation(permutation);
    });
    return success();
  }
};

} // namespace

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<MergeTransposes>(context);
}
