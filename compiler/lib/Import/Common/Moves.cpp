//===- Moves.cpp - Operations that move elements ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Moves.h"

#include "ComputedParts.h"
#include "Constants.h"
#include "Create.h"

#include "avocet/base/Rounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {

RankedTensorType movedType(ImportedOperation &op, uint32_t position, Value input, ArrayRef<int64_t> shape) {
  if (!op.declaresResults())
    return boundedType(op, shape, elementOf(input));
  RankedTensorType type = op.resultType(position, shape);
  if (type && type.getElementType() != elementOf(input))
    return op.malformed("has a result of another type, scale or zero point than its input");
  return type;
}

LogicalResult finishMoved(ImportedOperation &op, Value input, Value moved, uint32_t position) {
  return moved && movedType(op, position, input, shapeOf(moved)) ? op.finish(moved, position) : failure();
}

Value reshape(ImportedOperation &op, Value input, ArrayRef<int64_t> shape) {
  return create<nn::ReshapeOp>(op, input, shape);
}

Value slice(ImportedOperation &op, Value input, ArrayRef<int64_t> begin, ArrayRef<int64_t> extents,
            ArrayRef<int64_t> strides) {
  const SmallVector<int64_t> ones(begin.size(), 1);
  return create<nn::SliceOp>(op, input, begin, extents, strides.empty() ? ArrayRef<int64_t>(ones) : strides);
}

Value reverse(ImportedOperation &op, Value input, ArrayRef<int64_t> axes) {
  if (!input)
    return {};
  SmallVector<int64_t> begin(shapeOf(input).size(), 0), strides(begin.size(), 1);
  for (int64_t axis : axes) {
    begin[axis] = shapeOf(input)[axis] - 1;
    strides[axis] = -1;
  }
  return slice(op, input, begin, shapeOf(input), strides);
}

Value transpose(ImportedOperation &op, Value value, ArrayRef<int64_t> permutation) {
  return create<nn::TransposeOp>(op, value, permutation);
}

Value moveAxis(ImportedOperation &op, Value value, size_t from, size_t to) {
  if (!value || from == to)
    return value;
  SmallVector<int64_t> permutation(shapeOf(value).size());
  std::iota(permutation.begin(), permutation.end(), 0);
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, static_cast<int64_t>(from));
  return transpose(op, value, permutation);
}

Value concatenate(ImportedOperation &op, ValueRange inputs, int64_t axis) {
  return create<nn::ConcatenationOp>(op, inputs, axis);
}

Value coordinatesIn(ImportedOperation &op, Value indices, ArrayRef<int32_t> batches, int64_t width) {
  if (!indices)
    return {};
  const auto count = static_cast<int64_t>(batches.size());
  const int64_t each = llvm::product_of(shapeOf(indices), int64_t(1)) / count / width;
  if (failed(checkComputedBytes(op, "indices", RankedTensorType::get({count, each}, op.builder().getI32Type()))))
    return {};
  SmallVector<int32_t> numbers;
  for (int32_t batch : batches)
    numbers.append(each, batch);
  Value rows = reshape(op, indices, {count, each, width});
  return rows ? concatenate(op, {int32Constant(op, {count, each, 1}, numbers), rows}, 2) : Value();
}

Value coordinatesOf(ImportedOperation &op, Value indices, int64_t batches, int64_t width) {
  SmallVector<int32_t> numbers(batches);
  std::iota(numbers.begin(), numbers.end(), 0);
  return coordinatesIn(op, indices, numbers, width);
}

Value asRows(ImportedOperation &op, Value value, int64_t axis) {
  if (!value)
    return {};
  const size_t last = shapeOf(value).size() - 1;
  const int64_t extent = shapeOf(value)[axis], rows = tensorOf(value).getNumElements() / extent;
  return reshape(op, moveAxis(op, value, axis, last), {rows, extent});
}

Value fromRows(ImportedOperation &op, Value rows, ArrayRef<int64_t> shape, int64_t axis) {
  SmallVector<int64_t> moved(shape);
  moved.push_back(shape[axis]);
  moved.erase(moved.begin() + axis);
  return moveAxis(op, reshape(op, rows, moved), shape.size() - 1, axis);
}

