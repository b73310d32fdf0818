//===- LstmShape.cpp - Operands that both LSTM kernels share --------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lstm/LstmShape.h"

#include <cstring>

namespace avocet::kernels {

using namespace firmware;

static Status checkOperand(const std::string &name, const FeatureMap &map, DataType type, uint32_t height,
                           uint32_t channels) {
  AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {type}));
  AVOCET_RETURN_IF_ERROR(checkEqual(name + ".height", map.height, "the sequence's", height));
  AVOCET_RETURN_IF_ERROR(checkEqual(name + ".width", map.width, "an LSTM operand's", 1));
  return checkEqual(name + ".channels", map.channels, "the sequence's", channels);
}

Status checkLstmOperands(const DspCommand &command, const LstmTypes &types) {
  LstmExtents e(command);
  auto input = [&](uint32_t index, DataType type, uint32_t height, uint32_t channels) {
    return checkOperand("input" + std::to_string(index), command.inputs[index], type, height, channels);
  };
  auto output = [&](uint32_t index, DataType type, uint32_t height) {
    return checkOperand("output" + std::to_string(index), command.outputs[index], type, height, e.cells);
  };
  AVOCET_RETURN_IF_ERROR(input(kLstmSequence, types.activation, e.steps, e.inputs));
  for (uint32_t gate = 0; gate < kNumLstmGates; ++gate) {
    AVOCET_RETURN_IF_ERROR(input(kLstmInputWeights + gate, types.weight, e.cells, e.inputs));
    AVOCET_RETURN_IF_ERROR(input(kLstmRecurrentWeights + gate, types.weight, e.cells, e.cells));
    AVOCET_RETURN_IF_ERROR(input(kLstmBiases + gate, types.bias, 1, e.cells));
  }
  AVOCET_RETURN_IF_ERROR(output(kLstmOutputSequence, types.activation, e.steps));
  AVOCET_RETURN_IF_ERROR(output(kLstmHiddenState, types.activation, 1));
  AVOCET_RETURN_IF_ERROR(output(kLstmCellState, types.cell, 1));
  if (command.inputs.size() == kNumLstmInputs)
    return Status::ok();
  if (command.inputs.size() != kMaxLstmInputs)
    return invalidArgument("an LSTM has both initial states or none");
  AVOCET_RETURN_IF_ERROR(input(kLstmInitialHiddenState, types.activation, 1, e.cells));
  return input(kLstmInitialCellState, types.cell, 1, e.cells);
}

void setLstmStates(const DspCommand &command, std::span<uint8_t> sram) {
  const auto bytesOf = [&](const FeatureMap &map) { return FeatureMapView<uint8_t>(map, sram).row(0); };
  for (uint32_t i = kNumLstmInputs; i < command.inputs.size(); ++i) {
    const FeatureMap &to = command.outputs[i - kLstmInitialHiddenState + kLstmHiddenState];
    // memmove, because the operands may overlap.
    std::memmove(bytesOf(to), bytesOf(command.inputs[i]), to.channels * sizeOf(to.type));
  }
}

DspWork lstmWork(const DspCommand &command, uint64_t cellOps, DataType type) {
  LstmExtents e(command);
  uint64_t steps = e.steps, cells = e.cells;
  DspWork work;
  work.type = type;
  work.elementOps = steps * cells * (kNumLstmGates * (uint64_t(e.inputs) + e.cells) + cellOps);
  work.rows = steps * cells * kNumLstmGates;
  // Weights are read again in each step.
  for (uint32_t i = 1; i < kNumLstmInputs; ++i)
    work.bytesRead += steps * byteCount(command.inputs[i]);
  work.bytesRead += byteCount(command.inputs[kLstmSequence]);
  for (uint32_t i = kNumLstmInputs; i < command.inputs.size(); ++i)
    work.bytesRead += byteCount(command.inputs[i]);
  work.bytesWritten = byteCount(command.outputs[kLstmOutputSequence]);
  for (uint32_t state : {kLstmHiddenState, kLstmCellState}) {
    work.bytesRead += steps * byteCount(command.outputs[state]);
    work.bytesWritten += steps * byteCount(command.outputs[state]);
  }
  return work;
}

} // namespace avocet::kernels
