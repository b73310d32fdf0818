//===- Canonicalize.cpp - Canonical form of networks ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnPasses.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_CANONICALIZEPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

/// Every region has one block, so there is nothing to simplify. Constants stay where they are: their order is that of
/// the data, and weights of several layers must not become one constant, which fusing patterns would not change.
GreedyRewriteConfig foldingConfig() {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  config.enableConstantCSE(false);
  return config;
}

struct Canonicalize : impl::CanonicalizePassBase<Canonicalize> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(patterns, context);
    patterns_ = std::move(patterns);
    return success();
  }

  /// Networks that have not converged are as good as those before the pass, so this is no failure.
  void runOnOperation() override { (void)applyPatternsGreedily(getOperation(), patterns_, foldingConfig()); }

private:
  FrozenRewritePatternSet patterns_;
};

} // namespace
} // namespace avocet::compiler::nn
