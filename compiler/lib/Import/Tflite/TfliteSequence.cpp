//===- TfliteSequence.cpp - Operators along one axis ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Sequences.h"
#include "TfliteGraph.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult convertCumulativeSum(TfliteOperator &op, const tflite::CumsumOptions *options) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> axis = input ? op.axis(1, shapeOf(input).size()) : FailureOr<int64_t>(failure());
  if (failed(axis))
    return failure();
  return finish<nn::CumulativeSumOp>(op, input, options && options->exclusive(), options && options->reverse(), *axis);
}

/// Compares the indices with the positions along a new axis.
LogicalResult convertOneHot(TfliteOperator &op, const tflite::OneHotOptions *options) {
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
  shape.insert(shape.begin() + *axis, depth->front());
  if (!op.resultType(0, shape)) // before a large constant is made
    return failure();
  Value isHot = isPosition(op, indices, *axis, depth->front());
  on = broadcastTo(op, on, shape), off = broadcastTo(op, off, shape);
  return finish<nn::SelectOp>(op, isHot, on, off);
}

/// The number of boundaries that are not above the element.
LogicalResult convertBucketize(TfliteOperator &op, const tflite::BucketizeOptions *options) {
  Value input = op.value(0, "input");
  const Type element = op.resultElement(0);
  if (!input || !element)
    return failure();
  if (!options || !options->boundaries() || options->boundaries()->size() == 0)
    return op.refuse("boundaries", "are 1 or more numbers", "none");
  const SmallVector<float> boundaries(options->boundaries()->begin(), options->boundaries()->end());
  Type f32 = op.builder().getF32Type();
  auto type = RankedTensorType::get({static_cast<int64_t>(boundaries.size())}, f32);
  Value limits = nn::ConstantOp::create(op.builder(), op.location(), type,
                                        DenseElementsAttr::get(type, ArrayRef<float>(boundaries)));
  SmallVector<int64_t> single(shapeOf(input));
  const auto last = static_cast<int64_t>(single.size());
  single.push_back(1);
  Value isAbove = compare(op, castTo(op, reshape(op, input, single), f32), nn::CompareKind::GreaterEqual, limits);
  Value count = createAs<nn::ReduceOp>(op, f32, castTo(op, isAbove, f32), nn::ReduceKind::Sum, ArrayRef<int64_t>(last),
                                       /*keepDims=*/false);
  return element == f32 ? finishMoved(op, count, count) : finish<nn::CastOp>(op, count);
}

//===----------------------------------------------------------------------===//
// REVERSE_SEQUENCE
//===----------------------------------------------------------------------===//

LogicalResult convertReverseSequence(TfliteOperator &op, const tflite::ReverseSequenceOptions *options) {
  Value input = op.value(0, "input"), lengths = op.value(1, "lengths");
  if (!input || !lengths)
    return failure();
  const auto rank = static_cast<int64_t>(shapeOf(input).size());
  FailureOr<int64_t> sequence = op.normalizedAxis(options ? options->seq_dim() : 0, rank),
                     batch = op.normalizedAxis(options ? options->batch_dim() : 0, rank);
  if (failed(sequence) || failed(batch))
    return failure();
  return finishMoved(op, input, reversedSequences(op, input, lengths, *batch, *sequence));
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
  Value rows = pad(op, reshape(op, input, {matrices, n, 1}), {{0, 0, 0}, {0, 0, n}});
  Value flat = reshape(op, rows, {matrices, n * (n + 1)});
  Value square = slice(op, flat, {0, 0}, {matrices, n * n});
  return finishMoved(op, input, reshape(op, square, shape));
}

LogicalResult convertMatrixSetDiag(TfliteOperator &op) {
  Value input = op.value(0, "input"), diagonal = op.value(1, "diagonal");
  if (!input || !diagonal)
    return failure();
  SmallVector<int64_t> shape(shapeOf(input));
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
  Value elements = broadcastTo(op, reshape(op, padded, single), shape);
  return finish<nn::SelectOp>(op, broadcastTo(op, mask, shape), elements, input);
}

using tflite::BuiltinOperator;
constexpr TfliteConverter kConverters[] = {
    {BuiltinOperator::BUCKETIZE, 1, 1, withOptions<convertBucketize>},
    {BuiltinOperator::CUMSUM, 2, 2, withOptions<convertCumulativeSum>},
    {BuiltinOperator::MATRIX_DIAG, 1, 1, convertMatrixDiag},
    {BuiltinOperator::MATRIX_SET_DIAG, 2, 2, convertMatrixSetDiag},
    {BuiltinOperator::ONE_HOT, 4, 4, withOptions<convertOneHot>},
    {BuiltinOperator::REVERSE_SEQUENCE, 2, 2, withOptions<convertReverseSequence>},
};

} // namespace

ArrayRef<TfliteConverter> tfliteSequenceConverters() { return kConverters; }

} // namespace avocet::compiler
