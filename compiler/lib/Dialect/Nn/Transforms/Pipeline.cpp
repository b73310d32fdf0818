//===- Pipeline.cpp - Phase nn ----------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

void avocet::compiler::nn::buildNnPipeline(mlir::OpPassManager &manager) {
  // Every region has one block, so there is nothing to simplify.
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  mlir::OpPassManager &functions = manager.nest<mlir::func::FuncOp>();
  // The canonicaliser removes reshapes between operations whose axes are merged alike.
  functions.addPass(createMergeAxesPass());
  functions.addPass(mlir::createCanonicalizerPass(config));
  // A convolution of batches hides the padding before it.
  functions.addPass(createAbsorbMovesPass());
  functions.addPass(createFusePadPass());
  functions.addPass(createFuseActivationPass());
  functions.addPass(createFuseRequantizePass());
  // Fusing leaves dead operations and new chains of reshapes.
  functions.addPass(mlir::createCanonicalizerPass(config));
}
