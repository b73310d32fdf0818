//===- OnnxWindow.h - Windows of convolutions and pools ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX has channels first and any number of spatial axes; the dialect has NHWC.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXWINDOW_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXWINDOW_H

#include "Import/Common/Moves.h"
#include "OnnxGraph.h"

namespace avocet::compiler {

/// One figure for each spatial axis.
struct OnnxWindow {
  mlir::SmallVector<int64_t> kernel, stride, dilation;
  Amounts pad; ///< may be negative

  size_t axes() const { return kernel.size(); }
  int64_t reach(size_t axis) const { return (kernel[axis] - 1) * dilation[axis] + 1; }
  /// Results along an axis of `extent` elements.
  int64_t results(size_t axis, int64_t extent) const {
    return (extent + pad.low[axis] + pad.high[axis] - reach(axis)) / stride[axis] + 1;
  }
};

/// The attributes strides, dilations, pads and auto_pad of windows with this kernel over these extents.
mlir::FailureOr<OnnxWindow> windowOf(OnnxOperation &op, llvm::ArrayRef<int64_t> kernel,
                                     llvm::ArrayRef<int64_t> extents);

/// A window of one axis as one of two: [N, C, L] is [N, C, 1, L].
void addAxis(OnnxWindow &window);

/// [N, C, ...] as [N, ..., C] and back, of any rank from 2 on.
mlir::Value channelsLast(OnnxOperation &op, mlir::Value value);
mlir::Value channelsFirst(OnnxOperation &op, mlir::Value value);

/// AveragePool with the attributes of the node; null stays null.
mlir::Value averagePooled(OnnxOperation &op, mlir::Value input);

/// Padding of the nn dialect: {top, bottom, left, right}.
std::array<int64_t, 4> planePadding(const OnnxWindow &window);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNX_ONNXWINDOW_H
