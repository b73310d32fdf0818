//===- MatrixProduct.h - Matrix products ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_MATRIXPRODUCT_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_MATRIXPRODUCT_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// The product of the matrices in the last two axes; all others broadcast. With a constant matrix as `rhs` it is a
/// layer. `bias` has an element for each column, or is null. Null after a report. The result has the element type of
/// `lhs` unless another is given: quantized operands have sums.
mlir::Value matrixProduct(ImportedOperation &op, mlir::Value lhs, mlir::Value rhs, bool transposeLhs, bool transposeRhs,
                          mlir::Value bias = {}, mlir::Type element = {});

/// A product as NumPy has it, where an operand of rank 1 is a row or a column. `multiply` takes matrices.
mlir::Value matMul(ImportedOperation &op, mlir::Value a, mlir::Value b,
                   llvm::function_ref<mlir::Value(mlir::Value a, mlir::Value b)> multiply);

/// The value as the bias of a layer with these columns; null without a report: it is another tensor, or null.
mlir::Value asBias(ImportedOperation &op, mlir::Value value, int64_t columns);

/// alpha * a * b + beta * c with matrices a and b, and c that broadcasts, or null.
mlir::Value generalProduct(ImportedOperation &op, mlir::Value a, mlir::Value b, mlir::Value c, bool transposeA,
                           bool transposeB, float alpha, float beta);

/// BATCH_MATMUL of operands 0 and 1. Products of i32 become element-wise products and their sums. `asymmetric`: see
/// nn.batch_matmul.
mlir::LogicalResult convertMatrixProduct(ImportedOperation &op, bool transposeLhs, bool transposeRhs,
                                         bool asymmetric = false);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_MATRIXPRODUCT_H
