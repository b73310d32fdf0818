//===- Recurrent.cpp - Operators with state -------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Runs.h"

#include <algorithm>

namespace avocet::differential {
namespace {

constexpr int32_t kAbsent = -1;
constexpr Range kWeights = {-1, 1};
const Element kFloat = Draft::plain(TensorType::FLOAT32);

bool isInteger(const Draft &draft) { return draft.kind() == Kind::I8; }

/// The parts and extents of one LSTM.
struct Lstm {
  int32_t batch, inputs, cells, outputs;
  bool isCoupled, hasPeepholes, hasProjection, hasNorm;
};

Lstm drawParts(Draft &draft, bool mayHaveNorm) {
  Lstm lstm{draft.pick(1, 3), draft.pick(1, 8), draft.pick(1, 8), 0, false, false, false, false};
  if (!draft.oneIn(3)) {
    lstm.isCoupled = draft.oneIn(3);
    lstm.hasPeepholes = draft.oneIn(3);
    lstm.hasProjection = draft.oneIn(3);
    lstm.hasNorm = mayHaveNorm && draft.oneIn(3);
  }
  lstm.outputs = lstm.hasProjection ? draft.pick(1, 6) : lstm.cells;
  // The reference confuses the two counts where it adds peepholes in integers.
  if (isInteger(draft) && lstm.hasPeepholes)
    lstm.outputs = lstm.cells;
  return lstm;
}

Element weightElement(Draft &draft) {
  return draft.kind() == Kind::F32 ? kFloat
                                   : Element{TensorType::INT8, {static_cast<float>(draft.real(0.002, 0.01))}, {0}};
}

/// 16-bit coefficients of integer cells.
Element coefficients(Draft &draft) {
  return isInteger(draft) ? Element{TensorType::INT16, {static_cast<float>(draft.real(1e-5, 1e-4))}, {0}} : kFloat;
}

/// Constants of one shape for `count` gates, or their absence; the first gate may be coupled to the second.
void addGroup(Draft &draft, std::vector<int32_t> &operands, int32_t count, const Shape &shape, bool isThere,
              bool isCoupled, Element (*element)(Draft &draft), Range range = kWeights) {
  for (int32_t i = 0; i < count; ++i)
    operands.push_back(isThere && !(isCoupled && i == 0) ? draft.constant(shape, element(draft), range) : kAbsent);
}

Element biasElement(Draft &draft) { return isInteger(draft) ? Element{TensorType::INT32, {0.0001f}, {0}} : kFloat; }

/// 8-bit values beside floats are weights to the reference, which makes floats of them.
Element peepholeElement(Draft &draft) {
  return draft.kind() == Kind::Hybrid ? weightElement(draft) : coefficients(draft);
}

/// The 17 weights and biases from the first input weights to the bias of the projection.
void addWeights(Draft &draft, std::vector<int32_t> &operands, const Lstm &lstm) {
  const Range biases = isInteger(draft) ? Range{-2000, 2000} : kWeights;
  addGroup(draft, operands, 4, {lstm.cells, lstm.inputs}, true, lstm.isCoupled, weightElement);
  addGroup(draft, operands, 4, {lstm.cells, lstm.outputs}, true, lstm.isCoupled, weightElement);
  addGroup(draft, operands, 3, {lstm.cells}, lstm.hasPeepholes, lstm.isCoupled, peepholeElement);
  addGroup(draft, operands, 4, {lstm.cells}, true, lstm.isCoupled, biasElement, biases);
  addGroup(draft, operands, 1, {lstm.outputs, lstm.cells}, lstm.hasProjection, false, weightElement);
  addGroup(draft, operands, 1, {lstm.outputs}, lstm.hasProjection && draft.oneIn(2), false, biasElement, biases);
}

/// The variables in which the state is kept, which are zero before the first step of the first run.
void addStates(Draft &draft, std::vector<int32_t> &operands, const Lstm &lstm, const Element &output) {
  const Element cell = isInteger(draft) ? Element{TensorType::INT16, {1.0f / 2048}, {0}} : kFloat;
  operands.push_back(draft.model().addVariable({lstm.batch, lstm.outputs}, output));
  operands.push_back(draft.model().addVariable({lstm.batch, lstm.cells}, cell));
}

/// Types of inner values: sums of the gates, which matter with normalization, and the hidden state.
void addIntermediates(Draft &draft, tflite::OperatorT &op, const Lstm &lstm, const Element &output) {
  if (!isInteger(draft))
    return;
  for (int gate = 0; gate < 4; ++gate)
    op.intermediates.push_back(draft.model().addTensor(
        {}, {TensorType::INT16, {lstm.hasNorm ? static_cast<float>(draft.real(0.0002, 0.001)) : 1.0f / 4096}, {0}}));
  // Version 2.9 subtracts the zero point of the hidden state; TensorFlow Lite Micro adds it, as the definition says.
  const Element hidden{TensorType::INT8, {static_cast<float>(draft.real(0.004, 0.02))}, {0}};
  op.intermediates.push_back(draft.model().addTensor({}, lstm.hasProjection ? hidden : output));
}

float clipOf(Draft &draft) { return draft.oneIn(2) ? 0.0f : 0.5f; }

template <typename Options> void drawCell(Draft &draft, BuiltinOperator code, const Shape &outer, Options options) {
  Lstm lstm = drawParts(draft, true);
  const auto shape = [&](int32_t depth) {
    Shape all = outer;
    std::ranges::replace(all, kAbsent, lstm.batch);
    all.push_back(depth);
    return all;
  };
  const Element output =
      isInteger(draft) ? Element{TensorType::INT8, {static_cast<float>(draft.real(0.006, 0.02))}, {0}} : kFloat;
  options.activation = tflite::ActivationFunction::TANH;
  options.cell_clip = clipOf(draft);
  options.proj_clip = lstm.hasProjection ? clipOf(draft) : 0.0f;
  options.asymmetric_quantize_inputs = draft.kind() == Kind::Hybrid && draft.oneIn(2);
  std::vector<int32_t> operands = {draft.input(shape(lstm.inputs), draft.elementWith(0.02f), kWeights)};
  addWeights(draft, operands, lstm);
  addStates(draft, operands, lstm, output);
  addGroup(draft, operands, 4, {lstm.cells}, lstm.hasNorm, lstm.isCoupled, coefficients);
  tflite::OperatorT &op = draft.op(code, operands, {draft.output(shape(lstm.outputs), output)}, options);
  addIntermediates(draft, op, lstm, output);
  addRuns(draft, {operands.front()}, kWeights);
}

/// One matrix for all gates, in float32 or with 8-bit values and 16-bit gates. The states are operands or variables.
void drawBasic(Draft &draft) {
  const int32_t batch = draft.pick(1, 3), inputs = draft.pick(1, 8), cells = draft.pick(1, 8);
  const bool isInteger = draft.kind() == Kind::U8;
  const Element hidden = isInteger ? Element{TensorType::UINT8, {1.0f / 128}, {128}} : kFloat;
  const Element state = isInteger ? Element{TensorType::INT16, {1.0f / 2048}, {0}} : kFloat;
  Element weights = kFloat, biases = kFloat;
  if (isInteger) {
    weights = {TensorType::UINT8, {static_cast<float>(draft.real(0.002, 0.02))}, {draft.pick(0, 255)}};
    biases = {TensorType::INT32, {weights.scales[0] / 128}, {0}};
  }
  const bool hasVariables = draft.oneIn(2);
  const auto stateOf = [&](const Element &element, Range range) {
    return hasVariables ? draft.model().addVariable({batch, cells}, element)
                        : draft.input({batch, cells}, element, range);
  };
  const std::vector<int32_t> operands = {draft.input({batch, inputs}, hidden, kWeights), stateOf(hidden, kWeights),
                                         draft.constant({4 * cells, inputs + cells}, weights, kWeights),
                                         draft.constant({4 * cells}, biases, isInteger ? Range{-2000, 2000} : kWeights),
                                         stateOf(state, {-4, 4})};
  const std::vector<int32_t> results = {draft.output({batch, cells}, hidden), draft.output({batch, cells}, state),
                                        draft.model().addTensor({batch, inputs + cells}, hidden),
                                        draft.model().addTensor({batch, 4 * cells}, state)};
  tflite::LSTMOptionsT options;
  options.kernel_type = tflite::LstmKernelType::BASIC;
  options.activation = tflite::ActivationFunction::TANH;
  draft.op(BuiltinOperator::LSTM, operands, results, options);
  if (hasVariables)
    addRuns(draft, {operands.front()}, kWeights);
}

void drawStep(Draft &draft) {
  if (draft.kind() == Kind::U8 || (draft.kind() == Kind::F32 && draft.oneIn(4)))
    drawBasic(draft);
  else
    drawCell(draft, BuiltinOperator::LSTM, {kAbsent}, tflite::LSTMOptionsT());
}

void drawSequence(Draft &draft) {
  tflite::UnidirectionalSequenceLSTMOptionsT options;
  options.time_major = draft.oneIn(2);
  const int32_t steps = draft.pick(1, 5);
  drawCell(draft, BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM,
           options.time_major ? Shape{steps, kAbsent} : Shape{kAbsent, steps}, options);
}

/// How the auxiliary input is used: not at all, by the backward layer in place of the input, or by both layers.
enum class Linking { None, Parallel, Cross };

/// What both kinds of bidirectional layers have. The library computes steps of both inputs with the extents of the
/// first.
struct Bidirectional {
  Bidirectional(Draft &draft, int32_t batch, int32_t inputs)
      : linking(draft.kind() == Kind::Hybrid ? Linking::None
                                             : draft.any<Linking>({Linking::None, Linking::Parallel, Linking::Cross})),
        isTimeMajor(draft.oneIn(2)), isMerged(draft.oneIn(2)), batch(batch), steps(draft.pick(1, 5)), inputs(inputs) {}

