//===- Index.cpp - Random models of operators that index or sort ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Reference.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace avocet::differential {
namespace {

const Element kPositions = {.type = TensorType::INT32};

int32_t floatScalar(Draft &draft, double value) {
  return draft.constant({}, Draft::plain(TensorType::FLOAT32), {value, value});
}

/// Positions in [0, extent).
int32_t positions(Draft &draft, const Shape &shape, int32_t extent) {
  return draft.operand(shape, kPositions, {0, static_cast<double>(extent - 1)});
}

/// [rows, the extents of `shape` from `first` on].
Shape rowsOf(int32_t rows, const Shape &shape, size_t first) {
  Shape result = {rows};
  result.insert(result.end(), shape.begin() + static_cast<ptrdiff_t>(first), shape.end());
  return result;
}

/// The largest elements of each row and their positions; of equal elements the first comes first.
std::vector<Bytes> largestOf(const Stored &input, int32_t count) {
  const auto extent = static_cast<size_t>(input.shape.back());
  std::vector<double> values, indices;
  for (size_t first = 0; first < input.values.size(); first += extent) {
    std::vector<size_t> order(extent);
    std::iota(order.begin(), order.end(), first);
    std::ranges::sort(order, {}, [&](size_t i) { return std::pair(-input.values[i], i); });
    for (const size_t i : std::span(order).first(static_cast<size_t>(count))) {
      values.push_back(static_cast<double>(input.values[i]));
      indices.push_back(static_cast<double>(i - first));
    }
  }
  return {encode(values, input.element.type), encode(indices, TensorType::INT32)};
}

void drawTopK(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  Shape result = shape;
  result.back() = draft.pick(1, shape.back());
  const Element element = draft.element();
  const int32_t input = draft.input(shape, element);
  draft.op(BuiltinOperator::TOPK_V2, {input, draft.integer(result.back())},
           {draft.output(result, element), draft.output(result, kPositions)});
  if (draft.kind() == Kind::I16)
    draft.model().expect(largestOf(storedOf(draft.model(), input), result.back()));
}

/// The extents are equal, so that every position is inside of each axis.
void drawGatherNd(Draft &draft) {
  const int32_t rank = draft.pick(1, 4), depth = draft.pick(1, rank), extent = draft.pick(1, 5);
  const Shape shape(static_cast<size_t>(rank), extent);
  const int32_t count = draft.pick(1, 6);
  const Element element = draft.element();
  draft.op(BuiltinOperator::GATHER_ND, {draft.input(shape, element), positions(draft, {count, depth}, extent)},
           {draft.output(rowsOf(count, shape, static_cast<size_t>(depth)), element)});
}

void drawScatterNd(Draft &draft) {
  const int32_t rank = draft.pick(1, 4), depth = draft.pick(1, rank), extent = draft.pick(1, 5);
  const Shape shape(static_cast<size_t>(rank), extent);
  const int32_t count = draft.pick(1, 6);
  const Element element = Draft::plain(typeOf(draft.kind()));
  draft.op(BuiltinOperator::SCATTER_ND,
           {positions(draft, {count, depth}, extent),
            draft.input(rowsOf(count, shape, static_cast<size_t>(depth)), element),
            draft.integers({shape.begin(), shape.end()})},
           {draft.output(shape, element)});
}

/// Segments without gaps; the number of rows follows from the last one.
void drawSegmentSum(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  std::vector<int64_t> segments;
  for (int32_t i = 0; i < shape[0]; ++i)
    segments.push_back(segments.empty() ? 0 : segments.back() + draft.pick(0, 1));
  const Element element = draft.element();
  draft.op(BuiltinOperator::SEGMENT_SUM, {draft.input(shape, element), draft.integers(segments)},
           {draft.output(rowsOf(static_cast<int32_t>(segments.back()) + 1, shape, 1), element)});
}

/// What a segment without rows gets, and how two numbers of a segment are combined.
struct SegmentFunction {
  double neutral;
  double (*combine)(double, double);
};

SegmentFunction segmentFunctionOf(BuiltinOperator code, Kind kind) {
  const double least = kind == Kind::F32 ? static_cast<double>(std::numeric_limits<float>::lowest())
                                         : std::numeric_limits<int32_t>::min();
  const double greatest =
      kind == Kind::F32 ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<int32_t>::max();
  switch (code) {
  case BuiltinOperator::UNSORTED_SEGMENT_MAX:
    return {least, [](double x, double y) { return std::max(x, y); }};
  case BuiltinOperator::UNSORTED_SEGMENT_MIN:
    return {greatest, [](double x, double y) { return std::min(x, y); }};
  case BuiltinOperator::UNSORTED_SEGMENT_PROD:
    return {1, [](double x, double y) { return x * y; }};
  default:
    return {0, [](double x, double y) { return x + y; }};
  }
}

/// Small whole numbers, so that results of floats are exact in any order.
template <BuiltinOperator code> void drawUnsortedSegments(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  const int32_t count = draft.pick(1, 5);
  const SegmentFunction function = segmentFunctionOf(code, draft.kind());
  const size_t width = static_cast<size_t>(numElements(shape) / shape[0]);
  std::vector<double> values, results(static_cast<size_t>(count) * width, function.neutral);
  std::vector<int64_t> segments;
  for (int32_t row = 0; row < shape[0]; ++row) {
    segments.push_back(draft.pick(0, count - 1));
    for (size_t i = 0; i < width; ++i) {
      values.push_back(draft.pick(-3, 3));
      double &result = results[static_cast<size_t>(segments.back()) * width + i];
      result = function.combine(result, values.back());
    }
  }
  const Element element = draft.element();
  const int32_t input = draft.model().addInput(shape, element, encode(values, element.type));
  draft.op(code, {input, draft.integers(segments), draft.integer(count)},
           {draft.output(rowsOf(count, shape, 1), element)});
  draft.model().expect({encode(results, element.type)});
}

/// TensorFlow Lite requires ascending positions.
void drawSparseToDense(Draft &draft) {
  const int32_t extent = draft.pick(1, 9), count = draft.pick(1, extent);
  std::vector<int64_t> indices(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i)
    indices[static_cast<size_t>(i)] = i;
  const Element element = Draft::plain(typeOf(draft.kind()));
  draft.op(
      BuiltinOperator::SPARSE_TO_DENSE,
      {draft.integers(indices), draft.integers({extent}), draft.operand({count}, element), draft.constant({}, element)},
      {draft.output({extent}, element)});
}

void drawCumulativeSum(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  tflite::CumsumOptionsT options;
  options.exclusive = draft.oneIn(2);
  options.reverse = draft.oneIn(2);
  const Element element = draft.element();
  draft.op(BuiltinOperator::CUMSUM,
           {draft.input(shape, element), draft.integer(draft.axis(static_cast<int32_t>(shape.size())))},
           {draft.output(shape, element)}, options);
}

/// Some positions are outside of the new axis, and give no element that is on.
void drawOneHot(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  const int32_t rank = static_cast<int32_t>(shape.size()), depth = draft.pick(1, 6), axis = draft.pick(-1, rank);
  Shape result = shape;
  result.insert(result.begin() + (axis < 0 ? rank : axis), depth);
  tflite::OneHotOptionsT options;
  options.axis = axis;
  const Element element = Draft::plain(typeOf(draft.kind()));
  draft.op(BuiltinOperator::ONE_HOT,
           {draft.input(shape, kPositions, {-1, static_cast<double>(depth)}), draft.integer(depth),
            draft.constant({}, element), draft.constant({}, element)},
           {draft.output(result, element)}, options);
}

void drawBucketize(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  tflite::BucketizeOptionsT options;
  float boundary = -4;
  for (int32_t count = draft.pick(1, 6); count > 0; --count)
    options.boundaries.push_back(boundary += static_cast<float>(draft.real(0.1, 2)));
  draft.op(BuiltinOperator::BUCKETIZE, {draft.input(shape, draft.element())}, {draft.output(shape, kPositions)},
           options);
}

void drawReverseSequence(Draft &draft) {
  const Shape shape = draft.shape(2, 4);
  const int32_t rank = static_cast<int32_t>(shape.size());
  tflite::ReverseSequenceOptionsT options;
  options.batch_dim = draft.pick(0, rank - 1);
  options.seq_dim = (options.batch_dim + draft.pick(1, rank - 1)) % rank;
  const Element element = draft.element();
  const double steps = shape[static_cast<size_t>(options.seq_dim)];
  draft.op(BuiltinOperator::REVERSE_SEQUENCE,
           {draft.input(shape, element),
            draft.operand({shape[static_cast<size_t>(options.batch_dim)]}, kPositions, {1, steps})},
           {draft.output(shape, element)}, options);
}

void drawMatrixDiag(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  Shape result = shape;
  result.push_back(shape.back());
  const Element element = Draft::plain(typeOf(draft.kind()));
  draft.op(BuiltinOperator::MATRIX_DIAG, {draft.input(shape, element)}, {draft.output(result, element)});
}

void drawMatrixSetDiag(Draft &draft) {
  const Shape shape = draft.shape(2, 4);
  Shape diagonal(shape.begin(), shape.end() - 2);
  diagonal.push_back(std::min(shape.back(), shape[shape.size() - 2]));
  const Element element = Draft::plain(typeOf(draft.kind()));
  draft.op(BuiltinOperator::MATRIX_SET_DIAG, {draft.input(shape, element), draft.operand(diagonal, element)},
           {draft.output(shape, element)});
}

template <bool isV5> void drawSuppression(Draft &draft) {
  const int32_t boxes = draft.pick(1, 9), most = draft.pick(1, 6);
  const Element real = Draft::plain(TensorType::FLOAT32);
  std::vector<int32_t> inputs = {draft.input({boxes, 4}, real), draft.input({boxes}, real, {0, 1}), draft.integer(most),
                                 floatScalar(draft, draft.real(0.1, 0.9)), floatScalar(draft, draft.real(0, 0.5))};
  std::vector<int32_t> outputs = {draft.output({most}, kPositions)};
  if (isV5) {
    inputs.push_back(floatScalar(draft, draft.oneIn(2) ? 0 : draft.real(0.1, 1)));
    outputs.push_back(draft.output({most}, real));
  }
  outputs.push_back(draft.output({}, kPositions));
  draft.op(isV5 ? BuiltinOperator::NON_MAX_SUPPRESSION_V5 : BuiltinOperator::NON_MAX_SUPPRESSION_V4, inputs, outputs);
}

using Code = BuiltinOperator;
const std::vector<Kind> kSegmentKinds = {Kind::F32, Kind::I32};
const std::vector<Kind> kSumKinds = {Kind::F32, Kind::I32, Kind::I64};
const std::vector<Kind> kDiagonalKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64};

