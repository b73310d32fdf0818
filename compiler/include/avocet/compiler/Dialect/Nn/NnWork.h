//===- NnWork.h - How much work an operation is -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work of an operation as a property of the graph, and the functions with which operations state it (the field
// `work` of their TableGen record).
//
// Multiply-accumulates are the products of activations with weights, or of two matrices: convolutions, fully connected
// layers, matrix products, recurrent cells. Terms that lie in the padding count, as is usual. Pools, means and other
// reductions have none: they add elements and multiply by nothing, so that all forms of an average (a pool, a mean over
// axes, a reduction) count the same.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNWORK_H
#define AVOCET_COMPILER_DIALECT_NN_NNWORK_H

#include "mlir/IR/OpDefinition.h"

#include <cstdint>

namespace avocet::compiler::nn {

/// What an operation does with its elements.
enum class WorkKind : uint8_t {
  Move,        ///< only moves them
  Dense,       ///< sums over all input channels
  Depthwise,   ///< sums over a window of one channel
  Sum,         ///< sum or difference of two
  Product,     ///< product, minimum or maximum of two
  Lookup,      ///< a function of one number of 8 bits
  MaxPool,     ///< largest of a window
  AveragePool, ///< mean of a window, which may be a whole map
  Vector,      ///< anything else
};

struct Work {
  WorkKind kind = WorkKind::Move;
  uint64_t macs = 0;
  uint64_t elements = 0;    ///< that it makes; Vector: reads or makes, if that is more
  uint64_t terms = 1;       ///< of each element at least: Dense, Depthwise, pools
  uint64_t weights = 0;     ///< elements of filters and of matrices of recurrent layers
  mlir::Type input;         ///< element type that it reads; null: Move
  mlir::Type multiplier;    ///< element type of the weights or of the second matrix; null: none
  mlir::Value bias;         ///< stored as channel records, with the scales; null: none
  uint64_t channels = 0;    ///< with a record each
  bool hasWideSums = false; ///< sums of 64 bits, with larger records
};

/// Only moves elements, or makes them without reading any.
Work moveWork();

/// Computes something of each element that it reads or makes.
Work vectorWork(mlir::Operation *op);

/// An element-wise function of two operands.
Work pairWork(WorkKind kind, mlir::Operation *op);

/// A function of each number; one of 8 bits can be a table.
Work functionWork(mlir::Operation *op);

/// A window over each channel, with that many terms for each element of the result.
Work poolWork(WorkKind kind, mlir::Operation *op, uint64_t terms);

/// A mean over whole axes.
Work meanWork(mlir::Operation *op);

/// Sums of products with the filter: a convolution or a fully connected layer, whose filter has the output channels as
/// first axis; a depthwise one, where they are the last (with one input channel it is dense); a transposed one, whose
/// input elements meet all of the filter.
Work convolutionWork(mlir::Operation *op, mlir::Value filter, mlir::Value bias);
Work depthwiseWork(mlir::Operation *op, mlir::Value filter, mlir::Value bias);
Work transposedWork(mlir::Operation *op, mlir::Value filter, mlir::Value bias);

/// Products of matrices that share `terms` terms.
Work matmulWork(mlir::Operation *op, uint64_t terms);

/// Steps of a recurrent layer: each multiplies every matrix with a vector. The rows of those that read the input are
/// the gates, to which the products of the others are added. Vectors among `others` are biases.
Work recurrentWork(mlir::Operation *op, mlir::ValueRange inputMatrices, llvm::ArrayRef<mlir::ValueRange> others);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNWORK_H
