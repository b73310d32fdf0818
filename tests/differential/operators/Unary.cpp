//===- Unary.cpp - Functions of single elements ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Reference.h"

#include <algorithm>
#include <cmath>

namespace avocet::differential {
namespace {

/// The range of the argument decides where the function is defined.
template <BuiltinOperator code, int low, int high> void drawFunction(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  draft.op(code, {draft.input(shape, draft.element(), {low, high})}, {draft.output(shape, draft.element())});
}

/// The result has the quantization of the input.
template <BuiltinOperator code> void drawSame(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const Element element = draft.element();
  draft.op(code, {draft.input(shape, element, {-50, 50})}, {draft.output(shape, element)});
}

/// Of numbers above zero only: 8-bit inputs have the least zero point.
template <BuiltinOperator code> void drawOfPositive(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  Element input = draft.element();
  if (draft.kind() == Kind::I8)
    input.zeroPoints = {-128};
  draft.op(code, {draft.input(shape, input, {0.05, 9})}, {draft.output(shape, draft.element())});
}

/// EXP, LOG or RSQRT: 16-bit numbers are interpolated in a table.
template <BuiltinOperator code> void drawInterpolated(Draft &draft) {
  if (draft.kind() != Kind::I16 && code == BuiltinOperator::EXP)
    return drawFunction<BuiltinOperator::EXP, -9, 9>(draft);
  if (draft.kind() != Kind::I16)
    return drawOfPositive<code>(draft);
  const Shape shape = draft.shape(1, 4);
  const Element input = draft.elementWith(static_cast<float>(draft.real(1, 10) / 32768));
  const Element result = draft.elementWith(static_cast<float>(draft.real(1, 40) / 32768));
  std::vector<double> stored(static_cast<size_t>(numElements(shape)));
  for (double &number : stored)
    number = draft.pick(code == BuiltinOperator::RSQRT ? 1 : -32768, 32767);
  const int32_t operand = draft.model().addInput(shape, input, encode(stored, input.type));
  const float scale = result.scale();
  draft.op(code, {operand}, {draft.output(shape, result)});
  draft.model().expect({expectedTable(draft.model(), operand, result, [scale](float x) {
    if (code == BuiltinOperator::EXP)
      return std::exp(x);
    if (code == BuiltinOperator::LOG)
      return x <= 0 ? -32768 * scale : std::log(x);
    return x <= 0 ? 32767 * scale : 1 / std::sqrt(x);
  })});
}

/// 16-bit roots as the reference computes them: in floats, rounded towards zero.
void drawSqrt(Draft &draft) {
  if (draft.kind() == Kind::F32)
    return drawOfPositive<BuiltinOperator::SQRT>(draft);
  const Shape shape = draft.shape(1, 4);
  const Element input = draft.element(), result = draft.element();
  std::vector<double> stored(static_cast<size_t>(numElements(shape))), roots;
  for (double &number : stored) {
    number = draft.pick(0, 32767);
    const float root = std::sqrt(input.scale() * static_cast<float>(number)) / result.scale();
    roots.push_back(std::min(std::trunc(static_cast<double>(root)), 32767.0));
  }
  draft.op(BuiltinOperator::SQRT, {draft.model().addInput(shape, input, encode(stored, input.type))},
           {draft.output(shape, result)});
  draft.model().expect({encode(roots, result.type)});
}

void drawFakeQuant(Draft &draft) {
  tflite::FakeQuantOptionsT options;
  options.min = static_cast<float>(draft.real(-6, 0));
  options.max = static_cast<float>(draft.real(0.5, 6));
  options.num_bits = draft.pick(2, 12);
  const Shape shape = draft.shape(1, 4);
  draft.op(BuiltinOperator::FAKE_QUANT, {draft.input(shape, draft.element(), {-8, 8})},
           {draft.output(shape, draft.element())}, options);
}

const Row kRows[] = {
    {BuiltinOperator::ABS, {Kind::F32, Kind::I8, Kind::I16}, drawFunction<BuiltinOperator::ABS, -9, 9>},
    {BuiltinOperator::NEG, {Kind::F32, Kind::I32, Kind::I64}, drawSame<BuiltinOperator::NEG>},
    {BuiltinOperator::SIN, kFloatKinds, drawFunction<BuiltinOperator::SIN, -9, 9>},
    {BuiltinOperator::EXP,
     {Kind::F32, Kind::I16},
     drawInterpolated<BuiltinOperator::EXP>,
     kTolerance,
     {},
     true,
     {Kind::I16}},
    {BuiltinOperator::LOG,
     {Kind::F32, Kind::I16},
     drawInterpolated<BuiltinOperator::LOG>,
     kTolerance,
     {},
     true,
     {Kind::I16}},
    {BuiltinOperator::SQRT, {Kind::F32, Kind::I16}, drawSqrt, kTolerance, {}, true, {Kind::I16}},
    {BuiltinOperator::RSQRT,
     {Kind::F32, Kind::I8, Kind::I16},
     drawInterpolated<BuiltinOperator::RSQRT>,
     kTolerance,
     {},
     true,
     {Kind::I16}},
    {BuiltinOperator::FLOOR, kFloatKinds, drawSame<BuiltinOperator::FLOOR>, 0},
    {BuiltinOperator::ELU, {Kind::F32, Kind::I8}, drawFunction<BuiltinOperator::ELU, -9, 9>},
    {BuiltinOperator::HARD_SWISH, kByteKinds, drawFunction<BuiltinOperator::HARD_SWISH, -5, 5>},
    {BuiltinOperator::LOGICAL_NOT, {Kind::Bool}, drawSame<BuiltinOperator::LOGICAL_NOT>},
    {BuiltinOperator::ZEROS_LIKE, {Kind::F32, Kind::I32, Kind::I64}, drawSame<BuiltinOperator::ZEROS_LIKE>, 0},
    {BuiltinOperator::FAKE_QUANT, kFloatKinds, drawFakeQuant},
};

} // namespace

std::span<const Row> unaryRows() { return kRows; }

} // namespace avocet::differential
