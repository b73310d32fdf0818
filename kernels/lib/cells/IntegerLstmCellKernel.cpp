//===- IntegerLstmCellKernel.cpp - Integer LSTM with all its options ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/InverseSquareRoot.h"
#include "avocet/kernels/dsp/IntegerCells.h"
#include "avocet/kernels/dsp/Lstm.h"
#include "cells/IntegerMatrix.h"
#include "cells/LstmBase.h"
#include "common/IntegerGates.h"
#include "common/Kernels.h"

#include <cmath>

namespace avocet::kernels {

using namespace firmware;
using namespace lstm;

static Result<IntegerLstmCellParameters::Gate> prepareGate(const IntegerLstmCellScales &scales, size_t gate,
                                                           int32_t cellExponent) {
  // Effective scales are computed in float, as the reference does.
  const IntegerLstmCellScales::Gate &real = scales.gates[gate];
  IntegerLstmCellParameters::Gate prepared;
  AVOCET_ASSIGN_OR_RETURN(prepared.input, rescaleOf(real.inputWeights * scales.input / real.sum, "input weights"));
  AVOCET_ASSIGN_OR_RETURN(prepared.recurrent,
                          rescaleOf(real.recurrentWeights * scales.outputState / real.sum, "recurrent weights"));
  AVOCET_ASSIGN_OR_RETURN(prepared.peephole,
                          rescaleOf(std::ldexp(real.peephole, cellExponent) / real.sum, "peepholes"));
  if (real.norm == 0)
    return prepared;
  AVOCET_ASSIGN_OR_RETURN(prepared.norm, rescaleOf(std::ldexp(double(real.norm), 12), "layer normalization"));
  prepared.leastVariance = std::max(1, static_cast<int32_t>(10000 * real.norm));
  return prepared;
}

Result<IntegerLstmCellParameters> prepareIntegerLstmCell(const IntegerLstmCellScales &scales) {
  IntegerLstmCellParameters parameters;
  AVOCET_ASSIGN_OR_RETURN(parameters.cellExponent, cellExponentOf(scales.cellState));
  for (size_t gate = 0; gate < scales.gates.size(); ++gate)
    if (scales.gates[gate].sum > 0) {
      AVOCET_ASSIGN_OR_RETURN(parameters.gates[gate], prepareGate(scales, gate, parameters.cellExponent));
    }
  auto hidden = static_cast<float>(std::ldexp(1.0, -15) / scales.hidden * std::ldexp(1.0, -15));
  AVOCET_ASSIGN_OR_RETURN(parameters.hidden, rescaleOf(hidden, "the hidden state"));
  AVOCET_ASSIGN_OR_RETURN(parameters.projection,
                          rescaleOf(scales.projection * scales.hidden / scales.outputState, "the projection"));
  parameters.cellClip = storedClip(scales.cellClip, scales.cellState, -32768, 32767);
  parameters.projectionClip = storedClip(scales.projectionClip, scales.projectionClipScale, -128, 127);
  return parameters;
}

namespace {

/// Scales the values to mean 0 and variance 1, then by the weights, and adds the bias. Products wrap at 32 bits, and
/// the mean has 10 fractional bits, as in the reference.
void normalize(std::span<int32_t> values, std::span<const int32_t> weights, std::span<const int32_t> bias,
               const IntegerLstmCellParameters::Gate &gate) {
  constexpr int64_t kOne = 1 << 20;
  const auto count = static_cast<int64_t>(values.size());
  int64_t sum = 0, squares = 0;
  for (int32_t value : values) {
    sum += value;
    squares += int64_t(value) * value;
  }
  const auto mean = static_cast<int32_t>(sum * 1024 / count);
  auto variance = static_cast<int32_t>((squares * (kOne / count) - int64_t(mean) * mean) / kOne);
  const Rescale scale = inverseSquareRoot(variance < 1 ? gate.leastVariance : variance);
  for (size_t i = 0; i < values.size(); ++i) {
    const int32_t unit = multiplyByQuantizedMultiplier(1024 * values[i] - mean, scale.multiplier, scale.shift);
    const int64_t product = static_cast<int32_t>(static_cast<uint32_t>(unit) * static_cast<uint32_t>(weights[i]) +
                                                 static_cast<uint32_t>(bias[i]));
    const auto rounded = static_cast<uint32_t>((product > 0 ? product + 512 : product - 512) / 1024);
    values[i] = saturate16(scaled(rounded, gate.norm));
  }
}

std::vector<IntegerMatrix> loadOperands(const DspCommand &command, std::span<uint8_t> sram) {
  std::vector<IntegerMatrix> operands;
  for (const FeatureMap &map : command.inputs)
    operands.push_back(map.type == DataType::Int8    ? IntegerMatrix::load<int8_t>(map, sram)
                       : map.type == DataType::Int16 ? IntegerMatrix::load<int16_t>(map, sram)
                                                     : IntegerMatrix::load<int32_t>(map, sram));
  return operands;
}

/// The output of a state is less its zero point.
class IntegerLstmSteps final : public LstmSteps<IntegerMatrix, int32_t> {
public:
  IntegerLstmSteps(const DspCommand &command, const IntegerLstmCellParameters &parameters, std::span<uint8_t> sram)
      : LstmSteps(command, parameters.parts, parameters.order, loadOperands(command, sram)), sram_(sram),
        parameters_(parameters) {}

private:
  std::span<const int32_t> vector(uint32_t group, Gate gate) const { return ofGate(group, gate).row(0); }
  int32_t outputZero() const { return command_.outputs[kOutput].zeroPoint; }

