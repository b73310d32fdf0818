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

/// A network is one block without branches, so there are no regions to simplify, and folding is the canonicaliser's: a
/// pass that fuses looks at its own operations and leaves the other ten thousand alone.
inline mlir::GreedyRewriteConfig fusionConfig() {
  mlir::GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(mlir::GreedySimplifyRegionLevel::Disabled);
  config.enableFolding(false);
  config.enableConstantCSE(false);
  return config;
}

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_GREEDY_H
