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

/// Gemm with the operands and attributes of the node.
mlir::Value gemm(OnnxOperation &op);

/// `c` as the bias of a layer with these columns; null: it is another tensor.
mlir::Value asBias(OnnxOperation &op, mlir::Value c, int64_t columns);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXMATRIX_H
