//===- OnnxWindow.cpp - Windows of convolutions and pools -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxWindow.h"

#include "avocet/firmware_iface/WindowInputs.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

constexpr int64_t kMostFigure = INT32_MAX; ///< so that products fit in 64 bits

LogicalResult checkFigures(OnnxOperation &op, StringRef name, ArrayRef<int64_t> figures, size_t count, int64_t least) {
  if (figures.size() != count)
    return op.malformed("has " + Twine(figures.size()) + " " + name + ", must have " + Twine(count));
  for (int64_t figure : figures)
    if (figure < least || figure > kMostFigure)
      return op.malformed("has the number " + Twine(figure) + " in " + name + ", must be " + Twine(least) + " to " +
                          Twine(kMostFigure));
  return success();
}

/// Padding so that there are extent / stride results, rounded up.
void padSame(OnnxWindow &window, ArrayRef<int64_t> extents, bool isLower) {
  for (size_t axis = 0; axis < window.axes(); ++axis) {
    const int64_t total =
        std::max<int64_t>(firmware::samePaddingOf(extents[axis], window.stride[axis], window.reach(axis)), 0);
    window.pad.low.push_back((total + (isLower ? 1 : 0)) / 2);
    window.pad.high.push_back(total - window.pad.low.back());
  }
}

LogicalResult readPadding(OnnxOperation &op, OnnxWindow &window, ArrayRef<int64_t> extents) {
  const size_t axes = window.axes();
  const StringRef scheme = op.text("auto_pad", "NOTSET");
  const SmallVector<int64_t> none(2 * axes, 0), pads = op.list("pads", none);
  if (scheme == "SAME_UPPER" || scheme == "SAME_LOWER") {
    padSame(window, extents, scheme == "SAME_LOWER");
    return success();
  }
  if (scheme != "NOTSET" && scheme != "VALID")
    return op.malformed("has the padding '" + scheme + "', must be NOTSET, SAME_UPPER, SAME_LOWER or VALID");
  const ArrayRef<int64_t> used = scheme == "VALID" ? ArrayRef<int64_t>(none) : ArrayRef<int64_t>(pads);
  if (failed(checkFigures(op, "pads", used, 2 * axes, -kMostFigure)))
    return failure();
  llvm::append_range(window.pad.low, used.take_front(axes));
  llvm::append_range(window.pad.high, used.drop_front(axes));
  return success();
}

} // namespace

FailureOr<OnnxWindow> windowOf(OnnxOperation &op, ArrayRef<int64_t> kernel, ArrayRef<int64_t> extents) {
  const size_t axes = extents.size();
  const SmallVector<int64_t> ones(axes, 1);
  OnnxWindow window{SmallVector<int64_t>(kernel), op.list("strides", ones), op.list("dilations", ones), {}};
  if (failed(checkFigures(op, "kernel_shape", window.kernel, axes, 1)) ||
      failed(checkFigures(op, "strides", window.stride, axes, 1)) ||
      failed(checkFigures(op, "dilations", window.dilation, axes, 1)) || failed(readPadding(op, window, extents)))
    return failure();
  return window;
}

void addAxis(OnnxWindow &window) {
  for (auto *figures : {&window.kernel, &window.stride, &window.dilation})
    figures->insert(figures->begin(), 1);
  for (auto *figures : {&window.pad.low, &window.pad.high})
    figures->insert(figures->begin(), 0);
}

Value channelsLast(OnnxOperation &op, Value value) {
  return value ? moveAxis(op, value, 1, shapeOf(value).size() - 1) : value;
}

Value channelsFirst(OnnxOperation &op, Value value) {
  return value ? moveAxis(op, value, shapeOf(value).size() - 1, 1) : value;
}

std::array<int64_t, 4> planePadding(const OnnxWindow &window) {
  return {window.pad.low[0], window.pad.high[0], window.pad.low[1], window.pad.high[1]};
}

} // namespace avocet::compiler
