//===- Control.cpp - Operators with subgraphs -----------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

const Element kFloat = Draft::plain(TensorType::FLOAT32), kInt = Draft::plain(TensorType::INT32);

/// A subgraph that adds its parameter and a constant, or multiplies them.
uint32_t branch(Draft &draft, const Shape &shape, BuiltinOperator code) {
  const uint32_t number = draft.model().openSubgraph();
  const int32_t parameter = draft.model().addParameter(shape, kFloat);
  const int32_t constant = draft.constant({1}, kFloat);
  if (code == BuiltinOperator::ADD)
    draft.op(code, {parameter, constant}, {draft.output(shape, kFloat)}, tflite::AddOptionsT());
  else
    draft.op(code, {parameter, constant}, {draft.output(shape, kFloat)}, tflite::MulOptionsT());
  draft.model().closeSubgraph();
  return number;
}

void drawIf(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  tflite::IfOptionsT options;
  options.then_subgraph = static_cast<int32_t>(branch(draft, shape, BuiltinOperator::ADD));
  options.else_subgraph = static_cast<int32_t>(branch(draft, shape, BuiltinOperator::MUL));
  const int32_t condition = draft.operand({1}, Draft::plain(TensorType::BOOL));
  draft.op(BuiltinOperator::IF, {condition, draft.input(shape, kFloat)}, {draft.output(shape, kFloat)}, options);
}

/// counter < limit
uint32_t loopCondition(Draft &draft, const Shape &shape, int32_t limit) {
  const uint32_t number = draft.model().openSubgraph();
  const int32_t counter = draft.model().addParameter({1}, kInt);
  draft.model().addParameter(shape, kFloat);
  draft.op(BuiltinOperator::LESS, {counter, draft.integers({limit})},
           {draft.output({1}, Draft::plain(TensorType::BOOL))});
  draft.model().closeSubgraph();
  return number;
}

/// counter + 1, values * constant
uint32_t loopBody(Draft &draft, const Shape &shape) {
  const uint32_t number = draft.model().openSubgraph();
  const int32_t counter = draft.model().addParameter({1}, kInt), values = draft.model().addParameter(shape, kFloat);
  draft.op(BuiltinOperator::ADD, {counter, draft.integers({1})}, {draft.output({1}, kInt)}, tflite::AddOptionsT());
  draft.op(BuiltinOperator::MUL, {values, draft.constant({1}, kFloat, {-1, 1})}, {draft.output(shape, kFloat)},
           tflite::MulOptionsT());
  draft.model().closeSubgraph();
  return number;
}

void drawWhile(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  tflite::WhileOptionsT options;
  options.condition_subgraph = static_cast<int32_t>(loopCondition(draft, shape, draft.pick(1, 6)));
  options.body_subgraph = static_cast<int32_t>(loopBody(draft, shape));
  const int32_t start = draft.operand({1}, kInt, {0, 3});
  draft.op(BuiltinOperator::WHILE, {start, draft.input(shape, kFloat)},
           {draft.output({1}, kInt), draft.output(shape, kFloat)}, options);
}

/// The decomposition is the sum with a constant.
void drawComposite(Draft &draft) {
  const Shape shape = draft.shape(1, 3);
  const double term = draft.pick(-9, 9);
  tflite::CompositeOptionsT options;
  options.name = "test.sum";
  options.decomposition_subgraph = static_cast<int32_t>(draft.model().openSubgraph());
  const int32_t parameter = draft.model().addParameter(shape, kFloat);
  const int32_t constant = draft.model().addConstant({1}, kFloat, encode({term}, TensorType::FLOAT32));
  draft.op(BuiltinOperator::ADD, {parameter, constant}, {draft.output(shape, kFloat)}, tflite::AddOptionsT());
  draft.model().closeSubgraph();
  std::vector<double> values(static_cast<size_t>(numElements(shape)));
  for (double &value : values)
    value = draft.pick(-99, 99);
  const int32_t input = draft.model().addInput(shape, kFloat, encode(values, TensorType::FLOAT32));
  draft.op(BuiltinOperator::STABLEHLO_COMPOSITE, {input}, {draft.output(shape, kFloat)})
      .more_options.Set(std::move(options));
  for (double &value : values)
    value += term;
  draft.model().expect({encode(values, TensorType::FLOAT32)});
}

constexpr bool kMissing = false; ///< from the library

const Row kRows[] = {
    {BuiltinOperator::IF, kFloatKinds, drawIf},
    {BuiltinOperator::WHILE, kFloatKinds, drawWhile},
    {BuiltinOperator::STABLEHLO_COMPOSITE, kFloatKinds, drawComposite, 0, {}, kMissing},
};

} // namespace

std::span<const Row> controlRows() { return kRows; }

} // namespace avocet::differential
