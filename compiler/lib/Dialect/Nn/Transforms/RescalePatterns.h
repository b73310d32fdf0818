//===- RescalePatterns.h - Operations with multipliers of the network ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks with explicit multipliers have plain integers between their operations. Quantized types of scale 1, which
// bitcasts join to them, give the operands of one operation their zero points.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RESCALEPATTERNS_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RESCALEPATTERNS_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace avocet::compiler::nn {

/// The element type itself if it is quantized per tensor. Of plain integers of 8 or 16 bits the quantized type with the
/// same numbers: scale 1 and zero point 0. Null for others.
mlir::quant::UniformQuantizedType quantizedForm(mlir::Type element);

/// The same bytes with another element type of the same width; the value itself if it has that, as before another
/// bitcast.
mlir::Value bitcastTo(mlir::Value value, mlir::Type element, mlir::PatternRewriter &rewriter);

/// The one integer of all elements of a constant.
std::optional<int64_t> integerOf(mlir::Value value);

/// A value of 8 bits that is read as i32.
struct CenteredBytes {
  mlir::Value value;
  mlir::quant::UniformQuantizedType type; ///< whose zero point is subtracted
  mlir::Location loc;
};

/// The 8-bit numbers of a rescale by 1, or of a cast, to i32.
std::optional<CenteredBytes> readCentered(mlir::Value value);

inline bool isBytes(mlir::quant::UniformQuantizedType type) { return type && type.getStorageTypeIntegralWidth() == 8; }

/// Sums along axes with a rescale after them.
void addRescaledMeanPatterns(mlir::RewritePatternSet &patterns);

/// Sums, differences and products of rescaled numbers with a rescale after them.
void addRescaledPairPatterns(mlir::RewritePatternSet &patterns);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_TRANSFORMS_RESCALEPATTERNS_H
