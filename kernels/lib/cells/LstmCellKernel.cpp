//===- LstmCellKernel.cpp - Steps of an LSTM with all its options -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/HybridCells.h"
#include "cells/Matrix.h"
#include "common/DspKernel.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

LstmCellLayout::LstmCellLayout(uint32_t parts) : gates(parts & kLstmInputGate ? 4 : 3) {
  auto of = [parts](LstmCellPart part, uint32_t operands) { return parts & part ? operands : 0; };
  recurrentWeights = inputWeights + gates;
  peepholes = recurrentWeights + gates;
  biases = peepholes + of(kLstmPeepholes, gates - 1);
  projection = biases + gates;
  projectionBias = projection + of(kLstmProjection, 1);
  layerNorm = projectionBias + of(kLstmProjectionBias, 1);
  count = layerNorm + of(kLstmLayerNorm, gates);
}

namespace {

/// Indices of the inputs before the groups, and of the outputs.
enum { kInput, kOutputState, kCellState };
enum { kGatesOut, kOutputStateOut, kCellStateOut, kOutput };

/// Gates counted from the last one, so that the numbers are the same with and without an input gate.
enum Gate { kOutputGate = 1, kCellGate = 2, kForgetGate = 3, kInputGate = 4 };

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

/// States of one element of the batch.
struct LstmState {
  std::vector<float> output, cell;
};

/// The steps of all elements of a batch. Operands are copied first, because outputs may overlap them.
class LstmSteps {
public:
  LstmSteps(const DspCommand &command, const HybridLstmCellParameters &parameters, std::span<uint8_t> sram)
      : command_(command), sram_(sram), parameters_(parameters.cell), layout_(parameters_.parts),
        sequence_(command.inputs[kInput], parameters_.order) {
    std::span<const float> scales = parameters.scales;
    for (const FeatureMap &map : command.inputs) {
      HybridScale hybrid;
      if (map.type == DataType::Int8) {
        hybrid = {scales.front(), parameters.asymmetric != 0};
        scales = scales.subspan(1);
      }
      operands_.emplace_back(map, sram, hybrid);
    }
  }

  void run() {
    for (uint32_t batch = 0; batch < sequence_.batch; ++batch)
      runElement(batch);
  }

private:
  bool has(LstmCellPart part) const { return parameters_.parts & part; }
  const Matrix &ofGate(uint32_t group, Gate gate) const { return operands_[group + layout_.gates - gate]; }

  /// The cell gate has no peephole.
  const Matrix &peephole(Gate gate) const {
    return operands_[layout_.biases - (gate == kOutputGate ? gate : gate - 1)];
  }

