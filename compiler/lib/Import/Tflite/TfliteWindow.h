//===- TfliteWindow.h - Explicit windows from TFLite's implied ones -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEWINDOW_H
#define AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEWINDOW_H

#include "Import/Common/Window.h"
#include "TfliteGraph.h"

#include <array>

namespace avocet::compiler {

/// A window's height and width figures as in the file.
struct ImpliedWindow {
  tflite::Padding padding;
  std::array<int64_t, 2> input, kernel, stride, dilation;
};

/// [top, bottom, left, right]. SAME pads to ceil(input / stride) outputs, with the odd row or column at the end. Fails
/// for strides and dilations that are not positive, with an error at `op`.
mlir::FailureOr<std::array<int64_t, 4>> explicitPadding(TfliteOperator &op, const ImpliedWindow &window);

/// Padding of a transposed convolution along one axis: that of the convolution from the result to the input. Figures
/// are positive; `kernel` counts elements from the first to the last tap. What follows after the last element may be
/// negative.
std::array<int64_t, 2> transposedPadding(tflite::Padding padding, int64_t input, int64_t output, int64_t kernel,
                                         int64_t stride);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_TFLITE_TFLITEWINDOW_H
