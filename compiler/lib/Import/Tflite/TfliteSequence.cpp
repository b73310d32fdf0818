//===- TfliteSequence.cpp - Operators along one axis ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Moves.h"
#include "TfliteGraph.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

SmallVector<int32_t> ascending(int64_t count) {
  SmallVector<int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Value cast(TfliteOperator &op, Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  return nn::CastOp::create(op.builder(), op.location(), RankedTensorType::get(shapeOf(value), element), value);
}

Value compare(TfliteOperator &op, Value lhs, Value rhs, ArrayRef<int64_t> shape, nn::CompareKind kind) {
  auto truth = RankedTensorType::get(shape, op.builder().getI1Type());
  return nn::CompareOp::create(op.builder(), op.location(), truth, lhs, rhs, kind);
}

LogicalResult convertCumulativeSum(TfliteOperator &op) {
  auto *options = op.options<tflite::CumsumOptions>();
  Value input = op.value(0, "input");
  RankedTensorType result = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!result)
    return failure();
  FailureOr<int64_t> axis = op.axis(1, result.getRank());
  if (failed(axis))
    return failure();
  return op.finish(nn::CumulativeSumOp::create(op.builder(), op.location(), result, input,
                                               options && options->exclusive(), options && options->reverse(), *axis));
}

/// Compares the indices with the positions along a new axis.
LogicalResult convertOneHot(TfliteOperator &op) {
  auto *options = op.options<tflite::OneHotOptions>();
  Value indices = op.value(0, "indices"), on = op.value(2, "on value"), off = op.value(3, "off value");
  FailureOr<SmallVector<int64_t>> depth = op.integers(1, "depth", 1);
  if (!indices || !on || !off || failed(depth))
    return failure();
  SmallVector<int64_t> shape(shapeOf(indices));
  FailureOr<int64_t> axis = op.normalizedAxis(options ? options->axis() : 0, static_cast<int64_t>(shape.size()) + 1);
  if (failed(axis))
    return failure();
  if (depth->front() < 1 || depth->front() > INT32_MAX)
    return op.refuse("depth", "is 1 or more", std::to_string(depth->front()));
  SmallVector<int64_t> positions(shape.size() - *axis + 1, 1), single(shape);
  positions.front() = depth->front();
  shape.insert(shape.begin() + *axis, depth->front());
  single.insert(single.begin() + *axis, 1);
  RankedTensorType result = op.resultType(0, shape);
  if (!result)
    return failure();
  Value numbers = cast(op, int32Constant(op, positions, ascending(depth->front())), elementOf(indices));
  Value isHot = compare(op, reshape(op, indices, single), numbers, shape, nn::CompareKind::Equal);
  on = broadcastTo(op, on, shape), off = broadcastTo(op, off, shape);
  return on && off ? op.finish(nn::SelectOp::create(op.builder(), op.location(), result, isHot, on, off)) : failure();
}

/// The number of boundaries that are not above the element.
LogicalResult convertBucketize(TfliteOperator &op) {
  auto *options = op.options<tflite::BucketizeOptions>();
  Value input = op.value(0, "input");
  RankedTensorType result = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!result)
    return failure();
  if (!options || !options->boundaries() || options->boundaries()->size() == 0)
    return op.refuse("boundaries", "are 1 or more numbers", "none");
  const SmallVector<float> boundaries(options->boundaries()->begin(), options->boundaries()->end());
  Type f32 = op.builder().getF32Type();
  auto type = RankedTensorType::get({static_cast<int64_t>(boundaries.size())}, f32);
  Value limits = nn::ConstantOp::create(op.builder(), op.location(), type,
                                        DenseElementsAttr::get(type, ArrayRef<float>(boundaries)));
  SmallVector<int64_t> single(shapeOf(input)), each(single);
  single.push_back(1), each.push_back(boundaries.size());
  Value isAbove = compare(op, cast(op, reshape(op, input, single), f32), limits, each, nn::CompareKind::GreaterEqual);
  Value count = nn::ReduceOp::create(op.builder(), op.location(), RankedTensorType::get(shapeOf(input), f32),
                                     cast(op, isAbove, f32), nn::ReduceKind::Sum,
                                     ArrayRef<int64_t>(static_cast<int64_t>(each.size()) - 1));
  return op.finish(cast(op, count, result.getElementType()));
}

