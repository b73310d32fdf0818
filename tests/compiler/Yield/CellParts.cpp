//===- CellParts.cpp - Commands of recurrent layers ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCommands.h"

#include "avocet/kernels/Quantization.h"
#include "avocet/kernels/dsp/HybridCells.h"
#include "avocet/kernels/dsp/IntegerCells.h"
#include "avocet/kernels/dsp/Lstm.h"
#include "avocet/kernels/dsp/Random.h"

#include <array>
#include <cmath>

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

namespace {

/// An LSTM over as many steps as fit, with `types` for activations, weights, biases and the cell state.
DspCommand lstm(Operands &o, const char *kernel, std::array<DataType, 4> types, std::vector<uint32_t> parameters,
                bool hasStates = false) {
  const auto [activation, weight, bias, cell] = types;
  const uint32_t n = rows(o, sizeOf(activation) * (3 + 5)), cells = 5;
  Maps inputs = {o.any(activation, n, 1, 3)};
  for (uint32_t columns : {3u, cells})
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
      inputs.push_back(o.any(weight, cells, 1, columns));
  for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
    inputs.push_back(o.any(bias, 1, 1, cells));
  if (hasStates)
    inputs.insert(inputs.end(), {o.any(activation, 1, 1, cells), o.any(cell, 1, 1, cells)});
  const Maps outputs = {o.any(activation, n, 1, cells), o.any(activation, 1, 1, cells), o.any(cell, 1, 1, cells)};
  return commandOf(kernel, std::move(inputs), outputs, std::move(parameters));
}

DspCommand floatLstm(Operands &o) {
  return lstm(o, "floatLstm", {kF32, kF32, kF32, kF32}, packParameters(FloatLstmParameters{}));
}

DspCommand floatLstmStates(Operands &o) {
  return lstm(o, "floatLstm", {kF32, kF32, kF32, kF32}, packParameters(FloatLstmParameters{}), true);
}

/// The same with sums of the inputs' products.
DspCommand lstmSteps(Operands &o, const char *kernel, std::array<DataType, 4> types, std::vector<uint32_t> parameters) {
  const auto [activation, weight, sum, cell] = types;
  constexpr uint32_t kCells = 5, kSums = kNumLstmGates * kCells;
  const uint32_t n = rows(o, sizeOf(sum) * kSums + sizeOf(activation) * kCells);
  const Maps inputs = {o.any(sum, n, 1, kSums), o.any(weight, kCells, 1, kSums), o.any(activation, 1, 1, kCells),
                       o.any(cell, 1, 1, kCells)};
  const Maps outputs = {o.any(activation, n, 1, kCells), o.any(activation, 1, 1, kCells), o.any(cell, 1, 1, kCells)};
  return commandOf(kernel, inputs, outputs, std::move(parameters));
}

DspCommand floatLstmSteps(Operands &o) {
  return lstmSteps(o, "floatLstmSteps", {kF32, kF32, kF32, kF32}, packParameters(FloatLstmParameters{}));
}

DspCommand hybridLstmSteps(Operands &o) {
  constexpr uint32_t kInputs = 4, kCells = 5, kSums = kNumLstmGates * kCells;
  HybridLstmStepsParameters parameters;
  parameters.input.fill(0.01f);
  parameters.recurrent.fill(0.01f);
  const uint32_t n = rows(o, 4 * (kInputs + kCells));
  const Maps inputs = {o.any(kF32, n, 1, kInputs), o.any(DataType::Int8, kInputs + kCells, 1, kSums),
                       o.any(kF32, 1, 1, kSums)};
  const Maps outputs = {o.any(kF32, n, 1, kCells), o.any(kF32, 1, 1, kCells), o.any(kF32, 1, 1, kCells)};
  return commandOf("hybridLstmSteps", inputs, outputs, packParameters(parameters));
}

IntegerLstmParameters integerParameters() {
  IntegerLstmScales scales;
  scales.input = scales.hiddenState = scales.hiddenIntermediate = 1.0f / 128;
  scales.cellState = std::ldexp(1.0f, -12);
  scales.inputWeights.fill(0.004f);
  scales.recurrentWeights.fill(0.003f);
  return *prepareIntegerLstm(scales);
}

DspCommand integerLstmSteps(Operands &o) {
  return lstmSteps(o, "integerLstmSteps", {kI8, kI8, DataType::Int16, DataType::Int16},
                   packParameters<IntegerLstmStepsParameters>(integerParameters()));
}

DspCommand integerLstm(Operands &o) {
  return lstm(o, "integerLstm", {kI8, kI8, kI32, DataType::Int16}, packParameters(integerParameters()));
}

DspCommand lstmCell(Operands &o, uint32_t steps, uint32_t batch, uint32_t cells) {
  LstmCellParameters p;
  p.parts = kLstmInputGate;
  const uint32_t features = 4;
  Maps inputs = {o.any(kF32, steps, batch, features), o.matrix(batch, cells), o.matrix(batch, cells)};
  for (uint32_t columns : {features, cells})
    for (int gate = 0; gate < 4; ++gate)
      inputs.push_back(o.matrix(cells, columns));
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(o.matrix(1, cells));
  return commandOf(
      "lstmCell", inputs,
      {o.matrix(batch, 4 * cells), o.matrix(batch, cells), o.matrix(batch, cells), o.any(kF32, steps, batch, cells)},
      p);
}

DspCommand lstmCellSteps(Operands &o) { return lstmCell(o, rows(o, 4 * (4 + 6)), 1, 6); }
DspCommand lstmCellBatch(Operands &o) { return lstmCell(o, 2, rows(o, 4 * (2 * 10 + 8 * 6)), 6); }

/// One step with as many weights as fit into the operands' bytes.
DspCommand lstmCellLarge(Operands &o) {
  return lstmCell(o, 1, 1, static_cast<uint32_t>(std::max(5.0, std::sqrt(o.bytes / 16) - 4)));
}

DspCommand rnnCell(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * (5 + 7));
  RnnCellParameters p{CellActivation::Tanh, StepOrder::BatchMajor};
  return commandOf("rnnCell", {o.any(kF32, 2, n, 5), o.matrix(7, 5), o.matrix(7, 7), o.matrix(1, 7), o.matrix(2, 7)},
                   {o.matrix(2, 7), o.any(kF32, 2, n, 7)}, p);
}

