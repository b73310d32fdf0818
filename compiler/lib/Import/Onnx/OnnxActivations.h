//===- OnnxActivations.h - Functions named by attributes --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXACTIVATIONS_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXACTIVATIONS_H

#include "Import/Common/Functions.h"
#include "OnnxGraph.h"

namespace avocet::compiler {

/// The function with this name in any case, and with the parameters that count unless others are given; refuses others.
mlir::FailureOr<NamedFunction> onnxActivation(ImportedOperation &op, llvm::StringRef name);

/// The function of x with this name; its parameters are attributes.
mlir::Value activated(OnnxOperation &op, Formula &f, mlir::Value x, llvm::StringRef name);

/// The function that the attribute `activation` names, with these parameters; the value itself without it.
mlir::Value activated(OnnxOperation &op, mlir::Value x, llvm::ArrayRef<float> parameters);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXACTIVATIONS_H
