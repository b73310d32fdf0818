//===- IntegerLstmKernel.cpp - LSTM over a sequence, 8 and 16 bits --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/Lstm.h"
#include "common/FixedPoint.h"
#include "common/Kernels.h"
#include "lstm/LstmShape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace avocet::kernels {

using namespace firmware;
using Fixed = FixedPoint<int16_t>;

/// Formats that the parameters allow: gate sums Q3.12, cell states with 0 to 6 integer bits.
static constexpr int kGateIntegerBits = 3;
static constexpr int kMaxCellIntegerBits = 6;
static constexpr int kMinCellExponent = -15;

static Result<Rescale> rescaleOf(double real, std::string_view what) {
  if (!isValidMultiplier(real))
    return invalidArgument("integerLstm: the scale of " + std::string(what) + " is out of range");
  return quantizeMultiplier(real);
}

/// log2 of the cell scale.
static Result<int32_t> cellExponentOf(float scale) {
  int exponent = 0;
  float significand = std::frexp(scale, &exponent);
  --exponent;
  if (significand != 0.5f || exponent < kMinCellExponent || exponent > kMinCellExponent + kMaxCellIntegerBits)
    return invalidArgument("integerLstm: the cell state's scale must be a power of two from 2^-15 to 2^-9");
  return exponent;
}

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
  if (scales.cellClip > 0)
    parameters.cellClip = static_cast<int32_t>(std::clamp(scales.cellClip / scales.cellState, -32768.0f, 32767.0f));
  return parameters;
}

static int16_t saturate16(int32_t value) {
  return static_cast<int16_t>(
      std::clamp<int32_t>(value, std::numeric_limits<int16_t>::min(), std::numeric_limits<int16_t>::max()));
}

/// tanh of a number with 0 to 6 integer bits, by the number of bits.
template <int... Bits> static constexpr auto makeTanhTable(std::integer_sequence<int, Bits...>) {
  return std::array<int16_t (*)(int16_t), sizeof...(Bits)>{&Fixed::tanh<Bits>...};
}
static constexpr auto kTanh = makeTanhTable(std::make_integer_sequence<int, kMaxCellIntegerBits + 1>());

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
      values[c] = activation(gate, saturate16(static_cast<int32_t>(std::clamp<int64_t>(total, -65536, 65535))));
    }
    return values;
  }

  static int32_t scaled(uint32_t sum, const Rescale &rescale) {
    return multiplyByQuantizedMultiplier(static_cast<int32_t>(sum), rescale.multiplier, rescale.shift);
  }

  static int16_t activation(uint32_t gate, int16_t sum) {
    return gate == static_cast<uint32_t>(LstmGate::Cell) ? Fixed::tanh<kGateIntegerBits>(sum)
                                                         : Fixed::logistic<kGateIntegerBits>(sum);
  }

  int32_t gate(LstmGate which, uint32_t c) const { return gates_[static_cast<uint32_t>(which)][c]; }

  void updateCell(uint32_t c) {
    // Products of Q0.15 values and of a Q0.15 value with a cell state, each brought back to the cell's scale.
    int cellBits = 15 + parameters_.cellExponent;
    auto kept = static_cast<int16_t>(roundingDivideByPowerOfTwo(gate(LstmGate::Forget, c) * cell_[c], 15));
    auto added = static_cast<int16_t>(
        roundingDivideByPowerOfTwo(gate(LstmGate::Input, c) * gate(LstmGate::Cell, c), 15 + cellBits));
    int16_t state = saturate16(kept + added);
    if (parameters_.cellClip > 0)
      state = static_cast<int16_t>(std::clamp<int32_t>(state, -parameters_.cellClip, parameters_.cellClip));
    cell_[c] = state;
    int32_t product = gate(LstmGate::Output, c) * kTanh[static_cast<size_t>(cellBits)](state);
    int64_t hidden = multiplyByQuantizedMultiplier(product, parameters_.hidden.multiplier, parameters_.hidden.shift);
    hidden_[c] =
        static_cast<int8_t>(std::clamp<int64_t>(hidden + command_.outputs[kLstmHiddenState].zeroPoint, -128, 127));
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
  OperandCount inputCount() const override { return kNumLstmInputs; }
  OperandCount outputCount() const override { return kNumLstmOutputs; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_RETURN_IF_ERROR(
        checkLstmOperands(command, {DataType::Int8, DataType::Int8, DataType::Int32, DataType::Int16}));
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<IntegerLstmParameters>(command.parameters));
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate) {
      AVOCET_RETURN_IF_ERROR(checkRescale("input rescale", parameters.input[gate]));
      AVOCET_RETURN_IF_ERROR(checkRescale("recurrent rescale", parameters.recurrent[gate]));
    }
    AVOCET_RETURN_IF_ERROR(checkRescale("hidden rescale", parameters.hidden));
    if (parameters.cellExponent < kMinCellExponent || parameters.cellExponent > kMinCellExponent + kMaxCellIntegerBits)
      return ruleBroken("cellExponent", parameters.cellExponent, "-15 to -9");
    if (parameters.cellClip < 0 || parameters.cellClip > 32767)
      return ruleBroken("cellClip", parameters.cellClip, "0 to 32767");
    return Status::ok();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override { IntegerLstm(command, sram).run(); }

  DspWork work(const DspCommand &command) const override { return lstmWork(command, 160, DataType::Int16); }
};

} // namespace

const Kernel &integerLstmKernel() {
  static const IntegerLstmKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
