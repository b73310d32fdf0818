//===- NnLayout.h - Operations with their axes in another order -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the operands and results of an operation can be transposed together. The pass `nn-sink-transposes` uses it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNLAYOUT_H
#define AVOCET_COMPILER_DIALECT_NN_NNLAYOUT_H

#include "avocet/compiler/Dialect/Nn/NnShapes.h"

#include "mlir/IR/Operation.h"

namespace avocet::compiler::nn {

/// A permutation: place i has axis order[i].
using AxisOrder = llvm::SmallVector<int64_t>;

/// The axis of the operation that each axis of a tensor is part of. Axes of the tensor that are parts of one stay
/// together, in order. nullopt: the tensor stays as it is.
using TensorAxes = std::optional<llvm::SmallVector<int64_t>>;

/// An operation that computes the same with its own axes in another order: each tensor then has its axes in that order.
struct LayoutForm {
  int64_t axes = 0; ///< of the operation
  llvm::SmallVector<TensorAxes> operands, results;
  int64_t fixedAxes = 0;   ///< the last ones, which keep their places
  bool broadcasts = false; ///< operands that lack an axis have extent 1 there, or a lower rank
  bool readsLines = false; ///< a function along the axis `axis`, which kernels read fastest as the last one
  llvm::StringRef axis;    ///< the attribute with an axis, or with several
  llvm::SmallVector<llvm::StringRef, 3> perAxis; ///< attributes with a number for each axis
  llvm::StringRef shape;                         ///< the attribute with the shape of the result
};

/// Element by element, with broadcasting.
LayoutForm layoutElementwise(mlir::Operation *op);

/// One axis or several are reduced. The result lacks them, or has one element there.
LayoutForm layoutReduction(mlir::Operation *op);

/// Functions along an axis, with a result of the same rank.
LayoutForm layoutLines(mlir::Operation *op);

/// Parts of an axis one after the other.
LayoutForm layoutConcatenation(mlir::Operation *op);

/// Moves with a number for each axis in each of these attributes.
LayoutForm layoutPerAxis(mlir::Operation *op, llvm::ArrayRef<llvm::StringRef> attributes);

/// All axes before the last `fixed` ones are lines, also of the second operand if the operation broadcasts.
LayoutForm layoutBeforeLast(mlir::Operation *op, int64_t fixed = 1, bool broadcasts = false);

/// nullopt: the indices are no list.
std::optional<LayoutForm> layoutGather(mlir::Operation *op);

/// An axis is divided into several, several become one, or axes of extent 1 come and go. nullopt: no axis stays
/// separate.
std::optional<LayoutForm> layoutReshape(mlir::Operation *op);

/// The tensor's axes for an order of the operation's axes.
AxisOrder tensorOrder(llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> order);

/// The order of the operation's axes that gives a tensor this order of its axes; nullopt: there is none, or several.
std::optional<AxisOrder> operationOrder(const LayoutForm &form, llvm::ArrayRef<int64_t> axes, ShapeRef shape,
                                        llvm::ArrayRef<int64_t> order);

/// The attributes that change with the order.
llvm::SmallVector<mlir::NamedAttribute> reorderedAttributes(mlir::Operation *op, const LayoutForm &form,
                                                            llvm::ArrayRef<int64_t> order);

/// Whether the operation is a function along an axis that is not its last one in this order.
bool readsAcross(mlir::Operation *op, const LayoutForm &form, llvm::ArrayRef<int64_t> order);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNLAYOUT_H
