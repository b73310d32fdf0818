//===- NnStored.h - Real numbers that were integers -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some formats write quantized networks as operations on floats between conversions. Weights that such a network
// dequantizes become constants of floats, which keep the quantized type, so that the integers can be found again.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_DIALECT_NN_NNSTORED_H
#define AVOCET_COMPILER_DIALECT_NN_NNSTORED_H

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

namespace avocet::compiler::nn {

/// Attribute of an operation whose result, constant floats, are the real numbers of this quantized type, per tensor or
/// per axis. What replaces the operation may leave it out: the network then computes with floats.
inline constexpr llvm::StringLiteral kStoredAttr = "nn.stored";

/// Attribute of `nn.softmax` and `nn.prelu` of 8-bit numbers: results are rounded once to the nearest integer, halves
/// to the even one. Those of a softmax then have any scale of at least 2^-16 and any zero point, and not the fixed
/// steps of TensorFlow Lite.
inline constexpr llvm::StringLiteral kNearestAttr = "nn.nearest";

/// The quantized type of which the value has the real numbers: that of its kStoredAttr or of its dequantization,
/// through reshapes, transposes and slices. Null: it has none.
mlir::Type storedTypeOf(mlir::Value value);

/// The type for elements whose axis order[i] is in place i now.
mlir::Type transposedStored(mlir::Type stored, llvm::ArrayRef<int64_t> order);

/// Notes the type at the operation, unless it is null.
void setStoredType(mlir::Operation *op, mlir::Type stored);

/// Numerics `even_round` of products with these factors; null: one is 2^29 or more.
NumericsAttr evenNumerics(mlir::MLIRContext *context, llvm::ArrayRef<double> factors);

} // namespace avocet::compiler::nn

#endif // AVOCET_COMPILER_DIALECT_NN_NNSTORED_H
