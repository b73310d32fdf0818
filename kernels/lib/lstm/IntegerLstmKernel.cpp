//===- IntegerLstmKernel.cpp - LSTM over a sequence, 8 and 16 bits --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/Lstm.h"
#include "common/Kernels.h"
#include "lstm/IntegerCells.h"
#include "lstm/LstmShape.h"

#include <cmath>
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