  /// `operands` up to the auxiliary input, which may be absent.
  std::vector<int32_t> inputsOf(const std::vector<int32_t> &operands) const {
    if (linking == Linking::None)
      return {operands.front()};
    return {operands.front(), operands.back()};
  }
  Shape sequence(int32_t depth) const { return isTimeMajor ? Shape{steps, batch, depth} : Shape{batch, steps, depth}; }

  int32_t auxInput(Draft &draft) const {
    return linking == Linking::None ? kAbsent : draft.input(sequence(inputs), kFloat, kWeights);
  }
  int32_t auxWeights(Draft &draft, int32_t rows) const {
    return linking == Linking::Cross ? draft.constant({rows, inputs}, kFloat, kWeights) : kAbsent;
  }
  std::vector<int32_t> outputs(Draft &draft, int32_t forward, int32_t backward) const {
    if (isMerged)
      return {draft.output(sequence(forward + backward), kFloat)};
    return {draft.output(sequence(forward), kFloat), draft.output(sequence(backward), kFloat)};
  }

  Linking linking;
  bool isTimeMajor, isMerged;
  int32_t batch, steps, inputs;
};

void drawBidirectionalLstm(Draft &draft) {
  Lstm forward = drawParts(draft, false);
  Bidirectional both(draft, forward.batch, forward.inputs);
  // Here the library finds the states of later elements of the batch in the wrong place.
  if (both.isMerged && !both.isTimeMajor)
    both.batch = forward.batch = 1;
  const Lstm backward = forward;
  tflite::BidirectionalSequenceLSTMOptionsT options;
  options.activation = tflite::ActivationFunction::TANH;
  options.cell_clip = clipOf(draft);
  options.merge_outputs = both.isMerged;
  options.time_major = both.isTimeMajor;
  options.asymmetric_quantize_inputs = draft.kind() == Kind::Hybrid && draft.oneIn(2);
  std::vector<int32_t> operands = {draft.input(both.sequence(both.inputs), kFloat, kWeights)};
  for (const Lstm &lstm : {forward, backward})
    addWeights(draft, operands, lstm);
  for (const Lstm &lstm : {forward, backward})
    addStates(draft, operands, lstm, kFloat);
  operands.push_back(both.auxInput(draft));
  const std::vector<int32_t> inputs = both.inputsOf(operands);
  for (const Lstm &lstm : {forward, backward})
    for (int gate = 0; gate < 4; ++gate)
      operands.push_back(lstm.isCoupled && gate == 0 ? kAbsent : both.auxWeights(draft, lstm.cells));
  draft.op(BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, operands,
           both.outputs(draft, forward.outputs, backward.outputs), options);
  addRuns(draft, inputs, kWeights);
}

void drawBidirectionalRnn(Draft &draft) {
  Bidirectional both(draft, draft.pick(1, 3), draft.pick(1, 8));
  // The library ignores a second input of batch-major sequences, and repeats time-major hybrid ones for each step.
  if (both.linking == Linking::Parallel)
    both.isTimeMajor = true;
  if (draft.kind() == Kind::Hybrid)
    both.isTimeMajor = false;
  const int32_t units[] = {draft.pick(1, 8), draft.pick(1, 8)};
  tflite::BidirectionalSequenceRNNOptionsT options;
  options.activation = tflite::ActivationFunction::TANH;
  options.merge_outputs = both.isMerged;
  options.time_major = both.isTimeMajor;
  std::vector<int32_t> operands = {draft.input(both.sequence(both.inputs), kFloat, kWeights)};
  for (int direction : {0, 1}) {
    const int32_t count = units[direction];
    operands.push_back(draft.constant({count, both.inputs}, weightElement(draft), kWeights));
    operands.push_back(draft.constant({count, count}, weightElement(draft), kWeights));
    operands.push_back(draft.constant({count}, kFloat, kWeights));
    operands.push_back(draft.model().addVariable({both.batch, count}, kFloat));
  }
  operands.push_back(both.auxInput(draft));
  const std::vector<int32_t> inputs = both.inputsOf(operands);
  for (int32_t count : units)
    operands.push_back(both.auxWeights(draft, count));
  draft.op(BuiltinOperator::BIDIRECTIONAL_SEQUENCE_RNN, operands, both.outputs(draft, units[0], units[1]), options);
  addRuns(draft, inputs, kWeights);
}

/// A step is 1/2048 of a state that is at most 16; 9 steps were the most in 4,000 cases.
const KnownDifference kGates = {12, "basic form: the library's vectors round halves of 16-bit numbers upwards", false,
                                Kind::U8};

const Row kRows[] = {
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, {Kind::F32, Kind::Hybrid}, drawBidirectionalLstm},
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_RNN, {Kind::F32, Kind::Hybrid}, drawBidirectionalRnn},
    {BuiltinOperator::LSTM, {Kind::F32, Kind::I8, Kind::U8, Kind::Hybrid}, drawStep, kTolerance, kGates},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, {Kind::F32, Kind::I8, Kind::Hybrid}, drawSequence},
};

} // namespace

std::span<const Row> recurrentRows() { return kRows; }

} // namespace avocet::differential
