//===- OnnxActivations.h - Functions named by attributes --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXACTIVATIONS_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXACTIVATIONS_H

#include "Import/Common/Formula.h"

namespace avocet::compiler {

/// A function that an attribute names, with its parameters.
struct OnnxActivation {
  llvm::StringRef name; ///< as ONNX writes it
  uint32_t parameters;  ///< how many of alpha and beta it has
  float alpha, beta;
  mlir::Value (*function)(Formula &f, mlir::Value x, float alpha, float beta);

  mlir::Value operator()(Formula &f, mlir::Value x) const { return function(f, x, alpha, beta); }
};

/// The function with this name in any case, and with the parameters that count unless others are given; refuses others.
mlir::FailureOr<OnnxActivation> onnxActivation(ImportedOperation &op, llvm::StringRef name);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXACTIVATIONS_H
