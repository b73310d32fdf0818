//===- SvdfKernel.cpp - Filters over features, then over time ------------===//
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

namespace avocet::kernels {

using namespace firmware;

namespace {

/// Operands by meaning; the bias may be absent.
struct Operands {
  explicit Operands(const DspCommand &command)
      : input(command.inputs[0]), features(command.inputs[1]), time(command.inputs[2]),
        bias(command.inputs.size() == 5 ? &command.inputs[3] : nullptr), state(command.inputs.back()),
        stateOut(command.outputs[0]), output(command.outputs[1]) {}

  const FeatureMap &input, &features, &time, *bias, &state, &stateOut, &output;
};

/// Stores the newest activation in each filter's window; returns the output of each filter.
std::vector<float> filterAnswers(const Matrix &features, const Matrix &time, std::span<const float> input,
                                 std::span<float> state) {
  std::vector<float> answers, newest(features.rows());
  multiplyAdd(features, input, newest);
  for (uint32_t filter = 0; filter < features.rows(); ++filter) {
    std::span<float> window = state.subspan(uint64_t(filter) * time.columns(), time.columns());
    // The previous step cleared this place, or it holds data of the caller.
    window.back() = newest[filter];
    answers.push_back(dot(time.row(filter), window));
  }
  return answers;
}

std::vector<float> unitAnswers(std::span<const float> filters, uint32_t rank, std::span<const float> bias,
                               CellActivation activation) {
  std::vector<float> units;
  for (size_t first = 0; first < filters.size(); first += rank) {
    float sum = bias.empty() ? 0 : bias[units.size()];
    for (float answer : filters.subspan(first, rank))
      sum += answer;
    units.push_back(activated(activation, sum));
  }
  return units;
}

void moveWindows(std::span<float> state, uint32_t memory) {
  for (size_t first = 0; first < state.size(); first += memory) {
    std::shift_left(state.begin() + first, state.begin() + first + memory, 1);
    state[first + memory - 1] = 0;
  }
}

class SvdfKernel : public DspKernel {
public:
  KernelId id() const override { return kSvdfKernel; }

protected:
  virtual bool isHybrid() const { return false; }
  /// Parameters of both forms; those of floats have no scale.
  virtual Result<HybridSvdfParameters> parameters(const DspCommand &command) const {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<SvdfParameters>(command.parameters));
    return HybridSvdfParameters{parameters};
  }

  OperandCount inputCount() const override { return {4, 5}; }
  OperandCount outputCount() const override { return 2; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto all, parameters(command));
    const uint32_t rank = all.cell.rank;
    AVOCET_RETURN_IF_ERROR(checkActivation(all.cell.activation));
    Operands operands(command);
    const DataType type = operands.input.type, featureType = isHybrid() ? DataType::Int8 : type;
    if (isHybrid()) {
      AVOCET_RETURN_IF_ERROR(checkType("input0", type, {DataType::Float32}));
      AVOCET_RETURN_IF_ERROR(checkHybrid(all.asymmetric, all.scales));
    }
    AVOCET_RETURN_IF_ERROR(checkType("input0", type, {DataType::Float16, DataType::Float32}));
    const uint32_t batch = operands.input.width, features = operands.input.channels;
    const uint32_t filters = operands.features.width, memory = operands.time.channels;
    if (rank == 0 || filters % rank != 0)
      return ruleBroken("rank", rank, "a divisor of the " + std::to_string(filters) + " filters");
    const uint64_t states = uint64_t(filters) * memory;
    AVOCET_RETURN_IF_ERROR(checkMatrix("input", operands.input, type, batch, features));
    AVOCET_RETURN_IF_ERROR(checkMatrix("feature weights", operands.features, featureType, filters, features));
    AVOCET_RETURN_IF_ERROR(checkMatrix("time weights", operands.time, type, filters, memory));
    AVOCET_RETURN_IF_ERROR(checkMatrix("state", operands.state, type, batch, states));
    AVOCET_RETURN_IF_ERROR(checkMatrix("output state", operands.stateOut, type, batch, states));
    if (operands.bias)
      AVOCET_RETURN_IF_ERROR(checkMatrix("bias", *operands.bias, type, 1, filters / rank));
    return checkMatrix("output", operands.output, type, batch, filters / rank);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const HybridSvdfParameters all = *parameters(command);
    Operands operands(command);
    // Copies, because outputs may overlap the operands.
    const Matrix input(operands.input, sram), states(operands.state, sram);
    const Matrix features(operands.features, sram, {all.scales[0], all.asymmetric != 0}), time(operands.time, sram);
    std::vector<float> bias;
    if (operands.bias) {
      const Matrix row(*operands.bias, sram);
      bias.assign(row.row(0).begin(), row.row(0).end());
    }
    for (uint32_t batch = 0; batch < input.rows(); ++batch) {
      std::vector<float> state(states.row(batch).begin(), states.row(batch).end());
      std::vector<float> filters = filterAnswers(features, time, input.row(batch), state);
      storeRow(operands.output, sram, batch, unitAnswers(filters, all.cell.rank, bias, all.cell.activation));
      moveWindows(state, time.columns());
      storeRow(operands.stateOut, sram, batch, state);
    }
  }

  // Each weight counts once for each element of the batch, as a product and a sum; then sums, activations and moves.
  DspWork work(const DspCommand &command) const override {
    Operands operands(command);
    DspWork work = elementWork(command, 0, DataType::Float32);
    const uint64_t weights = elementCount(operands.features) + elementCount(operands.time);
    work.elementOps =
        2 * weights * operands.input.width + elementCount(operands.state) + 20 * elementCount(operands.output);
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override { return command.inputs[0].width; }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    DspCommand part = command;
    for (FeatureMap *map : {&part.inputs.front(), &part.inputs.back(), &part.outputs[0], &part.outputs[1]})
      *map = sliceOf(*map, MapAxis::Columns, first, count);
    return part;
  }
};

class HybridSvdfKernel final : public SvdfKernel {
public:
  KernelId id() const override { return kHybridSvdfKernel; }

protected:
  bool isHybrid() const override { return true; }
  Result<HybridSvdfParameters> parameters(const DspCommand &command) const override {
    return unpackParameters<HybridSvdfParameters>(command.parameters);
  }
};

} // namespace

const Kernel &svdfKernel() {
  static const SvdfKernel kKernel;
  return kKernel;
}

const Kernel &hybridSvdfKernel() {
  static const HybridSvdfKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
