//===- Greedy.h - How phase nn applies patterns -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_GREEDY_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_GREEDY_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace avocet::compiler::nn {

/// Disables region simplification, since every region has one block. Disables folding, which the canonicaliser does: a
/// fusing pass then visits only its own operations and not the other ten thousand.
inline mlir::GreedyRewriteConfig fusionConfig() {
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  config.enableFolding(false);
  config.enableConstantCSE(false);
  return config;
}

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_GREEDY_H
