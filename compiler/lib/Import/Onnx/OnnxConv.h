//===- OnnxConv.h - Convolutions --------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXCONV_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXCONV_H

#include "OnnxWindow.h"

#include "avocet/firmware_iface/WindowInputs.h"

namespace avocet::compiler {

/// The window of a convolution with operands as ONNX has them: input [N, C, ...], filter [O, I, ...].
mlir::FailureOr<OnnxWindow> convWindow(OnnxOperation &op, mlir::Value input, mlir::Value filter);

/// What follows a layer before its channels are moved; null: nothing.
using OnLayer = llvm::function_ref<mlir::Value(mlir::Value)>;

/// The convolution of an image [N, H, W, C] with a filter [O, H, W, I]; `bias` may be null. Sums of quantised operands
/// are i32.
mlir::Value convolved(OnnxOperation &op, mlir::Value image, mlir::Value filter, mlir::Value bias, int64_t groups,
                      OnnxWindow window, OnLayer last = nullptr);

/// The convolution of operands as ONNX has them, of one to three spatial axes. Reads the attribute `group`.
mlir::Value convolvedFirst(OnnxOperation &op, mlir::Value input, mlir::Value filter, mlir::Value bias,
                           OnnxWindow window, OnLayer last = nullptr);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXCONV_H
