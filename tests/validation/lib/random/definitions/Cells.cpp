//===- Cells.cpp ----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cells.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace avocet::hal::conformance {
namespace {

enum { kInputGate, kForgetGate, kCellGate, kOutputGate, kNumGates };

constexpr double kLeastVariance = 1e-8; ///< added to the variance of sums, as by NNAPI's CPU path
constexpr int32_t kLogistic = 6;

Rows optionalRows(const OperationValues &operation, size_t group, size_t number) {
  return group == 0 ? Rows() : Rows(operation, group + number);
}

/// A vector operand; empty if it is omitted.
Reals optionalVector(const OperationValues &operation, size_t group, size_t number) {
  const Rows rows = optionalRows(operation, group, number);
  return rows.isEmpty() ? Reals() : rows.at(0);
}

void add(const Reals &vector, Reals &sums) {
  for (size_t i = 0; i < vector.size(); ++i)
    sums[i] += vector[i];
}

void addProducts(const Reals &first, const Reals &second, Reals &sums) {
  for (size_t i = 0; i < first.size(); ++i)
    sums[i] += first[i] * second[i];
}

void activate(int32_t activation, Reals &values) {
  for (double &value : values)
    value = activated(activation, value);
}

double limited(double value, double limit) { return limit > 0 ? std::clamp(value, -limit, limit) : value; }

/// The mean of the sums becomes 0 and their variance 1.
void normalize(Reals &sums) {
  const auto count = static_cast<double>(sums.size());
  double mean = 0, variance = 0;
  for (double sum : sums)
    mean += sum / count;
  for (double sum : sums)
    variance += (sum - mean) * (sum - mean) / count;
  for (double &sum : sums)
    sum = (sum - mean) / std::sqrt(variance + kLeastVariance);
}

/// The operands of one gate.
struct Gate {
  Rows weights, recurrentWeights, auxiliaryWeights;
  Reals peephole, bias, norm;
};

Gate gateOf(const OperationValues &operation, const LstmPlaces &places, size_t gate) {
  Gate made;
  made.weights = optionalRows(operation, places.weights, gate);
  made.recurrentWeights = optionalRows(operation, places.recurrentWeights, gate);
  made.auxiliaryWeights = optionalRows(operation, places.auxiliaryWeights, gate);
  if (gate != kCellGate)
    made.peephole = optionalVector(operation, places.peepholes, gate - (gate == kOutputGate ? 1 : 0));
  made.bias = optionalVector(operation, places.biases, gate);
  made.norm = optionalVector(operation, places.norms, gate);
  return made;
}

class LstmCell {
public:
  LstmCell(const OperationValues &operation, const LstmPlaces &places, LstmNumbers numbers)
      : numbers_(std::move(numbers)), projection_(optionalRows(operation, places.projection, 0)),
        projectionBias_(optionalVector(operation, places.projectionBias, 0)) {
    for (size_t gate = 0; gate < kNumGates; ++gate)
      gates_[gate] = gateOf(operation, places, gate);
  }

  CellState step(const Reals &input, const Reals &auxiliary, const CellState &before) const {
    const Operands operands{input, auxiliary, before.output};
    const Reals forget = opened(kForgetGate, operands, before.cell);
    Reals update = sumsOf(gates_[kCellGate], operands, {});
    activate(numbers_.activation, update);
    Reals taken(forget.size());
    if (gates_[kInputGate].weights.isEmpty()) // coupled: what is forgotten is replaced
      std::ranges::transform(forget, taken.begin(), [](double value) { return 1 - value; });
    else
      taken = opened(kInputGate, operands, before.cell);
    Reals cell(forget.size());
    for (size_t i = 0; i < cell.size(); ++i)
      cell[i] = limited(forget[i] * before.cell[i] + taken[i] * update[i], numbers_.cellLimit);
    Reals hidden = opened(kOutputGate, operands, cell); // its peephole reads the new cell state
    for (size_t i = 0; i < hidden.size(); ++i)
      hidden[i] = stored(numbers_.storedHidden, hidden[i] * activated(numbers_.activation, cell[i]));
    return {projected(hidden), cell};
  }

private:
  struct Operands {
    const Reals &input, &auxiliary, &output;
  };

