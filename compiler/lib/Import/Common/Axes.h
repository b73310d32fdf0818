//===- Axes.h - Axes of values ----------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts and orders of axes. Functions that return a value return null after a report, or if their input is null.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_AXES_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_AXES_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// The axes from `first` on, before `end`.
mlir::SmallVector<int64_t> axesFrom(int64_t first, size_t end);
/// The axes with these first.
mlir::SmallVector<int64_t> frontedAxes(size_t rank, llvm::ArrayRef<int64_t> first);
/// The permutation that undoes another.
mlir::SmallVector<int64_t> inverseOf(llvm::ArrayRef<int64_t> axes);

/// The shape of a tensor of this rank that has more than one element only along the axis.
mlir::SmallVector<int64_t> lineShape(size_t rank, size_t axis, int64_t extent);
/// All elements of the value along one axis of such a tensor, with which it broadcasts.
mlir::Value alongAxis(ImportedOperation &op, mlir::Value value, size_t rank, size_t axis);

/// `count` elements along the axis, `stride` apart, from `first` on.
mlir::Value partOf(ImportedOperation &op, mlir::Value value, size_t axis, int64_t first, int64_t count,
                   int64_t stride = 1);
/// One element of the axis, without the axis.
mlir::Value elementAt(ImportedOperation &op, mlir::Value value, size_t axis, int64_t index);

/// The value with a new axis of extent 1.
mlir::Value withAxis(ImportedOperation &op, mlir::Value value, size_t axis);
/// Values of one type along a new axis.
mlir::Value stacked(ImportedOperation &op, llvm::ArrayRef<mlir::Value> values, size_t axis);

/// The axis at another place, and the others in their order.
mlir::Value moveAxis(ImportedOperation &op, mlir::Value value, size_t from, size_t to);
/// [N, C, ...] as [N, ..., C] and back, of any rank from 2 on.
mlir::Value channelsLast(ImportedOperation &op, mlir::Value value);
mlir::Value channelsFirst(ImportedOperation &op, mlir::Value value);
/// The last two axes exchanged.
mlir::Value transposed(ImportedOperation &op, mlir::Value matrices);

/// The value with the axis last and all others as one: [rows, extent].
mlir::Value asRows(ImportedOperation &op, mlir::Value value, int64_t axis);
/// What `asRows` makes of a value of this shape as such a value again.
mlir::Value fromRows(ImportedOperation &op, mlir::Value rows, llvm::ArrayRef<int64_t> shape, int64_t axis);
/// The axes before this one, and those from it on, as one each.
mlir::Value flattened(ImportedOperation &op, mlir::Value value, int64_t axis);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_AXES_H
