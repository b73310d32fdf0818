//===- PlaceCells.cpp - Steps of recurrent layers on the vector DSP -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "avocet/kernels/dsp/Cells.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

kernels::CellActivation activationOf(nn::CellActivation activation) {
  // The two enumerations list the same functions.
  static_assert(static_cast<int>(nn::CellActivation::None) == static_cast<int>(kernels::CellActivation::None) &&
                static_cast<int>(nn::CellActivation::Relu) == static_cast<int>(kernels::CellActivation::Relu) &&
                static_cast<int>(nn::CellActivation::ReluN1To1) ==
                    static_cast<int>(kernels::CellActivation::ReluN1To1) &&
                static_cast<int>(nn::CellActivation::Relu6) == static_cast<int>(kernels::CellActivation::Relu6) &&
                static_cast<int>(nn::CellActivation::Tanh) == static_cast<int>(kernels::CellActivation::Tanh) &&
                static_cast<int>(nn::CellActivation::Sigmoid) == static_cast<int>(kernels::CellActivation::Sigmoid));
  return static_cast<kernels::CellActivation>(activation);
}

template <typename Op> kernels::StepOrder orderOf(Op op) {
  return op.getBatchMajor() ? kernels::StepOrder::BatchMajor : kernels::StepOrder::TimeMajor;
}

/// Passes all operands of the operation in order, constant or computed, and all its results.
template <typename Parameters>
LogicalResult placeCell(Operation *op, kernels::KernelId kernel, const Parameters &parameters, Placement &placement) {
  Placement::Dsp dsp;
  dsp.kernel = kernel;
  dsp.parameters = kernels::packParameters(parameters);
  for (Value operand : op->getOperands())
    dsp.inputs.push_back(placement.operand(operand));
  dsp.inputZeroPoints.assign(dsp.inputs.size(), 0);
  for (Value result : op->getResults())
    dsp.results.push_back(storageType(tensorOf(result)));
  dsp.resultZeroPoints.assign(dsp.results.size(), 0);
  FailureOr<npu::DspOp> cell = placement.dsp(op, dsp);
  if (failed(cell))
    return failure();
  for (auto [result, storage] : llvm::zip(op->getResults(), cell->getResults()))
    placement.bind(result, storage);
  return success();
}

uint32_t partsOf(nn::LstmCellOp op) {
  return (op.getInputWeights().size() == 4 ? kernels::kLstmInputGate : 0) |
         (op.getPeepholes().empty() ? 0 : kernels::kLstmPeepholes) |
         (op.getProjection().empty() ? 0 : kernels::kLstmProjection) |
         (op.getProjection().size() < 2 ? 0 : kernels::kLstmProjectionBias) |
         (op.getLayerNorm().empty() ? 0 : kernels::kLstmLayerNorm);
}

LogicalResult placeLstmCell(nn::LstmCellOp op, Placement &placement) {
  kernels::LstmCellParameters parameters{partsOf(op), activationOf(op.getActivation()),
                                         op.getCellClip().convertToFloat(), op.getProjectionClip().convertToFloat(),
                                         orderOf(op)};
  return placeCell(op, kernels::kLstmCellKernel, parameters, placement);
}

LogicalResult placeRnnCell(nn::RnnCellOp op, Placement &placement) {
  return placeCell(op, kernels::kRnnCellKernel,
                   kernels::RnnCellParameters{activationOf(op.getActivation()), orderOf(op)}, placement);
}

LogicalResult placeSvdf(nn::SvdfOp op, Placement &placement) {
  kernels::SvdfParameters parameters{static_cast<uint32_t>(op.getRank()), activationOf(op.getActivation())};
  return placeCell(op, kernels::kSvdfKernel, parameters, placement);
}

} // namespace

void addCellPlacers(PlacerTable &table) {
  table.add(placeLstmCell);
  table.add(placeRnnCell);
  table.add(placeSvdf);
}

} // namespace avocet::compiler