  static double stored(const std::function<double(double)> &rounding, double value) {
    return rounding ? rounding(value) : value;
  }

  static void storeAll(const std::function<double(double)> &rounding, Reals &sums) {
    for (double &sum : sums)
      sum = stored(rounding, sum);
  }

  /// The sums of a gate before its activation. `cell`: what its peephole reads.
  Reals sumsOf(const Gate &gate, const Operands &operands, const Reals &cell) const {
    Reals sums(gate.weights.count());
    if (gate.norm.empty())
      add(gate.bias, sums);
    gate.weights.addProduct(operands.input, sums);
    gate.auxiliaryWeights.addProduct(operands.auxiliary, sums);
    storeAll(numbers_.storedInputSum, sums);
    gate.recurrentWeights.addProduct(operands.output, sums);
    storeAll(numbers_.storedSum, sums);
    addProducts(gate.peephole, cell, sums);
    storeAll(numbers_.storedSum, sums);
    if (gate.norm.empty())
      return sums;
    normalize(sums);
    std::ranges::transform(sums, gate.norm, sums.begin(), std::multiplies<>());
    add(gate.bias, sums);
    return sums;
  }

  Reals opened(size_t gate, const Operands &operands, const Reals &cell) const {
    Reals sums = sumsOf(gates_[gate], operands, cell);
    activate(kLogistic, sums);
    return sums;
  }

  Reals projected(const Reals &hidden) const {
    if (projection_.isEmpty())
      return hidden;
    Reals result(projection_.count());
    add(projectionBias_, result);
    projection_.addProduct(hidden, result);
    for (double &value : result)
      value = limited(value, numbers_.projectionLimit);
    return result;
  }

  LstmNumbers numbers_;
  std::array<Gate, kNumGates> gates_;
  Rows projection_;
  Reals projectionBias_;
};

} // namespace

Rows::Rows(const OperationValues &operation, size_t position) {
  if (!operation.has(position))
    return;
  const Reals all = operation.reals(position);
  const auto size = static_cast<ptrdiff_t>(operation.input(position).dimensions.back());
  for (auto begin = all.begin(); begin != all.end(); begin += size)
    rows_.emplace_back(begin, begin + size);
}

void Rows::addProduct(const Reals &vector, Reals &sums) const {
  for (size_t i = 0; i < rows_.size(); ++i)
    for (size_t j = 0; j < vector.size(); ++j)
      sums[i] += rows_[i][j] * vector[j];
}

CellStep rnnCell(const OperationValues &operation, const RnnPlaces &places, int32_t activation) {
  return [weights = Rows(operation, places.weights), recurrent = Rows(operation, places.recurrentWeights),
          auxiliaryWeights = optionalRows(operation, places.auxiliaryWeights, 0),
          bias = optionalVector(operation, places.bias, 0),
          activation](const Reals &input, const Reals &auxiliary, const CellState &before) {
    Reals sums = bias;
    weights.addProduct(input, sums);
    auxiliaryWeights.addProduct(auxiliary, sums);
    recurrent.addProduct(before.output, sums);
    activate(activation, sums);
    return CellState{sums, {}};
  };
}

CellStep lstmCell(const OperationValues &operation, const LstmPlaces &places, const LstmNumbers &numbers) {
  return [cell = std::make_shared<const LstmCell>(operation, places, numbers)](
             const Reals &input, const Reals &auxiliary, const CellState &before) {
    return cell->step(input, auxiliary, before);
  };
}

BatchStep stepOfBatch(const OperationValues &operation, const CellStep &step, size_t outputState, size_t cellState) {
  const Rows inputs(operation, 0), outputs(operation, outputState), cells = optionalRows(operation, cellState, 0);
  BatchStep all;
  for (size_t batch = 0; batch < inputs.count(); ++batch) {
    const CellState after =
        step(inputs.at(batch), {}, {outputs.at(batch), cells.isEmpty() ? Reals() : cells.at(batch)});
    all.output.insert(all.output.end(), after.output.begin(), after.output.end());
    all.cell.insert(all.cell.end(), after.cell.begin(), after.cell.end());
  }
  return all;
}

} // namespace avocet::hal::conformance
