//===- Reduce.cpp - Operators that combine the elements of axes -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Reference.h"

#include <algorithm>

namespace avocet::differential {
namespace {

/// Some axes of a shape, and the shape without them.
struct Reduction {
  Shape shape, result;
  std::vector<int64_t> axes;
  std::vector<bool> isReduced;
  tflite::ReducerOptionsT options;
};

Reduction reduction(Draft &draft) {
  Reduction drawn{.shape = draft.shape(1, 4), .result = {}, .axes = {}, .isReduced = {}, .options = {}};
  const auto rank = static_cast<int32_t>(drawn.shape.size());
  drawn.options.keep_dims = draft.oneIn(2);
  std::vector<bool> &isReduced = drawn.isReduced;
  isReduced.assign(drawn.shape.size(), false);
  for (int32_t count = draft.pick(1, rank); count > 0; --count) {
    drawn.axes.push_back(draft.axis(rank));
    isReduced[static_cast<size_t>(drawn.axes.back() < 0 ? drawn.axes.back() + rank : drawn.axes.back())] = true;
  }
  for (size_t i = 0; i < drawn.shape.size(); ++i)
    if (!isReduced[i] || drawn.options.keep_dims)
      drawn.result.push_back(isReduced[i] ? 1 : drawn.shape[i]);
  return drawn;
}

void drawReduction(Draft &draft, BuiltinOperator code, const Element &input, const Element &result, Range range = {}) {
  const Reduction drawn = reduction(draft);
  const int32_t operand = draft.input(drawn.shape, input, range);
  draft.op(code, {operand, draft.integers(drawn.axes)}, {draft.output(drawn.result, result)}, drawn.options);
  if (code == BuiltinOperator::MEAN && draft.isQuantized())
    draft.model().expect({expectedMean(draft.model(), operand, drawn.isReduced, result)});
}

/// The result may have a finer quantization than the input.
template <BuiltinOperator code> void drawSum(Draft &draft) {
  const Element input = draft.element();
  const float factor = static_cast<float>(draft.real(0.3, code == BuiltinOperator::SUM ? 4 : 1));
  // The library has no kernel for sums of 16-bit numbers of another scale.
  const bool isSame = draft.oneIn(2) || (draft.kind() == Kind::I16 && code == BuiltinOperator::SUM);
  drawReduction(draft, code, input, isSame ? input : draft.elementWith(input.scale() * factor), {-99, 99});
}

template <BuiltinOperator code> void drawExtreme(Draft &draft) {
  const Element element = draft.element();
  drawReduction(draft, code, element, element);
}

void drawProduct(Draft &draft) {
  drawReduction(draft, BuiltinOperator::REDUCE_PROD, draft.element(), draft.element(), {-2, 2});
}

template <typename Options, BuiltinOperator code> void drawArg(Draft &draft) {
  Options options;
  options.output_type = draft.oneIn(2) ? TensorType::INT64 : TensorType::INT32;
  Shape shape = draft.shape(1, 4);
  const Shape whole = shape;
  const int32_t axis = draft.axis(static_cast<int32_t>(shape.size()));
  shape.erase(shape.begin() + axis + (axis < 0 ? static_cast<int32_t>(shape.size()) : 0));
  draft.op(code, {draft.input(whole, draft.element()), draft.integer(axis)},
           {draft.output(shape, Draft::plain(options.output_type))}, options);
}

constexpr KnownDifference kOldMeans = {
    1, "version 2.9 divides without rounding, or in floats, by the axes; later versions multiply in fixed point"};

const std::vector<Kind> kSumKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64};
const std::vector<Kind> kArgKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I32, Kind::Bool};

const Row kRows[] = {
    {BuiltinOperator::MEAN, kSumKinds, drawSum<BuiltinOperator::MEAN>, kTolerance, kOldMeans},
    {BuiltinOperator::SUM, kSumKinds, drawSum<BuiltinOperator::SUM>},
    {BuiltinOperator::REDUCE_MAX, kSumKinds, drawExtreme<BuiltinOperator::REDUCE_MAX>, 0},
    {BuiltinOperator::REDUCE_MIN, kSumKinds, drawExtreme<BuiltinOperator::REDUCE_MIN>, 0},
    {BuiltinOperator::REDUCE_PROD, {Kind::F32, Kind::I8, Kind::I16, Kind::I32, Kind::I64}, drawProduct},
    {BuiltinOperator::REDUCE_ANY, {Kind::Bool}, drawExtreme<BuiltinOperator::REDUCE_ANY>},
    {BuiltinOperator::REDUCE_ALL, {Kind::Bool}, drawExtreme<BuiltinOperator::REDUCE_ALL>},
    {BuiltinOperator::ARG_MAX, kArgKinds, drawArg<tflite::ArgMaxOptionsT, BuiltinOperator::ARG_MAX>},
    {BuiltinOperator::ARG_MIN, kArgKinds, drawArg<tflite::ArgMinOptionsT, BuiltinOperator::ARG_MIN>},
};

} // namespace

std::span<const Row> reduceRows() { return kRows; }

} // namespace avocet::differential