  Row gate(Gate which, std::span<const int32_t> x, const State &state) const {
    const IntegerLstmCellParameters::Gate &gate = parameters_.gates[which];
    std::span<const int32_t> bias = vector(layout_.biases, which);
    Row sums(state.cell.size());
    for (uint32_t c = 0; c < sums.size(); ++c) {
      const uint32_t start = has(kLstmLayerNorm) ? 0 : static_cast<uint32_t>(bias[c]);
      const int16_t part = saturate16(scaled(start + dot(ofGate(layout_.inputWeights, which).row(c), x), gate.input));
      const uint32_t recurrent = dot(ofGate(layout_.recurrentWeights, which).row(c), state.output);
      sums[c] = saturate16(int64_t(part) + scaled(recurrent, gate.recurrent));
      if (has(kLstmPeepholes) && which != kCellGate) {
        const auto product = static_cast<uint32_t>(peephole(which)[c] * state.cell[c]);
        sums[c] = saturate16(int64_t(sums[c]) + scaled(product, gate.peephole));
      }
    }
    if (has(kLstmLayerNorm))
      normalize(sums, vector(layout_.layerNorm, which), bias, gate);
    for (int32_t &sum : sums)
      sum = gateFunction(which == kCellGate, static_cast<int16_t>(sum));
    return sums;
  }

  Row coupledInputGate(const Row &forget) const {
    Row input;
    for (int32_t value : forget)
      input.push_back(static_cast<int16_t>(INT16_MAX - value));
    return input;
  }

  /// The output for the stored hidden state.
  Row projected(const Row &hidden) const {
    Row output = has(kLstmProjection) ? storedProjection(hidden) : hidden;
    for (int32_t &value : output)
      value -= outputZero();
    return output;
  }

  Row storedProjection(const Row &hidden) const {
    Row shifted;
    for (int32_t value : hidden)
      shifted.push_back(value - parameters_.hiddenZeroPoint);
    Row output(command_.outputs[kOutput].channels);
    for (uint32_t o = 0; o < output.size(); ++o) {
      uint32_t sum = has(kLstmProjectionBias) ? static_cast<uint32_t>(operands_[layout_.projectionBias].row(0)[o]) : 0;
      sum += dot(operands_[layout_.projection].row(o), shifted);
      const int64_t stored = int64_t(scaled(sum, parameters_.projection)) + outputZero();
      output[o] = static_cast<int32_t>(std::clamp<int64_t>(stored, -128, 127));
      if (parameters_.projectionClip > 0)
        output[o] = std::clamp(output[o], -parameters_.projectionClip, parameters_.projectionClip);
    }
    return output;
  }

