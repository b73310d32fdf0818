//===- Sequences.h - Positions along an axis --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_SEQUENCES_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_SEQUENCES_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// Whether each index is the position along a new axis of `extent` at `axis`: i1. Null after a report.
mlir::Value isPosition(ImportedOperation &op, mlir::Value indices, int64_t axis, int64_t extent);

/// The axes with these first.
mlir::SmallVector<int64_t> frontedAxes(size_t rank, llvm::ArrayRef<int64_t> first);
/// The permutation that undoes another.
mlir::SmallVector<int64_t> inverseOf(llvm::ArrayRef<int64_t> axes);

/// Reverses, in each batch, the first of the steps along an axis: as many as `lengths` has for the batch. Null after a
/// report.
mlir::Value reversedSequences(ImportedOperation &op, mlir::Value input, mlir::Value lengths, int64_t batchAxis,
                              int64_t stepAxis);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_SEQUENCES_H
