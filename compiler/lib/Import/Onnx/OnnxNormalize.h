//===- OnnxNormalize.h - Normalisations -------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXNORMALIZE_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXNORMALIZE_H

#include "Import/Common/Formula.h"
#include "OnnxGraph.h"

namespace avocet::compiler {

/// Softmax along the attribute `axis`. `isFlattened`: the axes from it on are one.
mlir::Value softmaxOf(OnnxOperation &op, mlir::Value x, bool isFlattened);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXNORMALIZE_H
