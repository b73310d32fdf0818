//===- OnnxWindow.h - Windows of convolutions and pools ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXWINDOW_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXWINDOW_H

#include "Import/Common/Convolution.h"
#include "OnnxGraph.h"

namespace avocet::compiler {

/// The attributes strides, dilations, pads and auto_pad of windows with this kernel over these extents.
mlir::FailureOr<SpatialWindow> windowOf(OnnxOperation &op, llvm::ArrayRef<int64_t> kernel,
                                        llvm::ArrayRef<int64_t> extents);

/// AveragePool with the attributes of the node; null stays null.
mlir::Value averagePooled(OnnxOperation &op, mlir::Value input);

/// Whether the input of a pool has spatial axes; otherwise, that is reported. False for null.
bool hasSpatialAxes(OnnxOperation &op, mlir::Value input);
/// The attribute `p` of a norm, which is positive.
mlir::FailureOr<int64_t> exponentOf(OnnxOperation &op);

/// The window of a convolution with operands as ONNX has them: input [N, C, ...], filter [O, I, ...].
mlir::FailureOr<SpatialWindow> convWindow(OnnxOperation &op, mlir::Value input, mlir::Value filter);

/// The convolution of operands as ONNX has them, of one to three spatial axes. Reads the attribute `group`.
mlir::Value convolvedFirst(OnnxOperation &op, mlir::Value input, mlir::Value filter, mlir::Value bias,
                           SpatialWindow window, OnLayer last = nullptr);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXWINDOW_H
