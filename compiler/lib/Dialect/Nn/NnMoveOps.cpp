//===- NnMoveOps.cpp - Verifiers of operations that move elements -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"

#include "mlir/IR/PatternMatch.h"

#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace avocet::compiler::nn;

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  for (auto [axis, source] : llvm::enumerate(getPermutation()))
    if (source != static_cast<int64_t>(axis))
      return {};
  return getInput();
}

namespace {

/// Merges transpose(transpose(x)) into one transpose of x, so that adjacent layout changes of two operations cancel.
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

//===----------------------------------------------------------------------===//
// slice
//===----------------------------------------------------------------------===//

/// Folds a slice of the whole input in its order.
OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool forward = llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  return forward && getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// tile
//===----------------------------------------------------------------------===//

OpFoldResult TileOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

/// Fails unless an element can hold the number.
static LogicalResult verifyStorable(PadOp op, const APFloat &value) {
  Type element = elementOf(op.getInput());
  if (isa<FloatType>(element))
    return success();
  bool isSigned = element.isSignlessInteger() && !element.isInteger(1);
  unsigned width = 0;
  if (auto integer = dyn_cast<IntegerType>(element))
    width = integer.getWidth();
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    isSigned = quantized.isSigned();
    width = quantized.getStorageTypeIntegralWidth();
  }
  APSInt stored(width, !isSigned);
  bool exact = false;
  APFloat(value).convertToInteger(stored, APFloat::rmTowardZero, &exact);
  return exact ? success() : op.emitOpError() << "value " << value.convertToDouble() << " is none of " << element;
}

LogicalResult PadOp::verify() { return getValue() ? verifyStorable(*this, *getValue()) : success(); }

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// concatenation
//===----------------------------------------------------------------------===//

LogicalResult ConcatenationOp::verify() { return verifySameElements(*this, getInputs()); }

OpFoldResult ConcatenationOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs().front()) : OpFoldResult();
}
