//===- Pools.h - Pools over any axes ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools of [N, C, ...] over any number of spatial axes, of any type, with dilations. What nn.max_pool_2d and
// nn.average_pool_2d compute becomes one of these; others are functions of slices, one axis after another.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_POOLS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_POOLS_H

#include "Window.h"

#include <utility>

namespace avocet::compiler {

struct Pool {
  mlir::Value input;
  SpatialWindow window;                 ///< no negative padding
  mlir::SmallVector<int64_t> more = {}; ///< of the padding at the end, what addCeiling() adds

  llvm::ArrayRef<int64_t> extents() const { return shapeOf(input).drop_front(2); }
  int64_t results(size_t axis) const { return window.results(axis, extents()[axis]); }
  /// Adds padding at the end for a last window that is not whole but begins before the padding.
  void addCeiling();
};

// All return null after a report.
mlir::Value maxPooled(ImportedOperation &op, const Pool &pool);
/// `countsPadding`: the mean counts the padding, without what addCeiling() adds.
mlir::Value averagePooled(ImportedOperation &op, const Pool &pool, bool countsPadding);
/// The p-th root of the sum of p-th powers.
mlir::Value normPooled(ImportedOperation &op, const Pool &pool, int64_t p);
/// The maxima, and their positions in the whole input, i64: in its order in memory, or as if `isColumnMajor` the first
/// spatial axis were the innermost one.
std::pair<mlir::Value, mlir::Value> maxWithPositions(ImportedOperation &op, const Pool &pool, bool isColumnMajor);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_POOLS_H
