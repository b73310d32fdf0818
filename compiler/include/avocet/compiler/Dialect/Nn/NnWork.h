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

/// The results of a convolution, a matrix product or a pool, as positions of channels.
struct WorkGrid {
  uint64_t rows = 0; ///< of positions, of all images; 0: not such an operation
  uint64_t columns = 0;
  bool isFree = false; ///< a position reads one row, one column or one position, so that their arrangement is free
  uint64_t channels = 0;
  uint64_t groups = 1;         ///< of channels, which read channels of their own
  uint64_t kernel[2] = {1, 1}; ///< rows and columns of the window
  uint64_t stride[2] = {1, 1};
  bool isTransposed = false;   ///< the positions are those of the input, and spread the window over the output
  uint64_t inputChannels = 0;  ///< of a transposed convolution
  uint64_t inputPositions = 0; ///< likewise
};

/// Steps of a recurrent layer, of which each needs the state that the one before leaves.
struct WorkSequence {
  uint64_t steps = 0;   ///< 0: none
  uint64_t weights = 0; ///< of the matrices that read the state
  uint64_t outputs = 0; ///< rows of these matrices
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
  /// Vector: operations of the definition for each element. An elementary function is one, and so is a product with an
  /// addition.
  uint64_t instructions = 1;
  uint64_t reads = 0;     ///< elements of the first operand that windows or samples need at least; 0: all
  uint64_t axisTerms = 0; ///< pools: terms of all elements if one axis of the window follows the other
  WorkGrid grid;
  WorkSequence sequence;
};

/// Only moves elements, or makes them without reading any.
Work moveWork();

/// Computes something of each element that it reads or makes, in that many operations.
Work vectorWork(mlir::Operation *op, uint64_t instructions = 1);

/// An element-wise function of two operands.
Work pairWork(WorkKind kind, mlir::Operation *op);

/// A function of each number; one of 8 bits can be a table.
Work functionWork(mlir::Operation *op, uint64_t instructions = 1);

/// A window over each channel.
Work poolWork(WorkKind kind, mlir::Operation *op, llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<int64_t> stride);

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

/// Spectra of real numbers: a step for each factor 2 of the points, with two operations for each number, which is half
/// of a complex one, and one to separate even and odd numbers.
Work fourierWork(mlir::Operation *op);

/// Steps of a recurrent layer: each multiplies every matrix with a vector. The rows of those that read the input are
/// the gates, to which the products of the others are added. Vectors among `others` are biases.
Work recurrentWork(mlir::Operation *op, mlir::ValueRange inputMatrices, llvm::ArrayRef<mlir::ValueRange> others);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNWORK_H
