//===- OnnxWindow.cpp - Convolutions and pools ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxWindow.h"

#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Pools.h"
#include "OnnxActivations.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// [A, B, ...] of one spatial axis as one of two.
Value asPlane(OnnxOperation &op, Value value) {
  return value && shapeOf(value).size() == 3 ? withAxis(op, value, 2) : value;
}

/// A channels-last image with the rank of the operator's operands, channels first.
Value asOperand(OnnxOperation &op, Value image, size_t rank) {
  Value first = channelsFirst(op, image);
  return rank == 3 ? elementAt(op, first, 2, 0) : first;
}

LogicalResult checkRanks(OnnxOperation &op, Value input, Value filter) {
  const size_t rank = shapeOf(input).size();
  if (rank < 3 || shapeOf(filter).size() != rank)
    return op.malformed("has an input of rank " + Twine(rank) + " and a filter of rank " +
                        Twine(shapeOf(filter).size()));
  return rank > 5 ? LogicalResult(op.refuse("input", "rank", Twine(rank), "3 to 5")) : success();
}

Value conv(OnnxOperation &op) {
  Value input = op.value(0, "input"), filter = op.parameter(1, "filter"), bias = op.optionalParameter(2, "bias");
  if (!input || !filter)
    return {};
  FailureOr<SpatialWindow> window = convWindow(op, input, filter);
  return failed(window) ? Value() : convolvedFirst(op, input, filter, bias, *window);
}

LogicalResult convertConv(OnnxOperation &op) { return op.finish(conv(op)); }

LogicalResult convertFusedConv(OnnxOperation &op) {
  Value result = conv(op), addend = op.optional(3, "Z");
  return op.finish(activated(op, addend ? add(op, result, addend) : result, op.numbers("activation_params")));
}

/// The trailing padding of each axis follows from output_shape, output_padding and the scheme.
LogicalResult readTransposedPadding(OnnxOperation &op, SpatialWindow &window, ArrayRef<int64_t> extents) {
  const size_t axes = window.axes();
  const SmallVector<int64_t> zeros(axes, 0), more = op.list("output_padding", zeros), wanted = op.list("output_shape");
  const StringRef scheme = op.text("auto_pad", "NOTSET");
  const bool isSame = scheme == "SAME_UPPER" || scheme == "SAME_LOWER";
  if (more.size() != axes || (!wanted.empty() && wanted.size() < axes))
    return op.malformed("has " + Twine(more.size()) + " output_padding and " + Twine(wanted.size()) +
                        " output_shape, must have " + Twine(axes));
  for (size_t axis = 0; axis < axes; ++axis) {
    if (!wanted.empty() || isSame)
      window.cutTo(axis, extents[axis],
                   wanted.empty() ? extents[axis] * window.stride[axis] : wanted[wanted.size() - axes + axis],
                   more[axis], scheme == "SAME_UPPER", /*addsMissing=*/!isSame || !wanted.empty());
    window.pad.high[axis] -= more[axis];
  }
  return success();
}

LogicalResult convertConvTranspose(OnnxOperation &op) {
  Value input = op.value(0, "input"), filter = op.parameter(1, "filter"), bias = op.optionalParameter(2, "bias");
  if (!input || !filter || failed(checkRanks(op, input, filter)))
    return failure();
  const size_t rank = shapeOf(input).size();
  const SmallVector<int64_t> extents(shapeOf(input).drop_front(2));
  FailureOr<SpatialWindow> window = windowOf(op, op.list("kernel_shape", shapeOf(filter).drop_front(2)), extents);
  if (failed(window) || failed(readTransposedPadding(op, *window, extents)))
    return failure();
  if (rank == 3)
    window->addAxis();
  const int64_t groups = op.integer("group", 1), channels = shapeOf(input)[1];
  if (groups < 1 || shapeOf(filter)[0] != channels || channels % groups != 0)
    return op.malformed("has " + Twine(channels) + " channels, a filter of " + Twine(shapeOf(filter)[0]) + " and " +
                        Twine(groups) + " groups");
  Value image = channelsLast(op, asPlane(op, input));
  return op.finish(asOperand(op, convolvedTransposed(op, image, asPlane(op, filter), bias, groups, *window), rank));
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

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
    {"AveragePool", 1, 1, 1, convertAveragePool},     {"Conv", 1, 2, 3, convertConv},
    {"ConvTranspose", 1, 2, 3, convertConvTranspose}, {"LpPool", 2, 1, 1, convertLpPool},
    {"MaxPool", 1, 1, 1, convertMaxPool, 1, 2},       {"FusedConv", 1, 2, 4, convertFusedConv, 1, 1, kMicrosoft},
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

FailureOr<SpatialWindow> convWindow(OnnxOperation &op, Value input, Value filter) {
  if (failed(checkRanks(op, input, filter)))
    return failure();
  const SmallVector<int64_t> kernel = op.list("kernel_shape", shapeOf(filter).drop_front(2));
  if (ArrayRef(kernel) != shapeOf(filter).drop_front(2))
    return op.malformed("has the kernel_shape " + nn::textOf(kernel) + ", its filter has " +
                        nn::textOf(shapeOf(filter).drop_front(2)));
  return windowOf(op, kernel, shapeOf(input).drop_front(2));
}

Value convolvedFirst(OnnxOperation &op, Value input, Value filter, Value bias, SpatialWindow window, OnLayer last) {
  if (!input || !filter)
    return {};
  const size_t rank = shapeOf(input).size();
  const int64_t groups = op.integer("group", 1), channels = shapeOf(input)[1];
  if (groups < 1 || channels % groups != 0 || shapeOf(filter)[1] != channels / groups ||
      shapeOf(filter)[0] % groups != 0)
    return op.malformed("has " + Twine(channels) + " channels, a filter " + nn::textOf(shapeOf(filter)) + " and " +
                        Twine(groups) + " groups");
  if (rank == 3)
    window.addAxis();
  Value image = channelsLast(op, asPlane(op, input));
  Value taps = foldedIfConstant(op, channelsLast(op, asPlane(op, filter)));
  return asOperand(op, convolved(op, image, taps, bias, groups, window, last), rank);
}

ArrayRef<OnnxConverter> onnxWindowConverters() { return kConverters; }

} // namespace avocet::compiler
