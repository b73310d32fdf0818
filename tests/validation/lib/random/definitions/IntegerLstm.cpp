//===- IntegerLstm.cpp - LSTM layers of quantized values ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cells.h"

#include <algorithm>
#include <cmath>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// Sums of gates have 3 integer bits.
double clampGate(double sum) { return std::clamp(sum, -8.0, 8.0); }

/// The largest magnitude of a cell state of 16 bits.
double largestCell(const OperationValues &operation, size_t position) {
  return 32767 * static_cast<double>(operation.input(position).scale);
}

/// A quantization of signed bytes.
struct Stored {
  double scale, zeroPoint;
  double stored(double real) const { return std::clamp(std::round(real / scale) + zeroPoint, -128.0, 127.0); }
  double realOf(double stored) const { return scale * (stored - zeroPoint); }
};

/// QUANTIZED_LSTM. Normalized sums depend on the rounding of their variance: such layers are not defined here.
std::optional<Results> quantizedLstm(const OperationValues &operation) {
  constexpr size_t kOutputState = 18, kCellState = 19, kNorms = 20, kProjection = 16, kCellClip = 24,
                   kProjectionClip = 25, kHiddenZeroPoint = 30, kHiddenScale = 31;
  if (operation.has(kNorms + 1))
    return std::nullopt;
  const LstmPlaces places{.weights = 1,
                          .recurrentWeights = 5,
                          .peepholes = 9,
                          .biases = 12,
                          .projection = kProjection,
                          .projectionBias = kProjection + 1};
  LstmNumbers numbers;
  const double most = largestCell(operation, kCellState), clip = operation.real(kCellClip);
  numbers.cellLimit = clip > 0 ? std::min(clip, most) : most;
  numbers.projectionLimit = operation.real(kProjectionClip);
  numbers.storedInputSum = numbers.storedSum = clampGate;
  const Stored hidden{operation.real(kHiddenScale), double(operation.integer(kHiddenZeroPoint))};
  const Value &output = operation.output(0);
  // Without a projection the bytes of the hidden state are the output's, whatever its quantization is.
  const Stored read =
      operation.has(kProjection) ? hidden : Stored{static_cast<double>(output.scale), double(output.zeroPoint)};
  numbers.storedHidden = [hidden, read](double value) { return read.realOf(hidden.stored(value)); };
  const BatchStep all = stepOfBatch(operation, lstmCell(operation, places, numbers), kOutputState, kCellState);
  return Results{all.output, all.cell, all.output};
}

/// NNAPI's CPU path, and so its tests, multiply the recurrent weights, followed by the input weights, with the input,
/// followed by the output state: recurrent weights meet the first elements of that row, input weights the last.
CellStep withExchangedColumns(const CellStep &step) {
  return [step](const Reals &input, const Reals &auxiliary, const CellState &before) {
    Reals all = input;
    all.insert(all.end(), before.output.begin(), before.output.end());
    const auto units = static_cast<ptrdiff_t>(before.output.size());
    return step(Reals(all.begin() + units, all.end()), auxiliary,
                {Reals(all.begin(), all.begin() + units), before.cell});
  };
}

std::optional<Results> quantized16BitLstm(const OperationValues &operation) {
  constexpr size_t kCellState = 13, kOutputState = 14;
  LstmNumbers numbers;
  numbers.cellLimit = largestCell(operation, kCellState);
  numbers.storedSum = clampGate;
  const CellStep step = lstmCell(operation, {.weights = 1, .recurrentWeights = 5, .biases = 9}, numbers);
  const BatchStep all = stepOfBatch(operation, withExchangedColumns(step), kOutputState, kCellState);
  return Results{all.cell, all.output};
}

constexpr Definition kRows[] = {{QuantizedLstm, quantizedLstm}, {Quantized16bitLstm, quantized16BitLstm}};

} // namespace

std::span<const Definition> integerLstmDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
