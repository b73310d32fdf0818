//===- TfliteLookup.cpp - Lookups and scatters ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/ImportedOperation.h"
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"
#include "avocet/kernels/dsp/Scatter.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Indices as INT32.
Value indexValue(TfliteOperator &op, uint32_t position, StringRef operand) {
  Value value = op.value(position, operand);
  return castTo(op, value, op.builder().getI32Type());
}

/// The leading axes that indices and input share; a negative number counts from the rank of the indices.
FailureOr<int64_t> batchAxes(TfliteOperator &op, int64_t declared, Value input, Value indices) {
  ArrayRef<int64_t> shape = shapeOf(input), places = shapeOf(indices);
  const int64_t count = declared < 0 ? declared + static_cast<int64_t>(places.size()) : declared;
  if (count < 0 || count > static_cast<int64_t>(std::min(shape.size(), places.size())) ||
      shape.take_front(count) != places.take_front(count))
    return op.malformed("has " + Twine(declared) + " batch dimensions, in which input and indices differ");
  return count;
}

/// Transposes the gathered axis to the place after the batch axes and merges these axes, so that one gather of slices
/// suffices.
Value gatherBatches(TfliteOperator &op, Value input, Value indices, int64_t axis, int64_t count) {
  const SmallVector<int64_t> shape(shapeOf(input)), places(shapeOf(indices));
  const int64_t batches = llvm::product_of(ArrayRef(shape).take_front(count), int64_t(1));
  auto between = ArrayRef(shape).slice(count, axis - count), after = ArrayRef(shape).drop_front(axis + 1);
  const int64_t outer = llvm::product_of(between, int64_t(1)), inner = llvm::product_of(after, int64_t(1));
  Value slices = transpose(op, reshape(op, input, {batches, outer, shape[axis], inner}), {0, 2, 1, 3});
  Value picked = create<nn::GatherNdOp>(op, slices, coordinatesOf(op, indices, batches));
  SmallVector<int64_t> gathered(ArrayRef<int64_t>(shape).take_front(axis));
  gathered.append(places.begin() + count, places.end());
  llvm::append_range(gathered, after);
  return reshape(op, transpose(op, picked, {0, 2, 1, 3}), gathered);
}

LogicalResult convertGather(TfliteOperator &op, const tflite::GatherOptions *options) {
  Value input = op.value(0, "input"), indices = indexValue(op, 1, "indices");
  if (!input || !indices)
    return failure();
  FailureOr<int64_t> axis = op.normalizedAxis(options ? options->axis() : 0, shapeOf(input).size());
  FailureOr<int64_t> batches = batchAxes(op, options ? options->batch_dims() : 0, input, indices);
  if (failed(axis) || failed(batches))
    return failure();
  if (*axis < *batches)
    return op.malformed("gathers along axis " + Twine(*axis) + ", which is one of its " + Twine(*batches) + " batches");
  if (*batches == 0)
    return finish<nn::GatherOp>(op, input, indices, *axis);
  return finishMoved(op, input, gatherBatches(op, input, indices, *axis, *batches));
}

/// Quantized rows may become real numbers.
LogicalResult convertEmbeddingLookup(TfliteOperator &op) {
  Value indices = indexValue(op, 0, "lookups"), values = op.value(1, "values");
  const Type element = op.resultElement(0);
  if (!values || !element)
    return failure();
  if (element == elementOf(values))
    return finish<nn::GatherOp>(op, values, indices, 0);
  return finish<nn::DequantizeOp>(op, create<nn::GatherOp>(op, values, indices, 0));
}

LogicalResult convertHashtableLookup(TfliteOperator &op) {
  Value lookups = op.value(0, "lookups"), keys = op.value(1, "keys"), values = op.value(2, "values");
  auto typeOf = [&](uint32_t index, nn::ShapeRef shape, Type element) {
    return index == 0 ? declaredType(op, 0, shape, element) : boundedType(op, shape, op.builder().getI1Type());
  };
  auto lookup = createWith<nn::HashtableLookupOp>(op, typeOf, lookups, keys, values);
  const Type hits = op.resultElement(1);
  if (!lookup || !hits)
    return failure();
  Value found = createAs<nn::CastOp>(op, hits, lookup.getHits());
  return found && op.resultType(1, shapeOf(found)) ? finishAll(op, {lookup.getOutput(), found}) : failure();
}

LogicalResult convertLshProjection(TfliteOperator &op, const tflite::LSHProjectionOptions &options) {
  Value seeds = op.value(0, "hash"), input = op.value(1, "input");
  Value weights = op.hasInput(2) ? op.value(2, "weights") : Value();
  if (!seeds || !input || (op.hasInput(2) && !weights))
    return failure();
  const bool isDense = options.type() == tflite::LshProjectionType::DENSE;
  if (!isDense && options.type() != tflite::LshProjectionType::SPARSE)
    return op.malformed("has the type " + Twine(static_cast<int>(options.type())) + ", must be 1 or 2");
  return finish<nn::LshProjectionOp>(op, seeds, input, weights, isDense ? nn::LshKind::Dense : nn::LshKind::Sparse);
}

