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

/// The depth steps of volumes that windows read: window i the steps taps + i * stride, which are zeros outside.
struct DepthWindows {
  int64_t count, stride;
  mlir::SmallVector<int64_t> taps;
};

/// Volumes [N, depth, height, width, C] as images [N * windows, height, width, taps * C].
mlir::Value imagesOfVolumes(ImportedOperation &op, mlir::Value volumes, const DepthWindows &windows);
/// The filter of volumes [O, taps, height, width, C] as that of such images.
mlir::Value filterOfImages(ImportedOperation &op, mlir::Value filter);

/// What follows a layer before its channels are moved; null: nothing.
using OnLayer = llvm::function_ref<mlir::Value(mlir::Value)>;

/// The convolution with a filter [O, spatial..., C / groups]; `bias` may be null. Sums of quantised operands are i32.
mlir::Value convolved(ImportedOperation &op, mlir::Value image, mlir::Value filter, mlir::Value bias, int64_t groups,
                      SpatialWindow window, OnLayer last = nullptr);

/// The transposed convolution with a filter [C, O / groups, spatial...]. Padding is cut off the result.
mlir::Value convolvedTransposed(ImportedOperation &op, mlir::Value image, mlir::Value filter, mlir::Value bias,
                                int64_t groups, const SpatialWindow &window);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_CONVOLUTION_H
