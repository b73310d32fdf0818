//===- CellParts.cpp - Commands of recurrent layers ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCommands.h"

#include "avocet/kernels/dsp/Cells.h"
#include "avocet/kernels/dsp/Lstm.h"

#include <array>
#include <cmath>

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

namespace {

/// An LSTM over as many steps as fit, with `types` for activations, weights, biases and the cell state.
DspCommand lstm(Operands &o, const char *kernel, std::array<DataType, 4> types, std::vector<uint32_t> parameters) {
  const auto [activation, weight, bias, cell] = types;
  const uint32_t n = rows(o, sizeOf(activation) * (3 + 5)), cells = 5;
  Maps inputs = {o.any(activation, n, 1, 3)};
  for (uint32_t columns : {3u, cells})
    for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
      inputs.push_back(o.any(weight, cells, 1, columns));
  for (uint32_t gate = 0; gate < kNumLstmGates; ++gate)
    inputs.push_back(o.any(bias, 1, 1, cells));
  const Maps outputs = {o.any(activation, n, 1, cells), o.any(activation, 1, 1, cells), o.any(cell, 1, 1, cells)};
  return commandOf(kernel, std::move(inputs), outputs, std::move(parameters));
}

DspCommand floatLstm(Operands &o) {
  return lstm(o, "floatLstm", {kF32, kF32, kF32, kF32}, packParameters(FloatLstmParameters{}));
}

DspCommand integerLstm(Operands &o) {
  IntegerLstmScales scales;
  scales.input = scales.hiddenState = scales.hiddenIntermediate = 1.0f / 128;
  scales.cellState = std::ldexp(1.0f, -12);
  scales.inputWeights.fill(0.004f);
  scales.recurrentWeights.fill(0.003f);
  return lstm(o, "integerLstm", {kI8, kI8, kI32, DataType::Int16}, packParameters(*prepareIntegerLstm(scales)));
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

} // namespace

std::vector<PartCase> cellParts() {
  return {{"floatLstm", floatLstm},
          {"integerLstm", integerLstm},
          {"lstmCellSteps", lstmCellSteps},
          {"lstmCellBatch", lstmCellBatch},
          {"lstmCellLarge", lstmCellLarge, 1028},
          {"rnnCell", rnnCell},
          {"svdf", svdf}};
}

} // namespace avocet::compiler
