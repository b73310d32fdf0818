//===- RnnCellKernel.cpp - Steps of a plain recurrent layer -----------===//
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

namespace avocet::kernels {

using namespace firmware;

namespace {

enum { kInput, kWeights, kRecurrentWeights, kBias, kState, kNumInputs };
enum { kStateOut, kOutput, kNumOutputs };

class RnnCellKernel : public DspKernel {
public:
  KernelId id() const override { return kRnnCellKernel; }

protected:
  virtual bool isHybrid() const { return false; }
  /// Parameters of both forms; those of floats have no scales.
  virtual Result<HybridRnnCellParameters> parameters(const DspCommand &command) const {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<RnnCellParameters>(command.parameters));
    return HybridRnnCellParameters{parameters};
  }

  OperandCount inputCount() const override { return kNumInputs; }
  OperandCount outputCount() const override { return kNumOutputs; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto all, parameters(command));
    AVOCET_RETURN_IF_ERROR(checkActivation(all.cell.activation));
    const FeatureMap &input = command.inputs[kInput];
    const uint32_t features = input.channels, units = command.inputs[kState].channels;
    AVOCET_RETURN_IF_ERROR(checkType("input0", input.type, {DataType::Float16, DataType::Float32}));
    AVOCET_RETURN_IF_ERROR(checkSequences(all.cell.order, input, command.outputs[kOutput], units));
    const DataType type = input.type, weightType = isHybrid() ? DataType::Int8 : type;
    if (isHybrid()) {
      AVOCET_RETURN_IF_ERROR(checkType("input0", type, {DataType::Float32}));
      AVOCET_RETURN_IF_ERROR(checkHybrid(all.asymmetric, all.scales));
    }
    const uint32_t batch = SequenceShape(input, all.cell.order).batch;
    AVOCET_RETURN_IF_ERROR(checkMatrix("weights", command.inputs[kWeights], weightType, units, features));
    AVOCET_RETURN_IF_ERROR(
        checkMatrix("recurrent weights", command.inputs[kRecurrentWeights], weightType, units, units));
    AVOCET_RETURN_IF_ERROR(checkMatrix("bias", command.inputs[kBias], type, 1, units));
    AVOCET_RETURN_IF_ERROR(checkMatrix("state", command.inputs[kState], type, batch, units));
    return checkMatrix("output state", command.outputs[kStateOut], type, batch, units);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const HybridRnnCellParameters all = *parameters(command);
    const SequenceShape sequence(command.inputs[kInput], all.cell.order);
    // Copies, because outputs may overlap the operands.
    std::vector<Matrix> operands;
    for (uint32_t i = 0; i < kNumInputs; ++i) {
      const bool isWeights = i == kWeights || i == kRecurrentWeights;
      operands.emplace_back(command.inputs[i], sram,
                            isWeights ? HybridScale{all.scales[i - kWeights], all.asymmetric != 0} : HybridScale());
    }
    for (uint32_t batch = 0; batch < sequence.batch; ++batch) {
      std::span<const float> before = operands[kState].row(batch);
      std::vector<float> state(before.begin(), before.end());
      for (uint32_t time = 0; time < sequence.steps; ++time) {
        const uint32_t row = sequence.row(time, batch);
        state = step(operands, operands[kInput].row(row), state, all.cell.activation);
        storeRow(command.outputs[kOutput], sram, row, state);
      }
      storeRow(command.outputs[kStateOut], sram, batch, state);
    }
  }

  DspWork work(const DspCommand &command) const override {
    const FeatureMap &input = command.inputs[kInput];
    const uint64_t steps = uint64_t(input.height) * input.width;
    DspWork work = elementWork(command, 0, DataType::Float32);
    work.groups = steps;
    for (uint32_t matrix : {kWeights, kRecurrentWeights})
      addProducts(command.inputs[matrix], steps, work);
    work.elementOps += 20 * elementCount(command.outputs[kOutput]);
    if (command.inputs[kWeights].type != input.type)
      work.elementOps += kRoundingOps * steps * (input.channels + command.inputs[kState].channels);
    return work;
  }

  uint32_t partsOf(const DspCommand &command) const override {
    return sequenceParts(command.inputs[kInput], parameters(command)->cell.order);
  }

  DspCommand partOf(const DspCommand &command, uint32_t first, uint32_t count) const override {
    return sequencePart(command, parameters(command)->cell.order, {kInput, kOutput, {{kState, kStateOut}}}, first,
                        count);
  }

private:
  static std::vector<float> step(const std::vector<Matrix> &operands, std::span<const float> x,
                                 std::span<const float> state, CellActivation activation) {
    std::span<const float> bias = operands[kBias].row(0);
    std::vector<float> sums(bias.begin(), bias.end());
    multiplyAdd(operands[kWeights], x, sums);
    multiplyAdd(operands[kRecurrentWeights], state, sums);
    for (float &sum : sums)
      sum = activated(activation, sum);
    return sums;
  }
};

class HybridRnnCellKernel final : public RnnCellKernel {
public:
  KernelId id() const override { return kHybridRnnCellKernel; }

protected:
  bool isHybrid() const override { return true; }
  Result<HybridRnnCellParameters> parameters(const DspCommand &command) const override {
    return unpackParameters<HybridRnnCellParameters>(command.parameters);
  }
};

} // namespace

const Kernel &rnnCellKernel() {
  static const RnnCellKernel kKernel;
  return kKernel;
}

const Kernel &hybridRnnCellKernel() {
  static const HybridRnnCellKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