Value elementCoordinates(ImportedOperation &op, Value indices, ArrayRef<int64_t> whole, int64_t axis) {
  if (!indices)
    return {};
  const ArrayRef<int64_t> part = shapeOf(indices);
  if (part.size() != whole.size())
    return op.malformed("has indices of rank " + Twine(part.size()) + " for rank " + Twine(whole.size()));
  const auto table =
      RankedTensorType::get({tensorOf(indices).getNumElements() / part[axis]}, op.builder().getI32Type());
  if (failed(checkComputedBytes(op, "indices", table)))
    return {};
  SmallVector<int32_t> rows{0};
  for (size_t each = 0; each < whole.size(); ++each) {
    if (static_cast<int64_t>(each) == axis)
      continue;
    if (part[each] > whole[each])
      return op.malformed("has " + Twine(part[each]) + " indices along axis " + Twine(each) + " of " +
                          Twine(whole[each]));
    SmallVector<int32_t> longer;
    for (int32_t row : rows)
      for (int64_t i = 0; i < part[each]; ++i)
        longer.push_back(static_cast<int32_t>(row * whole[each] + i));
    rows = std::move(longer);
  }
  return coordinatesIn(op, asRows(op, indices, axis), rows);
}

Value tile(ImportedOperation &op, Value input, ArrayRef<int64_t> multiples) {
  return create<nn::TileOp>(op, input, multiples);
}

Value broadcastTo(ImportedOperation &op, Value input, ArrayRef<int64_t> shape) {
  if (!input || shapeOf(input) == shape)
    return input;
  ArrayRef<int64_t> own = shapeOf(input);
  if (own.size() > shape.size())
    return op.malformed("broadcasts rank " + Twine(own.size()) + " to rank " + Twine(shape.size()));
  SmallVector<int64_t> extended(shape.size() - own.size(), 1), multiples;
  llvm::append_range(extended, own);
  for (auto [extent, wanted] : llvm::zip(extended, shape)) {
    if (wanted != extent && extent != 1)
      return op.malformed("broadcasts an extent of " + Twine(extent) + " to " + Twine(wanted));
    multiples.push_back(wanted / extent);
  }
  return tile(op, reshape(op, input, extended), multiples);
}

/// Of an operand with a pair of numbers for each of `rank` axes.
static FailureOr<Amounts> amountsOf(ImportedOperation &op, uint32_t position, size_t rank) {
  FailureOr<SmallVector<int64_t>> values = op.integers(position, "paddings", 2 * rank);
  if (failed(values))
    return failure();
  Amounts amounts;
  for (auto [index, amount] : llvm::enumerate(*values)) {
    if (amount < 0)
      return op.malformed("has the padding " + Twine(amount));
    (index % 2 == 0 ? amounts.low : amounts.high).push_back(amount);
  }
  return amounts;
}

Value pad(ImportedOperation &op, Value input, const Amounts &amounts, std::optional<double> value) {
  FloatAttr fill = value ? op.builder().getF64FloatAttr(*value) : FloatAttr();
  return create<nn::PadOp>(op, input, amounts.low, amounts.high, fill);
}

/// The input with mirrored parts of itself at both ends of an axis. `skipped` is 1 if the mirror is on the outermost
/// element (which is then not repeated), 0 if it is outside of it.
static Value mirrorAxis(ImportedOperation &op, Value input, int64_t axis, int64_t low, int64_t high, int64_t skipped) {
  SmallVector<int64_t> shape(shapeOf(input)), begin(shape.size(), 0), strides(shape.size(), 1);
  const int64_t extent = shape[axis];
  strides[axis] = -1;
  SmallVector<Value> parts = {input};
  if (low > 0) {
    shape[axis] = low;
    begin[axis] = low - 1 + skipped;
    parts.insert(parts.begin(), slice(op, input, begin, shape, strides));
  }
  if (high > 0) {
    shape[axis] = high;
    begin[axis] = extent - 1 - skipped;
    parts.push_back(slice(op, input, begin, shape, strides));
  }
  return parts.size() == 1 ? input : concatenate(op, parts, axis);
}

