//===- FloatCells.h - Functions and states of an LSTM's cells --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_LSTM_FLOATCELLS_H
#define AVOCET_KERNELS_LIB_LSTM_FLOATCELLS_H

#include "avocet/kernels/dsp/Lstm.h"
#include "common/FeatureMapView.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

namespace avocet::kernels {

/// The states of a command in SRAM, and what follows the sums of the gates in a step.
class FloatCells {
public:
  FloatCells(const firmware::DspCommand &command, float clip, std::span<uint8_t> sram)
      : clip_(clip), sequence_(command.outputs[kLstmOutputSequence], sram),
        hidden_(FeatureMapView<float>(command.outputs[kLstmHiddenState], sram).row(0)),
        cell_(FeatureMapView<float>(command.outputs[kLstmCellState], sram).row(0)),
        count_(command.outputs[kLstmCellState].channels) {
    for (std::vector<float> &gate : gates_)
      gate.resize(count_);
  }

  const float *hidden() const { return hidden_; }
  void setSum(uint32_t gate, uint32_t cell, float sum) { gates_[gate][cell] = sum; }

  /// The states after a step, from the sums of all gates.
  void advance(uint32_t step) {
    for (uint32_t c = 0; c < count_; ++c)
      update(c);
    // memmove, because the operands may overlap.
    std::memmove(sequence_.row(step), hidden_, count_ * sizeof(float));
  }

private:
  static float logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }

  float sum(LstmGate which, uint32_t c) const { return gates_[static_cast<uint32_t>(which)][c]; }

  void update(uint32_t c) {
    float state = logistic(sum(LstmGate::Forget, c)) * cell_[c] +
                  logistic(sum(LstmGate::Input, c)) * std::tanh(sum(LstmGate::Cell, c));
    if (clip_ > 0)
      state = std::min(std::max(state, -clip_), clip_);
    cell_[c] = state;
    hidden_[c] = logistic(sum(LstmGate::Output, c)) * std::tanh(state);
  }

  float clip_;
  FeatureMapView<float> sequence_;
  float *hidden_;
  float *cell_;
  uint32_t count_;
  std::array<std::vector<float>, kNumLstmGates> gates_;
};

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_LSTM_FLOATCELLS_H
