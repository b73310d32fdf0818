//===- Reductions.h - Axes that reductions drop ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_REDUCTIONS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_REDUCTIONS_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// What happens to reduced axes. If all are dropped, `leastRank` of extent 1 remain.
struct ReducedAxes {
  bool keep;
  size_t leastRank = 0;
};

/// The axes of operand 1, each once and in ascending order; negative ones count from the end.
mlir::FailureOr<mlir::SmallVector<int64_t>> distinctAxes(ImportedOperation &op, int64_t rank);

/// Operand 1 has the axes, which may be negative, repeated and in any order.
mlir::LogicalResult finishMean(ImportedOperation &op, ReducedAxes reduced);
mlir::LogicalResult finishReduce(ImportedOperation &op, nn::ReduceKind kind, ReducedAxes reduced);
/// Operand 1 is the axis. Positions are numbers of 32 bits, converted to the type of the result.
mlir::LogicalResult finishArgReduce(ImportedOperation &op, nn::ArgReduceKind kind, size_t leastRank = 0);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_REDUCTIONS_H
