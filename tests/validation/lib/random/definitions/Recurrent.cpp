//===- Recurrent.cpp - Recurrent layers in floating point -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cells.h"

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// One direction of a layer over a sequence.
struct Direction {
  CellStep step;
  size_t input = 0, auxiliary = 0, outputState = 0, cellState = 0; ///< positions; 0 of all but the input: none
  bool isBackward = false;
};

/// Outputs in the order of the input's rows; the states after the last step, batch after batch.
struct Sequence {
  std::vector<Reals> outputs;
  Reals lastOutput, lastCell;
};

void append(const Reals &values, Reals &all) { all.insert(all.end(), values.begin(), values.end()); }

Reals joined(const std::vector<Reals> &rows) {
  Reals all;
  for (const Reals &row : rows)
    append(row, all);
  return all;
}

/// Inputs are [time, batch, size] or [batch, time, size].
Sequence runDirection(const OperationValues &operation, const Direction &direction, bool isTimeMajor) {
  const Dimensions &dimensions = operation.input(direction.input).dimensions;
  const size_t times = dimensions[isTimeMajor ? 0 : 1], batches = dimensions[isTimeMajor ? 1 : 0];
  auto rowsAt = [&](size_t position) { return position == 0 ? Rows() : Rows(operation, position); };
  const Rows inputs(operation, direction.input), auxiliaries = rowsAt(direction.auxiliary),
                                                 outputStates = rowsAt(direction.outputState),
                                                 cellStates = rowsAt(direction.cellState);
  Sequence sequence;
  sequence.outputs.resize(inputs.count());
  for (size_t batch = 0; batch < batches; ++batch) {
    CellState state{outputStates.at(batch), cellStates.isEmpty() ? Reals() : cellStates.at(batch)};
    for (size_t i = 0; i < times; ++i) {
      const size_t time = direction.isBackward ? times - 1 - i : i;
      const size_t row = isTimeMajor ? time * batches + batch : batch * times + time;
      state = direction.step(inputs.at(row), auxiliaries.isEmpty() ? Reals() : auxiliaries.at(row), state);
      sequence.outputs[row] = state.output;
    }
    append(state.output, sequence.lastOutput);
    append(state.cell, sequence.lastCell);
  }
  return sequence;
}

/// The sequence, and the states if the operation has outputs for them.
Results withStates(const OperationValues &operation, const Sequence &sequence) {
  Results results{joined(sequence.outputs)};
  for (const Reals *state : {&sequence.lastOutput, &sequence.lastCell})
    if (operation.numOutputs() > results.size())
      results.emplace_back(*state);
  return results;
}

/// Both directions; then their states, if the operation has outputs for them.
Results bothDirections(const OperationValues &operation, const Direction &forward, const Direction &backward,
                       bool isTimeMajor, bool merges) {
  Sequence first = runDirection(operation, forward, isTimeMajor);
  const Sequence second = runDirection(operation, backward, isTimeMajor);
  Results results;
  if (merges) {
    for (size_t row = 0; row < first.outputs.size(); ++row)
      append(second.outputs[row], first.outputs[row]);
    results.emplace_back(joined(first.outputs));
  } else {
    results = {joined(first.outputs), joined(second.outputs)};
  }
  if (operation.numOutputs() == results.size())
    return results;
  for (const Sequence *sequence : {&std::as_const(first), &second}) {
    results.emplace_back(sequence->lastOutput);
    if (!sequence->lastCell.empty())
      results.emplace_back(sequence->lastCell);
  }
  return results;
}

/// An auxiliary input without weights is the input of the backward direction; with weights, both read it too.
void link(const OperationValues &operation, size_t auxiliary, bool hasWeights, Direction &forward,
          Direction &backward) {
  if (!operation.has(auxiliary))
    return;
  if (hasWeights)
    forward.auxiliary = backward.auxiliary = auxiliary;
  else
    backward.input = auxiliary;
}

std::optional<Results> rnn(const OperationValues &operation) {
  const BatchStep all = stepOfBatch(operation, rnnCell(operation, {1, 2, 3}, operation.integer(5)), 4, 0);
  return Results{all.output, all.output};
}

std::optional<Results> sequenceRnn(const OperationValues &operation) {
  const Direction direction{rnnCell(operation, {1, 2, 3}, operation.integer(5)), 0, 0, 4};
  return withStates(operation, runDirection(operation, direction, operation.integer(6) != 0));
}

