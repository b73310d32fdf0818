//===- TfliteLookup.cpp - Lookups and resized images ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Lookup.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Results.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Indices as INT32.
Value indexValue(TfliteOperator &op, uint32_t position, StringRef operand) {
  Value value = op.value(position, operand);
  if (!value || elementOf(value).isInteger(32))
    return value;
  auto type = RankedTensorType::get(shapeOf(value), op.builder().getI32Type());
  return nn::CastOp::create(op.builder(), op.location(), type, value);
}

Value gather(TfliteOperator &op, Value input, Value indices, int64_t axis) {
  ArrayRef<int64_t> shape = shapeOf(input);
  SmallVector<int64_t> gathered(shape.take_front(axis));
  llvm::append_range(gathered, shapeOf(indices));
  llvm::append_range(gathered, shape.drop_front(axis + 1));
  auto type = RankedTensorType::get(gathered, elementOf(input));
  return nn::GatherOp::create(op.builder(), op.location(), type, input, indices, axis);
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

/// For each index the coordinates of a slice: the batch and the index, so that the device checks each index against the
/// extent of its axis, and none reaches another batch.
Value coordinatesOf(TfliteOperator &op, Value indices, int64_t batches) {
  const int64_t each = llvm::product_of(shapeOf(indices), int64_t(1)) / batches;
  SmallVector<int32_t> numbers;
  for (int64_t batch = 0; batch < batches; ++batch)
    numbers.append(each, static_cast<int32_t>(batch));
  Value rows = reshape(op, indices, {batches, each, 1});
  return rows ? concatenate(op, {int32Constant(op, {batches, each, 1}, numbers), rows}, 2) : Value();
}

/// Transposes the gathered axis to the place after the batch axes and merges these axes, so that one gather of slices
/// suffices.
Value gatherBatches(TfliteOperator &op, Value input, Value indices, int64_t axis, int64_t count) {
  const SmallVector<int64_t> shape(shapeOf(input)), places(shapeOf(indices));
  const int64_t batches = llvm::product_of(ArrayRef(shape).take_front(count), int64_t(1));
  auto between = ArrayRef(shape).slice(count, axis - count), after = ArrayRef(shape).drop_front(axis + 1);
  const int64_t outer = llvm::product_of(between, int64_t(1)), inner = llvm::product_of(after, int64_t(1));
  Value slices = transpose(op, reshape(op, input, {batches, outer, shape[axis], inner}), {0, 2, 1, 3});
  Value coordinates = coordinatesOf(op, indices, batches);
  if (!slices || !coordinates)
    return {};
  auto type = RankedTensorType::get({batches, shapeOf(coordinates)[1], outer, inner}, elementOf(input));
  Value picked = nn::GatherNdOp::create(op.builder(), op.location(), type, slices, coordinates);
  SmallVector<int64_t> gathered(ArrayRef<int64_t>(shape).take_front(axis));
  gathered.append(places.begin() + count, places.end());
  llvm::append_range(gathered, after);
  return reshape(op, transpose(op, picked, {0, 2, 1, 3}), gathered);
}

LogicalResult convertGather(TfliteOperator &op) {
  auto *options = op.options<tflite::GatherOptions>();
  Value input = op.value(0, "input"), indices = indexValue(op, 1, "indices");
  if (!input || !indices)
    return failure();
  FailureOr<int64_t> axis = op.normalizedAxis(options ? options->axis() : 0, shapeOf(input).size());
  FailureOr<int64_t> batches = batchAxes(op, options ? options->batch_dims() : 0, input, indices);
  if (failed(axis) || failed(batches))
    return failure();
  if (*axis < *batches)
    return op.malformed("gathers along axis " + Twine(*axis) + ", which is one of its " + Twine(*batches) + " batches");
  Value gathered = *batches ? gatherBatches(op, input, indices, *axis, *batches) : gather(op, input, indices, *axis);
  return finishMoved(op, input, gathered);
}

/// Quantised rows may become real numbers.
LogicalResult convertEmbeddingLookup(TfliteOperator &op) {
  Value indices = indexValue(op, 0, "lookups"), values = op.value(1, "values");
  RankedTensorType result = op.resultType();
  if (!indices || !values || !result)
    return failure();
  if (shapeOf(values).empty())
    return op.malformed("has values without rows");
  Value rows = gather(op, values, indices, 0);
  if (result.getElementType() == elementOf(rows))
    return finishMoved(op, values, rows);
  return op.finish(nn::DequantizeOp::create(op.builder(), op.location(), result, rows));
}

LogicalResult convertHashtableLookup(TfliteOperator &op) {
  Value lookups = op.value(0, "lookups"), keys = op.value(1, "keys"), values = op.value(2, "values");
  if (!lookups || !keys || !values)
    return failure();
  FailureOr<HashtableTypes> types = hashtableTypes(op, lookups, keys, values);
  if (failed(types))
    return failure();
  auto truths = RankedTensorType::get(types->hits.getShape(), op.builder().getI1Type());
  auto lookup =
      nn::HashtableLookupOp::create(op.builder(), op.location(), types->output, truths, lookups, keys, values);
  Value found = nn::CastOp::create(op.builder(), op.location(), types->hits, lookup.getHits());
  return finishAll(op, {lookup.getOutput(), found});
}

LogicalResult convertLshProjection(TfliteOperator &op) {
  auto *options = op.options<tflite::LSHProjectionOptions>();
  Value seeds = op.value(0, "hash"), input = op.value(1, "input");
  Value weights = op.hasInput(2) ? op.value(2, "weights") : Value();
  if (!options || !seeds || !input || (op.hasInput(2) && !weights))
    return options ? failure() : LogicalResult(op.malformed("lacks its options"));
  const bool isDense = options->type() == tflite::LshProjectionType::DENSE;
  if (!isDense && options->type() != tflite::LshProjectionType::SPARSE)
    return op.malformed("has the type " + Twine(static_cast<int>(options->type())) + ", must be 1 or 2");
  return finishLshProjection(op, seeds, input, weights, isDense ? nn::LshKind::Dense : nn::LshKind::Sparse);
}

/// Operand 1 is the new height and width.
template <typename Options, nn::ResizeKind kind> LogicalResult convertResize(TfliteOperator &op) {
  const Options *options = op.options<Options>();
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> size = op.integers(1, "size", 2);
  if (!input || failed(size))
    return failure();
  if (shapeOf(input).size() != 4)
    return op.malformed("has an input of rank " + Twine(shapeOf(input).size()) + ", must be 4");
  const bool corners = options && options->align_corners(), centers = options && options->half_pixel_centers();
  if (corners && centers)
    return op.malformed("aligns corners and has half pixel centers");
  RankedTensorType type = movedType(op, 0, input, {shapeOf(input)[0], (*size)[0], (*size)[1], shapeOf(input)[3]});
  return type ? op.finish(nn::ResizeOp::create(op.builder(), op.location(), type, input, kind, corners, centers))
              : failure();
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::EMBEDDING_LOOKUP, 2, 2, convertEmbeddingLookup},
    {BuiltinOperator::GATHER, 2, 2, convertGather},
    {BuiltinOperator::HASHTABLE_LOOKUP, 3, 3, convertHashtableLookup, 2, 2},
    {BuiltinOperator::LSH_PROJECTION, 2, 3, convertLshProjection},
    {BuiltinOperator::RESIZE_BILINEAR, 2, 2, convertResize<tflite::ResizeBilinearOptions, nn::ResizeKind::Bilinear>},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 2, 2,
     convertResize<tflite::ResizeNearestNeighborOptions, nn::ResizeKind::Nearest>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteLookupConverters() { return kConverters; }

} // namespace avocet::compiler