//===----------------------------------------------------------------------===//
// REVERSE_SEQUENCE
//===----------------------------------------------------------------------===//

/// For each batch and step the step that replaces it: [batches, steps].
Value reversedSteps(TfliteOperator &op, Value lengths, int64_t batches, int64_t steps) {
  Type i32 = op.builder().getI32Type();
  auto type = RankedTensorType::get({batches, steps}, i32), column = RankedTensorType::get({batches, 1}, i32);
  Value length = reshape(op, cast(op, lengths, i32), {batches, 1});
  Value number = int32Constant(op, {1, steps}, ascending(steps)), one = int32Constant(op, {1, 1}, {1});
  Value last = nn::SubOp::create(op.builder(), op.location(), column, length, one, nn::Activation::None);
  Value reversed = nn::SubOp::create(op.builder(), op.location(), type, last, number, nn::Activation::None);
  Value isInside = compare(op, number, length, {batches, steps}, nn::CompareKind::Less);
  return nn::SelectOp::create(op.builder(), op.location(), type, isInside, reversed,
                              broadcastTo(op, number, {batches, steps}));
}

/// The axes with these two first.
SmallVector<int64_t> frontedAxes(size_t rank, int64_t first, int64_t second) {
  SmallVector<int64_t> axes = {first, second};
  for (int64_t axis = 0; axis < static_cast<int64_t>(rank); ++axis)
    if (axis != first && axis != second)
      axes.push_back(axis);
  return axes;
}

SmallVector<int64_t> inverseOf(ArrayRef<int64_t> axes) {
  SmallVector<int64_t> inverse(axes.size());
  for (auto [position, axis] : llvm::enumerate(axes))
    inverse[axis] = static_cast<int64_t>(position);
  return inverse;
}

LogicalResult convertReverseSequence(TfliteOperator &op) {
  auto *options = op.options<tflite::ReverseSequenceOptions>();
  Value input = op.value(0, "input"), lengths = op.value(1, "lengths");
  RankedTensorType result = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!result || !lengths)
    return failure();
  FailureOr<int64_t> sequence = op.normalizedAxis(options ? options->seq_dim() : 0, result.getRank()),
                     batch = op.normalizedAxis(options ? options->batch_dim() : 0, result.getRank());
  if (failed(sequence) || failed(batch))
    return failure();
  const int64_t batches = result.getDimSize(*batch), steps = result.getDimSize(*sequence);
  if (*sequence == *batch || shapeOf(lengths) != ArrayRef<int64_t>(batches))
    return op.malformed("must have different axes of batches and steps, and a length for each batch");
  SmallVector<int32_t> batchNumbers;
  for (int64_t i = 0; i < batches; ++i)
    batchNumbers.append(steps, static_cast<int32_t>(i));
  Value step = reshape(op, reversedSteps(op, lengths, batches, steps), {batches, steps, 1});
  Value indices = concatenate(op, {int32Constant(op, {batches, steps, 1}, batchNumbers), step}, 2);
  const SmallVector<int64_t> axes = frontedAxes(result.getRank(), *batch, *sequence);
  Value fronted = transpose(op, input, axes);
  if (!indices || !fronted)
    return failure();
  Value reversed = nn::GatherNdOp::create(op.builder(), op.location(), fronted.getType(), fronted, indices);
  return op.finish(transpose(op, reversed, inverseOf(axes)));
}

//===----------------------------------------------------------------------===//
// Diagonals
//===----------------------------------------------------------------------===//

