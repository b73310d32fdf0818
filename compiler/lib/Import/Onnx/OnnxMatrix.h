//===- OnnxMatrix.h - Matrix products ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXMATRIX_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXMATRIX_H

#include "OnnxGraph.h"

namespace avocet::compiler {

/// The product of the matrices in the last two axes; all others broadcast. With a constant matrix as `rhs` it is a
/// layer. `bias` has an element for each column, or is null. Null after a report. The result has the element type of
/// `lhs` unless another is given: quantised operands have sums.
mlir::Value matrixProduct(OnnxOperation &op, mlir::Value lhs, mlir::Value rhs, bool transposeLhs, bool transposeRhs,
                          mlir::Value bias = {}, mlir::Type element = {});

/// A product as MatMul has it, where an operand of rank 1 is a row or a column. `multiply` takes matrices.
mlir::Value matMul(OnnxOperation &op, mlir::Value a, mlir::Value b,
                   llvm::function_ref<mlir::Value(mlir::Value a, mlir::Value b)> multiply);

/// Gemm with the operands and attributes of the node.
mlir::Value gemm(OnnxOperation &op);

/// `c` as the bias of a layer with these columns; null: it is another tensor.
mlir::Value asBias(OnnxOperation &op, mlir::Value c, int64_t columns);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXMATRIX_H
