//===- TfliteScatter.cpp - Slices at run-time positions ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Results.h"
#include "TfliteGraph.h"
#include "avocet/kernels/dsp/Scatter.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Positions in i32, the only type of positions on the device.
Value positionsOf(TfliteOperator &op, uint32_t position, StringRef operand) {
  Value value = op.value(position, operand);
  if (!value || !elementOf(value).isInteger(64))
    return value;
  auto type = RankedTensorType::get(shapeOf(value), op.builder().getI32Type());
  return nn::CastOp::create(op.builder(), op.location(), type, value);
}

LogicalResult convertTopK(TfliteOperator &op) {
  Value input = op.value(0, "input");
  // The shape of the result is fixed before the device runs.
  if (op.dependsOnData(1))
    return op.refuse("k", "is one that follows from shapes and constants", "a value that depends on data");
  FailureOr<SmallVector<int64_t>> count = op.integers(1, "k", 1);
  if (!input || failed(count))
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
  if (shape.empty() || count->front() < 1 || count->front() > shape.back())
    return op.malformed("takes " + Twine(count->front()) + " elements, must take 1 to the extent of the last axis");
  shape.back() = count->front();
  RankedTensorType values = op.resultType(0, shape), indices = op.resultType(1, shape);
  if (!values || !indices)
    return failure();
  auto sorted = nn::TopkV2Op::create(op.builder(), op.location(), values, indices, input);
  return finishAll(op, sorted.getResults());
}

LogicalResult convertGatherNd(TfliteOperator &op) {
  Value input = op.value(0, "params"), indices = positionsOf(op, 1, "indices");
  if (!input || !indices)
    return failure();
  ArrayRef<int64_t> shape = shapeOf(input), coordinates = shapeOf(indices);
  if (coordinates.empty() || coordinates.back() > static_cast<int64_t>(shape.size()))
    return op.malformed("has more coordinates in indices than axes");
  SmallVector<int64_t> gathered(coordinates.drop_back());
  llvm::append_range(gathered, shape.drop_front(coordinates.back()));
  RankedTensorType result = op.resultType(0, gathered);
  return result ? op.finish(nn::GatherNdOp::create(op.builder(), op.location(), result, input, indices)) : failure();
}

/// Combines updates into a table of the result's type. The dialect's verifier checks the shapes.
LogicalResult finishScatter(TfliteOperator &op, Value table, Value indices, Value updates, nn::ScatterKind kind) {
  return op.finish(
      nn::ScatterNdOp::create(op.builder(), op.location(), table.getType(), table, indices, updates, kind));
}

/// Duplicates are added, as in TFLite's reference.
LogicalResult convertScatterNd(TfliteOperator &op) {
  Value indices = positionsOf(op, 0, "indices"), updates = op.value(1, "updates");
  FailureOr<SmallVector<int64_t>> shape = op.integers(2, "shape");
  RankedTensorType result = failed(shape) ? RankedTensorType() : op.resultType(0, *shape);
  if (!indices || !updates || !result)
    return failure();
  if (isa<quant::QuantizedType>(result.getElementType()))
    return op.refuse("updates", "element type", "a quantised type", "FLOAT32 or plain integers");
  Value table = filled(op, result, op.builder().getZeroAttr(result.getElementType()));
  return finishScatter(op, table, indices, updates, nn::ScatterKind::Sum);
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
  auto truths = RankedTensorType::get(shapeOf(segments), op.builder().getI1Type());
  Value isNegative = nn::CompareOp::create(op.builder(), op.location(), truths, segments, none, nn::CompareKind::Less);
  Value spread = broadcastTo(op, leftOut, shapeOf(segments));
  return nn::SelectOp::create(op.builder(), op.location(), segments.getType(), isNegative, spread, segments);
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
  Value data = op.value(0, "data"), segments = positionsOf(op, 1, "segments");
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
  return finishScatter(op, table, reshape(op, segments, {count, 1}), reshape(op, data, slices), kind);
}

/// Indices of rank 0 or 1 are those of a result of rank 1.
LogicalResult convertSparseToDense(TfliteOperator &op) {
  Value indices = positionsOf(op, 0, "indices"), values = op.value(2, "values"), fill = op.value(3, "default value");
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
  return table && updates ? finishScatter(op, table, indices, updates, nn::ScatterKind::Set) : failure();
}

using nn::ScatterKind;
using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
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

ArrayRef<TfliteConverter> tfliteScatterConverters() { return kConverters; }

} // namespace avocet::compiler
