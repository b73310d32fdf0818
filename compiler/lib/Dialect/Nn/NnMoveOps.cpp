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

//===----------------------------------------------------------------------===//
// concatenation
//===----------------------------------------------------------------------===//

LogicalResult ConcatenationOp::verify() { return verifySameElements(*this, getInputs()); }
