//===- NnElementShapes.cpp - Shapes of functions of elements --- *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnShapeRules.h"

#include "avocet/kernels/dsp/Fourier.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler::nn {

FailureOr<Shape> broadcastShape(ShapeRef lhs, ShapeRef rhs, ShapeErrors errors) {
  Shape shape(std::max(lhs.size(), rhs.size()), 1);
  for (ShapeRef input : {lhs, rhs})
    for (auto [extent, result] : llvm::zip(llvm::reverse(input), llvm::reverse(shape))) {
      // An open extent may be 1, unless the other one is 1 too.
      if (result == 1)
        result = extent;
      else if (!fits(extent, result) && extent != 1)
        return errors() << "shapes " << textOf(lhs) << " and " << textOf(rhs) << " do not broadcast";
      else if (extent != 1)
        result = merged(result, extent);
    }
  return shape;
}

FailureOr<Shape> commonShape(ArrayRef<ShapeRef> inputs, ShapeErrors errors) {
  Shape common(inputs.front());
  for (ShapeRef input : inputs.drop_front()) {
    if (!fits(input, common))
      return errors() << "shapes must be equal, but one is " << textOf(common) << " and another " << textOf(input);
    for (auto [extent, other] : llvm::zip(common, input))
      extent = merged(extent, other);
  }
  return common;
}

FailureOr<Shape> linesShape(ShapeRef input, int64_t axis, ShapeErrors errors) {
  const auto rank = static_cast<int64_t>(input.size());
  if (rank == 0)
    return errors() << "needs an axis to run along";
  if (axis < -rank || axis >= rank)
    return errors() << "has the axis " << axis << ", must be " << -rank << " to " << rank - 1;
  return Shape(input);
}

FailureOr<Shape> imageShape(ShapeRef input, ShapeErrors errors) {
  if (failed(checkRank(errors, "input", input, 4)))
    return failure();
  return Shape(input);
}

static LogicalResult checkAxes(ShapeRef axes, int64_t rank, ShapeErrors errors) {
  for (auto [index, axis] : llvm::enumerate(axes)) {
    if (axis < 0 || axis >= rank)
      return errors() << "axis " << axis << " is outside of rank " << rank;
    if (index > 0 && axis <= axes[index - 1])
      return errors() << "axes must be sorted and unique";
  }
  return axes.empty() ? errors() << "needs at least one axis" : LogicalResult(success());
}

FailureOr<Shape> reducedShape(ShapeRef input, ShapeRef axes, bool keepDims, ShapeErrors errors) {
  if (failed(checkAxes(axes, static_cast<int64_t>(input.size()), errors)))
    return failure();
  Shape shape = keptShape(input, axes);
  if (!keepDims)
    for (int64_t axis : llvm::reverse(axes))
      shape.erase(shape.begin() + axis);
  return shape;
}

Shape keptShape(ShapeRef input, ShapeRef axes) {
  Shape shape(input);
  for (int64_t axis : axes)
    shape[axis] = 1;
  return shape;
}

FailureOr<Shapes> rfftShapes(ShapeRef input, int64_t points, ShapeErrors errors) {
  if (input.empty())
    return errors() << "input must have an axis";
  if (points < 1 || points > kernels::kMaxFourierPoints || !llvm::isPowerOf2_64(static_cast<uint64_t>(points)))
    return errors() << "'points' is " << points << ", must be a power of two, at most " << kernels::kMaxFourierPoints;
  Shape shape(input);
  shape.back() = points / 2 + 1;
  return Shapes{shape, shape};
}

} // namespace avocet::compiler::nn
