//===- Recurrent.cpp - Operators with state -------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

constexpr int32_t kAbsent = -1;

struct LstmShape {
  int32_t steps, batch, inputs, cells;
};

/// Gate weights in the order input, forget, cell, output.
void addMatrices(Draft &draft, std::vector<int32_t> &operands, int32_t rows, int32_t columns) {
  for (int gate = 0; gate < 4; ++gate) {
    Element element = Draft::plain(TensorType::FLOAT32);
    if (draft.kind() != Kind::F32)
      element = {TensorType::INT8, {static_cast<float>(draft.real(0.002, 0.01))}, {0}};
    operands.push_back(draft.constant({rows, columns}, element, {-1, 1}));
  }
}

Element cellState(const Draft &draft) {
  return draft.kind() == Kind::I8 ? Element{TensorType::INT16, {1.0f / 2048}, {0}} : Draft::plain(TensorType::FLOAT32);
}

/// The variables in which the state is kept, which are zero before the first step.
void addStates(Draft &draft, std::vector<int32_t> &operands, const LstmShape &shape, const Element &hidden) {
  operands.push_back(draft.model().addVariable({shape.batch, shape.cells}, hidden));
  operands.push_back(draft.model().addVariable({shape.batch, shape.cells}, cellState(draft)));
}

void addBiases(Draft &draft, std::vector<int32_t> &operands, int32_t cells) {
  const bool isInteger = draft.kind() == Kind::I8;
  Element element = Draft::plain(isInteger ? TensorType::INT32 : TensorType::FLOAT32);
  if (isInteger)
    element = {TensorType::INT32, {0.0001f}, {0}};
  for (int gate = 0; gate < 4; ++gate)
    operands.push_back(draft.constant({cells}, element, isInteger ? Range{-2000, 2000} : Range{-1, 1}));
}

void drawLstm(Draft &draft) {
  const LstmShape shape{draft.pick(1, 5), draft.pick(1, 3), draft.pick(1, 8), draft.pick(1, 8)};
  const Element input = draft.elementWith(0.02f), hidden = draft.symmetricUnit();
  tflite::UnidirectionalSequenceLSTMOptionsT options;
  options.activation = tflite::ActivationFunction::TANH;
  options.time_major = draft.oneIn(2);
  options.cell_clip = draft.oneIn(2) ? 0.0f : 8.0f;
  const auto sequence = [&](int32_t depth) {
    return options.time_major ? Shape{shape.steps, shape.batch, depth} : Shape{shape.batch, shape.steps, depth};
  };
  std::vector<int32_t> operands = {draft.input(sequence(shape.inputs), input, {-1, 1})};
  addMatrices(draft, operands, shape.cells, shape.inputs);
  addMatrices(draft, operands, shape.cells, shape.cells);
  operands.insert(operands.end(), 3, kAbsent); // peepholes
  addBiases(draft, operands, shape.cells);
  operands.insert(operands.end(), 2, kAbsent); // projection
  addStates(draft, operands, shape, hidden);
  operands.insert(operands.end(), 4, kAbsent); // layer normalisation
  tflite::OperatorT &op = draft.op(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, operands,
                                   {draft.output(sequence(shape.cells), hidden)}, options);
  if (draft.kind() == Kind::I8) // scales of inner values; only that of the hidden state matters without normalisation
    for (int gate = 0; gate < 5; ++gate)
      op.intermediates.push_back(
          draft.model().addTensor({}, gate < 4 ? Element{TensorType::INT16, {1.0f / 4096}, {0}} : hidden));
}

const Row kRows[] = {
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, {Kind::F32, Kind::I8, Kind::Hybrid}, drawLstm},
};

} // namespace

std::span<const Row> recurrentRows() { return kRows; }

} // namespace avocet::differential
