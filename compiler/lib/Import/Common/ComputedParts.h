//===- ComputedParts.h - Parts whose start the device computes --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `begin` is i32 or i64 [rank]. A start that would put elements outside of the tensor is moved inside, those of SLICE
// excepted: their positions outside are bad indices (avocet/kernels/Kernel.h). No value of `begin` reads or writes
// other memory.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_COMPUTEDPARTS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_COMPUTEDPARTS_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// SLICE whose operand 1 is computed. The extents, operand 2, must be known.
mlir::LogicalResult convertComputedSlice(ImportedOperation &op);

/// An element of `starts`, i32 or i64 of rank 1. If it is negative, it counts from the end of the axis.
struct ComputedStart {
  mlir::Value starts;
  size_t index;
};

/// `count` elements of an axis, `stride` apart.
struct AxisPart {
  size_t axis;
  int64_t count;
  int64_t stride;
};

/// The part of the input from a computed start on.
mlir::Value partFrom(ImportedOperation &op, mlir::Value input, const ComputedStart &start, const AxisPart &part);

/// The target with the update from `begin` on; the update has the rank of the target and fits into it.
mlir::Value updatedAt(ImportedOperation &op, mlir::Value target, mlir::Value update, mlir::Value begin);

/// Slices of axis 0 to leave out, numbers of i32 [1] that the device computes.
struct Gap {
  mlir::Value start; ///< of the result: this slice and those after it come from after the gap
  mlir::Value length;
};

/// The input, of the same shape, without its gaps, which are in ascending order. Slices at the end, for which none are
/// left, are copies of the last one.
mlir::Value withoutGaps(ImportedOperation &op, mlir::Value input, llvm::ArrayRef<Gap> gaps);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_COMPUTEDPARTS_H
