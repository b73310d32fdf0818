//===- Activation.cpp - Functions of one tensor, and changes of its type ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Reference.h"

namespace avocet::differential {
namespace {

/// The result has the input's shape.
void drawUnary(Draft &draft, BuiltinOperator code, const Element &input, const Element &result, Range range = {}) {
  const Shape shape = draft.shape(1, 4);
  draft.op(code, {draft.input(shape, input, range)}, {draft.output(shape, result)});
}

template <BuiltinOperator code> void drawRelu(Draft &draft) {
  const Element input = draft.element();
  // A result of the same quantization is the usual form, a coarser one is allowed.
  const Element result = draft.oneIn(2) ? input : draft.elementWith(input.scale() * 2);
  drawUnary(draft, code, input, result, {-8, 8});
}

void drawLogistic(Draft &draft) { drawUnary(draft, BuiltinOperator::LOGISTIC, draft.element(), draft.unit(), {-9, 9}); }
void drawTanh(Draft &draft) {
  drawUnary(draft, BuiltinOperator::TANH, draft.element(), draft.symmetricUnit(), {-5, 5});
}

/// What a type is made from: floats, or another quantization.
std::vector<Kind> sourcesOf(Kind result) {
  switch (result) {
  case Kind::I32:
    return {Kind::I16};
  case Kind::I16:
    return {Kind::F32, Kind::I16, Kind::I32};
  case Kind::U8:
    return {Kind::F32, Kind::I8, Kind::U8};
  default:
    return {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32};
  }
}

void drawQuantize(Draft &draft) {
  Element result = draft.element();
  if (draft.kind() == Kind::I32)
    result = {TensorType::INT32, {static_cast<float>(draft.real(1e-6, 0.1))}, {0}};
  const Kind from = draft.any(sourcesOf(draft.kind()));
  Element input = Draft::plain(typeOf(from));
  if (from != Kind::F32) {
    input.scales = {result.scale() * static_cast<float>(draft.real(0.5, 2))};
    input.zeroPoints = {from == Kind::U8 ? draft.pick(0, 255) : from == Kind::I8 ? draft.pick(-128, 127) : 0};
  }
  const double reach = 150 * result.scale();
  const Shape shape = draft.shape(1, 4);
  const double most = draft.kind() == Kind::I16 ? 99999 : 400;
  const int32_t operand = draft.input(shape, input, from == Kind::I32 ? Range{-most, most} : Range{-reach, reach});
  draft.op(BuiltinOperator::QUANTIZE, {operand}, {draft.output(shape, result)});
  draft.model().expect({expectedQuantize(draft.model(), operand, result)});
}

void drawDequantize(Draft &draft) {
  drawUnary(draft, BuiltinOperator::DEQUANTIZE, draft.element(), Draft::plain(TensorType::FLOAT32));
}

constexpr KnownDifference kQuotient = {1, "the library divides floats in double precision, the reference does not"};

const Row kRows[] = {
    {BuiltinOperator::LOGISTIC, kRealKinds, drawLogistic},
    {BuiltinOperator::TANH, kRealKinds, drawTanh},
    {BuiltinOperator::RELU, kRealKinds, drawRelu<BuiltinOperator::RELU>, 0},
    {BuiltinOperator::RELU6, kRealKinds, drawRelu<BuiltinOperator::RELU6>, 0},
    {BuiltinOperator::RELU_N1_TO_1, kByteKinds, drawRelu<BuiltinOperator::RELU_N1_TO_1>, 0},
    {BuiltinOperator::QUANTIZE, {Kind::I8, Kind::U8, Kind::I16, Kind::I32}, drawQuantize, kTolerance, kQuotient},
    {BuiltinOperator::DEQUANTIZE, {Kind::F16, Kind::I8, Kind::U8, Kind::I16}, drawDequantize, 0},
};

} // namespace

std::span<const Row> activationRows() { return kRows; }

} // namespace avocet::differential
