//===- Weights.h - Integers of dequantized weights --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_QUANTIZED_WEIGHTS_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_QUANTIZED_WEIGHTS_H

#include "Groups.h"

namespace avocet::compiler::nn {

/// The integers of an operand of a layer.
struct QuantizedWeights {
  mlir::Value bytes;                ///< null: it has none
  llvm::SmallVector<double> scales; ///< one, or one for each index of the axis
  int64_t axis = -1;                ///< of several scales
};

/// Those of constant floats with a stored type whose real numbers they are, as signed numbers; or those that are
/// dequantized to the value.
QuantizedWeights quantizedWeights(mlir::Value real, mlir::RewriterBase &rewriter);

/// The constant floats as i32 of these scales, one for all or one for each; null: they are not constant, or too large.
/// A null value stays null.
std::optional<mlir::Value> quantizedBias(mlir::Value real, llvm::ArrayRef<double> scales, mlir::RewriterBase &rewriter);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_QUANTIZED_WEIGHTS_H
