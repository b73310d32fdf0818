//===- Greedy.h - How phase nn applies patterns -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_GREEDY_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_GREEDY_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Support/Remarks.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace avocet::compiler::nn {

/// Disables region simplification, since every region has one block. Disables folding, which the canonicalizer does: a
/// fusing pass then visits only its own operations and not the other ten thousand.
inline mlir::GreedyRewriteConfig fusionConfig() {
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  config.enableFolding(false);
  config.enableConstantCSE(false);
  return config;
}

/// The value with the shape of the type. Fusing does not fold, so no reshape may be left that changes nothing.
inline mlir::Value reshaped(mlir::Value value, mlir::RankedTensorType type, mlir::Location loc,
                            mlir::PatternRewriter &rewriter) {
  return value.getType() == type ? value : ReshapeOp::create(rewriter, loc, type, value).getResult();
}

/// Replaces the operation, and the reshapes that read it, by reshapes of the value.
inline void replaceWithReshapes(mlir::Operation *op, mlir::Value value, mlir::PatternRewriter &rewriter) {
  const auto typeOf = [](mlir::Operation *of) {
    return mlir::cast<mlir::RankedTensorType>(of->getResult(0).getType());
  };
  for (mlir::Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (mlir::isa<ReshapeOp>(user))
      rewriter.replaceOp(user, reshaped(value, typeOf(user), user->getLoc(), rewriter));
  rewriter.replaceOp(op, reshaped(value, typeOf(op), op->getLoc(), rewriter));
}

/// Whether only reshapes are between the two, without other readers.
inline bool isReadBy(mlir::Operation *producer, mlir::Operation *reader) {
  while (producer->hasOneUse()) {
    mlir::Operation *user = *producer->user_begin();
    if (user == reader)
      return true;
    if (!mlir::isa<ReshapeOp>(user))
      return false;
    producer = user;
  }
  return false;
}

/// A fusion that was done, at the operation that is left.
inline void remarkFused(mlir::Operation *op, llvm::StringLiteral name, llvm::StringRef choice) {
  mlir::remark::passed(op->getLoc(), remarkOptions(remarks::kFusion, name))
      << mlir::remark::metric(remarks::kChoice, choice.str());
}

/// A fusion for which an operation is a candidate, and why it cannot be. Fails, as the pattern has to.
inline mlir::LogicalResult remarkNotFused(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                                          llvm::StringLiteral name, llvm::StringRef reason) {
  mlir::remark::failed(op->getLoc(), remarkOptions(remarks::kFusion, name))
      << mlir::remark::metric(remarks::kReason, reason.str());
  return rewriter.notifyMatchFailure(op, reason);
}

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_GREEDY_H
