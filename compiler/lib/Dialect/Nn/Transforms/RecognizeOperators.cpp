//===- RecognizeOperators.cpp - Operators from what they were made of -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Greedy.h"
#include "Recognize/Patterns.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnPasses.h"

using namespace mlir;

namespace avocet::compiler::nn {

#define GEN_PASS_DEF_RECOGNIZEOPERATORSPASS
#include "avocet/compiler/Dialect/Nn/NnPasses.h.inc"

namespace {

struct RecognizeOperators : impl::RecognizeOperatorsPassBase<RecognizeOperators> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    addRectifierPatterns(patterns);
    addGatePatterns(patterns);
    addClampPatterns(patterns);
    addPowerPatterns(patterns);
    addSoftmaxPatterns(patterns);
    addLayerNormalizationPatterns(patterns);
    addBatchNormalizationPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), fusionConfig())))
      signalPassFailure();
  }
};

} // namespace
} // namespace avocet::compiler::nn
