//===- FloatLstmKernel.cpp - LSTM over a sequence, float32 ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Lstm.h"
#include "common/Kernels.h"
#include "lstm/LstmShape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

static float logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }

namespace {

using Gates = std::array<std::vector<float>, kNumLstmGates>;

/// A matrix by columns, so that vectors run over the rows: each row's sum keeps the order of its products.
class ByColumns {
public:
  ByColumns(const FeatureMapView<float> &matrix, uint32_t rows, uint32_t columns)
      : rows_(rows), elements_(size_t(rows) * columns) {
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t column = 0; column < columns; ++column)
        elements_[size_t(column) * rows + row] = matrix.row(row)[column];
  }

  /// The products of all rows with a vector.
  void multiply(const float *vector, std::vector<float> &sums) const {
    sums.assign(rows_, 0.0f);
    const float *column = elements_.data();
    for (const float *end = column + elements_.size(); column != end; column += rows_, ++vector)
      for (uint32_t row = 0; row < rows_; ++row)
        sums[row] += column[row] * *vector;
  }

private:
  uint32_t rows_;
  std::vector<float> elements_;
};

class FloatLstm {
public:
  FloatLstm(const DspCommand &command, std::span<uint8_t> sram)
      : command_(command), sram_(sram), extents_(command), clip_(parametersOf<FloatLstmParameters>(command).cellClip),
        hidden_(output(kLstmHiddenState).row(0)), cell_(output(kLstmCellState).row(0)) {
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate) {
      weights_.emplace_back(input(kLstmInputWeights + gate), extents_.cells, extents_.inputs);
      recurrent_.emplace_back(input(kLstmRecurrentWeights + gate), extents_.cells, extents_.cells);
    }
  }

  void run() {
    for (uint32_t step = 0; step < extents_.steps; ++step) {
      const float *x = input(kLstmSequence).row(step);
      for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
        addGate(gate, x);
      for (uint32_t c = 0; c < extents_.cells; ++c)
        updateCell(c);
      // memmove, because the operands may overlap.
      std::memmove(output(kLstmOutputSequence).row(step), hidden_, extents_.cells * sizeof(float));
    }
  }

private:
  FeatureMapView<float> input(uint32_t index) const { return {command_.inputs[index], sram_}; }
  FeatureMapView<float> output(uint32_t index) const { return {command_.outputs[index], sram_}; }

  void addGate(uint32_t gate, const float *x) {
    const float *bias = input(kLstmBiases + gate).row(0);
    weights_[gate].multiply(x, gates_[gate]);
    recurrent_[gate].multiply(hidden_, recurrentSums_);
    for (uint32_t c = 0; c < extents_.cells; ++c)
      gates_[gate][c] = bias[c] + gates_[gate][c] + recurrentSums_[c];
  }

  float gate(LstmGate which, uint32_t c) const { return gates_[static_cast<uint32_t>(which)][c]; }

  void updateCell(uint32_t c) {
    float state = logistic(gate(LstmGate::Forget, c)) * cell_[c] +
                  logistic(gate(LstmGate::Input, c)) * std::tanh(gate(LstmGate::Cell, c));
    if (clip_ > 0)
      state = std::min(std::max(state, -clip_), clip_);
    cell_[c] = state;
    hidden_[c] = logistic(gate(LstmGate::Output, c)) * std::tanh(state);
  }

  const DspCommand &command_;
  std::span<uint8_t> sram_;
  LstmExtents extents_;
  float clip_;
  float *hidden_;
  float *cell_;
  std::vector<ByColumns> weights_, recurrent_; ///< by gate
  Gates gates_;
  std::vector<float> recurrentSums_;
};

class FloatLstmKernel : public LstmKernel {
public:
  KernelId id() const override { return kFloatLstmKernel; }

protected:
  Status checkOperands(const DspCommand &command) const override {
    constexpr DataType kFloat = DataType::Float32;
    AVOCET_RETURN_IF_ERROR(checkLstmOperands(command, {kFloat, kFloat, kFloat, kFloat}));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<FloatLstmParameters>(command.parameters));
    if (!(parameters.cellClip >= 0)) // also NaN
      return invalidArgument("cellClip must be 0 or more");
    return Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    setLstmStates(command, sram);
    FloatLstm(command, sram).run();
  }

  DspWork work(const DspCommand &command) const override { return lstmWork(command, 80, DataType::Float32); }
};

} // namespace

const Kernel &floatLstmKernel() {
  static const FloatLstmKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
