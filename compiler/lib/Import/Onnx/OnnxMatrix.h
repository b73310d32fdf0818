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

/// The product of the matrices in the last two axes; all others broadcast. With a constant matrix as `rhs` it is a layer.
/// `bias` has an element for each column, or is null. Null after a report.
mlir::Value matrixProduct(OnnxOperation &op, mlir::Value lhs, mlir::Value rhs, bool transposeLhs, bool transposeRhs,
                          mlir::Value bias = {});

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXMATRIX_H
