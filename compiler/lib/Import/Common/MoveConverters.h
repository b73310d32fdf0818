//===- MoveConverters.h - Converters that move elements -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converters of operations whose operands have the same positions in all formats, and the common parts of the others.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_MOVECONVERTERS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_MOVECONVERTERS_H

#include "Moves.h"

namespace avocet::compiler {

/// Input, begin, size; a size of -1 means all elements from the beginning on.
mlir::LogicalResult convertSlice(ImportedOperation &op);
/// Input, multiples.
mlir::LogicalResult convertTile(ImportedOperation &op);
/// Input, paddings.
mlir::LogicalResult convertPad(ImportedOperation &op);
/// Input, permutation; without a permutation the axes are reversed.
mlir::LogicalResult convertTranspose(ImportedOperation &op);
/// Input, position of the new axis.
mlir::LogicalResult convertExpandDims(ImportedOperation &op);
/// Dimensions, value: repeats the value for each element.
mlir::LogicalResult convertFill(ImportedOperation &op);

/// The input with another shape, of which one extent may be -1: it follows from the others.
mlir::LogicalResult finishReshape(ImportedOperation &op, mlir::Value input, mlir::SmallVector<int64_t> shape);
/// The results are parts of the input with these extents along the axis.
mlir::LogicalResult finishSplit(ImportedOperation &op, mlir::Value input, int64_t axis,
                                llvm::ArrayRef<int64_t> extents);
/// The operands from `first` on as one tensor with a new axis.
mlir::LogicalResult finishPack(ImportedOperation &op, uint32_t first, int64_t axis);

/// Ranges of elements for each axis of a tensor. The masks have a bit for each axis: begin or end are ignored and the
/// range starts or ends with the axis; the axis is removed.
struct StridedSlice {
  mlir::SmallVector<int64_t> begin, end, strides;
  int64_t beginMask, endMask, shrinkMask;
};

/// The first element of a range. Negative positions count from the end; the result is clamped to the axis.
int64_t firstOf(const StridedSlice &slice, size_t axis, int64_t extent);
/// If the slice removes all axes, `leastRank` of extent 1 remain.
mlir::LogicalResult finishStridedSlice(ImportedOperation &op, mlir::Value input, const StridedSlice &slice,
                                       size_t leastRank);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_MOVECONVERTERS_H
