//===- Elementwise.cpp - Operators of several tensors, element by element ---===//
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

/// With a scale that is fine enough: the reference does not define shifts by more than 31, which it would need for
/// small quotients of a coarse scale.
Element quotientElement(Draft &draft, const Element &dividend, const Element &divisor) {
  if (!draft.isQuantized())
    return dividend;
  return draft.elementWith(dividend.scale() / divisor.scale() / static_cast<float>(draft.real(64, 1000)));
}

/// Divisors are not zero: the kernels refuse to divide integers by it.
template <BuiltinOperator code, typename... Options> void drawQuotient(Draft &draft, Options... options) {
  const Draft::Broadcast shapes = draft.broadcast(4);
  Element divisor = draft.element();
  if (!divisor.zeroPoints.empty())
    divisor.zeroPoints = {0}; // of uint8: values from 1 are drawn below
  const Element dividend = draft.element();
  const int32_t lhs = draft.input(shapes.first, dividend, {-100, 100});
  const Range range = draft.oneIn(2) ? Range{1, 20} : Range{-20, -1};
  Bytes values = draft.values(shapes.second, Draft::plain(divisor.type), draft.isQuantized() ? Range{1, 100} : range);
  const int32_t rhs = draft.model().addInput(shapes.second, divisor, std::move(values));
  draft.op(code, {lhs, rhs}, {draft.output(shapes.result, quotientElement(draft, dividend, divisor))}, options...);
}

/// Whole exponents of integers; positive bases of floats.
void drawPow(Draft &draft) {
  const Draft::Broadcast shapes = draft.broadcast(4);
  const Range bases = draft.isFloat() ? Range{0.1, 4} : Range{-5, 5};
  const Range exponents = draft.isFloat() ? Range{-2, 3} : Range{0, 4};
  const Element element = draft.element();
  draft.op(BuiltinOperator::POW,
           {draft.input(shapes.first, element, bases), draft.operand(shapes.second, element, exponents)},
           {draft.output(shapes.result, element)});
}

/// Both operands have the quantization of the result.
template <BuiltinOperator code> void drawSelecting(Draft &draft) {
  const Draft::Broadcast shapes = draft.broadcast(4);
  const Element element = draft.element();
  draft.op(code, {draft.input(shapes.first, element, {-9, 9}), draft.operand(shapes.second, element, {-9, 9})},
           {draft.output(shapes.result, element)});
}

/// Few different values, so that some are equal.
template <BuiltinOperator code> void drawComparison(Draft &draft) {
  const Draft::Broadcast shapes = draft.broadcast(4);
  const Element first = draft.element();
  const Element second = draft.isQuantized() && draft.oneIn(2) ? draft.element() : first;
  draft.op(code, {draft.input(shapes.first, first, {-2, 2}), draft.operand(shapes.second, second, {-2, 2})},
           {draft.output(shapes.result, Draft::plain(TensorType::BOOL))});
}

/// One slope for each channel, or for all.
void drawPrelu(Draft &draft) {
  const Shape shape = draft.shape(4, 4);
  const Shape slopes = {1, 1, draft.oneIn(4) ? shape[2] : 1, draft.oneIn(4) ? 1 : shape[3]};
  const Element input = draft.element();
  draft.op(BuiltinOperator::PRELU, {draft.input(shape, input), draft.constant(slopes, draft.element(), {-1, 1})},
           {draft.output(shape, draft.element())});
}

void drawSelect(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const Element element = draft.element();
  // The condition may be one value for each row.
  const Shape condition = draft.oneIn(3) ? Shape{shape[0]} : shape;
  draft.op(BuiltinOperator::SELECT,
           {draft.input(condition, Draft::plain(TensorType::BOOL)), draft.input(shape, element),
            draft.operand(shape, element)},
           {draft.output(shape, element)});
}

void drawSelectV2(Draft &draft) {
  const Draft::Broadcast shapes = draft.broadcast(4);
  const Element element = draft.element();
  const Shape &condition = draft.oneIn(2) ? shapes.result : shapes.first;
  draft.op(BuiltinOperator::SELECT_V2,
           {draft.input(condition, Draft::plain(TensorType::BOOL)), draft.input(shapes.first, element),
            draft.operand(shapes.second, element)},
           {draft.output(shapes.result, element)});
}

const std::vector<Kind> kSumKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64};
const std::vector<Kind> kIntegerKinds = {Kind::F32, Kind::I32};
const std::vector<Kind> kOrderedKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I32, Kind::I64};
const std::vector<Kind> kEqualKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I32, Kind::I64, Kind::Bool};
const std::vector<Kind> kChosenKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool};

const Row kRows[] = {
    {BuiltinOperator::ADD, kSumKinds, drawArithmetic<tflite::AddOptionsT, BuiltinOperator::ADD>},
    {BuiltinOperator::SUB, kSumKinds, drawArithmetic<tflite::SubOptionsT, BuiltinOperator::SUB>},
    {BuiltinOperator::MUL, kSumKinds, drawArithmetic<tflite::MulOptionsT, BuiltinOperator::MUL>},
    {BuiltinOperator::DIV,
     {Kind::F32, Kind::U8, Kind::I32},
     [](Draft &draft) { drawQuotient<BuiltinOperator::DIV>(draft, tflite::DivOptionsT()); }},
    {BuiltinOperator::POW, kIntegerKinds, drawPow},
    {BuiltinOperator::MINIMUM, kSumKinds, drawSelecting<BuiltinOperator::MINIMUM>, 0},
    {BuiltinOperator::MAXIMUM, kSumKinds, drawSelecting<BuiltinOperator::MAXIMUM>, 0},
    {BuiltinOperator::EQUAL, kEqualKinds, drawComparison<BuiltinOperator::EQUAL>},
    {BuiltinOperator::NOT_EQUAL, kEqualKinds, drawComparison<BuiltinOperator::NOT_EQUAL>},
    {BuiltinOperator::LESS, kOrderedKinds, drawComparison<BuiltinOperator::LESS>},
    {BuiltinOperator::LESS_EQUAL, kOrderedKinds, drawComparison<BuiltinOperator::LESS_EQUAL>},
    {BuiltinOperator::GREATER, kOrderedKinds, drawComparison<BuiltinOperator::GREATER>},
    {BuiltinOperator::GREATER_EQUAL, kOrderedKinds, drawComparison<BuiltinOperator::GREATER_EQUAL>},
    {BuiltinOperator::LOGICAL_AND, {Kind::Bool}, drawSelecting<BuiltinOperator::LOGICAL_AND>},
    {BuiltinOperator::LOGICAL_OR, {Kind::Bool}, drawSelecting<BuiltinOperator::LOGICAL_OR>},
    {BuiltinOperator::PRELU, kByteKinds, drawPrelu},
    {BuiltinOperator::SELECT, kChosenKinds, drawSelect, 0},
    {BuiltinOperator::SELECT_V2, kChosenKinds, drawSelectV2, 0},
};

} // namespace

std::span<const Row> elementwiseRows() { return kRows; }

} // namespace avocet::differential
