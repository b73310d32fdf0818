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

struct Normalized {
  mlir::Value value, mean, inverse; ///< (x - mean) * inverse
};

/// A value that is not null with the mean 0 and the variance 1 over these axes.
Normalized normalized(Formula &f, mlir::Value x, llvm::ArrayRef<int64_t> axes, float epsilon);

/// Softmax along the attribute `axis`. `isFlattened`: the axes from it on are one.
mlir::Value softmaxOf(OnnxOperation &op, mlir::Value x, bool isFlattened);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXNORMALIZE_H