std::optional<Results> bidirectionalRnn(const OperationValues &operation) {
  constexpr size_t kAuxiliary = 9, kAuxiliaryWeights = 10;
  const int32_t activation = operation.integer(12);
  const bool hasWeights = operation.has(kAuxiliaryWeights);
  Direction forward{rnnCell(operation, {1, 2, 3, hasWeights ? kAuxiliaryWeights : 0}, activation), 0, 0, 4};
  Direction backward{rnnCell(operation, {5, 6, 7, hasWeights ? kAuxiliaryWeights + 1 : 0}, activation), 0, 0, 8};
  backward.isBackward = true;
  link(operation, kAuxiliary, hasWeights, forward, backward);
  return bothDirections(operation, forward, backward, operation.boolean(13), operation.boolean(14));
}

/// The operands of an LSTM cell with its weights from `first` on.
LstmPlaces lstmPlaces(size_t first, size_t norms, size_t auxiliaryWeights = 0) {
  return {.weights = first,
          .recurrentWeights = first + 4,
          .auxiliaryWeights = auxiliaryWeights,
          .peepholes = first + 8,
          .biases = first + 11,
          .norms = norms,
          .projection = first + 15,
          .projectionBias = first + 16};
}

/// Activation and clips from `first` on.
LstmNumbers lstmNumbers(const OperationValues &operation, size_t first) {
  LstmNumbers numbers;
  numbers.activation = operation.integer(first);
  numbers.cellLimit = operation.real(first + 1);
  numbers.projectionLimit = operation.real(first + 2);
  return numbers;
}

/// The first output is scratch memory.
std::optional<Results> lstm(const OperationValues &operation) {
  const CellStep step = lstmCell(operation, lstmPlaces(1, 23), lstmNumbers(operation, 20));
  const BatchStep all = stepOfBatch(operation, step, 18, 19);
  return Results{std::nullopt, all.output, all.cell, all.output};
}

std::optional<Results> sequenceLstm(const OperationValues &operation) {
  const Direction direction{lstmCell(operation, lstmPlaces(1, 24), lstmNumbers(operation, 20)), 0, 0, 18, 19};
  return withStates(operation, runDirection(operation, direction, operation.boolean(23)));
}

std::optional<Results> bidirectionalLstm(const OperationValues &operation) {
  constexpr size_t kAuxiliary = 39, kAuxiliaryWeights = 40;
  const bool hasWeights = operation.has(kAuxiliaryWeights + 1); // coupled gates have none for the input gate
  auto weightsAt = [&](size_t position) { return hasWeights ? position : 0; };
  const LstmNumbers numbers = lstmNumbers(operation, 48);
  Direction forward{lstmCell(operation, lstmPlaces(1, 53, weightsAt(kAuxiliaryWeights)), numbers), 0, 0, 35, 36};
  Direction backward{lstmCell(operation, lstmPlaces(18, 57, weightsAt(kAuxiliaryWeights + 4)), numbers), 0, 0, 37, 38};
  backward.isBackward = true;
  link(operation, kAuxiliary, hasWeights, forward, backward);
  return bothDirections(operation, forward, backward, operation.boolean(52), operation.boolean(51));
}

/// A memory of the results of the first stage for each filter, the newest at its end. The state that is stored has lost
/// the oldest, and a zero stands where the next result goes.
std::optional<Results> svdf(const OperationValues &operation) {
  const Rows inputs(operation, 0), features(operation, 1), times(operation, 2), states(operation, 4);
  const auto rank = static_cast<size_t>(operation.integer(5));
  const size_t memory = operation.input(2).dimensions[1], units = features.count() / rank;
  Reals stored, outputs;
  for (size_t batch = 0; batch < inputs.count(); ++batch) {
    Reals newest(features.count());
    features.addProduct(inputs.at(batch), newest);
    Reals sums = operation.has(3) ? operation.reals(3) : Reals(units);
    for (size_t filter = 0; filter < features.count(); ++filter) {
      auto remembered = [&](size_t i) {
        return i + 1 == memory ? newest[filter] : states.at(batch)[filter * memory + i];
      };
      for (size_t i = 0; i < memory; ++i) {
        sums[filter / rank] += remembered(i) * times.at(filter)[i];
        stored.push_back(i + 1 == memory ? 0 : remembered(i + 1));
      }
    }
    for (double sum : sums)
      outputs.push_back(activated(operation.integer(6), sum));
  }
  return Results{stored, outputs};
}

constexpr Definition kRows[] = {
    {Rnn, rnn},
    {UnidirectionalSequenceRnn, sequenceRnn},
    {BidirectionalSequenceRnn, bidirectionalRnn},
    {Svdf, svdf},
    {Lstm, lstm},
    {UnidirectionalSequenceLstm, sequenceLstm},
    {BidirectionalSequenceLstm, bidirectionalLstm},
};

} // namespace

std::span<const Definition> recurrentDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
