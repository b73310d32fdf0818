//===- Elementwise.cpp - Operators of two tensors, element by element -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

/// A result whose range is about that of the operation, or narrower.
template <typename Options, BuiltinOperator code> void drawArithmetic(Draft &draft) {
  const Draft::Broadcast shapes = draft.broadcast(4);
  const Element first = draft.element(), second = draft.element(), result = draft.element();
  Options options;
  if (draft.isFloat() || draft.isQuantized())
    options.activation = draft.clamp();
  const int32_t lhs = draft.input(shapes.first, first, {-1000, 1000});
  const int32_t rhs = draft.operand(shapes.second, second, {-1000, 1000});
  if (draft.oneIn(2))
    draft.op(code, {lhs, rhs}, {draft.output(shapes.result, result)}, options);
  else
    draft.op(code, {rhs, lhs}, {draft.output(shapes.result, result)}, options);
}

/// Both operands have the quantisation of the result.
template <BuiltinOperator code> void drawSelecting(Draft &draft) {
  const Draft::Broadcast shapes = draft.broadcast(4);
  const Element element = draft.element();
  draft.op(code, {draft.input(shapes.first, element), draft.operand(shapes.second, element)},
           {draft.output(shapes.result, element)});
}

const std::vector<Kind> kSumKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64};
const std::vector<Kind> kSelectingKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64};

const Row kRows[] = {
    {BuiltinOperator::ADD, kSumKinds, drawArithmetic<tflite::AddOptionsT, BuiltinOperator::ADD>},
    {BuiltinOperator::SUB, kSumKinds, drawArithmetic<tflite::SubOptionsT, BuiltinOperator::SUB>},
    {BuiltinOperator::MUL, kSumKinds, drawArithmetic<tflite::MulOptionsT, BuiltinOperator::MUL>},
    {BuiltinOperator::MINIMUM, kSelectingKinds, drawSelecting<BuiltinOperator::MINIMUM>, 0},
    {BuiltinOperator::MAXIMUM, kSelectingKinds, drawSelecting<BuiltinOperator::MAXIMUM>, 0},
};

} // namespace

std::span<const Row> elementwiseRows() { return kRows; }

} // namespace avocet::differential
