//===- PlaceCells.cpp - Steps of recurrent layers on the vector DSP -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlaceLstm.h"

#include "avocet/kernels/dsp/HybridCells.h"
#include "avocet/kernels/dsp/IntegerCells.h"
#include "avocet/kernels/dsp/Random.h"

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
  return placeWhole(op, kernel, kernels::packParameters(parameters), StoredValues::Computed, placement);
}

/// Places a cell of floats, or its hybrid form if there are quantized weights among the operands.
template <typename Hybrid, typename Parameters>
LogicalResult placeFloatCell(Operation *op, kernels::KernelId kernel, kernels::KernelId hybridKernel,
                             const Parameters &parameters, bool asymmetric, Placement &placement) {
  Hybrid hybrid{parameters, asymmetric};
  size_t count = 0;
  for (Value operand : op->getOperands())
    if (isQuantized(operand))
      hybrid.scales[count++] = scaleOf(operand);
  return count == 0 ? placeCell(op, kernel, parameters, placement) : placeCell(op, hybridKernel, hybrid, placement);
}

uint32_t partsOf(nn::LstmCellOp op) {
  const auto partIf = [](bool isThere, kernels::LstmCellPart part) -> uint32_t { return isThere ? uint32_t(part) : 0; };
  return partIf(op.getInputWeights().size() == 4, kernels::kLstmInputGate) |
         partIf(!op.getPeepholes().empty(), kernels::kLstmPeepholes) |
         partIf(!op.getProjection().empty(), kernels::kLstmProjection) |
         partIf(op.getProjection().size() >= 2, kernels::kLstmProjectionBias) |
         partIf(!op.getLayerNorm().empty(), kernels::kLstmLayerNorm);
}

/// Real scales of a quantized cell. Groups omit the input gate if it is coupled, peepholes the cell gate.
kernels::IntegerLstmCellScales scalesOf(nn::LstmCellOp op) {
  kernels::IntegerLstmCellScales scales;
  const size_t gates = op.getBiases().size(), missing = 4 - gates;
  auto types = llvm::to_vector(op.getIntermediates()->getAsValueRange<TypeAttr>());
  for (size_t gate = 0; gate < gates; ++gate) {
    auto &real = scales.gates[gate + missing];
    real.inputWeights = scaleOf(op.getInputWeights()[gate]);
    real.recurrentWeights = scaleOf(op.getRecurrentWeights()[gate]);
    real.sum = scaleOf(types[gate]);
    if (!op.getLayerNorm().empty())
      real.norm = scaleOf(op.getLayerNorm()[gate]);
  }
  constexpr size_t kWithPeephole[] = {0, 1, 3};
  for (auto [gate, peephole] :
       llvm::zip(ArrayRef(kWithPeephole).take_back(op.getPeepholes().size()), op.getPeepholes()))
    scales.gates[gate].peephole = scaleOf(peephole);
  scales.input = scaleOf(op.getInput());
  scales.outputState = scales.projectionClipScale = scaleOf(op.getOutputState());
  scales.hidden = scaleOf(types.back());
  if (!op.getProjection().empty())
    scales.projection = scaleOf(op.getProjection()[0]);
  scales.cellState = scaleOf(op.getCellState());
  scales.cellClip = op.getCellClip().convertToFloat();
  scales.projectionClip = op.getProjectionClip().convertToFloat();
  return scales;
}

/// Without a projection the output holds the bytes of the hidden state, also if its type has another scale or zero
/// point: TensorFlow Lite and NNAPI's reference copy them, and only the recurrent weights read the output by its own
/// type.
LogicalResult placeIntegerLstmCell(nn::LstmCellOp op, Placement &placement) {
  Result<kernels::IntegerLstmCellParameters> parameters = kernels::prepareIntegerLstmCell(scalesOf(op));
  if (!parameters)
    return placement.refuse(op, "scales", parameters.status().message(), "");
  auto hidden =
      cast<quant::UniformQuantizedType>(cast<TypeAttr>(op.getIntermediatesAttr().getValue().back()).getValue());
  parameters->parts = partsOf(op);
  parameters->order = orderOf(op);
  parameters->hiddenZeroPoint = static_cast<int32_t>(hidden.getZeroPoint());
  return placeCell(op, kernels::kIntegerLstmCellKernel, *parameters, placement);
}

