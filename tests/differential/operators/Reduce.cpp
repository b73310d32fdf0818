//===- Reduce.cpp - Operators that combine the elements of axes -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

#include <algorithm>
#include <cmath>

namespace avocet::differential {
namespace {

void drawMean(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const auto rank = static_cast<int32_t>(shape.size());
  tflite::ReducerOptionsT options;
  options.keep_dims = draft.oneIn(2);
  std::vector<bool> isReduced(shape.size(), false);
  std::vector<int64_t> axes;
  for (int32_t count = draft.pick(1, rank); count > 0; --count) {
    axes.push_back(draft.axis(rank));
    isReduced[static_cast<size_t>(axes.back() < 0 ? axes.back() + rank : axes.back())] = true;
  }
  Shape result;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!isReduced[i] || options.keep_dims)
      result.push_back(isReduced[i] ? 1 : shape[i]);
  const Element input = draft.element();
  const Element output =
      draft.oneIn(2) ? input : draft.elementWith(input.scale() * static_cast<float>(draft.real(0.3, 1)));
  draft.op(BuiltinOperator::MEAN, {draft.input(shape, input), draft.integers(axes)}, {draft.output(result, output)},
           options);
}

constexpr KnownDifference kOldMeans = {
    1, "version 2.9 divides without rounding, or in floats, by the axes; later versions multiply in fixed point"};

const Row kRows[] = {
    {BuiltinOperator::MEAN,
     {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64},
     drawMean,
     kTolerance,
     kOldMeans},
};

} // namespace

std::span<const Row> reduceRows() { return kRows; }

} // namespace avocet::differential
