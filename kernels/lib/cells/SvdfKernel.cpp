//===- SvdfKernel.cpp - Filters over features, then over time ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/kernels/dsp/HybridCells.h"
#include "cells/Matrix.h"
#include "cells/SvdfBase.h"
#include "common/Kernels.h"

namespace avocet::kernels {

using namespace firmware;

namespace {

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

class SvdfKernel : public SvdfBase {
public:
  SvdfKernel() : SvdfBase(DataType::Float32, 20) {}

  KernelId id() const override { return kSvdfKernel; }

protected:
  virtual bool isHybrid() const { return false; }
  /// Parameters of both forms; those of floats have no scale.
  virtual Result<HybridSvdfParameters> parameters(const DspCommand &command) const {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<SvdfParameters>(command.parameters));
    return HybridSvdfParameters{parameters};
  }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto all, parameters(command));
    AVOCET_RETURN_IF_ERROR(checkActivation(all.cell.activation));
    const SvdfOperands operands(command);
    const DataType type = operands.input.type;
    if (isHybrid()) {
      AVOCET_RETURN_IF_ERROR(checkType("input0", type, {DataType::Float32}));
      AVOCET_RETURN_IF_ERROR(checkHybrid(all.asymmetric, all.scales));
    }
    AVOCET_RETURN_IF_ERROR(checkType("input0", type, {DataType::Float16, DataType::Float32}));
    return checkShapes(operands, all.cell.rank,
                       {.input = type, .features = isHybrid() ? DataType::Int8 : type, .time = type, .bias = type});
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const HybridSvdfParameters all = *parameters(command);
    const SvdfOperands operands(command);
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
      moveWindows(std::span(state), time.columns());
      storeRow(operands.stateOut, sram, batch, state);
    }
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