/// Operand 1 is the new height and width.
template <typename Options, nn::ResizeKind kind>
LogicalResult convertResize(TfliteOperator &op, const Options *options) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> size = op.integers(1, "size", 2);
  if (!input || failed(size))
    return failure();
  const bool corners = options && options->align_corners(), centers = options && options->half_pixel_centers();
  if (corners && centers)
    return op.malformed("aligns corners and has half pixel centers");
  return finish<nn::ResizeOp>(op, input, kind, *size, corners, centers);
}

using tflite::BuiltinOperator;

/// The shape of the result is fixed before the device runs. Of a computed number the file says what it is, unless the
/// extents of the results are open.
FailureOr<int64_t> topCount(TfliteOperator &op) {
  if (!op.dependsOnData(1)) {
    FailureOr<SmallVector<int64_t>> count = op.integers(1, "k", 1);
    return failed(count) ? FailureOr<int64_t>(failure()) : count->front();
  }
  const int64_t recorded = op.recordedExtent(0);
  if (recorded > 0 && recorded == op.recordedExtent(1))
    return recorded;
  return op.refuse("k", "is one that follows from shapes and constants, or is recorded as the extent of both results",
                   "a value that depends on data");
}

LogicalResult convertTopK(TfliteOperator &op) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> count = topCount(op);
  if (!input || failed(count))
    return failure();
  return finish<nn::TopkV2Op>(op, input, *count, /*last_first=*/false);
}

LogicalResult convertGatherNd(TfliteOperator &op) {
  Value input = op.value(0, "params"), indices = indexValue(op, 1, "indices");
  return finish<nn::GatherNdOp>(op, input, indices);
}

