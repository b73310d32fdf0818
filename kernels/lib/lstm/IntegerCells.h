//===- IntegerCells.h - Cells of an integer LSTM in SRAM -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_LSTM_INTEGERCELLS_H
#define AVOCET_KERNELS_LIB_LSTM_INTEGERCELLS_H

#include "avocet/kernels/dsp/Lstm.h"
#include "common/FeatureMapView.h"
#include "common/IntegerGates.h"

#include <array>
#include <cstring>
#include <vector>

namespace avocet::kernels {

/// The states of a command in SRAM, and what follows the products of the gates in a step.
class IntegerCells {
public:
  IntegerCells(const firmware::DspCommand &command, std::span<uint8_t> sram,
               const IntegerLstmStepsParameters &parameters)
      : parameters_(parameters), sequence_(command.outputs[kLstmOutputSequence], sram),
        hidden_(FeatureMapView<int8_t>(command.outputs[kLstmHiddenState], sram).row(0)),
        cell_(FeatureMapView<int16_t>(command.outputs[kLstmCellState], sram).row(0)),
        count_(command.outputs[kLstmCellState].channels), hiddenZero_(command.outputs[kLstmHiddenState].zeroPoint) {
    for (std::vector<int16_t> &gate : gates_)
      gate.resize(count_);
  }

  const int8_t *hidden() const { return hidden_; }
  int32_t hiddenZeroPoint() const { return hiddenZero_; }

  /// Sets a gate from its scaled product of the inputs and its sum of products of the hidden state.
  void setGate(uint32_t gate, uint32_t cell, int16_t partial, uint32_t recurrentSum) {
    // The reference saturates after each of the two products.
    const int64_t total = int64_t(scaled(recurrentSum, parameters_.recurrent[gate])) + partial;
    gates_[gate][cell] = gateFunction(gate == static_cast<uint32_t>(LstmGate::Cell), saturate16(total));
  }

  /// The states after a step, from the values of all gates.
  void advance(uint32_t step) {
    for (uint32_t c = 0; c < count_; ++c)
      update(c);
    std::memmove(sequence_.row(step), hidden_, count_); // the operands may overlap
  }

private:
  int16_t gate(LstmGate which, uint32_t c) const { return gates_[static_cast<uint32_t>(which)][c]; }

  void update(uint32_t c) {
    cell_[c] = nextCell(gate(LstmGate::Forget, c), cell_[c], gate(LstmGate::Input, c), gate(LstmGate::Cell, c),
                        parameters_.cellExponent, parameters_.cellClip);
    hidden_[c] =
        hiddenOf(gate(LstmGate::Output, c), cell_[c], parameters_.cellExponent, parameters_.hidden, hiddenZero_);
  }

  IntegerLstmStepsParameters parameters_;
  FeatureMapView<int8_t> sequence_;
  int8_t *hidden_;
  int16_t *cell_;
  uint32_t count_;
  int32_t hiddenZero_;
  std::array<std::vector<int16_t>, kNumLstmGates> gates_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_LSTM_INTEGERCELLS_H