DspCommand svdf(Operands &o) {
  const uint32_t n = rows(o, 4 * (5 + 2 * 4 * 6 + 2));
  return commandOf("svdf", {o.matrix(n, 5), o.matrix(4, 5), o.matrix(4, 6), o.matrix(1, 2), o.matrix(n, 24)},
                   {o.matrix(n, 24), o.matrix(n, 2)}, SvdfParameters{2, CellActivation::Relu});
}

/// A matrix of another type.
FeatureMap typed(Operands &o, DataType type, uint32_t rows, uint32_t columns) { return o.any(type, 1, rows, columns); }

/// An LSTM with 4 inputs, the four gates and none of the optional parts.
DspCommand typedLstm(Operands &o, const char *kernel, std::array<DataType, 4> types, uint32_t steps, uint32_t batch,
                     std::vector<uint32_t> parameters) {
  constexpr uint32_t kFeatures = 4, kCells = 6;
  const auto [value, weight, bias, cell] = types;
  Maps inputs = {o.any(value, steps, batch, kFeatures), typed(o, value, batch, kCells), typed(o, cell, batch, kCells)};
  for (uint32_t columns : {kFeatures, kCells})
    for (int gate = 0; gate < 4; ++gate)
      inputs.push_back(typed(o, weight, kCells, columns));
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(typed(o, bias, 1, kCells));
  const Maps outputs = {typed(o, cell, batch, 4 * kCells), typed(o, value, batch, kCells),
                        typed(o, cell, batch, kCells), o.any(value, steps, batch, kCells)};
  return commandOf(kernel, std::move(inputs), outputs, std::move(parameters));
}

DspCommand hybridLstm(Operands &o, uint32_t steps, uint32_t batch) {
  HybridLstmCellParameters p;
  p.cell.parts = kLstmInputGate;
  p.scales.fill(0.01f);
  return typedLstm(o, "hybridLstmCell", {kF32, kI8, kF32, kF32}, steps, batch, packParameters(p));
}

DspCommand hybridLstmCellSteps(Operands &o) { return hybridLstm(o, rows(o, 4 * (4 + 6)), 1); }
DspCommand hybridLstmCellBatch(Operands &o) { return hybridLstm(o, 2, rows(o, 4 * (2 * 10 + 8 * 6))); }

DspCommand integerLstmCell(Operands &o, uint32_t steps, uint32_t batch) {
  IntegerLstmCellScales scales;
  scales.gates.fill({0.004f, 0.003f, 0, 0, 1.0f / 4096});
  scales.input = scales.outputState = scales.hidden = 1.0f / 128;
  scales.cellState = 1.0f / 4096;
  auto p = *prepareIntegerLstmCell(scales);
  p.parts = kLstmInputGate;
  return typedLstm(o, "integerLstmCell", {kI8, kI8, kI32, DataType::Int16}, steps, batch, packParameters(p));
}

