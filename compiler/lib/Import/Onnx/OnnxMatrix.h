//===- OnnxMatrix.h - Matrix products ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXMATRIX_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXMATRIX_H

#include "Import/Common/MatrixProduct.h"
#include "OnnxGraph.h"

namespace avocet::compiler {

/// A product as MatMul has it, where an operand of rank 1 is a row or a column. `multiply` takes matrices.
mlir::Value matMul(OnnxOperation &op, mlir::Value a, mlir::Value b,
                   llvm::function_ref<mlir::Value(mlir::Value a, mlir::Value b)> multiply);

/// Gemm with the operands and attributes of the node.
mlir::Value gemm(OnnxOperation &op);

/// `c` as the bias of a layer with these columns; null: it is another tensor.
mlir::Value asBias(OnnxOperation &op, mlir::Value c, int64_t columns);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXMATRIX_H
