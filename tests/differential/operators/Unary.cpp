//===- Unary.cpp - Functions of single elements ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

/// The range of the argument decides where the function is defined.
template <BuiltinOperator code, int low, int high> void drawFunction(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  draft.op(code, {draft.input(shape, draft.element(), {low, high})}, {draft.output(shape, draft.element())});
}

/// The result has the quantisation of the input.
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
    {BuiltinOperator::EXP, kFloatKinds, drawFunction<BuiltinOperator::EXP, -9, 9>},
    {BuiltinOperator::LOG, kFloatKinds, drawOfPositive<BuiltinOperator::LOG>},
    {BuiltinOperator::SQRT, kFloatKinds, drawOfPositive<BuiltinOperator::SQRT>},
    {BuiltinOperator::RSQRT, {Kind::F32, Kind::I8}, drawOfPositive<BuiltinOperator::RSQRT>},
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
