//===- RnnCellKernel.cpp - One step of a plain recurrent layer -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cells/Matrix.h"
#include "common/DspKernel.h"
#include "common/FeatureMapView.h"
#include "common/Kernels.h"

#include <algorithm>

namespace avocet::kernels {

using namespace firmware;

namespace {

enum { kInput, kWeights, kRecurrentWeights, kBias, kState, kNumInputs };
enum { kStateOut, kOutput, kNumOutputs };

class RnnCellKernel : public DspKernel {
public:
  std::string_view name() const override { return "rnnCell"; }

protected:
  OperandCount inputCount() const override { return kNumInputs; }
  OperandCount outputCount() const override { return kNumOutputs; }

  Status checkOperands(const DspCommand &command) const override {
    AVOCET_ASSIGN_OR_RETURN(auto parameters, unpackParameters<RnnCellParameters>(command.parameters));
    AVOCET_RETURN_IF_ERROR(checkActivation(parameters.activation));
    const FeatureMap &input = command.inputs[kInput];
    const DataType type = input.type;
    AVOCET_RETURN_IF_ERROR(checkType("input0", type, {DataType::Float16, DataType::Float32}));
    const uint32_t batch = input.width, features = input.channels, units = command.inputs[kState].channels;
    AVOCET_RETURN_IF_ERROR(checkMatrix("input", input, type, batch, features));
    AVOCET_RETURN_IF_ERROR(checkMatrix("weights", command.inputs[kWeights], type, units, features));
    AVOCET_RETURN_IF_ERROR(checkMatrix("recurrent weights", command.inputs[kRecurrentWeights], type, units, units));
    AVOCET_RETURN_IF_ERROR(checkMatrix("bias", command.inputs[kBias], type, 1, units));
    AVOCET_RETURN_IF_ERROR(checkMatrix("state", command.inputs[kState], type, batch, units));
    AVOCET_RETURN_IF_ERROR(checkMatrix("output state", command.outputs[kStateOut], type, batch, units));
    return checkMatrix("output", command.outputs[kOutput], type, batch, units);
  }

  void compute(const DspCommand &command, std::span<uint8_t> sram) const override {
    const CellActivation activation = parametersOf<RnnCellParameters>(command).activation;
    // Copies: nothing forbids that outputs overlap them.
    std::vector<Matrix> operands;
    for (const FeatureMap &map : command.inputs)
      operands.emplace_back(map, sram);
    for (uint32_t batch = 0; batch < operands[kInput].rows(); ++batch) {
      std::span<const float> bias = operands[kBias].row(0);
      std::vector<float> sums(bias.begin(), bias.end());
      multiplyAdd(operands[kWeights], operands[kInput].row(batch), sums);
      multiplyAdd(operands[kRecurrentWeights], operands[kState].row(batch), sums);
      for (float &sum : sums)
        sum = activated(activation, sum);
      for (const FeatureMap &output : command.outputs)
        storeRow(output, sram, batch, sums);
    }
  }

  // Every weight once for each element of the batch, multiplied and added, and the activation.
  DspWork work(const DspCommand &command) const override {
    DspWork work = elementWork(command, 0, DataType::Float32);
    const uint64_t weights = elementCount(command.inputs[kWeights]) + elementCount(command.inputs[kRecurrentWeights]);
    work.elementOps = 2 * weights * command.inputs[kInput].width + 20 * elementCount(command.outputs[kOutput]);
    return work;
  }
};

} // namespace

const Kernel &rnnCellKernel() {
  static const RnnCellKernel kKernel;
  return kKernel;
}

} // namespace avocet::kernels
