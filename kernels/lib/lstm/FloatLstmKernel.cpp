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

class FloatLstm {
public:
  FloatLstm(const DspCommand &command, std::span<uint8_t> sram)
      : command_(command), sram_(sram), extents_(command), clip_(parametersOf<FloatLstmParameters>(command).cellClip),
        hidden_(output(kLstmHiddenState).row(0)), cell_(output(kLstmCellState).row(0)) {}

  void run() {
    for (uint32_t step = 0; step < extents_.steps; ++step) {
      const float *x = input(kLstmSequence).row(step);
      for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
        gates_[gate] = gateSums(gate, x);
      for (uint32_t c = 0; c < extents_.cells; ++c)
        updateCell(c);
      // memmove, because the operands may overlap.
      std::memmove(output(kLstmOutputSequence).row(step), hidden_, extents_.cells * sizeof(float));
    }
  }

private:
  FeatureMapView<float> input(uint32_t index) const { return {command_.inputs[index], sram_}; }
  FeatureMapView<float> output(uint32_t index) const { return {command_.outputs[index], sram_}; }

  static float dot(const float *a, const float *b, uint32_t count) {
    float sum = 0;
    for (uint32_t i = 0; i < count; ++i)
      sum += a[i] * b[i];
    return sum;
  }

  std::vector<float> gateSums(uint32_t gate, const float *x) const {
    FeatureMapView<float> weights = input(kLstmInputWeights + gate), recurrent = input(kLstmRecurrentWeights + gate);
    const float *bias = input(kLstmBiases + gate).row(0);
    std::vector<float> sums(extents_.cells);
    for (uint32_t c = 0; c < extents_.cells; ++c)
      sums[c] = bias[c] + dot(weights.row(c), x, extents_.inputs) + dot(recurrent.row(c), hidden_, extents_.cells);
    return sums;
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
  Gates gates_;
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