LogicalResult placeLstmCell(nn::LstmCellOp op, Placement &placement) {
  if (isPlainSequence(op))
    return placePlainSequence(op, placement);
  if (isQuantized(op.getInput()))
    return placeIntegerLstmCell(op, placement);
  kernels::LstmCellParameters parameters{partsOf(op), activationOf(op.getActivation()),
                                         op.getCellClip().convertToFloat(), op.getProjectionClip().convertToFloat(),
                                         orderOf(op)};
  return placeFloatCell<kernels::HybridLstmCellParameters>(op, kernels::kLstmCellKernel, kernels::kHybridLstmCellKernel,
                                                           parameters, op.getAsymmetric(), placement);
}

LogicalResult placeQuantized16bitLstm(nn::Quantized16bitLstmOp op, Placement &placement) {
  // Sums have the scale of input and weights; gates have 12 fractional bits.
  const double real = 4096.0 * scaleOf(op.getInput()) * scaleOf(op.getInputWeights()[0]);
  if (failed(placement.checkMultiplier(op, "weights", real)))
    return failure();
  return placeCell(op, kernels::kQuantized16BitLstmKernel,
                   kernels::Quantized16BitLstmParameters{kernels::quantizeMultiplier(real)}, placement);
}

LogicalResult placeRnnCell(nn::RnnCellOp op, Placement &placement) {
  return placeFloatCell<kernels::HybridRnnCellParameters>(
      op, kernels::kRnnCellKernel, kernels::kHybridRnnCellKernel,
      kernels::RnnCellParameters{activationOf(op.getActivation()), orderOf(op)}, op.getAsymmetric(), placement);
}

LogicalResult placeIntegerSvdf(nn::SvdfOp op, Placement &placement) {
  // Products of floats, as in the reference.
  const float feature = scaleOf(op.getInput()) * scaleOf(op.getFeatureWeights()) / scaleOf(op.getState());
  const float output = scaleOf(op.getState()) * scaleOf(op.getTimeWeights()) / scaleOf(op.getOutput());
  if (failed(placement.checkMultiplier(op, "feature weights", feature)) ||
      failed(placement.checkMultiplier(op, "time weights", output)))
    return failure();
  kernels::IntegerSvdfParameters parameters{static_cast<uint32_t>(op.getRank()), kernels::quantizeMultiplier(feature),
                                            kernels::quantizeMultiplier(output)};
  return placeCell(op, kernels::kIntegerSvdfKernel, parameters, placement);
}

LogicalResult placeSvdf(nn::SvdfOp op, Placement &placement) {
  if (isQuantized(op.getInput()))
    return placeIntegerSvdf(op, placement);
  kernels::SvdfParameters parameters{static_cast<uint32_t>(op.getRank()), activationOf(op.getActivation())};
  return placeFloatCell<kernels::HybridSvdfParameters>(op, kernels::kSvdfKernel, kernels::kHybridSvdfKernel, parameters,
                                                       op.getAsymmetric(), placement);
}

LogicalResult placeRandomMultinomial(nn::RandomMultinomialOp op, Placement &placement) {
  return placeCell(op, kernels::kRandomMultinomialKernel, kernels::RandomMultinomialParameters{}, placement);
}

} // namespace

void addCellPlacers(PlacerTable &table) {
  table.add(placeLstmCell);
  table.add(placeRnnCell);
  table.add(placeSvdf);
  table.add(placeQuantized16bitLstm);
  table.add(placeRandomMultinomial);
}

} // namespace avocet::compiler
