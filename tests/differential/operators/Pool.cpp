//===- Pool.cpp - AVERAGE_POOL_2D, MAX_POOL_2D ----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

using tflite::Padding;

void drawPool(Draft &draft, BuiltinOperator code) {
  tflite::Pool2DOptionsT options;
  options.padding = draft.oneIn(2) ? Padding::SAME : Padding::VALID;
  options.stride_h = draft.pick(1, 3);
  options.stride_w = draft.pick(1, 3);
  options.filter_height = draft.pick(1, 4);
  options.filter_width = draft.pick(1, 4);
  options.activation = draft.clamp();
  Shape shape = {draft.pick(1, 2), draft.pick(1, 12), draft.pick(1, 12), draft.pick(1, 9)};
  const auto extent = [&](int32_t &input, int32_t kernel, int32_t stride) {
    if (options.padding == Padding::SAME)
      return (input + stride - 1) / stride;
    input = std::max(input, kernel);
    return (input - kernel + stride) / stride;
  };
  const int32_t height = extent(shape[1], options.filter_height, options.stride_h);
  const int32_t width = extent(shape[2], options.filter_width, options.stride_w);
  const Element element = draft.element();
  draft.op(code, {draft.input(shape, element)}, {draft.output({shape[0], height, width, shape[3]}, element)}, options);
}

const Row kRows[] = {
    {BuiltinOperator::AVERAGE_POOL_2D, kRealKinds, [](Draft &d) { drawPool(d, BuiltinOperator::AVERAGE_POOL_2D); }},
    {BuiltinOperator::MAX_POOL_2D, kRealKinds, [](Draft &d) { drawPool(d, BuiltinOperator::MAX_POOL_2D); }, 0},
    {BuiltinOperator::L2_POOL_2D, kFloatKinds, [](Draft &d) { drawPool(d, BuiltinOperator::L2_POOL_2D); }},
};

} // namespace

std::span<const Row> poolRows() { return kRows; }

} // namespace avocet::differential
