//===- CellParts.cpp - Commands of recurrent layers ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartCommands.h"

#include "avocet/kernels/dsp/Cells.h"
#include "avocet/kernels/dsp/Lstm.h"

#include <cmath>

namespace avocet::compiler {

using namespace firmware;
using namespace kernels;

namespace {

DspCommand floatLstm(Operands &o) {
  const uint32_t n = rows(o, 4 * (3 + 5)), cells = 5;
  Maps inputs = {o.any(kF32, n, 1, 3)};
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(o.any(kF32, cells, 1, 3));
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(o.any(kF32, cells, 1, cells));
  for (int gate = 0; gate < 4; ++gate)
    inputs.push_back(o.any(kF32, 1, 1, cells));
  return commandOf("floatLstm", inputs, {o.any(kF32, n, 1, cells), o.any(kF32, 1, 1, cells), o.any(kF32, 1, 1, cells)},
                   FloatLstmParameters{});
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
          {"lstmCellSteps", lstmCellSteps},
          {"lstmCellBatch", lstmCellBatch},
          {"lstmCellLarge", lstmCellLarge, 1028},
          {"rnnCell", rnnCell},
          {"svdf", svdf}};
}

} // namespace avocet::compiler
