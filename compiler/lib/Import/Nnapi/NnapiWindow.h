//===- NnapiWindow.h - Scalars of operations with windows -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIWINDOW_H
#define AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIWINDOW_H

#include "Layout.h"

#include <array>

namespace avocet::compiler {

/// The scalars that follow an operation's tensors. NNAPI lists them in one order: padding (left, right, top, bottom; or
/// a scheme), strides (width, height), kernel (width, height), one extra, activation, layout, dilation (width, height).
/// Layout and dilation may be omitted.
struct NnapiWindowForm {
  uint32_t first;           ///< position of the first scalar
  bool outputShape = false; ///< a tensor with the result's shape precedes the scheme
  bool kernel = false;
  bool extra = false; ///< depth multiplier or number of groups
  bool dilation = false;
};

/// The scalars, with height before width as everywhere in this compiler.
struct NnapiWindow {
  bool same = false;            ///< implicit padding that keeps the extents; VALID is explicit padding of 0
  std::array<int64_t, 4> pad{}; ///< top, bottom, left, right; resolved by resolvePadding() where `same`
  std::array<int64_t, 2> stride{1, 1}, dilation{1, 1}, kernel{1, 1};
  mlir::SmallVector<int64_t> outputShape; ///< as in the model, in the model's layout; empty if there is none
  int64_t extra = 1;
  nn::Activation activation = nn::Activation::None;
  bool channelsFirst = false;
};

/// Bits of valueOperands for all positions >= `first`.
constexpr uint64_t scalarsFrom(uint32_t first) { return ~uint64_t(0) << first; }

/// Reads the scalars; strides, dilation and kernel are at least 1, leading padding at least 0.
mlir::FailureOr<NnapiWindow> readWindow(NnapiOperation &op, const NnapiWindowForm &form);

/// Resolves SAME for an input of these rows and columns: ceil(input / stride) outputs, with the odd row or column at
/// the end.
mlir::LogicalResult resolvePadding(NnapiOperation &op, NnapiWindow &window, std::array<int64_t, 2> input);

/// Rows and columns of the result; trailing padding must not be negative. A window that does not fit is malformed.
mlir::FailureOr<std::array<int64_t, 2>> windowedExtents(NnapiOperation &op, const NnapiWindow &window,
                                                        std::array<int64_t, 2> input);

/// Rows and columns of a value in NHWC.
inline std::array<int64_t, 2> extentsOf(mlir::Value value) { return {shapeOf(value)[1], shapeOf(value)[2]}; }

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_NNAPI_NNAPIWINDOW_H
