//===- IntegerLstmKernel.cpp - LSTM over a sequence, 8 and 16 bits ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Lstm.h"
#include "common/FeatureMapView.h"
#include "common/IntegerGates.h"
#include "common/Kernels.h"
#include "lstm/LstmShape.h"

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

namespace avocet::kernels {
namespace {

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

} // namespace

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
        cells_(command, sram, parameters_) {}

  void run() {
    for (uint32_t step = 0; step < extents_.steps; ++step) {
      for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
        setGate(gate, input<int8_t>(kLstmSequence).row(step));
      cells_.advance(step);
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

  void setGate(uint32_t gate, const int8_t *x) {
    FeatureMapView<int8_t> weights = input<int8_t>(kLstmInputWeights + gate);
    FeatureMapView<int8_t> recurrent = input<int8_t>(kLstmRecurrentWeights + gate);
    const int32_t *bias = input<int32_t>(kLstmBiases + gate).row(0);
    int32_t inputZero = command_.inputs[kLstmSequence].zeroPoint;
    for (uint32_t c = 0; c < extents_.cells; ++c) {
      uint32_t sum = static_cast<uint32_t>(bias[c]) + dot(x, inputZero, weights.row(c), extents_.inputs);
      int16_t partial = saturate16(scaled(sum, parameters_.input[gate]));
      sum = dot(cells_.hidden(), cells_.hiddenZeroPoint(), recurrent.row(c), extents_.cells);
      cells_.setGate(gate, c, partial, sum);
    }
  }

  const DspCommand &command_;
  std::span<uint8_t> sram_;
  LstmExtents extents_;
  IntegerLstmParameters parameters_;
  IntegerCells cells_;
};

Status checkSteps(const IntegerLstmStepsParameters &parameters) {
  for (const Rescale &recurrent : parameters.recurrent)
    AVOCET_RETURN_IF_ERROR(checkRescale("recurrent rescale", recurrent));
  AVOCET_RETURN_IF_ERROR(checkRescale("hidden rescale", parameters.hidden));
  return checkCellFormat(parameters.cellExponent, parameters.cellClip);
}

class IntegerLstmKernel : public LstmKernel {
public:
  IntegerLstmKernel() : LstmKernel(kNumLstmInputs) {}
  KernelId id() const override { return kIntegerLstmKernel; }

protected:
  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(
        checkLstmOperands(command, {DataType::Int8, DataType::Int8, DataType::Int32, DataType::Int16}));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<IntegerLstmParameters>(command.parameters));
    for (const Rescale &input : parameters.input)
      AVOCET_RETURN_IF_ERROR(checkRescale("input rescale", input));
    return checkSteps(parameters);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    setStates(command, sram);
    IntegerLstm(command, sram).run();
  }

  DspWork work(const DspCommand &command) const override { return lstmWork(command, kIntegerCellOps, DataType::Int16); }
};

class IntegerLstmStepsKernel : public LstmKernel {
public:
  IntegerLstmStepsKernel() : LstmKernel(kNumLstmStepsInputs) {}
  KernelId id() const override { return kIntegerLstmStepsKernel; }

protected:
  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(
        checkLstmStepsOperands(command, {DataType::Int8, DataType::Int8, DataType::Int16, DataType::Int16}));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<IntegerLstmStepsParameters>(command.parameters));
    return checkSteps(parameters);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    setStates(command, sram);
    const FeatureMapView<int16_t> sums(command.inputs[kLstmSums], sram);
    const FeatureMapView<int8_t> columns(command.inputs[kLstmRecurrentColumns], sram);
    IntegerCells cells(command, sram, parametersOf<IntegerLstmStepsParameters>(command));
    const std::vector<uint32_t> zeroSums = zeroPointSums(columns, cells.hiddenZeroPoint());
    for (uint32_t step = 0; step < sums.height(); ++step) {
      std::vector<uint32_t> recurrent = zeroSums;
      addProducts(columns, cells.hidden(), recurrent);
      for (uint32_t i = 0; i < sums.channels(); ++i)
        cells.setGate(i / columns.height(), i % columns.height(), sums.row(step)[i], recurrent[i]);
      cells.advance(step);
    }
  }

  DspWork work(const DspCommand &command) const override {
    return lstmStepsWork(command, kIntegerCellOps, DataType::Int16);
  }

private:
  /// What the hidden state's zero point takes off the sums of products, so that these are products of 8-bit numbers.
  static std::vector<uint32_t> zeroPointSums(const FeatureMapView<int8_t> &columns, int32_t zeroPoint) {
    std::vector<uint32_t> sums(columns.channels());
    if (zeroPoint != 0)
      for (uint32_t h = 0; h < columns.height(); ++h)
        for (uint32_t i = 0; i < columns.channels(); ++i)
          sums[i] -= static_cast<uint32_t>(zeroPoint * columns.row(h)[i]);
    return sums;
  }

  static void addProducts(const FeatureMapView<int8_t> &columns, const int8_t *hidden, std::vector<uint32_t> &sums) {
    for (uint32_t h = 0; h < columns.height(); ++h) {
      const int8_t *column = columns.row(h);
      for (uint32_t i = 0; i < columns.channels(); ++i)
        sums[i] += static_cast<uint32_t>(hidden[h] * column[i]);
    }
  }
};

} // namespace

const Kernel &integerLstmKernel() {
  static const IntegerLstmKernel kKernel;
  return kKernel;
}

const Kernel &integerLstmStepsKernel() {
  static const IntegerLstmStepsKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
