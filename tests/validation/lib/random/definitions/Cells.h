//===- Cells.h - Cells of recurrent layers ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_RANDOM_DEFINITIONS_CELLS_H
#define AVOCET_VALIDATION_RANDOM_DEFINITIONS_CELLS_H

#include "../Definitions.h"

#include <array>
#include <functional>

namespace avocet::hal::conformance {

/// The rows of a tensor along its last dimension; without any if the operand is omitted.
class Rows {
public:
  Rows() = default;
  Rows(const OperationValues &operation, size_t position);

  bool isEmpty() const { return rows_.empty(); }
  size_t count() const { return rows_.size(); }
  const Reals &at(size_t row) const { return rows_[row]; }
  /// Adds the matrix times `vector` to `sums`; nothing if there are no rows.
  void addProduct(const Reals &vector, Reals &sums) const;

private:
  std::vector<Reals> rows_;
};

/// What a cell passes to its next step. An RNN has no cell state.
struct CellState {
  Reals output, cell;
};

/// One step of one batch element. `auxiliary`: a second input; empty if there is none.
using CellStep = std::function<CellState(const Reals &input, const Reals &auxiliary, const CellState &before)>;

/// Positions of the operands of an RNN cell; 0: the operation has none.
struct RnnPlaces {
  size_t weights = 0, recurrentWeights = 0, bias = 0, auxiliaryWeights = 0;
};

CellStep rnnCell(const OperationValues &operation, const RnnPlaces &places, int32_t activation);

/// Positions of the operands of an LSTM cell; 0: the operation has none. Groups have an operand for each of the input,
/// forget, cell and output gate; peepholes have none for the cell gate.
struct LstmPlaces {
  size_t weights = 0, recurrentWeights = 0, auxiliaryWeights = 0, peepholes = 0, biases = 0, norms = 0;
  size_t projection = 0, projectionBias = 0;
};

/// The numbers of an LSTM cell. A limit of 0 is none.
struct LstmNumbers {
  int32_t activation = 4;
  double cellLimit = 0, projectionLimit = 0;
  /// What integer cells do to the sum of a gate's inputs, to its further sums, and to the hidden state, which a
  /// projection adds up.
  std::function<double(double)> storedInputSum, storedSum, storedHidden;
};

CellStep lstmCell(const OperationValues &operation, const LstmPlaces &places, const LstmNumbers &numbers);

/// The states and outputs of one step for all batch elements, as an operation stores them.
struct BatchStep {
  Reals output, cell;
};

/// Input and states [batch, size] at these positions; `cellState` 0: none.
BatchStep stepOfBatch(const OperationValues &operation, const CellStep &step, size_t outputState, size_t cellState);

} // namespace avocet::hal::conformance

#endif // AVOCET_VALIDATION_RANDOM_DEFINITIONS_CELLS_H