Value mirrorPad(ImportedOperation &op, Value input, const Amounts &amounts, int64_t skipped) {
  SmallVector<int64_t> shape(shapeOf(input));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (std::max(amounts.low[axis], amounts.high[axis]) > shape[axis] - skipped)
      return op.malformed("mirrors more than axis " + Twine(axis) + " has");
    shape[axis] += amounts.low[axis] + amounts.high[axis];
  }
  // A result above the limits is refused as such, not as a tensor on the way to it.
  if (!op.resultType(0, shape))
    return {};
  Value padded = input;
  for (int64_t axis = 0; padded && axis < static_cast<int64_t>(shape.size()); ++axis)
    padded = mirrorAxis(op, padded, axis, amounts.low[axis], amounts.high[axis], skipped);
  return padded;
}

//===----------------------------------------------------------------------===//
// Parts and repetitions
//===----------------------------------------------------------------------===//

LogicalResult convertSlice(ImportedOperation &op) {
  if (op.dependsOnData(1))
    return convertComputedSlice(op);
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(input);
  auto begin = op.integers(1, "begin", shape.size()), size = op.integers(2, "size", shape.size());
  if (failed(begin) || failed(size))
    return failure();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t &extent = (*size)[axis], first = (*begin)[axis];
    if (extent == -1)
      extent = shape[axis] - first;
    if (first < 0 || extent < 0 || first > shape[axis] || extent > shape[axis] - first)
      return op.malformed("takes " + Twine(extent) + " elements from " + Twine(first) + " of an axis of " +
                          Twine(shape[axis]));
  }
  // A part without elements has no value.
  if (llvm::is_contained(*size, 0) && !op.resultType(0, *size))
    return failure();
  return finishMoved(op, input, slice(op, input, *begin, *size));
}

LogicalResult finishSplit(ImportedOperation &op, Value input, int64_t axis, ArrayRef<int64_t> extents) {
  SmallVector<int64_t> shape(shapeOf(input)), begin(shape.size(), 0);
  if (std::accumulate(extents.begin(), extents.end(), int64_t(0)) != shape[axis] || extents.size() != op.numOutputs())
    return op.malformed("splits " + Twine(shape[axis]) + " elements into " + Twine(extents.size()) + " parts and " +
                        Twine(op.numOutputs()) + " outputs");
  for (auto [part, extent] : llvm::enumerate(extents)) {
    // A part without elements has no value.
    if (extent == 0)
      continue;
    shape[axis] = extent;
    if (failed(finishMoved(op, input, slice(op, input, begin, shape), part)))
      return failure();
    begin[axis] += extent;
  }
  return success();
}

LogicalResult finishEqualSplit(ImportedOperation &op, uint32_t input, uint32_t axis, int64_t parts) {
  Value value = op.value(input, "input");
  FailureOr<int64_t> along = value ? op.axis(axis, shapeOf(value).size()) : FailureOr<int64_t>(failure());
  if (failed(along))
    return failure();
  const int64_t extent = shapeOf(value)[*along];
  if (parts < 1 || extent % parts != 0)
    return op.malformed("splits " + Twine(extent) + " elements into " + Twine(parts) + " equal parts");
  if (parts != op.numOutputs()) // before a list of them is made
    return op.malformed("splits " + Twine(extent) + " elements into " + Twine(parts) + " parts and " +
                        Twine(op.numOutputs()) + " outputs");
  return finishSplit(op, value, *along, SmallVector<int64_t>(parts, extent / parts));
}

LogicalResult convertTile(ImportedOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<SmallVector<int64_t>> multiples = op.integers(1, "multiples", shapeOf(input).size());
  if (failed(multiples))
    return failure();
  for (int64_t multiple : *multiples)
    if (multiple < 1 || multiple > INT32_MAX)
      return op.refuse("multiples", "are positive", Twine(multiple));
  SmallVector<int64_t> shape(shapeOf(input));
  for (auto [extent, multiple] : llvm::zip(shape, *multiples))
    extent *= multiple;
  return movedType(op, 0, input, shape) ? op.finish(tile(op, input, *multiples)) : failure();
}

