//===- Cells.cpp - Cells with a state that runs keep ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Runs.h"

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

Element weightElement(Draft &draft) {
  return draft.kind() == Kind::F32 ? kFloat
                                   : Element{TensorType::INT8, {static_cast<float>(draft.real(0.002, 0.01))}, {0}};
}

Element wide(const Draft &draft, float scale) {
  return draft.kind() == Kind::I8 ? Element{TensorType::INT16, {scale}, {0}} : kFloat;
}

void drawSvdf(Draft &draft) {
  const bool isInteger = draft.kind() == Kind::I8;
  const int32_t batch = draft.pick(1, 3), inputs = draft.pick(1, 8), units = draft.pick(1, 6),
                memory = draft.pick(2, 6);
  tflite::SVDFOptionsT options;
  options.rank = draft.pick(1, 3);
  // The library's kernel for integers ignores clamps.
  options.activation = isInteger ? tflite::ActivationFunction::RELU : draft.clamp();
  options.asymmetric_quantize_inputs = draft.kind() == Kind::Hybrid && draft.oneIn(2);
  const int32_t filters = units * options.rank;
  const Element bias = isInteger ? Element{TensorType::INT32, {1e-6f}, {0}} : kFloat;
  const Element time = draft.kind() == Kind::Hybrid ? weightElement(draft) : wide(draft, 1.0f / 32768);
  const bool hasBias = isInteger || !draft.oneIn(3);
  const int32_t input = draft.input({batch, inputs}, draft.elementWith(0.02f));
  draft.op(BuiltinOperator::SVDF,
           {input, draft.constant({filters, inputs}, weightElement(draft), kWeights),
            draft.constant({filters, memory}, time, kWeights),
            hasBias ? draft.constant({units}, bias, isInteger ? Range{-9000, 9000} : Range()) : kAbsent,
            draft.model().addVariable({batch, memory * filters}, wide(draft, 1.0f / 4096))},
           {draft.output({batch, units}, draft.elementWith(0.05f))}, options);
  addRuns(draft, {input}, {});
}

/// Weights, recurrent weights, bias and state.
std::vector<int32_t> rnnOperands(Draft &draft, const Shape &input, int32_t batch, int32_t units) {
  return {draft.input(input, kFloat, kWeights), draft.constant({units, input.back()}, weightElement(draft), kWeights),
          draft.constant({units, units}, weightElement(draft), kWeights), draft.constant({units}, kFloat, kWeights),
          draft.model().addVariable({batch, units}, kFloat)};
}

void drawRnn(Draft &draft) {
  const int32_t batch = draft.pick(1, 3), units = draft.pick(1, 8);
  tflite::RNNOptionsT options;
  options.activation = cellFunction(draft);
  options.asymmetric_quantize_inputs = draft.kind() == Kind::Hybrid && draft.oneIn(2);
  const std::vector<int32_t> operands = rnnOperands(draft, {batch, draft.pick(1, 8)}, batch, units);
  draft.op(BuiltinOperator::RNN, operands, {draft.output({batch, units}, kFloat)}, options);
  addRuns(draft, {operands.front()}, kWeights);
}

void drawSequenceRnn(Draft &draft) {
  const int32_t batch = draft.pick(1, 3), units = draft.pick(1, 8), steps = draft.pick(1, 5);
  tflite::SequenceRNNOptionsT options;
  options.time_major = draft.oneIn(2);
  options.activation = tflite::ActivationFunction::TANH;
  options.asymmetric_quantize_inputs = draft.kind() == Kind::Hybrid && draft.oneIn(2);
  const auto sequence = [&](int32_t depth) {
    return options.time_major ? Shape{steps, batch, depth} : Shape{batch, steps, depth};
  };
  const std::vector<int32_t> operands = rnnOperands(draft, sequence(draft.pick(1, 8)), batch, units);
  draft.op(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, operands, {draft.output(sequence(units), kFloat)}, options);
  addRuns(draft, {operands.front()}, kWeights);
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
    {BuiltinOperator::SVDF, {Kind::F32, Kind::I8, Kind::Hybrid}, drawSvdf},
    {BuiltinOperator::RNN, {Kind::F32, Kind::Hybrid}, drawRnn},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, {Kind::F32, Kind::Hybrid}, drawSequenceRnn},
    {BuiltinOperator::LSH_PROJECTION, {Kind::I32}, drawLshProjection},
};

} // namespace

std::span<const Row> cellRows() { return kRows; }

} // namespace avocet::differential
