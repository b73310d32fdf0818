//===- OnnxLookup.cpp - Lookups and scatters --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Sequences.h"
#include "OnnxIndices.h"
#include "OnnxWindow.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// Elements at equal distances along an axis, which need no table of indices; null: they are none.
Value sliceAt(OnnxOperation &op, Value input, int64_t axis, const Integers &indices) {
  const int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
  for (size_t i = 1; i < indices.size(); ++i)
    if (step == 0 || indices[i] - indices[i - 1] != step)
      return {};
  SmallVector<int64_t> begin(shapeOf(input).size(), 0), extents(shapeOf(input)), strides(begin.size(), 1);
  begin[axis] = indices.front();
  extents[axis] = static_cast<int64_t>(indices.size());
  strides[axis] = step;
  return slice(op, input, begin, extents, strides);
}

LogicalResult convertGather(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> axis = input ? op.axisOf(0, shapeOf(input).size()) : FailureOr<int64_t>(failure());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  const int64_t extent = shape[*axis];
  RankedTensorType empty = op.emptyInput(1);
  Value indices = empty ? Value() : indicesOf(op, op.value(1, "indices"), {extent});
  if (!empty && !indices)
    return failure();
  const ArrayRef<int64_t> places = empty ? empty.getShape() : shapeOf(indices);
  shape.erase(shape.begin() + *axis);
  shape.insert(shape.begin() + *axis, places.begin(), places.end());
  if (empty)
    return op.finishEmpty(RankedTensorType::get(shape, elementOf(input)));
  if (std::optional<Integers> known = integersOf(op, indices))
    if (Value part = sliceAt(op, input, *axis, *known))
      return op.finish(reshape(op, part, shape));
  return op.finish(create<nn::GatherOp>(op, input, indices, *axis));
}

LogicalResult convertGatherElements(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> axis = input ? op.axisOf(0, shapeOf(input).size()) : FailureOr<int64_t>(failure());
  if (failed(axis))
    return failure();
  if (RankedTensorType empty = op.emptyInput(1))
    return op.finishEmpty(RankedTensorType::get(empty.getShape(), elementOf(input)));
  Value indices = op.value(1, "indices");
  Value coordinates = elementCoordinates(op, indicesOf(op, indices, {shapeOf(input)[*axis]}), shapeOf(input), *axis);
  if (!coordinates)
    return failure();
  Value picked = create<nn::GatherNdOp>(op, asRows(op, input, *axis), coordinates);
  return op.finish(fromRows(op, picked, shapeOf(indices), *axis));
}

