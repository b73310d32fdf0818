//===- Window.h - Windows over axes -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_WINDOW_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_WINDOW_H

#include "Moves.h"

#include "avocet/firmware_iface/WindowInputs.h"

#include <array>

namespace avocet::compiler {

/// A window along one axis of an input; all figures are 1 to 2^31 - 1.
struct WindowAxis {
  int64_t input, kernel, stride, dilation;
  int64_t reach() const { return firmware::windowReach(kernel, dilation); }
};

/// [before, after] of the scheme SAME: ceil(input / stride) outputs, with the odd row or column at the end.
mlir::FailureOr<std::array<int64_t, 2>> samePadding(ImportedOperation &op, const WindowAxis &axis);

/// Windows over any number of spatial axes, with a figure for each; figures are at most 2^31 - 1.
struct SpatialWindow {
  mlir::SmallVector<int64_t> kernel, stride, dilation;
  Amounts pad; ///< may be negative

  size_t axes() const { return kernel.size(); }
  int64_t reach(size_t axis) const { return firmware::windowReach(kernel[axis], dilation[axis]); }
  /// Results along an axis of `extent` elements.
  int64_t results(size_t axis, int64_t extent) const {
    return (extent + pad.low[axis] + pad.high[axis] - reach(axis)) / stride[axis] + 1;
  }
  /// All lists of figures.
  std::array<mlir::SmallVector<int64_t> *, 5> lists() { return {&kernel, &stride, &dilation, &pad.low, &pad.high}; }
  /// Padding so that there are extent / stride results, rounded up; an odd element at the end or at the beginning.
  void padSame(llvm::ArrayRef<int64_t> extents, bool isLower);
  /// Padding of a transposed convolution of `extent` elements so that there are so many results before `more` are
  /// added: an odd element is cut at the end or at the beginning, missing ones are added at the end or not.
  void cutTo(size_t axis, int64_t extent, int64_t results, int64_t more, bool oddAtEnd, bool addsMissing);
  /// As a window over one axis more, before the others: [N, C, L] is [N, C, 1, L].
  void addAxis();
  /// Padding of the nn dialect, of two axes: {top, bottom, left, right}.
  std::array<int64_t, 4> planePadding() const { return {pad.low[0], pad.high[0], pad.low[1], pad.high[1]}; }
};

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_WINDOW_H
