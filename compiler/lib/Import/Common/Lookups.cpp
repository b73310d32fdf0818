//===- Lookups.cpp - Gathers, scatters and orders ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lookups.h"

#include "Constants.h"
#include "Formula.h"

using namespace mlir;

namespace avocet::compiler {

Value countedFromEnd(ImportedOperation &op, Value indices, ArrayRef<int64_t> extents) {
  const Type i32 = op.builder().getI32Type();
  Formula f(op, i32);
  indices = castTo(op, indices, i32);
  Value count = extents.size() == 1 ? f.constant(static_cast<double>(extents.front()))
                                    : int32Constant(op, {static_cast<int64_t>(extents.size())},
                                                    SmallVector<int32_t>(extents.begin(), extents.end()));
  return f.select(f.compare(indices, nn::CompareKind::Less, 0), f.add(indices, count), indices);
}

std::optional<Integers> integersOf(GraphOperation &op, Value value) {
  if (const Integers *known = op.knownIntegers(value))
    return *known;
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  const ArrayRef<char> bytes = constant ? bytesOf(constant) : ArrayRef<char>();
  if (bytes.empty() || !(elementOf(value).isInteger(32) || elementOf(value).isInteger(64)))
    return std::nullopt;
  return integersOf(bytes, bytesOf(elementOf(value)));
}

Value indicesOf(GraphOperation &op, Value indices, ArrayRef<int64_t> extents) {
  const std::optional<Integers> known = indices ? integersOf(op, indices) : std::nullopt;
  if (!known)
    return indices ? countedFromEnd(op, indices, extents) : indices;
  SmallVector<int32_t> numbers;
  for (auto [i, index] : llvm::enumerate(*known)) {
    const int64_t extent = extents[i % extents.size()];
    if (index < -extent || index >= extent)
      return op.malformed("has the index " + Twine(index) + " for an axis of " + Twine(extent));
    numbers.push_back(static_cast<int32_t>(index < 0 ? index + extent : index));
  }
  return int32Constant(op, shapeOf(indices), numbers);
}

Value sliceAt(ImportedOperation &op, Value input, int64_t axis, const Integers &indices) {
  const int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
  for (size_t i = 1; i < indices.size(); ++i)
    if (step == 0 || indices[i] - indices[i - 1] != step)
      return {};
  return partOf(op, input, axis, indices.front(), static_cast<int64_t>(indices.size()), step);
}

Value elementsAt(ImportedOperation &op, Value input, Value indices, int64_t axis) {
  Value coordinates = elementCoordinates(op, indices, shapeOf(input), axis);
  if (!coordinates)
    return {};
  Value picked = create<nn::GatherNdOp>(op, asRows(op, input, axis), coordinates);
  return fromRows(op, picked, shapeOf(indices), axis);
}

Value elementsScattered(ImportedOperation &op, Value table, Value indices, Value updates, int64_t axis,
                        nn::ScatterKind kind) {
  Value coordinates = elementCoordinates(op, indices, shapeOf(table), axis);
  Value scattered = create<nn::ScatterNdOp>(op, asRows(op, table, axis), coordinates, asRows(op, updates, axis), kind);
  return fromRows(op, scattered, shapeOf(table), axis);
}

Value slicesAt(ImportedOperation &op, Value input, Value indices, size_t batchAxes) {
  if (!input || !indices || batchAxes == 0)
    return create<nn::GatherNdOp>(op, input, indices);
  const ArrayRef<int64_t> shape = shapeOf(input), places = shapeOf(indices);
  const int64_t batches = llvm::product_of(shape.take_front(batchAxes), int64_t(1)), width = places.back();
  SmallVector<int64_t> merged{batches}, result(places.drop_back());
  llvm::append_range(merged, shape.drop_front(batchAxes));
  llvm::append_range(result, shape.drop_front(batchAxes + width));
  Value picked = create<nn::GatherNdOp>(op, reshape(op, input, merged), coordinatesOf(op, indices, batches, width));
  return reshape(op, picked, result);
}

Value stepsWritten(ImportedOperation &op, Value cache, Value update, Value first, int64_t axis, bool wraps) {
  const int64_t batches = shapeOf(cache)[0];
  Formula f(op, op.builder().getI32Type());
  Value places = f.add(reshape(op, first, {batches, 1}), ascending(op, {1, shapeOf(update)[axis]}));
  if (wraps)
    places = f.apply(nn::BinaryKind::FloorMod, places, f.constant(static_cast<double>(shapeOf(cache)[axis])));
  Value written = create<nn::ScatterNdOp>(op, moveAxis(op, cache, axis, 1), coordinatesOf(op, places, batches),
                                          moveAxis(op, update, axis, 1), nn::ScatterKind::Set);
  return moveAxis(op, written, 1, axis);
}

SmallVector<int64_t> positionsOf(ArrayRef<bool> isSet, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> positions;
  auto inner = static_cast<int64_t>(isSet.size());
  for (int64_t extent : shape) {
    inner /= extent;
    for (auto [i, each] : llvm::enumerate(isSet))
      if (each)
        positions.push_back(static_cast<int64_t>(i) / inner % extent);
  }
  return positions;
}

/// Numbers whose order is the opposite one; the complement of integers cannot overflow.
static Value inverted(ImportedOperation &op, Value x) {
  if (!x)
    return {};
  Formula f(op, elementOf(x));
  return isa<FloatType>(elementOf(x)) ? f.apply(nn::UnaryKind::Neg, x)
                                      : f.apply(nn::BinaryKind::BitwiseXor, x, f.constant(-1));
}

Best bestOf(ImportedOperation &op, Value input, int64_t count, int64_t axis, bool largest) {
  const Type element = elementOf(input);
  Value rows = asRows(op, castTo(op, input, computedElement(op, element)), axis);
  rows = largest ? rows : inverted(op, rows);
  auto typeOf = [&](uint32_t, nn::ShapeRef of, Type each) { return boundedType(op, of, each); };
  auto best = rows ? createWith<nn::TopkV2Op>(op, typeOf, rows, count, /*last_first=*/false) : nn::TopkV2Op();
  if (!best)
    return {};
  SmallVector<int64_t> shape(shapeOf(input));
  shape[axis] = count;
  const auto result = [&](Value value, Type type) { return fromRows(op, castTo(op, value, type), shape, axis); };
  return {result(largest ? best.getValues() : inverted(op, best.getValues()), element),
          result(best.getIndices(), op.builder().getI64Type())};
}

/// The column less the row, i32 [rows, columns].
static Value diagonalsOf(ImportedOperation &op, ArrayRef<int64_t> shape) {
  return subtract(op, ascending(op, {shape[1]}), ascending(op, {shape[0], 1}));
}

Value isDiagonal(ImportedOperation &op, ArrayRef<int64_t> shape, int64_t k) {
  Formula f(op, op.builder().getI32Type());
  return f.compare(diagonalsOf(op, shape), nn::CompareKind::Equal,
                   static_cast<double>(std::clamp(k, -shape[0], shape[1])));
}

Value triangleOf(ImportedOperation &op, Value matrices, Value k, bool isUpper) {
  if (!k)
    return {};
  Formula places(op, elementOf(k)), f(op, elementOf(matrices));
  Value diagonals = castTo(op, diagonalsOf(op, shapeOf(matrices).take_back(2)), elementOf(k)), zero = f.constant(0);
  return isUpper ? f.select(places.compare(diagonals, nn::CompareKind::GreaterEqual, k), matrices, zero)
                 : f.select(places.compare(diagonals, nn::CompareKind::Greater, k), zero, matrices);
}

} // namespace avocet::compiler