/// Writes the elements of the last axis into the diagonal of a matrix: with n zeros after each, n by n + 1 elements
/// are the matrix and n zeros.
LogicalResult convertMatrixDiag(TfliteOperator &op) {
  Value input = op.value(0, "diagonal");
  if (!input || shapeOf(input).empty())
    return input ? LogicalResult(op.malformed("has a diagonal without axes")) : failure();
  SmallVector<int64_t> shape(shapeOf(input));
  const int64_t n = shape.back(), matrices = llvm::product_of(shape, int64_t(1)) / n;
  shape.push_back(n);
  if (auto quantized = dyn_cast<quant::UniformQuantizedType>(elementOf(input)); quantized && quantized.getZeroPoint())
    return op.refuse("diagonal", "has the zero point 0", std::to_string(quantized.getZeroPoint()));
  RankedTensorType result = op.resultType(0, shape);
  if (!result)
    return failure();
  Value rows = pad(op, reshape(op, input, {matrices, n, 1}), {{0, 0, 0}, {0, 0, n}});
  Value flat = rows ? reshape(op, rows, {matrices, n * (n + 1)}) : Value();
  Value square = flat ? slice(op, flat, {0, 0}, {matrices, n * n}, {1, 1}) : Value();
  return square ? op.finish(reshape(op, square, shape)) : failure();
}

LogicalResult convertMatrixSetDiag(TfliteOperator &op) {
  Value input = op.value(0, "input"), diagonal = op.value(1, "diagonal");
  RankedTensorType result = input ? op.resultType(0, shapeOf(input)) : RankedTensorType();
  if (!result || !diagonal)
    return failure();
  SmallVector<int64_t> shape(result.getShape());
  const size_t rank = shape.size();
  if (rank < 2)
    return op.malformed("has an input of rank " + Twine(rank) + ", must be 2 or more");
  const int64_t rows = shape[rank - 2], columns = shape[rank - 1], length = std::min(rows, columns);
  SmallVector<int64_t> expected(ArrayRef<int64_t>(shape).drop_back(2));
  expected.push_back(length);
  if (shapeOf(diagonal) != ArrayRef(expected))
    return op.malformed("has a diagonal that does not fit its input");
  auto maskType = RankedTensorType::get({rows, columns}, op.builder().getI1Type());
  if (failed(checkComputedBytes(op, "matrix", maskType)))
    return failure();
  ElementsAttr isDiagonal = computedElements(maskType, "diagonal", [&](llvm::MutableArrayRef<char> bytes) {
    llvm::fill(bytes, 0);
    for (int64_t i = 0; i < length; ++i)
      bytes[i * columns + i] = 1;
  });
  Value mask = nn::ConstantOp::create(op.builder(), op.location(), maskType, isDiagonal);
  Amounts amounts = {SmallVector<int64_t>(rank - 1, 0), SmallVector<int64_t>(rank - 1, 0)};
  amounts.high.back() = rows - length;
  SmallVector<int64_t> single(shape);
  single.back() = 1;
  Value padded = rows > length ? pad(op, diagonal, amounts) : diagonal;
  Value elements = padded ? broadcastTo(op, reshape(op, padded, single), shape) : Value();
  mask = broadcastTo(op, mask, shape);
  return elements && mask ? op.finish(nn::SelectOp::create(op.builder(), op.location(), result, mask, elements, input))
                          : failure();
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::BUCKETIZE, 1, 1, convertBucketize},
    {BuiltinOperator::CUMSUM, 2, 2, convertCumulativeSum},
    {BuiltinOperator::MATRIX_DIAG, 1, 1, convertMatrixDiag},
    {BuiltinOperator::MATRIX_SET_DIAG, 2, 2, convertMatrixSetDiag},
    {BuiltinOperator::ONE_HOT, 4, 4, convertOneHot},
    {BuiltinOperator::REVERSE_SEQUENCE, 2, 2, convertReverseSequence},
};

} // namespace

ArrayRef<TfliteConverter> tfliteSequenceConverters() { return kConverters; }

} // namespace avocet::compiler
