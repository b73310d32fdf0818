//===- Cells.cpp - Cells with a state that starts at zero -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

const Element kFloat = Draft::plain(TensorType::FLOAT32);
constexpr Range kWeights = {-1, 1};
constexpr int32_t kAbsent = -1;

tflite::ActivationFunction cellFunction(Draft &draft) {
  using tflite::ActivationFunction;
  return draft.any<ActivationFunction>(
      {ActivationFunction::NONE, ActivationFunction::RELU, ActivationFunction::RELU6, ActivationFunction::TANH});
}

void drawSvdf(Draft &draft) {
  const int32_t batch = draft.pick(1, 3), inputs = draft.pick(1, 8), units = draft.pick(1, 6),
                memory = draft.pick(2, 6);
  tflite::SVDFOptionsT options;
  options.rank = draft.pick(1, 3);
  options.activation = draft.clamp();
  const int32_t filters = units * options.rank;
  const int32_t bias = draft.oneIn(3) ? kAbsent : draft.constant({units}, kFloat);
  draft.op(BuiltinOperator::SVDF,
           {draft.input({batch, inputs}, kFloat), draft.constant({filters, inputs}, kFloat, kWeights),
            draft.constant({filters, memory}, kFloat, kWeights), bias,
            draft.model().addVariable({batch, memory * filters}, kFloat)},
           {draft.output({batch, units}, kFloat)}, options);
}

/// Weights, recurrent weights, bias and state.
std::vector<int32_t> rnnOperands(Draft &draft, const Shape &input, int32_t batch, int32_t units) {
  return {draft.input(input, kFloat, kWeights), draft.constant({units, input.back()}, kFloat, kWeights),
          draft.constant({units, units}, kFloat, kWeights), draft.constant({units}, kFloat, kWeights),
          draft.model().addVariable({batch, units}, kFloat)};
}

void drawRnn(Draft &draft) {
  const int32_t batch = draft.pick(1, 3), units = draft.pick(1, 8);
  tflite::RNNOptionsT options;
  options.activation = cellFunction(draft);
  const std::vector<int32_t> operands = rnnOperands(draft, {batch, draft.pick(1, 8)}, batch, units);
  draft.op(BuiltinOperator::RNN, operands, {draft.output({batch, units}, kFloat)}, options);
}

void drawSequenceRnn(Draft &draft) {
  const int32_t batch = draft.pick(1, 3), units = draft.pick(1, 8), steps = draft.pick(1, 5);
  tflite::SequenceRNNOptionsT options;
  options.time_major = draft.oneIn(2);
  options.activation = tflite::ActivationFunction::TANH;
  const auto sequence = [&](int32_t depth) {
    return options.time_major ? Shape{steps, batch, depth} : Shape{batch, steps, depth};
  };
  const std::vector<int32_t> operands = rnnOperands(draft, sequence(draft.pick(1, 8)), batch, units);
  draft.op(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, operands, {draft.output(sequence(units), kFloat)}, options);
}

/// Constants of one shape, or their absence; the first of four gates may be coupled to the second.
void addGroup(Draft &draft, std::vector<int32_t> &operands, int32_t count, const Shape &shape, bool isThere,
              bool isCoupled) {
  for (int32_t i = 0; i < count; ++i)
    operands.push_back(isThere && !(isCoupled && i == 0) ? draft.constant(shape, kFloat, kWeights) : kAbsent);
}

void drawLstm(Draft &draft) {
  const int32_t batch = draft.pick(1, 3), inputs = draft.pick(1, 8), cells = draft.pick(1, 8);
  const bool isCoupled = draft.oneIn(3), hasPeepholes = draft.oneIn(3), hasProjection = draft.oneIn(3);
  const int32_t outputs = hasProjection ? draft.pick(1, 6) : cells;
  tflite::LSTMOptionsT options;
  options.activation = tflite::ActivationFunction::TANH;
  options.cell_clip = draft.oneIn(2) ? 0.0f : 0.5f;
  std::vector<int32_t> operands = {draft.input({batch, inputs}, kFloat, kWeights)};
  addGroup(draft, operands, 4, {cells, inputs}, true, isCoupled);
  addGroup(draft, operands, 4, {cells, outputs}, true, isCoupled);
  addGroup(draft, operands, 3, {cells}, hasPeepholes, isCoupled);
  addGroup(draft, operands, 4, {cells}, true, isCoupled);
  operands.push_back(hasProjection ? draft.constant({outputs, cells}, kFloat, kWeights) : kAbsent);
  operands.push_back(hasProjection && draft.oneIn(2) ? draft.constant({outputs}, kFloat, kWeights) : kAbsent);
  operands.push_back(draft.model().addVariable({batch, outputs}, kFloat));
  operands.push_back(draft.model().addVariable({batch, cells}, kFloat));
  draft.op(BuiltinOperator::LSTM, operands, {draft.output({batch, outputs}, kFloat)}, options);
}

/// Signs of hashed projections.
void drawLshProjection(Draft &draft) {
  const int32_t hashes = draft.pick(1, 4), bits = draft.pick(1, 8);
  tflite::LSHProjectionOptionsT options;
  options.type = draft.oneIn(2) ? tflite::LshProjectionType::SPARSE : tflite::LshProjectionType::DENSE;
  const int32_t results = options.type == tflite::LshProjectionType::SPARSE ? hashes : hashes * bits;
  const Element integer = Draft::plain(TensorType::INT32);
  const int32_t seeds = draft.constant({hashes, bits}, kFloat);
  const int32_t input = draft.input({draft.pick(1, 6), draft.pick(1, 3)}, integer, {-9, 9});
  draft.op(BuiltinOperator::LSH_PROJECTION, {seeds, input}, {draft.output({results}, integer)}, options);
}

const Row kRows[] = {
    {BuiltinOperator::SVDF, kFloatKinds, drawSvdf},
    {BuiltinOperator::RNN, kFloatKinds, drawRnn},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, kFloatKinds, drawSequenceRnn},
    {BuiltinOperator::LSTM, kFloatKinds, drawLstm},
    {BuiltinOperator::LSH_PROJECTION, {Kind::I32}, drawLshProjection},
};

} // namespace

std::span<const Row> cellRows() { return kRows; }

} // namespace avocet::differential