LogicalResult finishPad(ImportedOperation &op, std::optional<double> value) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<Amounts> amounts = amountsOf(op, 1, shapeOf(input).size());
  return failed(amounts) ? failure() : finishMoved(op, input, pad(op, input, *amounts, value));
}

LogicalResult convertPad(ImportedOperation &op) { return finishPad(op); }

LogicalResult finishMirrorPad(ImportedOperation &op, int64_t mode) {
  if (mode != 0 && mode != 1)
    return op.malformed("has the mode " + Twine(mode) + ", must be 0 (reflect) or 1 (symmetric)");
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  FailureOr<Amounts> amounts = amountsOf(op, 1, shapeOf(input).size());
  return failed(amounts) ? failure() : finishMoved(op, input, mirrorPad(op, input, *amounts, mode == 0 ? 1 : 0));
}

LogicalResult convertFill(ImportedOperation &op) {
  FailureOr<SmallVector<int64_t>> shape = op.integers(0, "dimensions");
  Value value = op.value(1, "value");
  if (failed(shape) || !value)
    return failure();
  if (llvm::any_of(*shape, [](int64_t extent) { return extent < 1; }))
    return op.refuse("dimensions", "are positive", "a dimension that is not");
  if (!movedType(op, 0, value, *shape))
    return failure();
  if (!shapeOf(value).empty())
    return op.malformed("has a value that is no scalar");
  return op.finish(broadcastTo(op, value, *shape));
}

//===----------------------------------------------------------------------===//
// Other shapes
//===----------------------------------------------------------------------===//

LogicalResult finishReshape(ImportedOperation &op, Value input, SmallVector<int64_t> shape) {
  int64_t elements = cast<RankedTensorType>(input.getType()).getNumElements(), known = 1;
  for (int64_t extent : shape) {
    if (extent != -1 && (extent < 1 || extent > elements / known))
      return op.malformed("has a shape that its input's " + Twine(elements) + " elements do not fill");
    known *= extent == -1 ? 1 : extent;
  }
  if (llvm::count(shape, -1) > 1)
    return op.malformed("has a shape with more than one unknown extent");
  llvm::replace(shape, int64_t(-1), elements / known);
  if (llvm::product_of(shape) != elements)
    return op.malformed("has a shape that its input's " + Twine(elements) + " elements do not fill");
  return movedType(op, 0, input, shape) ? op.finish(reshape(op, input, shape)) : failure();
}

LogicalResult convertExpandDims(ImportedOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  FailureOr<int64_t> axis = op.axis(1, static_cast<int64_t>(shape.size()) + 1);
  if (failed(axis))
    return failure();
  shape.insert(shape.begin() + *axis, 1);
  return finishReshape(op, input, shape);
}

FailureOr<SmallVector<int64_t>> squeezedShape(ImportedOperation &op, ArrayRef<int64_t> shape,
                                              std::optional<ArrayRef<int64_t>> axes) {
  llvm::SmallBitVector dropped(shape.size());
  for (size_t axis = 0; axis < shape.size(); ++axis)
    dropped[axis] = !axes && shape[axis] == 1;
  for (int64_t axis : axes.value_or(ArrayRef<int64_t>())) {
    const auto rank = static_cast<int64_t>(shape.size()), place = axis < 0 ? axis + rank : axis;
    if (place < 0 || place >= rank || shape[place] != 1)
      return op.breaksRule("squeezes the axis " + std::to_string(axis) + ", which is none of extent 1");
    dropped.set(place);
  }
  SmallVector<int64_t> kept;
  for (auto [axis, extent] : llvm::enumerate(shape))
    if (!dropped.test(axis))
      kept.push_back(extent);
  return kept;
}

static bool isPermutation(ArrayRef<int64_t> axes, size_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t axis : axes)
    if (axis >= 0 && axis < static_cast<int64_t>(rank))
      seen.set(axis);
  return axes.size() == rank && seen.all();
}