  std::vector<float> activations(Gate gate, std::span<const float> x, std::span<const float> output,
                                 std::span<const float> cell) const {
    const Matrix &bias = ofGate(layout_.biases, gate);
    std::vector<float> sums(bias.columns());
    multiplyAdd(ofGate(layout_.inputWeights, gate), x, sums);
    multiplyAdd(ofGate(layout_.recurrentWeights, gate), output, sums);
    if (has(kLstmPeepholes) && gate != kCellGate)
      for (size_t c = 0; c < sums.size(); ++c)
        sums[c] += peephole(gate).row(0)[c] * cell[c];
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

  /// Computes the next states; returns the gates in the order of the operands.
  std::vector<float> step(std::span<const float> x, LstmState &state) const {
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

  std::vector<float> gatesInOrder(std::initializer_list<std::vector<float>> gates) const {
    std::vector<float> row;
    for (const std::vector<float> &gate : std::span(gates).last(layout_.gates))
      row.insert(row.end(), gate.begin(), gate.end());
    return row;
  }

  void runElement(uint32_t batch) {
    std::span<const float> output = operands_[kOutputState].row(batch), cell = operands_[kCellState].row(batch);
    LstmState state{{output.begin(), output.end()}, {cell.begin(), cell.end()}};
    std::vector<float> gates;
    for (uint32_t time = 0; time < sequence_.steps; ++time) {
      const uint32_t row = sequence_.row(time, batch);
      gates = step(operands_[kInput].row(row), state);
      storeRow(command_.outputs[kOutput], sram_, row, state.output);
    }
    storeRow(command_.outputs[kGatesOut], sram_, batch, gates);
    storeRow(command_.outputs[kOutputStateOut], sram_, batch, state.output);
    storeRow(command_.outputs[kCellStateOut], sram_, batch, state.cell);
  }

  const DspCommand &command_;
  std::span<uint8_t> sram_;
  LstmCellParameters parameters_;
  LstmCellLayout layout_;
  SequenceShape sequence_;
  std::vector<Matrix> operands_;
};

/// Shapes of an LSTM's operands, from those of its states and its input.
class LstmRules {
public:
  LstmRules(const DspCommand &command, const LstmCellParameters &parameters, bool isHybrid)
      : command_(command), parameters_(parameters), layout_(parameters.parts), type_(command.inputs[kInput].type),
        weightType_(isHybrid ? DataType::Int8 : type_),
        batch_(SequenceShape(command.inputs[kInput], parameters.order).batch),
        features_(command.inputs[kInput].channels), outputs_(command.inputs[kOutputState].channels),
        cells_(command.inputs[kCellState].channels) {}

  Status check() const {
    if (command_.inputs.size() != layout_.count)
      return ruleBroken("input operands", command_.inputs.size(), std::to_string(layout_.count) + " for these parts");
    AVOCET_RETURN_IF_ERROR(
        checkSequences(parameters_.order, command_.inputs[kInput], command_.outputs[kOutput], outputs_));
    if (!(parameters_.parts & kLstmProjection))
      AVOCET_RETURN_IF_ERROR(checkEqual("input1.channels", outputs_, "the number of cells", cells_));
    AVOCET_RETURN_IF_ERROR(checkStates());
    AVOCET_RETURN_IF_ERROR(checkWeights());
    return checkVectors();
  }

private:
  Status output(uint32_t index, uint64_t columns) const {
    return checkMatrix("output" + std::to_string(index), command_.outputs[index], type_, batch_, columns);
  }
  Status group(DataType type, uint32_t first, uint32_t end, uint64_t rows, uint64_t columns) const {
    for (uint32_t index = first; index < end; ++index)
      AVOCET_RETURN_IF_ERROR(checkMatrix("input" + std::to_string(index), command_.inputs[index], type, rows, columns));
    return Status::ok();
  }

  Status checkStates() const {
    AVOCET_RETURN_IF_ERROR(group(type_, kOutputState, kCellState, batch_, outputs_));
    AVOCET_RETURN_IF_ERROR(group(type_, kCellState, layout_.inputWeights, batch_, cells_));
    AVOCET_RETURN_IF_ERROR(output(kGatesOut, uint64_t(layout_.gates) * cells_));
    AVOCET_RETURN_IF_ERROR(output(kOutputStateOut, outputs_));
    return output(kCellStateOut, cells_);
  }

  Status checkWeights() const {
    AVOCET_RETURN_IF_ERROR(group(weightType_, layout_.inputWeights, layout_.recurrentWeights, cells_, features_));
    AVOCET_RETURN_IF_ERROR(group(weightType_, layout_.recurrentWeights, layout_.peepholes, cells_, outputs_));
    return group(weightType_, layout_.projection, layout_.projectionBias, outputs_, cells_);
  }

  Status checkVectors() const {
    AVOCET_RETURN_IF_ERROR(group(type_, layout_.peepholes, layout_.projection, 1, cells_));
    AVOCET_RETURN_IF_ERROR(group(type_, layout_.projectionBias, layout_.layerNorm, 1, outputs_));
    return group(type_, layout_.layerNorm, layout_.count, 1, cells_);
  }

  const DspCommand &command_;
  LstmCellParameters parameters_;
  LstmCellLayout layout_;
  DataType type_, weightType_;
  uint32_t batch_, features_, outputs_, cells_;
};

class LstmCellKernel : public DspKernel {
public:
  KernelId id() const override { return kLstmCellKernel; }

protected:
  virtual bool isHybrid() const { return false; }
  /// Parameters of both forms; those of floats have no scales.
  virtual Result<HybridLstmCellParameters> parameters(const DspCommand &command) const {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<LstmCellParameters>(command.parameters));
    return HybridLstmCellParameters{parameters};
  }

  OperandCount inputCount() const override { return {LstmCellLayout(0).count, LstmCellLayout(kLstmAllParts).count}; }
  OperandCount outputCount() const override { return 4; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto all, parameters(command));
    const LstmCellParameters &cell = all.cell;
    if (cell.parts > kLstmAllParts)
      return ruleBroken("parts", cell.parts, "bits of LstmCellPart");
    if ((cell.parts & kLstmProjectionBias) && !(cell.parts & kLstmProjection))
      return ruleBroken("parts", cell.parts, "without a projection bias where there is no projection");
    AVOCET_RETURN_IF_ERROR(checkActivation(cell.activation));
    if (isHybrid()) {
      AVOCET_RETURN_IF_ERROR(checkType("input0", command.inputs[kInput].type, {DataType::Float32}));
      const size_t scales = 2 * LstmCellLayout(cell.parts).gates + (cell.parts & kLstmProjection ? 1 : 0);
      AVOCET_RETURN_IF_ERROR(checkHybrid(all.asymmetric, std::span(all.scales).first(scales)));
    }
    return LstmRules(command, cell, isHybrid()).check();
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    LstmSteps(command, *parameters(command), sram).run();
  }

  // Each weight counts once for each step of each element, as a product and a sum; about 60 for the functions of a
  // gate.
  DspWork work(const DspCommand &command) const override {
    const uint64_t steps = uint64_t(command.inputs[kInput].height) * command.inputs[kInput].width;
    DspWork work = elementWork(command, 0, DataType::Float32);
    for (const FeatureMap &map : std::span(command.inputs).subspan(kCellState + 1))
      work.elementOps += 2 * elementCount(map);
    work.elementOps = (work.elementOps + 60 * command.outputs[kGatesOut].channels) * steps;
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    return sequenceParts(command.inputs[kInput], parameters(command)->cell.order);
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    const StepOrder order = parameters(command)->cell.order;
    DspCommand part =
        sequencePart(command, order, {kInput, kOutput, {{kOutputState, kOutputStateOut}, {kCellState, kCellStateOut}}},
                     first, count);
    if (SequenceShape(command.inputs[kInput], order).batch > 1)
      part.outputs[kGatesOut] = sliceOf(command.outputs[kGatesOut], MapAxis::Columns, first, count);
    return part;
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
