//===- Views.h - Tensors inside others --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_VIEWS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_VIEWS_H

#include "Placement.h"

namespace avocet::compiler {

/// Whether the array moves the storage element unchanged, also between tensors with gaps; the DSP needs dense tensors.
bool isMovedByArray(mlir::Type storageElement);

/// The same elements in memory of their own.
mlir::FailureOr<mlir::Value> placeCopy(mlir::Operation *op, mlir::Value storage, uint32_t layer, Placement &placement);

/// The parts side by side along a storage axis. Operations write their results there; parts that are not results, or
/// that an operation can only access as dense tensors, are copied there. Null if copies would be no better than one
/// operation for all.
mlir::FailureOr<mlir::Value> placeJoin(mlir::Operation *op, llvm::ArrayRef<mlir::Value> parts, unsigned axis,
                                       Placement &placement);

/// A box of a storage tensor as a view; null if its users would need a copy.
mlir::Value placePart(mlir::Operation *op, mlir::Value storage, StorageShape position, StorageShape shape,
                      Placement &placement);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_VIEWS_H
