//===- Functions.cpp - Functions of single elements -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

/// The result has the input's shape and type.
template <BuiltinOperator code> void drawFunction(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const Element element = Draft::plain(typeOf(draft.kind()));
  draft.op(code, {draft.input(shape, element, {-9, 9})}, {draft.output(shape, element)});
}

void drawGelu(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  tflite::GeluOptionsT options;
  options.approximate = draft.oneIn(2);
  draft.op(BuiltinOperator::GELU, {draft.input(shape, draft.element())}, {draft.output(shape, draft.element())},
           options);
}

void drawLeakyRelu(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  tflite::LeakyReluOptionsT options;
  options.alpha = static_cast<float>(draft.real(-0.2, 1.5));
  draft.op(BuiltinOperator::LEAKY_RELU, {draft.input(shape, draft.element())}, {draft.output(shape, draft.element())},
           options);
}

/// Halves and whole numbers, which rounding treats in different ways.
void drawRound(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  std::vector<double> values(static_cast<size_t>(numElements(shape)));
  for (double &value : values)
    value = draft.oneIn(2) ? draft.pick(-9, 9) / 2.0 : draft.real(-9, 9);
  draft.op(BuiltinOperator::ROUND,
           {draft.model().addInput(shape, draft.element(), encode(values, TensorType::FLOAT32))},
           {draft.output(shape, draft.element())});
}

/// Floats stay in the range of every result type, where C++ defines their conversion.
void drawCast(Draft &draft) {
  static const std::vector<TensorType> kResults = {TensorType::FLOAT32, TensorType::INT32, TensorType::INT64,
                                                   TensorType::UINT8, TensorType::BOOL};
  const Shape shape = draft.shape(1, 4);
  const Range range = draft.kind() == Kind::F32 ? Range{0, 100} : Range{-1000, 1000};
  draft.op(BuiltinOperator::CAST, {draft.input(shape, Draft::plain(typeOf(draft.kind())), range)},
           {draft.output(shape, Draft::plain(draft.any(kResults)))});
}

void drawAddN(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const Element element = draft.element();
  std::vector<int32_t> inputs = {draft.input(shape, element)};
  for (int32_t more = draft.pick(1, 4); more > 0; --more)
    inputs.push_back(draft.operand(shape, element));
  draft.op(BuiltinOperator::ADD_N, inputs, {draft.output(shape, element)});
}

/// Plain numbers; the library stops at a divisor of 0.
template <BuiltinOperator code> void drawPair(Draft &draft) {
  const bool divides = code == BuiltinOperator::FLOOR_DIV || code == BuiltinOperator::FLOOR_MOD;
  const Draft::Broadcast shapes = draft.broadcast(4);
  const Element element = Draft::plain(typeOf(draft.kind()));
  const Range divisors = draft.oneIn(2) && draft.kind() != Kind::U8 ? Range{-9, -1} : Range{1, 9};
  draft.op(code,
           {draft.input(shapes.first, element, {-100, 100}),
            draft.operand(shapes.second, element, divides ? divisors : Range{-9, 9})},
           {draft.output(shapes.result, element)});
}

void drawSquaredDifference(Draft &draft) {
  const Draft::Broadcast shapes = draft.broadcast(4);
  draft.op(BuiltinOperator::SQUARED_DIFFERENCE,
           {draft.input(shapes.first, draft.element()), draft.operand(shapes.second, draft.element())},
           {draft.output(shapes.result, draft.element())});
}

const Row kRows[] = {
    {BuiltinOperator::ADD_N, {Kind::F32, Kind::I32}, drawAddN},
    {BuiltinOperator::CAST, {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool}, drawCast, 0},
    {BuiltinOperator::CEIL, kFloatKinds, drawFunction<BuiltinOperator::CEIL>, 0},
    {BuiltinOperator::COS, kFloatKinds, drawFunction<BuiltinOperator::COS>},
    {BuiltinOperator::FLOOR_DIV, {Kind::F32, Kind::I32}, drawPair<BuiltinOperator::FLOOR_DIV>, 0},
    {BuiltinOperator::FLOOR_MOD, {Kind::F32, Kind::I32, Kind::I64}, drawPair<BuiltinOperator::FLOOR_MOD>},
    {BuiltinOperator::GELU, kByteKinds, drawGelu},
    {BuiltinOperator::LEAKY_RELU, kRealKinds, drawLeakyRelu},
    {BuiltinOperator::ROUND, kFloatKinds, drawRound, 0},
    {BuiltinOperator::SQUARE, kFloatKinds, drawFunction<BuiltinOperator::SQUARE>},
    {BuiltinOperator::SQUARED_DIFFERENCE, {Kind::F32, Kind::I8, Kind::I32}, drawSquaredDifference},
};

} // namespace

std::span<const Row> functionRows() { return kRows; }

} // namespace avocet::differential
