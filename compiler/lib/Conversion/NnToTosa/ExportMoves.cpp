//===- ExportMoves.cpp - Operations that move elements ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "llvm/Support/ScopedPrinter.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult exportReshape(ExportedOperation &op, nn::ReshapeOp) { return op.finish(op.operand()); }

LogicalResult exportTranspose(ExportedOperation &op, nn::TransposeOp source) {
  return op.finish(op.transpose(op.operand(), source.getPermutation()));
}

LogicalResult exportConcatenation(ExportedOperation &op, nn::ConcatenationOp source) {
  const auto inputs = llvm::map_to_vector(source.getInputs(), [&](Value input) { return op.value(input); });
  return llvm::all_of(inputs, [](Value input) { return bool(input); })
             ? op.finishAs<tosa::ConcatOp>(ValueRange(inputs), static_cast<uint32_t>(source.getAxis()))
             : failure();
}

LogicalResult exportTile(ExportedOperation &op, nn::TileOp source) {
  return op.finishAs<tosa::TileOp>(op.operand(), op.shape(source.getMultiples()));
}

Value padded(ExportedOperation &op, Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high, double number) {
  SmallVector<int64_t> amounts, extents;
  for (auto [before, after, extent] : llvm::zip_equal(low, high, shapeOf(value))) {
    amounts.append({before, after});
    extents.push_back(before + extent + after);
  }
  return op.create<tosa::PadOp>(elementOf(value), extents, value, op.shape(amounts),
                                op.number(elementOf(value), number));
}

/// Without a value the new elements are the real number 0.
LogicalResult exportPad(ExportedOperation &op, nn::PadOp source) {
  Value input = op.operand();
  double number = static_cast<double>(ExportedOperation::zeroPointOf(source.getInput()));
  if (source.getValue())
    number = source.getValue()->convertToDouble() - (isUnsignedByte(source.getInput()) ? 128 : 0);
  return input ? op.finish(padded(op, input, source.getLow(), source.getHigh(), number)) : failure();
}

/// Every `stride`-th element along an axis, from the first one on: the first column of rows of that length.
Value everyNth(ExportedOperation &op, Value value, size_t axis, int64_t stride, int64_t size) {
  SmallVector<int64_t> extents(shapeOf(value)), none(extents.size(), 0), missing(none);
  missing[axis] = stride * size - extents[axis];
  if (missing[axis] > 0)
    value = padded(op, value, none, missing, 0);
  extents[axis] = size;
  extents.insert(extents.begin() + static_cast<ptrdiff_t>(axis) + 1, stride);
  Value rows = op.reshape(value, extents);
  extents[axis + 1] = 1;
  Value column = op.slice(rows, SmallVector<int64_t>(extents.size(), 0), extents);
  extents.erase(extents.begin() + static_cast<ptrdiff_t>(axis) + 1);
  return op.reshape(column, extents);
}

LogicalResult exportSlice(ExportedOperation &op, nn::SliceOp source) {
  Value value = op.operand();
  if (!value)
    return failure();
  SmallVector<int64_t> start, extents;
  for (auto [begin, size, stride] : llvm::zip_equal(source.getBegin(), source.getSize(), source.getStrides())) {
    start.push_back(std::min(begin, begin + (size - 1) * stride));
    extents.push_back((size - 1) * std::abs(stride) + 1);
  }
  value = op.slice(value, start, extents);
  for (auto [axis, size, stride] : llvm::enumerate(source.getSize(), source.getStrides())) {
    if (size > 1 && std::abs(stride) > 1)
      value = everyNth(op, value, axis, std::abs(stride), size);
    if (size > 1 && stride < 0)
      value = op.like<tosa::ReverseOp>(value, static_cast<uint32_t>(axis));
  }
  return op.finish(value);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// Slices of [N, K, C] at `places`, which are made numbers from 0 to `most`, in the shape [N, W].
LogicalResult finishGather(ExportedOperation &op, Value input, ArrayRef<int64_t> extents, Value places) {
  if (!input || !places)
    return failure();
  const Type element = elementOf(input);
  return op.finish(op.create<tosa::GatherOp>(element, {extents[0], shapeOf(places)[1], extents[2]},
                                             op.reshape(input, extents), places));
}

/// Numbers from 0 to these, one of which each axis or the last one has.
Value inside(ExportedOperation &op, Value indices, Value most) {
  return op.pair<tosa::MinimumOp>(op.pair<tosa::MaximumOp>(indices, op.numberLike(indices, 0)), most);
}

/// Slices of [N, K, C] at the same places of all N.
LogicalResult exportGather(ExportedOperation &op, nn::GatherOp source) {
  if (!elementOf(source.getIndices()).isInteger(32))
    return op.refuse("indices", "i32", llvm::to_string(elementOf(source.getIndices())));
  const auto axis = static_cast<size_t>(source.getAxis());
  const ArrayRef<int64_t> extents = shapeOf(source.getInput());
  const int64_t sets = llvm::product_of(extents.take_front(axis)),
                inner = llvm::product_of(extents.drop_front(axis + 1));
  const int64_t count = tensorOf(source.getIndices()).getNumElements();
  Value indices =
      inside(op, op.reshape(op.operand(1), {1, count}), op.number(op.i32(), static_cast<double>(extents[axis] - 1), 2));
  if (sets > 1)
    indices = op.create<tosa::TileOp>(op.i32(), {sets, count}, indices, op.shape({sets, 1}));
  return finishGather(op, op.operand(0), {sets, extents[axis], inner}, indices);
}

/// Coordinates are numbers of slices: the sum of each times the slices between its neighbors.
LogicalResult exportGatherNd(ExportedOperation &op, nn::GatherNdOp source) {
  const ArrayRef<int64_t> extents = shapeOf(source.getInput());
  const int64_t depth = shapeOf(source.getIndices()).back(),
                count = tensorOf(source.getIndices()).getNumElements() / depth;
  SmallVector<int32_t> most, distances(depth, 1);
  for (int64_t axis = 0; axis < depth; ++axis)
    most.push_back(static_cast<int32_t>(extents[axis] - 1));
  for (int64_t axis = depth - 1; axis-- > 0;)
    distances[axis] = distances[axis + 1] * static_cast<int32_t>(extents[axis + 1]);
  Value rows = inside(op, op.reshape(op.operand(1), {count, depth}), op.constant({1, depth}, 32, most));
  Value places = op.reduce<tosa::ReduceSumOp>(op.multiply(rows, op.constant({1, depth}, 32, distances)), 1);
  const int64_t slices = llvm::product_of(extents.take_front(depth)),
                inner = llvm::product_of(extents.drop_front(depth));
  return finishGather(op, op.operand(0), {1, slices, inner}, op.reshape(places, {1, count}));
}

constexpr TosaExporter kExporters[] = {
    kConverts<exportConcatenation>, kConverts<exportGather>, kConverts<exportGatherNd>, kConverts<exportPad>,
    kConverts<exportReshape>,       kConverts<exportSlice>,  kConverts<exportTile>,     kConverts<exportTranspose>,
};

} // namespace

ArrayRef<TosaExporter> moveExporters() { return kExporters; }

} // namespace avocet::compiler
