//===- NnWindowShapes.cpp - Shapes of windows and matrices ----- *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnShapeRules.h"

#include "avocet/firmware_iface/WindowInputs.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr StringRef kAxisNames[] = {"height", "width"};

LogicalResult checkImages(ShapeRef input, ShapeRef filter, ShapeErrors errors) {
  return success(succeeded(checkRank(errors, "input", input, 4)) && succeeded(checkRank(errors, "filter", filter, 4)));
}

LogicalResult checkWindow(const Window &window, ShapeErrors errors) {
  return success(succeeded(checkArray(errors, "stride", window.stride, 2, 1)) &&
                 succeeded(checkArray(errors, "dilation", window.dilation, 2, 1)) &&
                 succeeded(checkArray(errors, "pad", window.pad, 4, 0)));
}

/// Of a window with the extents `kernel`, where each position has `channels` results.
FailureOr<Shape> windowedShape(ShapeRef input, ShapeRef kernel, int64_t channels, const Window &window,
                               ShapeErrors errors) {
  Shape shape = {input[0]};
  for (int axis : {0, 1}) {
    FailureOr<int64_t> windows = windowsOf({kAxisNames[axis], input[1 + axis], kernel[axis], window.stride[axis],
                                            window.dilation[axis], window.pad[2 * axis], window.pad[2 * axis + 1]},
                                           errors);
    if (failed(windows))
      return failure();
    shape.push_back(*windows);
  }
  shape.push_back(channels);
  return shape;
}

/// Whether `whole` consists of `parts` parts of one size.
bool isDivided(int64_t whole, int64_t parts) {
  return isOpen(whole) || isOpen(parts) || (parts > 0 && whole % parts == 0);
}

LogicalResult checkGroups(ShapeRef input, ShapeRef filter, int64_t groups, ShapeErrors errors) {
  if (failed(checkNumber(errors, "groups", groups, 1)))
    return failure();
  if (!isDivided(filter[0], groups))
    return errors() << filter[0] << " output channels do not fall into " << groups << " groups";
  if (!isDivided(input[3], groups) ||
      !fits(ofExtents([&](int64_t all) { return all / groups; }, input[3]), filter[3])) {
    InFlightDiagnostic error = errors() << "input has " << input[3] << " channels, ";
    return groups == 1 ? error << "the filter reads " << filter[3]
                       : error << groups << " groups of the filter read " << filter[3] << " each";
  }
  return success();
}

} // namespace

FailureOr<Shape> convolutionShape(ShapeRef input, ShapeRef filter, int64_t groups, const Window &window,
                                  ShapeErrors errors) {
  if (failed(checkImages(input, filter, errors)) || failed(checkWindow(window, errors)) ||
      failed(checkGroups(input, filter, groups, errors)))
    return failure();
  return windowedShape(input, filter.slice(1, 2), filter[0], window, errors);
}

FailureOr<Shape> depthwiseShape(ShapeRef input, ShapeRef filter, const Window &window, ShapeErrors errors) {
  if (failed(checkImages(input, filter, errors)) || failed(checkWindow(window, errors)))
    return failure();
  if (!fits(filter[0], 1))
    return errors() << "first extent of the filter is " << filter[0] << ", must be 1";
  if (!isDivided(filter[3], input[3]))
    return errors() << filter[3] << " output channels are no multiple of " << input[3] << " input channels";
  return windowedShape(input, filter.slice(1, 2), filter[3], window, errors);
}

FailureOr<Shape> transposedConvolutionShape(ShapeRef input, ShapeRef filter, ShapeRef stride, ShapeRef pad,
                                            ShapeErrors errors) {
  if (failed(checkImages(input, filter, errors)) || failed(checkArray(errors, "stride", stride, 2, 1)) ||
      failed(checkArray(errors, "pad", pad, 4, INT32_MIN)))
    return failure();
  if (pad[0] < 0 || pad[2] < 0)
    return errors() << "padding before the first row and column must not be negative";
  if (!fits(input[3], filter[3]))
    return errors() << "input has " << input[3] << " channels, the filter reads " << filter[3];
  Shape shape = {input[0]};
  for (int axis : {0, 1}) {
    auto spread = [&](int64_t extent, int64_t kernel) {
      return firmware::windowsSpan(extent, stride[axis], kernel) - pad[2 * axis] - pad[2 * axis + 1];
    };
    shape.push_back(ofExtents(spread, input[1 + axis], filter[1 + axis]));
    if (!isOpen(shape.back()) && failed(checkNumber(errors, kAxisNames[axis], shape.back(), 1)))
      return failure();
  }
  shape.push_back(filter[0]);
  return shape;
}

FailureOr<Shape> poolShape(ShapeRef input, ShapeRef kernel, ShapeRef stride, ShapeRef pad, ShapeErrors errors) {
  constexpr int64_t kDense[] = {1, 1};
  const Window window{stride, kDense, pad};
  if (failed(checkRank(errors, "input", input, 4)) || failed(checkArray(errors, "kernel", kernel, 2, 1)) ||
      failed(checkWindow(window, errors)))
    return failure();
  // A window that covers only padding has no mean and no maximum.
  for (int axis : {0, 1})
    if (pad[2 * axis] >= kernel[axis] || pad[2 * axis + 1] >= kernel[axis])
      return errors() << "padding of the " << kAxisNames[axis] << " reaches the window's " << kernel[axis];
  return windowedShape(input, kernel, input[3], window, errors);
}

FailureOr<Shape> fullyConnectedShape(ShapeRef input, ShapeRef filter, bool keepDims, ShapeErrors errors) {
  if (failed(checkRank(errors, "filter", filter, 2)))
    return failure();
  const int64_t outputs = filter[0], depth = filter[1];
  if (keepDims && (input.empty() || !fits(input.back(), depth)))
    return errors() << "last axis of the input " << textOf(input) << " must have the row length " << depth;
  if (keepDims) {
    Shape shape(input);
    shape.back() = outputs;
    return shape;
  }
  const std::optional<int64_t> elements = elementsOf(input);
  if (elements && !isDivided(*elements, depth))
    return errors() << *elements << " input elements are no multiple of the row length " << depth;
  const bool isKnown = elements && !isOpen(depth);
  return Shape{isKnown ? *elements / depth : ShapedType::kDynamic, outputs};
}

namespace {

/// Rows and columns of the matrices in the last two axes, before a transposition.
struct Matrices {
  Matrices(ShapeRef shape, bool isTransposed) : batch(shape.drop_back(2)) {
    const size_t rank = shape.size();
    rows = shape[rank - (isTransposed ? 1 : 2)];
    columns = shape[rank - (isTransposed ? 2 : 1)];
  }

  ShapeRef batch;
  int64_t rows, columns;
};

} // namespace

FailureOr<Shape> matrixProductShape(ShapeRef lhs, ShapeRef rhs, bool transposeLhs, bool transposeRhs,
                                    ShapeErrors errors) {
  if (lhs.size() < 2 || rhs.size() < 2)
    return errors() << "operands have rank " << lhs.size() << " and " << rhs.size() << ", must have 2 or more";
  const Matrices left(lhs, transposeLhs), right(rhs, transposeRhs);
  if (!fits(left.columns, right.rows))
    return errors() << "rows of lhs have " << left.columns << " elements, columns of rhs " << right.rows;
  FailureOr<Shape> shape = broadcastShape(left.batch, right.batch, errors);
  if (succeeded(shape))
    shape->append({left.rows, right.columns});
  return shape;
}

} // namespace avocet::compiler::nn
