//===- Convolution.h - Convolutions of any form -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions of two or three spatial axes, with channels last and padding that may be negative. Those of volumes
// become convolutions of planes. All functions return null after a report, or if an operand is null.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_CONVOLUTION_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_CONVOLUTION_H

#include "Window.h"

namespace avocet::compiler {

/// What windows over the depth of volumes read: window i, with step k of the filter, the depth step first(k) + i *
/// stride.
struct DepthWindows {
  int64_t count, stride;
  mlir::SmallVector<int64_t> first = {}, kernel = {};

  /// Adds a step of the filter, unless it reads only the padding of volumes of this depth.
  void add(int64_t step, int64_t input, int64_t depth) {
    if (input >= depth || input + (count - 1) * stride < 0)
      return;
    first.push_back(input);
    kernel.push_back(step);
  }
};

/// Volumes [N, depth, height, width, C] as images [N * windows, height, width, steps * C]; steps outside are zeros.
mlir::Value imagesOfVolumes(ImportedOperation &op, mlir::Value volumes, DepthWindows windows);
/// The filter of such images from one of volumes: its steps along `depth` side by side along the axis of channels, of
/// a filter without depth. Zeros if there are none.
mlir::Value filterOfImages(ImportedOperation &op, mlir::Value filter, const DepthWindows &windows, size_t depth,
                           size_t channels);

/// What follows a layer before its channels are moved; null: nothing.
using OnLayer = llvm::function_ref<mlir::Value(mlir::Value)>;

/// The convolution with a filter [O, spatial..., C / groups]; `bias` may be null. Sums of quantized operands are i32.
mlir::Value convolved(ImportedOperation &op, mlir::Value image, mlir::Value filter, mlir::Value bias, int64_t groups,
                      SpatialWindow window, OnLayer last = nullptr,
                      const nn::Activation &activation = nn::Activation::kNone);

/// The transposed convolution with a filter [C, O / groups, spatial...]. Padding is cut off the result.
mlir::Value convolvedTransposed(ImportedOperation &op, mlir::Value image, mlir::Value filter, mlir::Value bias,
                                int64_t groups, const SpatialWindow &window,
                                const nn::Activation &activation = nn::Activation::kNone);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_CONVOLUTION_H
