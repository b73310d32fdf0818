//===- Patterns.h - Families of decomposed operations -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each family states what its rewrites keep. "Equal" means the same bits but for the sign of a zero and the payload of
// a NaN. Other bounds are absolute, relative to the larger of 1 and the magnitude of the result. Both are those of f32.
// The steps of halves round each time and one operation rounds once, so that results differ by the roundings of the
// steps.
//
// NaN stays NaN. Sums, products and quotients clamp to the largest finite number, as in TensorFlow Lite: an infinity
// that a step would have clamped stays infinite. Numbers at which a step overflows are not in the bounds.
//
// No family rewrites quantized numbers: each of their steps rounds and saturates, so that stored values would differ.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RECOGNIZE_PATTERNS_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RECOGNIZE_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace avocet::compiler::nn {

/// PReLU and leaky ReLU.
void addRectifierPatterns(mlir::RewritePatternSet &patterns);
/// Logistic function, swish, hard swish, hard sigmoid and GELU.
void addGatePatterns(mlir::RewritePatternSet &patterns);
/// Clamps to constants.
void addClampPatterns(mlir::RewritePatternSet &patterns);
/// Squares.
void addPowerPatterns(mlir::RewritePatternSet &patterns);
/// Softmax, logarithm of softmax, and factors before a softmax.
void addSoftmaxPatterns(mlir::RewritePatternSet &patterns);
/// Layer, instance and RMS normalization.
void addLayerNormalizationPatterns(mlir::RewritePatternSet &patterns);
/// Batch normalization, which scales and shifts channels.
void addBatchNormalizationPatterns(mlir::RewritePatternSet &patterns);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RECOGNIZE_PATTERNS_H
