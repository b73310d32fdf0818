//===- NnMerge.h - Operations with fewer axes -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation that treats adjacent axes alike computes the same with their product as one axis. Each function here is
// the rule of a family; the field `merge` of a TableGen record calls it (NnBase.td).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNMERGE_H
#define AVOCET_COMPILER_DIALECT_NN_NNMERGE_H

#include "avocet/compiler/Dialect/Nn/NnShapes.h"

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"

namespace avocet::compiler::nn {

/// The same operation on tensors with merged axes: the shape of each operand, and the attributes that change. The
/// elements keep their order, and the operation infers its results.
struct MergedForm {
  llvm::SmallVector<Shape> operands;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
};

/// The kind of an axis is the set of operands that are repeated along it.
MergedForm mergeElementwise(mlir::Operation *op);

/// Reduced axes and others. A reduced axis keeps its kind even if it has one element: the reduction must not vanish.
MergedForm mergeReduction(mlir::Operation *op);

/// Functions along an axis, with a result of the same shape. The last axis stays the last, which kernels read fastest.
MergedForm mergeLines(mlir::Operation *op);

MergedForm mergeArgReduction(mlir::Operation *op);

/// All axes of a result and of its input but the last are lines.
MergedForm mergeBeforeLast(mlir::Operation *op);

/// One part after the other, of the axis and all after it.
MergedForm mergeConcatenation(mlir::Operation *op);

MergedForm mergeGather(mlir::Operation *op);

/// Axes that stay neighbors are moved as one. Axes of extent 1 have no place.
MergedForm mergeTranspose(mlir::Operation *op);

MergedForm mergeSlice(mlir::Operation *op);

/// An axis without padding is part of the elements of the axis before it.
MergedForm mergePad(mlir::Operation *op);

/// An axis that is not repeated is part of the elements of the axis before it.
MergedForm mergeTile(mlir::Operation *op);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNMERGE_H
