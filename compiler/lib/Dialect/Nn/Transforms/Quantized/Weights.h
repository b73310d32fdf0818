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

  double scaleOf(size_t channel) const { return scales[scales.size() == 1 ? 0 : channel]; }
};

/// Those of constant floats with a stored type whose real numbers they are, as signed numbers; or those that are
/// dequantized to the value.
QuantizedWeights quantizedWeights(mlir::Value real, mlir::RewriterBase &rewriter);

/// Whether a constant has floats, and none that is no number.
bool hasNumbers(mlir::Value constant);

/// These floats as numbers of this type with 8 or 16 bits, as `nn.quantize` rounds them with `half_even`.
mlir::Value quantizedConstant(mlir::Value real, mlir::quant::UniformQuantizedType type, mlir::RewriterBase &rewriter);

/// The stored number of a real one, rounded so.
double storedNumber(double real, mlir::quant::UniformQuantizedType type);

/// The constant floats as i32 of these scales, one for all or one for each; none of a null value. Null: they are not
/// constant, or too large.
std::optional<llvm::SmallVector<int32_t>> quantizedBias(mlir::Value real, llvm::ArrayRef<double> scales);
/// Their constant in place of the floats.
mlir::Value biasConstant(mlir::Value real, llvm::ArrayRef<int32_t> integers, mlir::RewriterBase &rewriter);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_QUANTIZED_WEIGHTS_H
