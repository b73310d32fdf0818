//===- NnMoveShapes.cpp - Shapes of moved elements ------------- *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnShapeRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

#include <functional>

using namespace mlir;

namespace avocet::compiler::nn {

FailureOr<Shape> reshapedShape(ShapeRef input, ShapeRef shape, ShapeErrors errors) {
  if (failed(checkArray(errors, "shape", shape, shape.size(), 1)))
    return failure();
  const std::optional<int64_t> to = elementsOf(shape);
  if (!to)
    return errors() << "shape " << textOf(shape) << " has 2^31 elements or more";
  if (std::optional<int64_t> from = elementsOf(input); from && *from != *to)
    return errors() << "input has " << *from << " elements, the result " << *to;
  return Shape(shape);
}

FailureOr<Shape> bitcastShape(ShapeRef input, int64_t fromBytes, int64_t toBytes, ShapeErrors errors) {
  Shape shape(input);
  if (fromBytes > toBytes)
    shape.push_back(fromBytes / toBytes);
  if (fromBytes >= toBytes)
    return shape;
  if (input.empty() || !fits(input.back(), toBytes / fromBytes))
    return errors() << "last axis of " << textOf(input) << " does not make up one element of " << toBytes << " bytes";
  shape.pop_back();
  return shape;
}

FailureOr<Shape> transposedShape(ShapeRef input, ShapeRef permutation, ShapeErrors errors) {
  if (failed(checkArray(errors, "permutation", permutation, input.size(), 0)))
    return failure();
  llvm::SmallBitVector seen(input.size());
  Shape shape;
  for (int64_t source : permutation) {
    if (source >= static_cast<int64_t>(input.size()) || seen.test(source))
      return errors() << "'permutation' must name every axis once";
    seen.set(source);
    shape.push_back(input[source]);
  }
  return shape;
}

FailureOr<Shape> slicedShape(ShapeRef input, ShapeRef begin, ShapeRef size, ShapeRef strides, ShapeErrors errors) {
  if (failed(checkArray(errors, "begin", begin, input.size(), 0)) ||
      failed(checkArray(errors, "size", size, input.size(), 1)) ||
      failed(checkArray(errors, "strides", strides, input.size(), -INT32_MAX)))
    return failure();
  for (size_t axis = 0; axis < input.size(); ++axis) {
    if (strides[axis] == 0)
      return errors() << "stride " << axis << " is 0";
    for (int64_t position : {begin[axis], begin[axis] + (size[axis] - 1) * strides[axis]})
      if (position < 0 || (!isOpen(input[axis]) && position >= input[axis]))
        return errors() << "reads position " << position << " of axis " << axis << ", which has " << input[axis];
  }
  return Shape(size);
}

FailureOr<Shape> tiledShape(ShapeRef input, ShapeRef multiples, ShapeErrors errors) {
  if (failed(checkArray(errors, "multiples", multiples, input.size(), 1)))
    return failure();
  Shape shape;
  for (auto [extent, multiple] : llvm::zip(input, multiples))
    shape.push_back(ofExtents(std::multiplies<int64_t>(), extent, multiple));
  return shape;
}

FailureOr<Shape> paddedShape(ShapeRef input, ShapeRef low, ShapeRef high, ShapeErrors errors) {
  if (failed(checkArray(errors, "low", low, input.size(), 0)) ||
      failed(checkArray(errors, "high", high, input.size(), 0)))
    return failure();
  Shape shape;
  for (auto [extent, before, after] : llvm::zip(input, low, high))
    shape.push_back(ofExtents(std::plus<int64_t>(), extent, before + after));
  return shape;
}

FailureOr<Shape> concatenatedShape(ArrayRef<ShapeRef> inputs, int64_t axis, ShapeErrors errors) {
  if (inputs.empty())
    return errors() << "needs at least one input";
  Shape shape(inputs.front());
  if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
    return errors() << "axis " << axis << " is outside of rank " << shape.size();
  for (ShapeRef input : inputs.drop_front()) {
    if (failed(checkRank(errors, "input", input, shape.size())))
      return failure();
    for (auto [index, extent] : llvm::enumerate(shape)) {
      if (static_cast<int64_t>(index) == axis)
        extent = ofExtents(std::plus<int64_t>(), extent, input[index]);
      else if (!fits(extent, input[index]))
        return errors() << "input " << textOf(input) << " does not fit to " << textOf(inputs.front()) << " along axis "
                        << axis;
      else
        extent = merged(extent, input[index]);
    }
  }
  return shape;
}

} // namespace avocet::compiler::nn
