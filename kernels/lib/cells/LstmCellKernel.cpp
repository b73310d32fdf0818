//===- LstmCellKernel.cpp - Steps of an LSTM with all its options -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/HybridCells.h"
#include "avocet/kernels/dsp/Lstm.h"
#include "cells/LstmBase.h"
#include "common/Kernels.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;
using namespace lstm;

namespace {

/// Keeps a line without variance from a division by zero.
constexpr float kVarianceFloor = 1e-8f;

void clip(std::span<float> values, float limit) {
  if (limit > 0)
    for (float &value : values)
      value = std::clamp(value, -limit, limit);
}

/// Scales the values to mean 0 and variance 1.
void normalize(std::span<float> values) {
  const auto count = static_cast<float>(values.size());
  float sum = 0, squares = 0;
  for (float value : values)
    sum += value;
  const float mean = sum / count;
  for (float value : values)
    squares += (value - mean) * (value - mean);
  const float scale = 1 / std::sqrt(squares / count + kVarianceFloor);
  for (float &value : values)
    value = (value - mean) * scale;
}

/// Copies of the operands; those of 8 bits are weights, with the scales in their order.
std::vector<Matrix> loadOperands(const DspCommand &command, const HybridLstmCellParameters &parameters,
                                 std::span<uint8_t> sram) {
  std::vector<Matrix> operands;
  std::span<const float> scales = parameters.scales;
  for (const FeatureMap &map : command.inputs) {
    HybridScale hybrid;
    if (map.type == DataType::Int8) {
      hybrid = {scales.front(), parameters.asymmetric != 0};
      scales = scales.subspan(1);
    }
    operands.emplace_back(map, sram, hybrid);
  }
  return operands;
}

class FloatLstmSteps final : public LstmSteps<Matrix, float> {
public:
  FloatLstmSteps(const DspCommand &command, const HybridLstmCellParameters &parameters, std::span<uint8_t> sram)
      : LstmSteps(command, parameters.cell.parts, parameters.cell.order, loadOperands(command, parameters, sram)),
        sram_(sram), parameters_(parameters.cell) {}

private:
  std::vector<float> activations(Gate gate, std::span<const float> x, std::span<const float> output,
                                 std::span<const float> cell) const {
    const Matrix &bias = ofGate(layout_.biases, gate);
    std::vector<float> sums(bias.columns());
    multiplyAdd(ofGate(layout_.inputWeights, gate), x, sums);
    multiplyAdd(ofGate(layout_.recurrentWeights, gate), output, sums);
    if (has(kLstmPeepholes) && gate != kCellGate)
      for (size_t c = 0; c < sums.size(); ++c)
        sums[c] += peephole(gate)[c] * cell[c];
    if (has(kLstmLayerNorm))
      normalizeGate(gate, sums);
    const auto function = gate == kCellGate ? parameters_.activation : CellActivation::Sigmoid;
    for (size_t c = 0; c < sums.size(); ++c)
      sums[c] = activated(function, sums[c] + bias.row(0)[c]);
    return sums;
  }

  void normalizeGate(Gate gate, std::span<float> sums) const {
    normalize(sums);
    std::span<const float> weights = ofGate(layout_.layerNorm, gate).row(0);
    for (size_t c = 0; c < sums.size(); ++c)
      sums[c] *= weights[c];
  }

  std::vector<float> coupledInputGate(std::span<const float> forget) const {
    std::vector<float> input;
    for (float f : forget)
      input.push_back(1 - f);
    return input;
  }

  std::vector<float> projected(std::vector<float> hidden) const {
    if (!has(kLstmProjection))
      return hidden;
    const Matrix &projection = operands_[layout_.projection];
    std::vector<float> output(projection.rows());
    if (has(kLstmProjectionBias))
      std::ranges::copy(operands_[layout_.projectionBias].row(0), output.begin());
    multiplyAdd(projection, hidden, output);
    clip(output, parameters_.projectionClip);
    return output;
  }

  Row step(std::span<const float> x, State &state) const override {
    auto gate = [&](Gate which) { return activations(which, x, state.output, state.cell); };
    std::vector<float> forget = gate(kForgetGate), update = gate(kCellGate);
    std::vector<float> input = has(kLstmInputGate) ? gate(kInputGate) : coupledInputGate(forget);
    for (size_t c = 0; c < state.cell.size(); ++c)
      state.cell[c] = forget[c] * state.cell[c] + input[c] * update[c];
    clip(state.cell, parameters_.cellClip);
    std::vector<float> output = gate(kOutputGate), hidden = output;
    for (size_t c = 0; c < hidden.size(); ++c)
      hidden[c] *= activated(parameters_.activation, state.cell[c]);
    state.output = projected(std::move(hidden));
    return gatesInOrder({input, forget, update, output});
  }

  void storeOutput(const FeatureMap &map, uint32_t row, std::span<const float> values) const override {
    storeRow(map, sram_, row, values);
  }
  void storeCell(const FeatureMap &map, uint32_t row, std::span<const float> values) const override {
    storeRow(map, sram_, row, values);
  }

  std::span<uint8_t> sram_;
  LstmCellParameters parameters_;
};

class LstmCellKernel : public LstmBase {
public:
  LstmCellKernel() : LstmBase(DataType::Float32, kFloatCellOps / kNumLstmGates) {}

  KernelId id() const override { return kLstmCellKernel; }

protected:
  virtual bool isHybrid() const { return false; }
  /// Parameters of both forms; those of floats have no scales.
  virtual Result<HybridLstmCellParameters> parameters(const DspCommand &command) const {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<LstmCellParameters>(command.parameters));
    return HybridLstmCellParameters{parameters};
  }

  StepOrder orderOf(const DspCommand &command) const override { return parameters(command)->cell.order; }
  uint32_t partsOfCell(const DspCommand &command) const override { return parameters(command)->cell.parts; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto all, parameters(command));
    const LstmCellParameters &cell = all.cell;
    AVOCET_RETURN_IF_ERROR(checkParts(cell.parts));
    AVOCET_RETURN_IF_ERROR(checkActivation(cell.activation));
    if (isHybrid()) {
      AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[kInput].type, {DataType::Float32}));
      const size_t scales = 2 * LstmCellLayout(cell.parts).gates + (cell.parts & kLstmProjection ? 1 : 0);
      AVOCET_RETURN_IF_ERROR(checkHybrid(all.asymmetric, std::span(all.scales).first(scales)));
    }
    const DataType type = command.inputs[kInput].type;
    AVOCET_RETURN_IF_ERROR(checkType("input0", type, {DataType::Float16, DataType::Float32}));
    return checkShapes(command, cell.parts, cell.order,
                       {.sequence = type, .weights = isHybrid() ? DataType::Int8 : type, .cell = type, .bias = type});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    FloatLstmSteps(command, *parameters(command), sram).run();
  }
};

class HybridLstmCellKernel final : public LstmCellKernel {
public:
  KernelId id() const override { return kHybridLstmCellKernel; }

protected:
  bool isHybrid() const override { return true; }
  Result<HybridLstmCellParameters> parameters(const DspCommand &command) const override {
    return unpackParameters<HybridLstmCellParameters>(command.parameters);
  }
};

} // namespace

const Kernel &lstmCellKernel() {
  static const LstmCellKernel kKernel;
  return kKernel;
}

const Kernel &hybridLstmCellKernel() {
  static const HybridLstmCellKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