LogicalResult convertGatherNd(OnnxOperation &op) {
  Value input = op.value(0, "input"), indices = op.value(1, "indices");
  if (!input || !indices)
    return failure();
  const ArrayRef<int64_t> shape = shapeOf(input), places = shapeOf(indices);
  const int64_t batchAxes = op.integer("batch_dims", 0), width = places.empty() ? 0 : places.back();
  if (batchAxes < 0 || width < 1 || batchAxes >= static_cast<int64_t>(places.size()) ||
      batchAxes + width > static_cast<int64_t>(shape.size()) ||
      shape.take_front(batchAxes) != places.take_front(batchAxes))
    return op.malformed("has indices " + nn::textOf(places) + " for an input " + nn::textOf(shape));
  indices = indicesOf(op, indices, shape.slice(batchAxes, width));
  if (batchAxes == 0)
    return op.finish(create<nn::GatherNdOp>(op, input, indices));
  const int64_t batches = llvm::product_of(shape.take_front(batchAxes), int64_t(1));
  SmallVector<int64_t> merged{batches}, result(places.drop_back());
  llvm::append_range(merged, shape.drop_front(batchAxes));
  llvm::append_range(result, shape.drop_front(batchAxes + width));
  Value picked = create<nn::GatherNdOp>(op, reshape(op, input, merged), coordinatesOf(op, indices, batches, width));
  return op.finish(reshape(op, picked, result));
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

FailureOr<nn::ScatterKind> scatterKindOf(OnnxOperation &op) {
  constexpr std::pair<StringLiteral, nn::ScatterKind> kKinds[] = {{"none", nn::ScatterKind::Set},
                                                                  {"add", nn::ScatterKind::Sum},
                                                                  {"mul", nn::ScatterKind::Product},
                                                                  {"max", nn::ScatterKind::Max},
                                                                  {"min", nn::ScatterKind::Min}};
  const StringRef text = op.text("reduction", "none");
  for (const auto &[name, kind] : kKinds)
    if (name == text)
      return kind;
  return op.malformed("has the reduction '" + text + "', must be none, add, mul, max or min");
}

LogicalResult convertScatterElements(OnnxOperation &op) {
  Value table = op.value(0, "input");
  FailureOr<int64_t> axis = table ? op.axisOf(0, shapeOf(table).size()) : FailureOr<int64_t>(failure());
  FailureOr<nn::ScatterKind> kind = scatterKindOf(op);
  if (failed(axis) || failed(kind))
    return failure();
  if (op.emptyInput(1))
    return op.forward(0);
  Value indices = op.value(1, "indices"), updates = op.value(2, "updates");
  if (!indices || !updates)
    return failure();
  if (shapeOf(indices) != shapeOf(updates))
    return op.malformed("has updates and indices of different shapes");
  Value coordinates = elementCoordinates(op, indicesOf(op, indices, {shapeOf(table)[*axis]}), shapeOf(table), *axis);
  Value scattered =
      create<nn::ScatterNdOp>(op, asRows(op, table, *axis), coordinates, asRows(op, updates, *axis), *kind);
  return op.finish(scattered ? fromRows(op, scattered, shapeOf(table), *axis) : Value());
}

LogicalResult convertScatterNd(OnnxOperation &op) {
  Value table = op.value(0, "input");
  FailureOr<nn::ScatterKind> kind = scatterKindOf(op);
  if (!table || failed(kind))
    return failure();
  if (op.emptyInput(1))
    return op.forward(0);
  Value indices = op.value(1, "indices"), updates = op.value(2, "updates");
  if (!indices || !updates)
    return failure();
  const int64_t width = shapeOf(indices).empty() ? 0 : shapeOf(indices).back();
  if (width < 1 || width > static_cast<int64_t>(shapeOf(table).size()))
    return op.malformed("has indices " + nn::textOf(shapeOf(indices)) + " for an input " + nn::textOf(shapeOf(table)));
  indices = indicesOf(op, indices, shapeOf(table).take_front(width));
  return op.finish(create<nn::ScatterNdOp>(op, table, indices, updates, *kind));
}

/// Replaces steps of each batch of a cache, from a step of its own on.
LogicalResult convertTensorScatter(OnnxOperation &op) {
  Value cache = op.value(0, "past_cache"), update = op.value(1, "update");
  FailureOr<int64_t> axis = cache ? op.axisOf(-2, shapeOf(cache).size()) : FailureOr<int64_t>(failure());
  const StringRef mode = op.text("mode", "linear");
  if (!update || failed(axis))
    return failure();
  if (*axis == 0 || shapeOf(update).size() != shapeOf(cache).size() || (mode != "linear" && mode != "circular"))
    return op.malformed("has an axis, an update or a mode that does not fit its cache");
  const int64_t batches = shapeOf(cache)[0], steps = shapeOf(update)[*axis];
  const Type i32 = op.builder().getI32Type();
  Value first = op.hasInput(2) ? castTo(op, op.value(2, "write_indices"), i32)
                               : int32Constant(op, {batches}, SmallVector<int32_t>(batches, 0));
  Formula f(op, i32);
  Value places = f.add(reshape(op, first, {batches, 1}), ascending(op, {1, steps}));
  if (mode == "circular")
    places = f.apply(nn::BinaryKind::FloorMod, places, f.constant(static_cast<double>(shapeOf(cache)[*axis])));
  Value written = create<nn::ScatterNdOp>(op, moveAxis(op, cache, *axis, 1), coordinatesOf(op, places, batches),
                                          moveAxis(op, update, *axis, 1), nn::ScatterKind::Set);
  return op.finish(moveAxis(op, written, 1, *axis));
}

/// Indices count in the whole tensor of the default shape; the given shape adds zeros after it.
LogicalResult convertMaxUnpool(OnnxOperation &op) {
  Value input = op.value(0, "input"), indices = op.value(1, "indices");
  if (!input || !indices)
    return failure();
  if (shapeOf(input).size() < 3 || shapeOf(indices) != shapeOf(input))
    return op.malformed("must have spatial axes, and an index for each element");
  FailureOr<OnnxWindow> window = windowOf(op, op.list("kernel_shape"), shapeOf(input).drop_front(2));
  if (failed(window))
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  for (size_t i = 0; i < window->axes(); ++i)
    shape[i + 2] =
        (shape[i + 2] - 1) * window->stride[i] - window->pad.low[i] - window->pad.high[i] + window->kernel[i];
  RankedTensorType type = boundedType(op, shape, elementOf(input));
  FailureOr<SmallVector<int64_t>> wanted = shape;
  if (op.hasInput(2))
    wanted = op.integers(2, "output_shape", shape.size());
  if (!type || failed(wanted))
    return failure();
  Amounts amounts{SmallVector<int64_t>(shape.size(), 0), {}};
  for (auto [extent, wish] : llvm::zip(shape, *wanted)) {
    if (wish < extent)
      return op.refuse("output_shape", "is not below " + nn::textOf(shape), Twine(wish));
    amounts.high.push_back(wish - extent);
  }
  const int64_t count = type.getNumElements(), updates = tensorOf(input).getNumElements();
  Value table =
      filled(op, RankedTensorType::get({count}, elementOf(input)), op.builder().getZeroAttr(elementOf(input)));
  Value places = reshape(op, indicesOf(op, indices, {count}), {updates, 1});
  Value flat = create<nn::ScatterNdOp>(op, table, places, reshape(op, input, {updates}), nn::ScatterKind::Set);
  Value whole = reshape(op, flat, shape);
  return op.finish(*wanted == shape ? whole : pad(op, whole, amounts));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// A count, which some operators have in any type of number.
FailureOr<int64_t> countOf(OnnxOperation &op, uint32_t position, StringRef operand) {
  Value value = op.value(position, operand);
  if (!value)
    return failure();
  if (isa<FloatType>(elementOf(value))) {
    FailureOr<float> number = op.scalar(position, operand);
    return failed(number) ? FailureOr<int64_t>(failure()) : static_cast<int64_t>(*number);
  }
  FailureOr<SmallVector<int64_t>> count = op.integers(position, operand, 1);
  return failed(count) ? FailureOr<int64_t>(failure()) : count->front();
}

/// Indices outside of [-depth, depth) have no position.
LogicalResult convertOneHot(OnnxOperation &op) {
  Value indices = op.value(0, "indices"), values = op.value(2, "values");
  FailureOr<int64_t> depth = countOf(op, 1, "depth");
  if (!indices || !values || failed(depth))
    return failure();
  if (*depth < 1 || *depth > INT32_MAX)
    return op.refuse("depth", "is 1 or more", Twine(*depth));
  if (shapeOf(values) != ArrayRef<int64_t>(2))
    return op.malformed("has other values than two");
  SmallVector<int64_t> shape(shapeOf(indices));
  FailureOr<int64_t> axis = op.axisOf(-1, static_cast<int64_t>(shape.size()) + 1);
  if (failed(axis))
    return failure();
  shape.insert(shape.begin() + *axis, *depth);
  if (!boundedType(op, shape, elementOf(values))) // before a large constant is made
    return failure();
  Formula f(op, op.builder().getI32Type());
  indices = castTo(op, indices, op.builder().getI32Type());
  Value places =
      f.select(f.compare(indices, nn::CompareKind::Less, 0), f.add(indices, static_cast<double>(*depth)), indices);
  Value off = reshape(op, slice(op, values, {0}, {1}), {}), on = reshape(op, slice(op, values, {1}, {1}), {});
  return op.finish(f.select(isPosition(op, places, *axis, *depth), on, off));
}

/// Numbers whose order is the opposite one; the complement of integers cannot overflow.
Value inverted(OnnxOperation &op, Value x) {
  Formula f(op, elementOf(x));
  return isa<FloatType>(elementOf(x)) ? f.apply(nn::UnaryKind::Neg, x)
                                      : f.apply(nn::BinaryKind::BitwiseXor, x, f.constant(-1));
}

/// Elements are sorted, as any order satisfies an unsorted node.
LogicalResult convertTopK(OnnxOperation &op) {
  op.ignore({"sorted"});
  const bool largest = op.flag("largest", true);
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> k = op.integers(1, "k", 1);
  FailureOr<int64_t> axis = input ? op.axisOf(-1, shapeOf(input).size()) : FailureOr<int64_t>(failure());
  if (failed(k) || failed(axis))
    return failure();
  const Type element = elementOf(input), i64 = op.builder().getI64Type();
  SmallVector<int64_t> shape(shapeOf(input));
  shape[*axis] = k->front();
  if (shape[*axis] == 0)
    return success(succeeded(op.finishEmpty(RankedTensorType::get(shape, element))) &&
                   succeeded(op.finishEmpty(RankedTensorType::get(shape, i64), 1)));
  const bool isNarrow = isa<IntegerType>(element) && element.getIntOrFloatBitWidth() < 32;
  Value rows = asRows(op, isNarrow ? castTo(op, input, op.builder().getI32Type()) : input, *axis);
  if (rows && !largest)
    rows = inverted(op, rows);
  auto typeOf = [&](uint32_t, nn::ShapeRef of, Type each) { return boundedType(op, of, each); };
  auto best = rows ? createWith<nn::TopkV2Op>(op, typeOf, rows, k->front(), /*last_first=*/false) : nn::TopkV2Op();
  if (!best)
    return failure();
  Value values = largest ? best.getValues() : inverted(op, best.getValues());
  if (failed(op.finish(fromRows(op, castTo(op, values, element), shape, *axis))))
    return failure();
  return op.finish(fromRows(op, castTo(op, best.getIndices(), i64), shape, *axis), 1);
}

/// Whether a column is above the diagonal `k` places right of the main one: i1 [rows, columns].
Value isBeyond(OnnxOperation &op, int64_t rows, int64_t columns, int64_t k) {
  Formula f(op, op.builder().getI32Type());
  k = std::clamp(k, -rows, columns);
  return f.compare(f.sub(ascending(op, {columns}), ascending(op, {rows, 1})), nn::CompareKind::Greater,
                   static_cast<double>(k));
}

LogicalResult convertTrilu(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> k = SmallVector<int64_t>{0};
  if (op.hasInput(1))
    k = op.integers(1, "k", 1);
  if (!input || failed(k))
    return failure();
  if (shapeOf(input).size() < 2)
    return op.malformed("has an input of rank " + Twine(shapeOf(input).size()) + ", must be 2 or more");
  const bool isUpper = op.flag("upper", true);
  const int64_t rows = shapeOf(input).end()[-2], columns = shapeOf(input).back();
  // As i64 the sum with -1 cannot overflow after the clamp.
  const int64_t diagonal = std::clamp(k->front(), -rows - 1, columns + 1) - (isUpper ? 1 : 0);
  Value beyond = isBeyond(op, rows, columns, diagonal);
  Value zero = filled(op, RankedTensorType::get({}, elementOf(input)), op.builder().getZeroAttr(elementOf(input)));
  Formula f(op, elementOf(input));
  return op.finish(isUpper ? f.select(beyond, input, zero) : f.select(beyond, zero, input));
}

LogicalResult convertEyeLike(OnnxOperation &op) {
  Value like = ofRank(op, op.value(0, "input"), "an input", 2);
  const Type element = !like                      ? Type()
                       : op.hasAttribute("dtype") ? op.elementOfType(op.integer("dtype", 0), "result")
                                                  : elementOf(like);
  if (!element)
    return failure();
  const int64_t rows = shapeOf(like)[0], columns = shapeOf(like)[1], k = op.integer("k", 0);
  Formula f(op, op.builder().getI32Type());
  Value distance = f.sub(ascending(op, {columns}), ascending(op, {rows, 1}));
  Value isOn = f.compare(distance, nn::CompareKind::Equal, static_cast<double>(std::clamp(k, -rows, columns)));
  return op.finish(castTo(op, isOn, element));
}

LogicalResult convertReverseSequence(OnnxOperation &op) {
  Value input = op.value(0, "input"), lengths = op.value(1, "sequence_lens");
  if (!input || !lengths)
    return failure();
  const auto rank = static_cast<int64_t>(shapeOf(input).size());
  FailureOr<int64_t> batch = op.axisOf(1, rank, "batch_axis"), time = op.axisOf(0, rank, "time_axis");
  if (failed(batch) || failed(time))
    return failure();
  return op.finish(reversedSequences(op, input, lengths, *batch, *time));
}

LogicalResult convertCompress(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> condition = op.integers(1, "condition");
  if (!input || failed(condition))
    return failure();
  if (!op.hasAttribute("axis"))
    input = reshape(op, input, {tensorOf(input).getNumElements()});
  FailureOr<int64_t> axis = input ? op.axisOf(0, shapeOf(input).size()) : FailureOr<int64_t>(failure());
  if (failed(axis))
    return failure();
  SmallVector<int32_t> kept;
  for (auto [i, isKept] : llvm::enumerate(*condition))
    if (isKept && static_cast<int64_t>(i) < shapeOf(input)[*axis])
      kept.push_back(static_cast<int32_t>(i));
  SmallVector<int64_t> shape(shapeOf(input));
  shape[*axis] = static_cast<int64_t>(kept.size());
  if (kept.empty())
    return op.finishEmpty(RankedTensorType::get(shape, elementOf(input)));
  return op.finish(create<nn::GatherOp>(op, input, int32Constant(op, {shape[*axis]}, kept), *axis));
}

/// The number of results depends on data, so these must be known.
LogicalResult convertNonZero(OnnxOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  SmallVector<bool> isSet;
  if (isa<FloatType>(elementOf(input))) {
    FailureOr<SmallVector<float>> numbers = op.floats(0, "input");
    if (failed(numbers))
      return failure();
    isSet = llvm::map_to_vector(*numbers, [](float number) { return number != 0; });
  } else {
    FailureOr<SmallVector<int64_t>> numbers = op.integers(0, "input");
    if (failed(numbers))
      return failure();
    isSet = llvm::map_to_vector(*numbers, [](int64_t number) { return number != 0; });
  }
  const ArrayRef<int64_t> shape = shapeOf(input);
  const auto rank = static_cast<int64_t>(shape.size()), count = static_cast<int64_t>(llvm::count(isSet, true));
  if (rank == 0 || count == 0)
    return op.finishEmpty(RankedTensorType::get({rank, count}, op.builder().getI64Type()));
  SmallVector<int64_t> positions;
  int64_t inner = tensorOf(input).getNumElements();
  for (int64_t extent : shape) {
    inner /= extent;
    for (auto [i, each] : llvm::enumerate(isSet))
      if (each)
        positions.push_back(static_cast<int64_t>(i) / inner % extent);
  }
  return op.finish(int64Constant(op, {rank, count}, positions));
}

constexpr OnnxConverter kConverters[] = {
    {"Compress", 9, 2, 2, convertCompress},
    {"EyeLike", 9, 1, 1, convertEyeLike},
    {"Gather", 1, 2, 2, convertGather},
    {"GatherElements", 11, 2, 2, convertGatherElements},
    {"GatherND", 11, 2, 2, convertGatherNd},
    {"MaxUnpool", 9, 2, 3, convertMaxUnpool},
    {"NonZero", 9, 1, 1, convertNonZero},
    {"OneHot", 9, 3, 3, convertOneHot},
    {"ReverseSequence", 10, 2, 2, convertReverseSequence},
    {"Scatter", 9, 3, 3, convertScatterElements},
    {"ScatterElements", 11, 3, 3, convertScatterElements},
    {"ScatterND", 11, 3, 3, convertScatterNd},
    {"TensorScatter", 24, 2, 3, convertTensorScatter},
    {"TopK", 1, 2, 2, convertTopK, 2, 2},
    {"Trilu", 14, 1, 2, convertTrilu},
};

} // namespace

ArrayRef<OnnxConverter> onnxLookupConverters() { return kConverters; }

} // namespace avocet::compiler
