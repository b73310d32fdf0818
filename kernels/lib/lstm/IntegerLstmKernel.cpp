//===- IntegerLstmKernel.cpp - LSTM over a sequence, 8 and 16 bits --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Lstm.h"
#include "common/IntegerGates.h"
#include "common/Kernels.h"
#include "lstm/LstmShape.h"

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace avocet::kernels {

using namespace firmware;

Result<IntegerLstmParameters> prepareIntegerLstm(const IntegerLstmScales &scales) {
  IntegerLstmParameters parameters;
  // Effective scales are computed in float, as the reference does.
  const float gateScale = std::ldexp(1.0f, kGateIntegerBits - 15);
  for (uint32_t gate = 0; gate < kNumLstmGates; ++gate) {
    float input = scales.inputWeights[gate] * scales.input / gateScale;
    AVOCET_ASSIGN_OR_RETURN(parameters.input[gate], rescaleOf(input, "the input weights"));
    float recurrent = scales.recurrentWeights[gate] * scales.hiddenState / gateScale;
    AVOCET_ASSIGN_OR_RETURN(parameters.recurrent[gate], rescaleOf(recurrent, "the recurrent weights"));
  }
  auto hidden = static_cast<float>(std::ldexp(1.0, -15) / scales.hiddenIntermediate * std::ldexp(1.0, -15));
  AVOCET_ASSIGN_OR_RETURN(parameters.hidden, rescaleOf(hidden, "the hidden state"));
  AVOCET_ASSIGN_OR_RETURN(parameters.cellExponent, cellExponentOf(scales.cellState));
  parameters.cellClip = storedClip(scales.cellClip, scales.cellState, -32768, 32767);
  return parameters;
}

namespace {

class IntegerLstm {
public:
  IntegerLstm(const DspCommand &command, std::span<uint8_t> sram)
      : command_(command), sram_(sram), extents_(command), parameters_(parametersOf<IntegerLstmParameters>(command)),
        hidden_(FeatureMapView<int8_t>(command.outputs[kLstmHiddenState], sram).row(0)),
        cell_(FeatureMapView<int16_t>(command.outputs[kLstmCellState], sram).row(0)) {}

  void run() {
    for (uint32_t step = 0; step < extents_.steps; ++step) {
      for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
        gates_[gate] = gateValues(gate, input<int8_t>(kLstmSequence).row(step));
      for (uint32_t c = 0; c < extents_.cells; ++c)
        updateCell(c);
      FeatureMapView<int8_t> sequence(command_.outputs[kLstmOutputSequence], sram_);
      std::memmove(sequence.row(step), hidden_, extents_.cells); // the operands may overlap
    }
  }

private:
  template <typename T> FeatureMapView<T> input(uint32_t index) const { return {command_.inputs[index], sram_}; }

  static uint32_t dot(const int8_t *values, int32_t zeroPoint, const int8_t *weights, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i)
      sum += static_cast<uint32_t>((values[i] - zeroPoint) * weights[i]);
    return sum;
  }

  std::vector<int16_t> gateValues(uint32_t gate, const int8_t *x) const {
    FeatureMapView<int8_t> weights = input<int8_t>(kLstmInputWeights + gate);
    FeatureMapView<int8_t> recurrent = input<int8_t>(kLstmRecurrentWeights + gate);
    const int32_t *bias = input<int32_t>(kLstmBiases + gate).row(0);
    int32_t inputZero = command_.inputs[kLstmSequence].zeroPoint;
    int32_t hiddenZero = command_.outputs[kLstmHiddenState].zeroPoint;
    std::vector<int16_t> values(extents_.cells);
    for (uint32_t c = 0; c < extents_.cells; ++c) {
      uint32_t sum = static_cast<uint32_t>(bias[c]) + dot(x, inputZero, weights.row(c), extents_.inputs);
      int16_t partial = saturate16(scaled(sum, parameters_.input[gate]));
      sum = dot(hidden_, hiddenZero, recurrent.row(c), extents_.cells);
      // The reference saturates after each of the two products.
      int64_t total = int64_t(scaled(sum, parameters_.recurrent[gate])) + partial;
      values[c] = gateFunction(gate == static_cast<uint32_t>(LstmGate::Cell), saturate16(total));
    }
    return values;
  }

  int16_t gate(LstmGate which, uint32_t c) const { return gates_[static_cast<uint32_t>(which)][c]; }

  void updateCell(uint32_t c) {
    cell_[c] = nextCell(gate(LstmGate::Forget, c), cell_[c], gate(LstmGate::Input, c), gate(LstmGate::Cell, c),
                        parameters_.cellExponent, parameters_.cellClip);
    hidden_[c] = hiddenOf(gate(LstmGate::Output, c), cell_[c], parameters_.cellExponent, parameters_.hidden,
                          command_.outputs[kLstmHiddenState].zeroPoint);
  }

  const DspCommand &command_;
  std::span<uint8_t> sram_;
  LstmExtents extents_;
  IntegerLstmParameters parameters_;
  int8_t *hidden_;
  int16_t *cell_;
  std::array<std::vector<int16_t>, kNumLstmGates> gates_;
};

class IntegerLstmKernel : public LstmKernel {
public:
  KernelId id() const override { return kIntegerLstmKernel; }

protected:
  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(
        checkLstmOperands(command, {DataType::Int8, DataType::Int8, DataType::Int32, DataType::Int16}));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<IntegerLstmParameters>(command.parameters));
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate) {
      AVOCET_RETURN_IF_ERROR(checkRescale("input rescale", parameters.input[gate]));
      AVOCET_RETURN_IF_ERROR(checkRescale("recurrent rescale", parameters.recurrent[gate]));
    }
    AVOCET_RETURN_IF_ERROR(checkRescale("hidden rescale", parameters.hidden));
    return checkCellFormat(parameters.cellExponent, parameters.cellClip);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    setLstmStates(command, sram);
    IntegerLstm(command, sram).run();
  }

  DspWork work(const DspCommand &command) const override { return lstmWork(command, 160, DataType::Int16); }
};

} // namespace

const Kernel &integerLstmKernel() {
  static const IntegerLstmKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
