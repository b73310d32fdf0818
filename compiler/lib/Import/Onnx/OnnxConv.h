//===- OnnxConv.h - Convolutions --------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXCONV_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXCONV_H

#include "Import/Common/Convolution.h"
#include "OnnxWindow.h"

namespace avocet::compiler {

/// The window of a convolution with operands as ONNX has them: input [N, C, ...], filter [O, I, ...].
mlir::FailureOr<SpatialWindow> convWindow(OnnxOperation &op, mlir::Value input, mlir::Value filter);

/// The convolution of operands as ONNX has them, of one to three spatial axes. Reads the attribute `group`.
mlir::Value convolvedFirst(OnnxOperation &op, mlir::Value input, mlir::Value filter, mlir::Value bias,
                           SpatialWindow window, OnLayer last = nullptr);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXCONV_H
