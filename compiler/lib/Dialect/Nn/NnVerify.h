//===- NnVerify.h - Checks that several nn operations share -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NN_NNVERIFY_H
#define AVOCET_COMPILER_LIB_DIALECT_NN_NNVERIFY_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"

namespace avocet::compiler::nn {

// For the members of operations, which are outside of these namespaces.
using compiler::elementOf, compiler::isQuantized, compiler::shapeOf, compiler::tensorOf;

/// Emits an error unless the value, which `name` describes, has the shape.
mlir::LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef name, mlir::Value value,
                                llvm::ArrayRef<int64_t> shape);

/// Emits an error unless the element types are all equal (scales and zero points included).
mlir::LogicalResult verifySameElements(mlir::Operation *op, mlir::ValueRange values);

/// Emits an error unless the values are all f32, or all quantized with the same storage type.
mlir::LogicalResult verifySameStorage(mlir::Operation *op, mlir::ValueRange values);

/// Checks explicit numerics: their number of multipliers is one of `counts`, and those of 64-bit sums have 15 bits and
/// one rounding.
mlir::LogicalResult verifyExplicitNumerics(mlir::Operation *op, NumericsAttr numerics, llvm::ArrayRef<int64_t> counts,
                                           bool hasWideSums = false);

/// How near the scale of a result must be to the fixed one, which the operation's arithmetic has. The tolerances are
/// the reference's.
enum class ScaleRule {
  Exact,
  Near,           ///< to a thousandth
  WidePowerOfTwo, ///< 16-bit ones by kernels::scaleExponent, others exact
};

/// Checks the fixed scale and zero point of results of bounded functions. `scale` and
/// `signedZero` are those of signed 8-bit results; unsigned zero points are 128 higher, 16-bit results have 1/32768 and
/// 0.
mlir::LogicalResult verifyBoundedResult(mlir::Operation *op, mlir::Value output, double scale, int64_t signedZero,
                                        ScaleRule rule = ScaleRule::Exact);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_LIB_DIALECT_NN_NNVERIFY_H
