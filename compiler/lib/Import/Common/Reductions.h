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
  size_t leastRank;
};

mlir::SmallVector<int64_t> reducedShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes,
                                        ReducedAxes reduced);

/// Operand 0, which is reduced along the axes in operand 1; these become sorted, unique and not negative.
struct Reduction {
  mlir::Value input;
  mlir::SmallVector<int64_t> axes;
  mlir::RankedTensorType result;
};

mlir::FailureOr<Reduction> reductionOf(ImportedOperation &op, ReducedAxes reduced);

mlir::LogicalResult finishMean(ImportedOperation &op, ReducedAxes reduced);
mlir::LogicalResult finishReduce(ImportedOperation &op, nn::ReduceKind kind, ReducedAxes reduced);
/// Operand 1 is the axis.
mlir::LogicalResult finishArgReduce(ImportedOperation &op, nn::ArgReduceKind kind, size_t leastRank);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_REDUCTIONS_H
