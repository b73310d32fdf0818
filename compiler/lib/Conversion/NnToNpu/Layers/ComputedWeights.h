//===- ComputedWeights.h - Weights that the device computes -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_COMPUTEDWEIGHTS_H
#define AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_COMPUTEDWEIGHTS_H

#include "Placement.h"

namespace avocet::compiler {

/// An axis of a dense tensor; a stride of 0 repeats it.
struct StridedAxis {
  int64_t extent = 1, stride = 0; ///< stride in elements
};

/// Sets of weights in a tensor that the device computes: every combination of the axes in `sets` has one weight for
/// each channel and product.
struct ComputedWeights {
  mlir::Value storage;
  llvm::SmallVector<StridedAxis> sets; ///< outermost first
  StridedAxis channels, products;

  int64_t setCount() const;
};

/// Reorders the weights on the DSP, set by set if the tensor has these one after the other; the result is
/// [sets, 1, channels * products] as npu.conv needs it. The work has an entry of its own in the layer table. All
/// weights are reordered at once, even if they leave the chip: with ranges of columns the other operand is read again
/// for each (16 rows of 64 by 256: 16 times the bound, and 3.1 so).
mlir::FailureOr<mlir::Value> reorderWeights(mlir::Operation *op, const ComputedWeights &weights, Placement &placement);

/// Moves the reorder that made `weights` before the operations on rows that make the left operand, if its own operand
/// is there then. These and the product can share stripes if nothing that reads all rows is between them.
void reorderBeforeRows(mlir::Value weights, mlir::Value left);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_CONVERSION_NNTONPU_LAYERS_COMPUTEDWEIGHTS_H
