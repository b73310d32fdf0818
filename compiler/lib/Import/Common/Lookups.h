//===- Lookups.h - Gathers, scatters and orders -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All functions return null after a report, or if an operand is null.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_LOOKUPS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_LOOKUPS_H

#include "GraphOperation.h"
#include "Moves.h"

namespace avocet::compiler {

/// Indices of integers as i32, of which negative ones count from the end of the axis. The last axis of the indices has
/// one for each of `extents`, if there are several.
mlir::Value countedFromEnd(ImportedOperation &op, mlir::Value indices, llvm::ArrayRef<int64_t> extents);
/// The same; null stays null. Indices that are known before the device runs and outside of their axis are malformed.
mlir::Value indicesOf(GraphOperation &op, mlir::Value indices, llvm::ArrayRef<int64_t> extents);
/// The integers of a value that is known before the device runs, of any number if it is a constant.
std::optional<Integers> integersOf(GraphOperation &op, mlir::Value value);

/// Elements at equal distances along an axis, which need no table of indices; null without a report: they are none.
mlir::Value sliceAt(ImportedOperation &op, mlir::Value input, int64_t axis, const Integers &indices);

/// For each index along the axis the element there, at the same place along the other axes.
mlir::Value elementsAt(ImportedOperation &op, mlir::Value input, mlir::Value indices, int64_t axis);
/// The table with updates at such places.
mlir::Value elementsScattered(ImportedOperation &op, mlir::Value table, mlir::Value indices, mlir::Value updates,
                              int64_t axis, nn::ScatterKind kind);
/// Slices at coordinates in the last axis of the indices, of a batch each: input and indices share their first axes.
mlir::Value slicesAt(ImportedOperation &op, mlir::Value input, mlir::Value indices, size_t batchAxes);
/// The cache with the update from a step on, i32 [batches], along an axis that is not the first; `wraps`: steps after
/// the last are the first ones.
mlir::Value stepsWritten(ImportedOperation &op, mlir::Value cache, mlir::Value update, mlir::Value first, int64_t axis,
                         bool wraps);

/// The coordinates of the elements that are set, of a tensor of this shape: all of axis 0, then all of axis 1 and so
/// on.
mlir::SmallVector<int64_t> positionsOf(llvm::ArrayRef<bool> isSet, llvm::ArrayRef<int64_t> shape);

/// The best elements along an axis, from the first of them on, and their indices as i64.
struct Best {
  mlir::Value values, indices;
};
Best bestOf(ImportedOperation &op, mlir::Value input, int64_t count, int64_t axis, bool largest);

/// Whether an element of the matrix of this shape is on diagonal k, i1. Diagonal 1 is above the main one, which is 0.
mlir::Value isDiagonal(ImportedOperation &op, llvm::ArrayRef<int64_t> shape, int64_t k);
/// The matrices in the last two axes with zeros below diagonal k, a scalar, or if `isUpper` is false above it.
mlir::Value triangleOf(ImportedOperation &op, mlir::Value matrices, mlir::Value k, bool isUpper);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_LOOKUPS_H