const Row kRows[] = {
    {Code::TOPK_V2,
     {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64},
     drawTopK,
     0,
     {},
     true,
     {Kind::I16}},
    {Code::GATHER_ND, {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64}, drawGatherNd, 0},
    {Code::SCATTER_ND, {Kind::F32, Kind::I8, Kind::U8, Kind::I32, Kind::I64}, drawScatterNd},
    {Code::SEGMENT_SUM, kSegmentKinds, drawSegmentSum},
    {Code::UNSORTED_SEGMENT_MAX, kSegmentKinds, drawUnsortedSegments<Code::UNSORTED_SEGMENT_MAX>, 0, {}, false},
    {Code::UNSORTED_SEGMENT_MIN, kSegmentKinds, drawUnsortedSegments<Code::UNSORTED_SEGMENT_MIN>, 0, {}, false},
    {Code::UNSORTED_SEGMENT_PROD, kSegmentKinds, drawUnsortedSegments<Code::UNSORTED_SEGMENT_PROD>, 0, {}, false},
    {Code::UNSORTED_SEGMENT_SUM, kSegmentKinds, drawUnsortedSegments<Code::UNSORTED_SEGMENT_SUM>, 0, {}, false},
    {Code::SPARSE_TO_DENSE, {Kind::F32, Kind::I8, Kind::U8, Kind::I32, Kind::I64}, drawSparseToDense, 0},
    {Code::CUMSUM, kSumKinds, drawCumulativeSum},
    {Code::ONE_HOT, {Kind::F32, Kind::I8, Kind::U8, Kind::I32, Kind::I64, Kind::Bool}, drawOneHot, 0},
    {Code::BUCKETIZE, kSumKinds, drawBucketize},
    {Code::REVERSE_SEQUENCE, {Kind::F32, Kind::U8, Kind::I16, Kind::I32, Kind::I64}, drawReverseSequence, 0},
    {Code::MATRIX_DIAG, kDiagonalKinds, drawMatrixDiag, 0},
    {Code::MATRIX_SET_DIAG, kDiagonalKinds, drawMatrixSetDiag, 0},
    {Code::NON_MAX_SUPPRESSION_V4, kFloatKinds, drawSuppression<false>},
    {Code::NON_MAX_SUPPRESSION_V5, kFloatKinds, drawSuppression<true>},
};

} // namespace

std::span<const Row> indexRows() { return kRows; }

} // namespace avocet::differential
