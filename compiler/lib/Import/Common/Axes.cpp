//===- Axes.cpp - Axes of values --------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Axes.h"

#include "Moves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace avocet::compiler {

SmallVector<int64_t> axesFrom(int64_t first, size_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(first, static_cast<int64_t>(end)));
}

SmallVector<int64_t> frontedAxes(size_t rank, ArrayRef<int64_t> first) {
  SmallVector<int64_t> axes(first);
  llvm::copy_if(axesFrom(0, rank), std::back_inserter(axes),
                [&](int64_t axis) { return !llvm::is_contained(first, axis); });
  return axes;
}

SmallVector<int64_t> inverseOf(ArrayRef<int64_t> axes) {
  SmallVector<int64_t> inverse(axes.size());
  for (auto [position, axis] : llvm::enumerate(axes))
    inverse[axis] = static_cast<int64_t>(position);
  return inverse;
}

SmallVector<int64_t> lineShape(size_t rank, size_t axis, int64_t extent) {
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = extent;
  return shape;
}

Value alongAxis(ImportedOperation &op, Value value, size_t rank, size_t axis) {
  return value ? reshape(op, value, lineShape(rank, axis, tensorOf(value).getNumElements())) : value;
}

Value partOf(ImportedOperation &op, Value value, size_t axis, int64_t first, int64_t count, int64_t stride) {
  if (!value)
    return {};
  SmallVector<int64_t> begin(shapeOf(value).size(), 0), extents(shapeOf(value));
  begin[axis] = first;
  extents[axis] = count;
  return slice(op, value, begin, extents, lineShape(begin.size(), axis, stride));
}

Value elementAt(ImportedOperation &op, Value value, size_t axis, int64_t index) {
  if (!value)
    return {};
  SmallVector<int64_t> shape(shapeOf(value));
  shape.erase(shape.begin() + axis);
  return reshape(op, partOf(op, value, axis, index, 1), shape);
}

Value withAxis(ImportedOperation &op, Value value, size_t axis) {
  if (!value)
    return {};
  SmallVector<int64_t> shape(shapeOf(value));
  shape.insert(shape.begin() + axis, 1);
  return reshape(op, value, shape);
}

Value stacked(ImportedOperation &op, ArrayRef<Value> values, size_t axis) {
  const auto parts = llvm::map_to_vector(values, [&](Value each) { return withAxis(op, each, axis); });
  return concatenate(op, parts, static_cast<int64_t>(axis));
}

Value moveAxis(ImportedOperation &op, Value value, size_t from, size_t to) {
  if (!value || from == to)
    return value;
  SmallVector<int64_t> permutation = axesFrom(0, shapeOf(value).size());
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, static_cast<int64_t>(from));
  return transpose(op, value, permutation);
}

Value channelsLast(ImportedOperation &op, Value value) {
  return value ? moveAxis(op, value, 1, shapeOf(value).size() - 1) : value;
}

Value channelsFirst(ImportedOperation &op, Value value) {
  return value ? moveAxis(op, value, shapeOf(value).size() - 1, 1) : value;
}

Value transposed(ImportedOperation &op, Value matrices) {
  return matrices ? moveAxis(op, matrices, shapeOf(matrices).size() - 1, shapeOf(matrices).size() - 2) : matrices;
}

Value asRows(ImportedOperation &op, Value value, int64_t axis) {
  if (!value)
    return {};
  const int64_t extent = shapeOf(value)[axis], rows = tensorOf(value).getNumElements() / extent;
  return reshape(op, moveAxis(op, value, axis, shapeOf(value).size() - 1), {rows, extent});
}

Value fromRows(ImportedOperation &op, Value rows, ArrayRef<int64_t> shape, int64_t axis) {
  SmallVector<int64_t> moved(shape);
  moved.push_back(shape[axis]);
  moved.erase(moved.begin() + axis);
  return moveAxis(op, reshape(op, rows, moved), shape.size() - 1, axis);
}

Value flattened(ImportedOperation &op, Value value, int64_t axis) {
  if (!value)
    return {};
  const ArrayRef<int64_t> shape = shapeOf(value);
  return reshape(
      op, value,
      {llvm::product_of(shape.take_front(axis), int64_t(1)), llvm::product_of(shape.drop_front(axis), int64_t(1))});
}

} // namespace avocet::compiler
