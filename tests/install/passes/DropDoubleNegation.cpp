//===- DropDoubleNegation.cpp - A pass outside the tree -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces the negative of a negative by its operand, and says so with a remark that names the layer:
//   avocet-opt --load-pass-plugin=dropDoubleNegation.so
//     --pass-pipeline="builtin.module(func.func(example-drop-double-negation))" network.mlir
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/Remarks.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace avocet::compiler;

namespace {

struct DropDoubleNegation : OpRewritePattern<nn::UnaryOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::UnaryOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<nn::UnaryOp>();
    if (!inner || op.getKind() != nn::UnaryKind::Neg || inner.getKind() != nn::UnaryKind::Neg)
      return failure();
    remark::passed(op.getLoc(), remarkOptions(remarks::kFusion, "double-negation")) << resultName(op.getLoc());
    rewriter.replaceOp(op, inner.getInput());
    return success();
  }
};

struct DropDoubleNegationPass : PassWrapper<DropDoubleNegationPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropDoubleNegationPass)

  StringRef getArgument() const final { return "example-drop-double-negation"; }
  StringRef getDescription() const final { return "replaces the negative of a negative by its operand"; }

  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<DropDoubleNegation>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "dropDoubleNegation", "1.0", [] { PassRegistration<DropDoubleNegationPass>(); }};
}