DspCommand integerLstmCellSteps(Operands &o) { return integerLstmCell(o, rows(o, 4 + 6), 1); }
DspCommand integerLstmCellBatch(Operands &o) { return integerLstmCell(o, 2, rows(o, 2 * 10 + 14 * 6)); }

DspCommand quantized16BitLstm(Operands &o) {
  const uint32_t n = rows(o, 5 + 2 * 7 + 2 * 2 * 7);
  constexpr DataType kU8 = DataType::UInt8, kI16 = DataType::Int16;
  Maps inputs = {typed(o, kU8, n, 5), typed(o, kU8, n, 7), typed(o, kI16, n, 7)};
  for (uint32_t columns : {5u, 7u})
    for (int gate = 0; gate < 4; ++gate)
      inputs.push_back(typed(o, kU8, 7, columns));
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(typed(o, kI32, 1, 7));
  return commandOf("quantized16BitLstm", inputs, {typed(o, kI16, n, 7), typed(o, kU8, n, 7)},
                   Quantized16BitLstmParameters{quantizeMultiplier(0.1)});
}

DspCommand hybridRnnCell(Operands &o) {
  const uint32_t n = rows(o, 2 * 4 * (5 + 7));
  HybridRnnCellParameters p{{CellActivation::Tanh, StepOrder::BatchMajor}, 1, {0.01f, 0.02f}};
  return commandOf("hybridRnnCell",
                   {o.any(kF32, 2, n, 5), typed(o, kI8, 7, 5), typed(o, kI8, 7, 7), o.matrix(1, 7), o.matrix(2, 7)},
                   {o.matrix(2, 7), o.any(kF32, 2, n, 7)}, p);
}

DspCommand hybridSvdf(Operands &o) {
  const uint32_t n = rows(o, 4 * (5 + 2 * 4 * 6 + 2));
  return commandOf("hybridSvdf", {o.matrix(n, 5), typed(o, kI8, 4, 5), o.matrix(4, 6), o.matrix(1, 2), o.matrix(n, 24)},
                   {o.matrix(n, 24), o.matrix(n, 2)}, HybridSvdfParameters{{2, CellActivation::Relu}, 0, {0.01f}});
}

DspCommand integerSvdf(Operands &o) {
  constexpr DataType kI16 = DataType::Int16;
  const uint32_t n = rows(o, 5 + 2 * 2 * 4 * 6 + 2);
  return commandOf(
      "integerSvdf",
      {typed(o, kI8, n, 5), typed(o, kI8, 4, 5), typed(o, kI16, 4, 6), typed(o, kI32, 1, 2), typed(o, kI16, n, 24)},
      {typed(o, kI16, n, 24), typed(o, kI8, n, 2)},
      IntegerSvdfParameters{2, quantizeMultiplier(0.5), quantizeMultiplier(1e-6)});
}

DspCommand randomMultinomial(Operands &o) {
  const uint32_t n = rows(o, 4 * (6 + 9));
  return commandOf("randomMultinomial", {o.matrix(n, 6), typed(o, kI32, 1, 2)}, {typed(o, kI32, n, 9)},
                   RandomMultinomialParameters{});
}

} // namespace

std::vector<PartCase> cellParts() {
  return {{"floatLstm", floatLstm},
          {"floatLstmStates", floatLstmStates},
          {"integerLstm", integerLstm},
          {"floatLstmSteps", floatLstmSteps},
          {"integerLstmSteps", integerLstmSteps},
          {"hybridLstmSteps", hybridLstmSteps},
          {"lstmCellSteps", lstmCellSteps},
          {"lstmCellBatch", lstmCellBatch},
          {"lstmCellLarge", lstmCellLarge, 1028},
          {"rnnCell", rnnCell},
          {"svdf", svdf},
          {"hybridLstmCellSteps", hybridLstmCellSteps},
          {"hybridLstmCellBatch", hybridLstmCellBatch},
          {"integerLstmCellSteps", integerLstmCellSteps},
          {"integerLstmCellBatch", integerLstmCellBatch},
          {"quantized16BitLstm", quantized16BitLstm},
          {"hybridRnnCell", hybridRnnCell},
          {"hybridSvdf", hybridSvdf},
          {"integerSvdf", integerSvdf},
          {"randomMultinomial", randomMultinomial}};
}

} // namespace avocet::compiler
