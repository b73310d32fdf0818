//===- Recurrent.cpp - Definitions of recurrent layers --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"

#include <algorithm>
#include <cmath>

namespace avocet::hal::conformance {
namespace {

/// Positions of the operands. Groups have an operand for each gate; peepholes have none for the cell gate.
constexpr size_t kInput = 0, kInputWeights = 1, kRecurrentWeights = 5, kPeepholes = 9, kBiases = 12, kProjection = 16,
                 kProjectionBias = 17, kOutputState = 18, kCellState = 19, kLayerNorm = 20, kCellClip = 24,
                 kHiddenZeroPoint = 30, kHiddenScale = 31;
constexpr size_t kInputGate = 0, kForgetGate = 1, kCellGate = 2, kOutputGate = 3;

/// Sums of gates have 3 integer bits.
double clampGate(double sum) { return std::clamp(sum, -8.0, 8.0); }

/// One step of a batch element.
class LstmStep {
public:
  LstmStep(const OperationValues &operation, size_t batch)
      : operation_(operation), x_(row(kInput, batch)), h_(row(kOutputState, batch)), cell_(row(kCellState, batch)) {}

  /// The new output state.
  Reals step() {
    const Reals forget = gate(kForgetGate), update = gate(kCellGate);
    const Reals input = has(kInputWeights) ? gate(kInputGate) : complement(forget);
    const double clip = operation_.real(kCellClip);
    const double most = 32767 * static_cast<double>(operation_.input(kCellState).scale);
    const double limit = clip > 0 ? std::min(clip, most) : most;
    for (size_t i = 0; i < cell_.size(); ++i)
      cell_[i] = std::clamp(forget[i] * cell_[i] + input[i] * update[i], -limit, limit);
    Reals hidden = gate(kOutputGate); // its peephole reads the new cell state
    for (size_t i = 0; i < hidden.size(); ++i)
      hidden[i] = stored(hidden[i] * std::tanh(cell_[i]));
    return has(kProjection) ? projected(hidden) : hidden;
  }

private:
  bool has(size_t position) const { return operation_.input(position).role != ValueRole::Omitted; }

  Reals row(size_t position, size_t index) const {
    const auto size = static_cast<ptrdiff_t>(operation_.input(position).dimensions.back());
    const Reals all = operation_.reals(position);
    const auto begin = all.begin() + static_cast<ptrdiff_t>(index) * size;
    return {begin, begin + size};
  }

  /// A matrix with a vector.
  Reals product(size_t position, const Reals &vector) const {
    Reals result;
    for (size_t i = 0; i < operation_.input(position).dimensions.front(); ++i) {
      const Reals weights = row(position, i);
      double sum = 0;
      for (size_t j = 0; j < vector.size(); ++j)
        sum += weights[j] * vector[j];
      result.push_back(sum);
    }
    return result;
  }

  Reals gate(size_t which) const {
    Reals sums = product(kInputWeights + which, x_);
    const Reals recurrent = product(kRecurrentWeights + which, h_), bias = operation_.reals(kBiases + which);
    const size_t peephole = kPeepholes + which - (which == kOutputGate ? 1 : 0);
    const bool hasPeephole = which != kCellGate && has(peephole);
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] = clampGate(clampGate(sums[i] + bias[i]) + recurrent[i]);
      if (hasPeephole)
        sums[i] = clampGate(sums[i] + operation_.reals(peephole)[i] * cell_[i]);
      sums[i] = which == kCellGate ? std::tanh(sums[i]) : 1 / (1 + std::exp(-sums[i]));
    }
    return sums;
  }

  static Reals complement(Reals gate) {
    for (double &value : gate)
      value = 1 - value;
    return gate;
  }

  /// The nearest value of the hidden state, which a projection adds up.
  double stored(double hidden) const {
    const double scale = operation_.real(kHiddenScale), zeroPoint = operation_.integer(kHiddenZeroPoint);
    return scale * (std::clamp(std::round(hidden / scale) + zeroPoint, -128.0, 127.0) - zeroPoint);
  }

  Reals projected(const Reals &hidden) const {
    Reals result = product(kProjection, hidden);
    if (has(kProjectionBias))
      for (size_t i = 0; i < result.size(); ++i)
        result[i] += operation_.reals(kProjectionBias)[i];
    return result;
  }

  const OperationValues &operation_;
  Reals x_, h_, cell_;
};

/// QUANTIZED_LSTM. Normalised sums depend on the rounding of their variance: such layers are not defined here.
std::optional<Reals> quantizedLstm(const OperationValues &operation) {
  if (operation.input(kLayerNorm + kForgetGate).role != ValueRole::Omitted)
    return std::nullopt;
  Reals result;
  for (size_t batch = 0; batch < operation.input(kInput).dimensions.front(); ++batch) {
    const Reals output = LstmStep(operation, batch).step();
    result.insert(result.end(), output.begin(), output.end());
  }
  return result;
}

constexpr Definition kRows[] = {{OperationType::QuantizedLstm, quantizedLstm}};

} // namespace

std::span<const Definition> recurrentDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