LogicalResult convertTranspose(ImportedOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  const size_t rank = shapeOf(input).size();
  auto reversed = llvm::to_vector(llvm::reverse(llvm::to_vector(llvm::seq<int64_t>(0, rank))));
  FailureOr<SmallVector<int64_t>> axes = op.hasInput(1) ? op.integers(1, "permutation") : reversed;
  if (failed(axes))
    return failure();
  if (!isPermutation(*axes, rank))
    return op.malformed("has a permutation that does not name every axis once");
  return finishMoved(op, input, transpose(op, input, *axes));
}

LogicalResult finishPack(ImportedOperation &op, uint32_t first, int64_t axis) {
  FailureOr<SmallVector<Value>> inputs = op.values(first, op.numInputs());
  if (failed(inputs))
    return failure();
  // A file may declare any shape: the axis is valid only for the first.
  if (!llvm::all_equal(TypeRange(*inputs)))
    return op.malformed("has inputs of different types or shapes");
  SmallVector<int64_t> shape(shapeOf(inputs->front()));
  shape.insert(shape.begin() + axis, 1);
  SmallVector<Value> slices = llvm::map_to_vector(*inputs, [&](Value input) { return reshape(op, input, shape); });
  return finishMoved(op, inputs->front(), concatenate(op, slices, axis));
}

//===----------------------------------------------------------------------===//
// Strided slices
//===----------------------------------------------------------------------===//

/// A position in the range where this stride's direction can stop.
static int64_t resolvePosition(int64_t position, int64_t extent, int64_t stride) {
  int64_t resolved = position < 0 ? position + extent : position;
  return stride > 0 ? std::clamp<int64_t>(resolved, 0, extent) : std::clamp<int64_t>(resolved, -1, extent - 1);
}

int64_t firstOf(const StridedSlice &slice, size_t axis, int64_t extent) {
  const bool forward = slice.strides[axis] > 0;
  if (slice.beginMask >> axis & 1)
    return forward ? 0 : extent - 1;
  return resolvePosition(slice.begin[axis], extent, slice.strides[axis]);
}

/// The number of elements from `first` on.
static int64_t countOf(const StridedSlice &slice, size_t axis, int64_t first, int64_t extent) {
  const int64_t stride = slice.strides[axis];
  int64_t last = resolvePosition(slice.end[axis], extent, stride);
  if (slice.endMask >> axis & 1)
    last = stride > 0 ? extent : -1;
  int64_t count = stride > 0 ? divideUp(last - first, stride) : divideUp(first - last, -stride);
  return std::max<int64_t>(count, 0);
}

FailureOr<SmallVector<int64_t>> rangesOf(ImportedOperation &op, ArrayRef<int64_t> shape, const StridedSlice &ranges) {
  SmallVector<int64_t> extents;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    if (ranges.strides[axis] == 0)
      return op.malformed("has the stride 0");
    extents.push_back(countOf(ranges, axis, firstOf(ranges, axis, extent), extent));
  }
  return extents;
}

LogicalResult finishStridedSlice(ImportedOperation &op, Value input, const StridedSlice &ranges, size_t leastRank) {
  const FailureOr<SmallVector<int64_t>> extents = rangesOf(op, shapeOf(input), ranges);
  if (failed(extents))
    return failure();
  SmallVector<int64_t> begin, strides, kept;
  for (auto [axis, extent] : llvm::enumerate(*extents)) {
    const int64_t stride = ranges.strides[axis];
    begin.push_back(firstOf(ranges, axis, shapeOf(input)[axis]));
    // The stride after the only element is irrelevant, however large.
    strides.push_back(extent == 1 ? 1 : stride);
    const bool shrinks = ranges.shrinkMask >> axis & 1;
    if (shrinks && (extent != 1 || stride < 0))
      return op.malformed("shrinks axis " + Twine(axis) + " of which it takes " + Twine(extent) + " elements");
    if (!shrinks)
      kept.push_back(extent);
  }
  if (kept.empty())
    kept.append(leastRank, 1);
  if (llvm::is_contained(kept, 0) && !op.resultType(0, kept))
    return failure();
  return finishMoved(op, input, reshape(op, slice(op, input, begin, *extents, strides), kept));
}

} // namespace avocet::compiler
