//===- ReductionPatterns.cpp - Simpler forms of nn operations ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionPatterns.h"

#include "FunctionEdits.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

bool isReducible(Operation *op) {
  return isa_and_present<nn::NnDialect>(op->getDialect()) && !isa<nn::ConstantOp>(op) && op->getNumResults() == 1 &&
         op->getNumRegions() == 0;
}

struct BecomeOperand : RewritePattern {
  explicit BecomeOperand(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    const Value operand = isReducible(op) ? standIn(op) : Value();
    if (!operand)
      return failure();
    rewriter.replaceOp(op, operand);
    return success();
  }
};

struct BecomeZero : RewritePattern {
  explicit BecomeZero(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto type = isReducible(op) ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
    if (!type)
      return failure();
    Type element = type.getElementType();
    if (auto quantized = dyn_cast<quant::QuantizedType>(element))
      element = quantized.getStorageType();
    const ElementsAttr zeros = zerosOf(RankedTensorType::get(type.getShape(), element));
    if (!zeros)
      return failure();
    rewriter.replaceOpWithNewOp<nn::ConstantOp>(op, type, zeros);
    return success();
  }
};

struct NnReductionPatterns : DialectReductionPatternInterface {
  explicit NnReductionPatterns(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<BecomeOperand, BecomeZero>(patterns.getContext());
  }
};

} // namespace

void registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext * /*context*/, nn::NnDialect *dialect) { dialect->addInterfaces<NnReductionPatterns>(); });
}

} // namespace avocet::compiler