/// Duplicates are added, as in TFLite's reference.
LogicalResult convertScatterNd(TfliteOperator &op) {
  Value indices = indexValue(op, 0, "indices"), updates = op.value(1, "updates");
  FailureOr<SmallVector<int64_t>> shape = op.integers(2, "shape");
  RankedTensorType result = failed(shape) ? RankedTensorType() : op.resultType(0, *shape);
  if (!indices || !updates || !result)
    return failure();
  if (isa<quant::QuantizedType>(result.getElementType()))
    return op.refuse("updates", "element type", "a quantized type", "FLOAT32 or plain integers");
  Value table = filled(op, result, op.builder().getZeroAttr(result.getElementType()));
  return finish<nn::ScatterNdOp>(op, table, indices, updates, nn::ScatterKind::Sum);
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

/// The element with which a combination starts.
Attribute neutralElement(TfliteOperator &op, Type type, nn::ScatterKind kind) {
  if (kind == nn::ScatterKind::Sum)
    return op.builder().getZeroAttr(type);
  if (kind == nn::ScatterKind::Product)
    return op.builder().getOneAttr(type);
  const bool isMax = kind == nn::ScatterKind::Max;
  if (auto real = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat::getLargest(real.getFloatSemantics(), isMax));
  const unsigned width = type.getIntOrFloatBitWidth();
  return IntegerAttr::get(type, isMax ? APInt::getSignedMinValue(width) : APInt::getSignedMaxValue(width));
}

/// Slices of negative segments are left out.
Value withoutNegatives(TfliteOperator &op, Value segments) {
  Value none = int32Constant(op, {}, {0}), leftOut = int32Constant(op, {}, {kernels::kLeftOut});
  Value isNegative = compare(op, segments, nn::CompareKind::Less, none);
  return create<nn::SelectOp>(op, isNegative, broadcastTo(op, leftOut, shapeOf(segments)), segments);
}

/// As far as it is known before the device runs.
bool mayBeNegative(TfliteOperator &op, uint32_t position) {
  if (op.dependsOnData(position))
    return true;
  const FailureOr<SmallVector<int64_t>> known = op.integers(position, "segments");
  return failed(known) || llvm::any_of(*known, [](int64_t segment) { return segment < 0; });
}

enum class Order { Sorted, Any };

/// Checks sorted numbers of segments, as far as they are known before the device runs.
LogicalResult checkAscending(TfliteOperator &op, uint32_t position) {
  if (op.dependsOnData(position))
    return success();
  const FailureOr<SmallVector<int64_t>> segments = op.integers(position, "segments");
  if (failed(segments))
    return failure();
  int64_t last = -1;
  for (int64_t segment : *segments) {
    if (segment < 0 || segment < last || segment > last + 1)
      return op.malformed("has segment " + Twine(segment) + " after " + Twine(last) +
                          "; the numbers must ascend from 0 by at most 1");
    last = segment;
  }
  return success();
}

/// Operand 1 has the segment of each slice of operand 0. In any order, negative ones mean no segment.
template <nn::ScatterKind kind, Order order = Order::Any> LogicalResult convertSegments(TfliteOperator &op) {
  Value data = op.value(0, "data"), segments = indexValue(op, 1, "segments");
  RankedTensorType result = op.resultType();
  if (!data || !segments || !result)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(data), ids = shapeOf(segments);
  if (ids.size() > shape.size() || shape.take_front(ids.size()) != ids || result.getRank() == 0 ||
      result.getShape().drop_front() != shape.drop_front(ids.size()))
    return op.malformed("must have a segment for each slice, and a slice of that shape for each segment");
  if (!result.getElementType().isF32() && !result.getElementType().isInteger(32))
    return op.refuse("data", "element type", "another one", "FLOAT32 or INT32");
  if (order == Order::Sorted && failed(checkAscending(op, 1)))
    return failure();
  if (order == Order::Any && mayBeNegative(op, 1))
    segments = withoutNegatives(op, segments);
  const int64_t count = llvm::product_of(ids, int64_t(1));
  SmallVector<int64_t> slices = {count};
  llvm::append_range(slices, shape.drop_front(ids.size()));
  Value table = filled(op, result, neutralElement(op, result.getElementType(), kind));
  Value places = reshape(op, segments, {count, 1});
  return finish<nn::ScatterNdOp>(op, table, places, reshape(op, data, slices), kind);
}

/// Indices of rank 0 or 1 are those of a result of rank 1.
LogicalResult convertSparseToDense(TfliteOperator &op) {
  Value indices = indexValue(op, 0, "indices"), values = op.value(2, "values"), fill = op.value(3, "default value");
  FailureOr<SmallVector<int64_t>> shape = op.integers(1, "shape");
  RankedTensorType result = failed(shape) ? RankedTensorType() : op.resultType(0, *shape);
  if (!indices || !values || !fill || !result)
    return failure();
  ArrayRef<int64_t> coordinates = shapeOf(indices);
  if (coordinates.size() < 2) {
    indices = reshape(op, indices, {coordinates.empty() ? 1 : coordinates[0], 1});
    coordinates = shapeOf(indices);
  }
  if (coordinates.size() != 2 || coordinates[1] != result.getRank() || !shapeOf(fill).empty() ||
      shapeOf(values).size() > 1)
    return op.malformed("must have a row of coordinates for each value, and one default value");
  Value table = broadcastTo(op, fill, *shape), updates = broadcastTo(op, values, {coordinates[0]});
  return finish<nn::ScatterNdOp>(op, table, indices, updates, nn::ScatterKind::Set);
}

using nn::ScatterKind;

constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::EMBEDDING_LOOKUP, 2, 2, convertEmbeddingLookup},
    {BuiltinOperator::GATHER, 2, 2, onParts<withOptions<convertGather>>},
    {BuiltinOperator::HASHTABLE_LOOKUP, 3, 3, convertHashtableLookup, 2, 2},
    {BuiltinOperator::LSH_PROJECTION, 2, 3, withOptions<convertLshProjection>},
    {BuiltinOperator::RESIZE_BILINEAR, 2, 2,
     withOptions<convertResize<tflite::ResizeBilinearOptions, nn::ResizeKind::Bilinear>>},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 2, 2,
     withOptions<convertResize<tflite::ResizeNearestNeighborOptions, nn::ResizeKind::Nearest>>},
    {BuiltinOperator::TOPK_V2, 2, 2, convertTopK, 2, 2},
    {BuiltinOperator::GATHER_ND, 2, 2, convertGatherNd},
    {BuiltinOperator::SCATTER_ND, 3, 3, convertScatterNd},
    {BuiltinOperator::SEGMENT_SUM, 2, 2, convertSegments<ScatterKind::Sum, Order::Sorted>},
    {BuiltinOperator::SPARSE_TO_DENSE, 4, 4, convertSparseToDense},
    {BuiltinOperator::UNSORTED_SEGMENT_MAX, 3, 3, convertSegments<ScatterKind::Max>},
    {BuiltinOperator::UNSORTED_SEGMENT_MIN, 3, 3, convertSegments<ScatterKind::Min>},
    {BuiltinOperator::UNSORTED_SEGMENT_PROD, 3, 3, convertSegments<ScatterKind::Product>},
    {BuiltinOperator::UNSORTED_SEGMENT_SUM, 3, 3, convertSegments<ScatterKind::Sum>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteLookupConverters() { return kConverters; }

} // namespace avocet::compiler