  Row step(std::span<const int32_t> x, State &state) const override {
    const Row forget = gate(kForgetGate, x, state), update = gate(kCellGate, x, state);
    const Row input = has(kLstmInputGate) ? gate(kInputGate, x, state) : coupledInputGate(forget);
    const auto narrow = [](int32_t value) { return static_cast<int16_t>(value); };
    const int32_t exponent = parameters_.cellExponent;
    for (size_t c = 0; c < state.cell.size(); ++c)
      state.cell[c] = nextCell(narrow(forget[c]), narrow(state.cell[c]), narrow(input[c]), narrow(update[c]), exponent,
                               parameters_.cellClip);
    const Row output = gate(kOutputGate, x, state);
    Row hidden;
    for (size_t c = 0; c < state.cell.size(); ++c)
      hidden.push_back(hiddenOf(narrow(output[c]), narrow(state.cell[c]), exponent, parameters_.hidden,
                                parameters_.hiddenZeroPoint));
    state.output = projected(hidden);
    return gatesInOrder({input, forget, update, output});
  }

  void storeOutput(const FeatureMap &map, uint32_t row, std::span<const int32_t> values) const override {
    Row stored(values.begin(), values.end());
    for (int32_t &value : stored)
      value += outputZero();
    storeIntegers<int8_t>(map, sram_, row, stored);
  }
  void storeCell(const FeatureMap &map, uint32_t row, std::span<const int32_t> values) const override {
    storeIntegers<int16_t>(map, sram_, row, values);
  }

  std::span<uint8_t> sram_;
  IntegerLstmCellParameters parameters_;
};

Status checkParameters(const IntegerLstmCellParameters &parameters) {
  for (const auto &gate : parameters.gates) {
    for (const Rescale &rescale : {gate.input, gate.recurrent, gate.peephole, gate.norm})
      AVOCET_RETURN_IF_ERROR(checkRescale("rescale of a gate", rescale));
    if (gate.leastVariance < 1)
      return ruleBroken("leastVariance", gate.leastVariance, "1 or more");
  }
  AVOCET_RETURN_IF_ERROR(checkRescale("hidden rescale", parameters.hidden));
  AVOCET_RETURN_IF_ERROR(checkRescale("projection rescale", parameters.projection));
  if (parameters.hiddenZeroPoint < -128 || parameters.hiddenZeroPoint > 127)
    return ruleBroken("hiddenZeroPoint", parameters.hiddenZeroPoint, "-128 to 127");
  if (parameters.projectionClip < 0 || parameters.projectionClip > 127)
    return ruleBroken("projectionClip", parameters.projectionClip, "0 to 127");
  return checkCellFormat(parameters.cellExponent, parameters.cellClip);
}

class IntegerLstmCellKernel final : public LstmBase {
public:
  IntegerLstmCellKernel() : LstmBase(DataType::Int16, kIntegerCellOps / kNumLstmGates) {}

  KernelId id() const override { return kIntegerLstmCellKernel; }

protected:
  StepOrder orderOf(const DspCommand &command) const override {
    return parametersOf<IntegerLstmCellParameters>(command).order;
  }
  uint32_t partsOfCell(const DspCommand &command) const override {
    return parametersOf<IntegerLstmCellParameters>(command).parts;
  }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<IntegerLstmCellParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkParts(parameters.parts));
    AVOCET_RETURN_IF_ERROR(checkParameters(parameters));
    return checkShapes(
        command, parameters.parts, parameters.order,
        {.sequence = DataType::Int8, .weights = DataType::Int8, .cell = DataType::Int16, .bias = DataType::Int32});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    IntegerLstmSteps(command, parametersOf<IntegerLstmCellParameters>(command), sram).run();
  }
};

} // namespace

const Kernel &integerLstmCellKernel() {
  static const IntegerLstmCellKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
