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

static Status checkInput(const DspCommand &command, uint32_t index, DataType type, uint32_t height, uint32_t channels) {
  return checkOperand("input" + std::to_string(index), command.inputs[index], type, height, channels);
}

/// The results, and the initial states from `firstState` on.
static Status checkStates(const DspCommand &command, const LstmTypes &types, uint32_t steps, uint32_t firstState) {
  const uint32_t cells = command.outputs[kLstmCellState].channels;
  auto output = [&](uint32_t index, DataType type, uint32_t height) {
    return checkOperand("output" + std::to_string(index), command.outputs[index], type, height, cells);
  };
  AVOCET_RETURN_IF_ERROR(output(kLstmOutputSequence, types.activation, steps));
  AVOCET_RETURN_IF_ERROR(output(kLstmHiddenState, types.activation, 1));
  AVOCET_RETURN_IF_ERROR(output(kLstmCellState, types.cell, 1));
  if (command.inputs.size() == firstState)
    return Status::ok();
  if (command.inputs.size() != firstState + 2)
    return invalidArgument("an LSTM has both initial states or none");
  AVOCET_RETURN_IF_ERROR(checkInput(command, firstState, types.activation, 1, cells));
  return checkInput(command, firstState + 1, types.cell, 1, cells);
}

Status checkLstmOperands(const DspCommand &command, const LstmTypes &types) {
  LstmExtents e(command);
  AVOCET_RETURN_IF_ERROR(checkInput(command, kLstmSequence, types.activation, e.steps, e.inputs));
  for (uint32_t gate = 0; gate < kNumLstmGates; ++gate) {
    AVOCET_RETURN_IF_ERROR(checkInput(command, kLstmInputWeights + gate, types.weight, e.cells, e.inputs));
    AVOCET_RETURN_IF_ERROR(checkInput(command, kLstmRecurrentWeights + gate, types.weight, e.cells, e.cells));
    AVOCET_RETURN_IF_ERROR(checkInput(command, kLstmBiases + gate, types.bias, 1, e.cells));
  }
  return checkStates(command, types, e.steps, kNumLstmInputs);
}

Status checkLstmStepsOperands(const DspCommand &command, const LstmTypes &types) {
  const LstmExtents e(command);
  if (e.inputs % kNumLstmGates != 0 || e.inputs / kNumLstmGates != e.cells)
    return ruleBroken("input0.channels", e.inputs, "4 for each of " + std::to_string(e.cells) + " cells");
  AVOCET_RETURN_IF_ERROR(checkInput(command, kLstmSums, types.bias, e.steps, e.inputs));
  AVOCET_RETURN_IF_ERROR(checkInput(command, kLstmRecurrentColumns, types.weight, e.cells, e.inputs));
  return checkStates(command, types, e.steps, kNumLstmStepsInputs);
}

Status checkHybridLstmOperands(const DspCommand &command) {
  const LstmExtents e(command);
  constexpr LstmTypes kTypes = {DataType::Float32, DataType::Int8, DataType::Float32, DataType::Float32};
  if (e.cells > UINT32_MAX / kNumLstmGates || e.cells > UINT32_MAX - e.inputs)
    return ruleBroken("output2.channels", e.cells, "fewer cells");
  const uint32_t sums = kNumLstmGates * e.cells;
  AVOCET_RETURN_IF_ERROR(checkInput(command, kLstmSequence, kTypes.activation, e.steps, e.inputs));
  AVOCET_RETURN_IF_ERROR(checkInput(command, kHybridLstmColumns, kTypes.weight, e.inputs + e.cells, sums));
  AVOCET_RETURN_IF_ERROR(checkInput(command, kHybridLstmBiases, kTypes.bias, 1, sums));
  return checkStates(command, kTypes, e.steps, kNumHybridLstmInputs);
}

void LstmKernel::setStates(const DspCommand &command, std::span<uint8_t> sram) const {
  const auto bytesOf = [&](const FeatureMap &map) { return FeatureMapView<uint8_t>(map, sram).row(0); };
  for (uint32_t i = inputs_; i < command.inputs.size(); ++i) {
    const FeatureMap &to = command.outputs[i - inputs_ + kLstmHiddenState];
    // memmove, because the operands may overlap.
    std::memmove(bytesOf(to), bytesOf(command.inputs[i]), to.channels * sizeOf(to.type));
  }
}

/// Bytes of `weights` are read in each step, as the states are; all other operands once.
static void countBytes(const DspCommand &command, uint32_t steps, std::span<const FeatureMap> weights, DspWork &work) {
  for (const FeatureMap &map : command.inputs)
    work.bytesRead += byteCount(map);
  for (const FeatureMap &map : weights)
    work.bytesRead += (steps - 1) * byteCount(map);
  work.bytesWritten = byteCount(command.outputs[kLstmOutputSequence]);
  for (uint32_t state : {kLstmHiddenState, kLstmCellState}) {
    work.bytesRead += steps * byteCount(command.outputs[state]);
    work.bytesWritten += steps * byteCount(command.outputs[state]);
  }
}

/// The products of all steps, with the zero points that the command has. Those of 8-bit weights take lanes of bytes.
static void countProducts(uint64_t inStep, uint64_t steps, DataType weights, bool hasZeroPoints, DspWork &work) {
  if (sizeOf(weights) > 1)
    work.elementOps += steps * inStep;
  else
    work.byteProducts = (steps + hasZeroPoints) * inStep;
}

DspWork lstmWork(const DspCommand &command, uint64_t cellOps, DataType type) {
  LstmExtents e(command);
  uint64_t steps = e.steps, cells = e.cells;
  DspWork work;
  work.type = type;
  work.elementOps = steps * cells * cellOps;
  const bool hasZeroPoints = command.inputs[kLstmSequence].zeroPoint || command.outputs[kLstmHiddenState].zeroPoint;
  countProducts(cells * kNumLstmGates * (uint64_t(e.inputs) + e.cells), steps, command.inputs[kLstmInputWeights].type,
                hasZeroPoints, work);
  work.rows = steps * cells * kNumLstmGates;
  countBytes(command, e.steps, std::span(command.inputs).subspan(1, kNumLstmInputs - 1), work);
  return work;
}

DspWork lstmStepsWork(const DspCommand &command, uint64_t cellOps, DataType type) {
  const LstmExtents e(command);
  const uint64_t steps = e.steps, cells = e.cells;
  DspWork work;
  work.type = type;
  work.elementOps = steps * cells * cellOps;
  const FeatureMap &columns = command.inputs[kLstmRecurrentColumns];
  countProducts(elementCount(columns), steps, columns.type, command.outputs[kLstmHiddenState].zeroPoint != 0, work);
  // A loop over vectors of cells, and in it one over the terms: the sums of all gates of some cells stay in registers,
  // for the functions and the states of these cells. The hidden state of a step is its row of the sequence.
  work.rows = steps * 2;
  countBytes(command, e.steps, std::span(command.inputs).subspan(kLstmRecurrentColumns, 1), work);
  return work;
}

} // namespace avocet::kernels
