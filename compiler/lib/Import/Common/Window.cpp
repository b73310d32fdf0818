//===- Window.cpp - Windows over axes ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Window.h"

using namespace mlir;

namespace avocet::compiler {

FailureOr<std::array<int64_t, 2>> samePadding(ImportedOperation &op, const WindowAxis &axis) {
  // All figures are below 2^31, so the products fit in 64 bits.
  int64_t total = std::max<int64_t>(firmware::samePaddingOf(axis.input, axis.stride, axis.reach()), 0);
  if (total > INT32_MAX)
    return op.refuse("dilation", "padding fits 31 bits", Twine(total));
  return std::array{total / 2, total - total / 2};
}

void SpatialWindow::padSame(ArrayRef<int64_t> extents, bool isLower) {
  for (size_t axis = 0; axis < axes(); ++axis) {
    const int64_t total = std::max<int64_t>(firmware::samePaddingOf(extents[axis], stride[axis], reach(axis)), 0);
    pad.low.push_back((total + (isLower ? 1 : 0)) / 2);
    pad.high.push_back(total - pad.low.back());
  }
}

void SpatialWindow::cutTo(size_t axis, int64_t extent, int64_t results, int64_t more, bool oddAtEnd, bool addsMissing) {
  const int64_t total = firmware::windowsSpan(extent, stride[axis], reach(axis)) + more - results,
                cut = std::max<int64_t>(total, 0);
  pad.low[axis] = oddAtEnd ? cut / 2 : cut - cut / 2;
  pad.high[axis] = (addsMissing ? total : cut) - pad.low[axis];
}

void SpatialWindow::addAxis() {
  for (auto *figures : {&kernel, &stride, &dilation})
    figures->insert(figures->begin(), 1);
  for (auto *figures : {&pad.low, &pad.high})
    figures->insert(figures->begin(), 0);
}

} // namespace avocet::compiler
