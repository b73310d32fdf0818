//===- OnnxLookup.cpp - Lookups and scatters --------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Lookups.h"
#include "Import/Common/Sequences.h"
#include "Import/Common/Suppression.h"
#include "OnnxWindow.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

LogicalResult convertGather(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> axis = op.axisOf(0, input);
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

/// Columns at the indices.
LogicalResult convertArrayFeatures(OnnxOperation &op) {
  Value input = op.value(0, "X"), indices = op.value(1, "Y");
  if (!input || !indices)
    return failure();
  const auto rank = static_cast<int64_t>(shapeOf(input).size()), count = tensorOf(indices).getNumElements();
  if (rank < 1)
    return op.malformed("has an X without axes");
  Value places = indicesOf(op, reshape(op, indices, {count}), {shapeOf(input).back()});
  Value picked = places ? create<nn::GatherOp>(op, input, places, rank - 1) : places;
  return op.finish(picked && rank == 1 ? reshape(op, picked, {1, count}) : picked);
}

LogicalResult convertGatherElements(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> axis = op.axisOf(0, input);
  if (failed(axis))
    return failure();
  if (RankedTensorType empty = op.emptyInput(1))
    return op.finishEmpty(RankedTensorType::get(empty.getShape(), elementOf(input)));
  Value indices = indicesOf(op, op.value(1, "indices"), {shapeOf(input)[*axis]});
  return op.finish(elementsAt(op, input, indices, *axis));
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
  return op.finish(slicesAt(op, input, indicesOf(op, indices, shape.slice(batchAxes, width)), batchAxes));
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

struct Scatter {
  Value table, indices, updates; ///< without indices the table is the result
  nn::ScatterKind kind;
};

FailureOr<Scatter> scatterOf(OnnxOperation &op) {
  const std::map<StringRef, nn::ScatterKind> kKinds = {{"none", nn::ScatterKind::Set},
                                                       {"add", nn::ScatterKind::Sum},
                                                       {"mul", nn::ScatterKind::Product},
                                                       {"max", nn::ScatterKind::Max},
                                                       {"min", nn::ScatterKind::Min}};
  const StringRef text = op.text("reduction", "none");
  const auto kind = kKinds.find(text);
  if (kind == kKinds.end())
    return op.malformed("has the reduction '" + text + "', must be none, add, mul, max or min");
  Scatter scatter{op.value(0, "input"), {}, {}, kind->second};
  if (!scatter.table)
    return failure();
  if (op.emptyInput(1))
    return scatter;
  scatter.indices = op.value(1, "indices");
  scatter.updates = op.value(2, "updates");
  if (!scatter.indices || !scatter.updates)
    return failure();
  return scatter;
}

LogicalResult convertScatterElements(OnnxOperation &op) {
  FailureOr<Scatter> scatter = scatterOf(op);
  FailureOr<int64_t> axis = failed(scatter) ? FailureOr<int64_t>(failure()) : op.axisOf(0, scatter->table);
  if (failed(axis))
    return failure();
  if (!scatter->indices)
    return op.forward(0);
  if (shapeOf(scatter->indices) != shapeOf(scatter->updates))
    return op.malformed("has updates and indices of different shapes");
  Value indices = indicesOf(op, scatter->indices, {shapeOf(scatter->table)[*axis]});
  return op.finish(elementsScattered(op, scatter->table, indices, scatter->updates, *axis, scatter->kind));
}

LogicalResult convertScatterNd(OnnxOperation &op) {
  FailureOr<Scatter> scatter = scatterOf(op);
  if (failed(scatter))
    return failure();
  if (!scatter->indices)
    return op.forward(0);
  const ArrayRef<int64_t> shape = shapeOf(scatter->table), places = shapeOf(scatter->indices);
  const int64_t width = places.empty() ? 0 : places.back();
  if (width < 1 || width > static_cast<int64_t>(shape.size()))
    return op.malformed("has indices " + nn::textOf(places) + " for an input " + nn::textOf(shape));
  Value indices = indicesOf(op, scatter->indices, shape.take_front(width));
  return op.finish(create<nn::ScatterNdOp>(op, scatter->table, indices, scatter->updates, scatter->kind));
}

/// Replaces steps of each batch of a cache, from a step of its own on.
LogicalResult convertTensorScatter(OnnxOperation &op) {
  Value cache = op.value(0, "past_cache"), update = op.value(1, "update"), first = op.optional(2, "write_indices");
  FailureOr<int64_t> axis = op.axisOf(-2, cache);
  const StringRef mode = op.text("mode", "linear");
  if (!update || failed(axis))
    return failure();
  if (*axis == 0 || shapeOf(update).size() != shapeOf(cache).size() || (mode != "linear" && mode != "circular"))
    return op.malformed("has an axis, an update or a mode that does not fit its cache");
  const Type i32 = op.builder().getI32Type();
  first = first ? castTo(op, first, i32) : filled(op, {shapeOf(cache)[0]}, i32);
  return op.finish(stepsWritten(op, cache, update, first, *axis, mode == "circular"));
}

/// Indices count in the whole tensor of the default shape; the given shape adds zeros after it.
LogicalResult convertMaxUnpool(OnnxOperation &op) {
  Value input = op.value(0, "input"), indices = op.value(1, "indices");
  if (!input || !indices)
    return failure();
  if (shapeOf(input).size() < 3 || shapeOf(indices) != shapeOf(input))
    return op.malformed("must have spatial axes, and an index for each element");
  FailureOr<SpatialWindow> window = windowOf(op, op.list("kernel_shape"), shapeOf(input).drop_front(2));
  if (failed(window))
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  for (size_t i = 0; i < window->axes(); ++i)
    shape[i + 2] =
        (shape[i + 2] - 1) * window->stride[i] - window->pad.low[i] - window->pad.high[i] + window->kernel[i];
  RankedTensorType type = boundedType(op, shape, elementOf(input));
  FailureOr<SmallVector<int64_t>> wanted = op.integersOr(2, "output_shape", shape);
  if (!type || failed(wanted))
    return failure();
  Amounts amounts{SmallVector<int64_t>(shape.size(), 0), {}};
  for (auto [extent, wish] : llvm::zip(shape, *wanted)) {
    if (wish < extent)
      return op.refuse("output_shape", "is not below " + nn::textOf(shape), Twine(wish));
    amounts.high.push_back(wish - extent);
  }
  const int64_t count = type.getNumElements(), updates = tensorOf(input).getNumElements();
  Value table = filled(op, {count}, elementOf(input));
  Value places = reshape(op, indicesOf(op, indices, {count}), {updates, 1});
  Value flat = create<nn::ScatterNdOp>(op, table, places, reshape(op, input, {updates}), nn::ScatterKind::Set);
  return op.finish(pad(op, reshape(op, flat, shape), amounts));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Indices outside of [-depth, depth) have no position.
LogicalResult convertOneHot(OnnxOperation &op) {
  Value indices = op.value(0, "indices"), values = ofShape(op, op.value(2, "values"), "values", {2});
  FailureOr<double> number = op.numberAt(1, "depth");
  if (!indices || !values || failed(number))
    return failure();
  if (!(*number >= 1 && *number <= INT32_MAX))
    return op.refuse("depth", "is 1 or more", std::to_string(*number));
  const auto depth = static_cast<int64_t>(*number);
  SmallVector<int64_t> shape(shapeOf(indices));
  FailureOr<int64_t> axis = op.axisOf(-1, static_cast<int64_t>(shape.size()) + 1);
  if (failed(axis))
    return failure();
  shape.insert(shape.begin() + *axis, depth);
  if (!boundedType(op, shape, elementOf(values))) // before a large constant is made
    return failure();
  Formula f(op, elementOf(values));
  return op.finish(f.select(isPosition(op, countedFromEnd(op, indices, {depth}), *axis, depth),
                            elementAt(op, values, 0, 1), elementAt(op, values, 0, 0)));
}

/// Elements are sorted, as any order satisfies an unsorted node.
LogicalResult convertTopK(OnnxOperation &op) {
  op.ignore({"sorted"});
  const bool largest = op.flag("largest", true);
  Value input = op.value(0, "input");
  FailureOr<int64_t> k = op.integer(1, "k"), axis = op.axisOf(-1, input);
  if (failed(k) || failed(axis))
    return failure();
  if (*k == 0) {
    SmallVector<int64_t> shape(shapeOf(input));
    shape[*axis] = 0;
    return success(succeeded(op.finishEmpty(RankedTensorType::get(shape, elementOf(input)))) &&
                   succeeded(op.finishEmpty(RankedTensorType::get(shape, op.builder().getI64Type()), 1)));
  }
  const Best best = bestOf(op, input, *k, *axis, largest);
  return finishAll(op, {best.values, best.indices});
}

LogicalResult convertTrilu(OnnxOperation &op) {
  Value input = op.value(0, "input");
  if (!input)
    return failure();
  if (shapeOf(input).size() < 2)
    return op.malformed("has an input of rank " + Twine(shapeOf(input).size()) + ", must be 2 or more");
  const bool isUpper = op.flag("upper", true);
  if (op.dependsOnData(1))
    return op.finish(triangleOf(op, input, reshape(op, op.value(1, "k"), {}), isUpper));
  FailureOr<int64_t> k = op.integer(1, "k", 0);
  if (failed(k))
    return failure();
  const int64_t diagonal = std::clamp(*k, -shapeOf(input).end()[-2], shapeOf(input).back()); // fits in i32
  return op.finish(triangleOf(op, input, int32Constant(op, {}, {static_cast<int32_t>(diagonal)}), isUpper));
}

LogicalResult convertEyeLike(OnnxOperation &op) {
  Value like = ofRank(op, op.value(0, "input"), "an input", 2);
  const Type element = !like                      ? Type()
                       : op.hasAttribute("dtype") ? op.elementOfType(op.integer("dtype", 0), "result")
                                                  : elementOf(like);
  if (!element)
    return failure();
  return op.finish(castTo(op, isDiagonal(op, shapeOf(like), op.integer("k", 0)), element));
}

LogicalResult convertReverseSequence(OnnxOperation &op) {
  Value input = op.value(0, "input"), lengths = op.value(1, "sequence_lens");
  FailureOr<int64_t> batch = op.axisOf(1, input, "batch_axis"), time = op.axisOf(0, input, "time_axis");
  if (!lengths || failed(batch) || failed(time))
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
  FailureOr<int64_t> axis = op.axisOf(0, input);
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
  const SmallVector<int64_t> positions = positionsOf(isSet, shapeOf(input));
  const auto rank = static_cast<int64_t>(shapeOf(input).size());
  if (positions.empty())
    return op.finishEmpty(RankedTensorType::get({rank, llvm::count(isSet, true)}, op.builder().getI64Type()));
  return op.finish(int64Constant(op, {rank, llvm::count(isSet, true)}, positions));
}

//===----------------------------------------------------------------------===//
// Boxes that do not overlap
//===----------------------------------------------------------------------===//

FailureOr<Suppression> suppressionOf(OnnxOperation &op) {
  FailureOr<int64_t> most = op.integer(2, "max_output_boxes_per_class", 0);
  FailureOr<float> overlap = op.scalar(3, "iou_threshold", 0), score = op.scalar(4, "score_threshold", 0);
  if (failed(most) || failed(overlap) || failed(score))
    return failure();
  Suppression suppression{*most, *overlap, std::nullopt};
  if (op.hasInput(4))
    suppression.score.emplace(*score);
  return suppression;
}

/// How many boxes are selected depends on data, so boxes and scores must be known, as inputs are whose values a run
/// has.
LogicalResult convertNonMaxSuppression(OnnxOperation &op) {
  Value boxes = ofRank(op, op.value(0, "boxes"), "boxes", 3), scores = ofRank(op, op.value(1, "scores"), "scores", 3);
  const bool hasCenter = op.flag("center_point_box");
  FailureOr<Suppression> suppression = suppressionOf(op);
  if (!boxes || !scores || failed(suppression))
    return failure();
  const int64_t batches = shapeOf(boxes)[0], count = shapeOf(boxes)[1], classes = shapeOf(scores)[1];
  if (shapeOf(boxes)[2] != 4 || shapeOf(scores)[0] != batches || shapeOf(scores)[2] != count)
    return op.malformed("has boxes " + nn::textOf(shapeOf(boxes)) + " and scores " + nn::textOf(shapeOf(scores)));
  FailureOr<SmallVector<float>> corners = op.floats(0, "boxes"), values = op.floats(1, "scores");
  if (failed(corners) || failed(values))
    return failure();
  constexpr int64_t kMostPairs = 1 << 28; // that are compared: a small file must not ask for any amount of work
  const int64_t pairs = tensorOf(scores).getNumElements() * std::clamp<int64_t>(suppression->most, 1, count);
  if (pairs > kMostPairs)
    return op.refuse("boxes", "number of pairs", Twine(pairs), Twine(kMostPairs));
  const SmallVector<int64_t> selected =
      suppression->selectedOf(*corners, *values, {batches, classes, count}, hasCenter);
  const auto rows = static_cast<int64_t>(selected.size()) / 3;
  if (rows == 0)
    return op.finishEmpty(RankedTensorType::get({0, 3}, op.builder().getI64Type()));
  return op.finish(int64Constant(op, {rows, 3}, selected));
}

constexpr OnnxConverter kConverters[] = {
    {"ArrayFeatureExtractor", 1, 2, 2, convertArrayFeatures, 1, 1, "ai.onnx.ml"},
    {"Compress", 9, 2, 2, convertCompress},
    {"EyeLike", 9, 1, 1, convertEyeLike},
    {"Gather", 1, 2, 2, convertGather},
    {"GatherElements", 11, 2, 2, convertGatherElements},
    {"GatherND", 11, 2, 2, convertGatherNd},
    {"MaxUnpool", 9, 2, 3, convertMaxUnpool},
    {"NonMaxSuppression", 10, 2, 5, convertNonMaxSuppression},
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
