//===- OnnxWindow.cpp - Windows of convolutions, and pools -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxWindow.h"

#include "Import/Common/Pools.h"

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

LogicalResult readPadding(OnnxOperation &op, SpatialWindow &window, ArrayRef<int64_t> extents) {
  const size_t axes = window.axes();
  const StringRef scheme = op.text("auto_pad", "NOTSET");
  const SmallVector<int64_t> none(2 * axes, 0), pads = op.list("pads", none);
  if (scheme == "SAME_UPPER" || scheme == "SAME_LOWER") {
    window.padSame(extents, scheme == "SAME_LOWER");
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

FailureOr<Pool> poolOf(OnnxOperation &op, Value input) {
  if (!hasSpatialAxes(op, input))
    return failure();
  FailureOr<SpatialWindow> window = windowOf(op, op.list("kernel_shape"), shapeOf(input).drop_front(2));
  if (failed(window))
    return failure();
  Pool pool{input, *window, SmallVector<int64_t>(window->axes(), 0)};
  if (op.flag("ceil_mode"))
    pool.addCeiling();
  for (size_t axis = 0; axis < window->axes(); ++axis)
    if (pool.results(axis) < 1 || window->pad.low[axis] < 0 || window->pad.high[axis] < 0)
      return op.malformed("has a window that is larger than its input, or negative padding");
  return pool;
}

LogicalResult convertMaxPool(OnnxOperation &op) {
  FailureOr<Pool> pool = poolOf(op, op.value(0, "input"));
  const bool isColumnMajor = op.flag("storage_order");
  if (failed(pool))
    return failure();
  if (!op.hasOutput(1))
    return op.finish(maxPooled(op, *pool));
  const auto [greatest, positions] = maxWithPositions(op, *pool, isColumnMajor);
  return finishAll(op, {greatest, positions});
}

LogicalResult convertLpPool(OnnxOperation &op) {
  FailureOr<Pool> pool = poolOf(op, op.value(0, "input"));
  FailureOr<int64_t> p = exponentOf(op);
  return failed(pool) || failed(p) ? failure() : op.finish(normPooled(op, *pool, *p));
}

LogicalResult convertAveragePool(OnnxOperation &op) { return op.finish(averagePooled(op, op.value(0, "input"))); }

constexpr OnnxConverter kConverters[] = {
    {"AveragePool", 1, 1, 1, convertAveragePool},
    {"LpPool", 2, 1, 1, convertLpPool},
    {"MaxPool", 1, 1, 1, convertMaxPool, 1, 2},
};

} // namespace

FailureOr<SpatialWindow> windowOf(OnnxOperation &op, ArrayRef<int64_t> kernel, ArrayRef<int64_t> extents) {
  const size_t axes = extents.size();
  const SmallVector<int64_t> ones(axes, 1);
  SpatialWindow window{SmallVector<int64_t>(kernel), op.list("strides", ones), op.list("dilations", ones), {}};
  if (failed(checkFigures(op, "kernel_shape", window.kernel, axes, 1)) ||
      failed(checkFigures(op, "strides", window.stride, axes, 1)) ||
      failed(checkFigures(op, "dilations", window.dilation, axes, 1)) || failed(readPadding(op, window, extents)))
    return failure();
  return window;
}

Value averagePooled(OnnxOperation &op, Value input) {
  FailureOr<Pool> pool = poolOf(op, input);
  const bool countsPadding = op.flag("count_include_pad");
  return failed(pool) ? Value() : averagePooled(op, *pool, countsPadding);
}

bool hasSpatialAxes(OnnxOperation &op, Value input) {
  if (input && shapeOf(input).size() < 3)
    op.malformed("has an input of rank " + Twine(shapeOf(input).size()) + ", must be at least 3");
  return input && shapeOf(input).size() >= 3;
}

FailureOr<int64_t> exponentOf(OnnxOperation &op) {
  const int64_t p = op.integer("p", 2);
  if (p < 1)
    return op.malformed("has the exponent p " + Twine(p) + ", must be positive");
  return p;
}

ArrayRef<OnnxConverter> onnxPoolConverters() { return kConverters; }

} // namespace avocet::compiler
