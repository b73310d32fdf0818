//===- Pipeline.cpp - Phase nn ----------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnPasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

void avocet::compiler::nn::buildNnPipeline(mlir::OpPassManager &manager) {
  mlir::OpPassManager &functions = manager.nest<mlir::func::FuncOp>();
  // Canonicalization removes reshapes between operations whose axes are merged alike.
  functions.addPass(createMergeAxesPass());
  functions.addPass(createCanonicalizePass());
  // Layers whose channels are last are recognized with the steps after them.
  functions.addPass(createSinkTransposesPass());
  // An operator is recognized by steps that later passes fuse, such as the relu of a PReLU.
  functions.addPass(createRecognizeOperatorsPass());
  // Operators are recognized by their steps on floats. Later passes see the operations on integers.
  functions.addPass(createFuseQuantizationPass());
  // A convolution of batches hides the padding before it.
  functions.addPass(createAbsorbMovesPass());
  functions.addPass(createFusePadPass());
  // Moves clamps to the operations whose activations they become.
  functions.addPass(createFuseRescalePass());
  functions.addPass(createFuseActivationPass());
  functions.addPass(createFuseRequantizePass());
  // Convolutions have their activations now, and nothing is between them and the moves.
  functions.addPass(createAbsorbChannelOrdersPass());
  // Fusing leaves dead operations and new chains of reshapes.
  functions.addPass(createCanonicalizePass());
}
