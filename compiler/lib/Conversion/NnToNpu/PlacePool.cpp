//===- PlacePool.cpp - Pools on the array or the DSP ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers/MacLayer.h"
#include "PlacementRemarks.h"

#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Window.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

template <typename PoolOp> Window windowOf(PoolOp op) {
  Window window;
  window.kernelHeight = op.getKernel()[0];
  window.kernelWidth = op.getKernel()[1];
  window.strideHeight = op.getStride()[0];
  window.strideWidth = op.getStride()[1];
  window.padTop = op.getPad()[0];
  window.padLeft = op.getPad()[2];
  return window;
}

PoolKind kindOf(nn::AveragePool2dOp) { return PoolKind::Average; }
PoolKind kindOf(nn::MaxPool2dOp) { return PoolKind::Max; }

/// The command on whole tensors.
template <typename PoolOp> PoolCommand arrayCommand(PoolOp op) {
  Quantization quantization = quantizationOf(op.getOutput());
  PoolCommand command;
  command.kind = kindOf(op);
  command.input = fullMap(storageType(tensorOf(op.getInput())), quantization.zeroPoint);
  command.output = fullMap(storageType(tensorOf(op.getOutput())), quantization.zeroPoint);
  command.window = windowOf(op);
  command.clamp = clampFor(op.getActivation(), quantization);
  return command;
}

template <typename PoolOp> bool arrayTakes(PoolOp op, Placement &placement) {
  return arrayTakesBatch(tensorOf(op.getInput()), tensorOf(op.getOutput()), op.getKernel()[0], op.getStride()[0],
                         op.getPad()[0] + op.getPad()[1]) &&
         arrayTakesCommand(arrayCommand(op), placement);
}

template <typename PoolOp> LogicalResult placeOnArray(PoolOp op, Placement &placement) {
  PoolCommand command = arrayCommand(op);
  // Maps follow from the operands; the command only holds their zero points.
  int32_t zeroPoint = command.output.zeroPoint;
  command.input = command.output = FeatureMap();
  command.input.zeroPoint = command.output.zeroPoint = zeroPoint;
  auto pool = npu::PoolOp::create(placement.builder(), op.getLoc(), storageType(tensorOf(op.getOutput())),
                                  placement.operand(op.getInput()), command, op.getPad()[1], op.getPad()[3],
                                  placement.layerOf(op));
  return placement.finish(op, pool);
}

template <typename PoolOp> std::vector<uint32_t> dspParameters(PoolOp op, kernels::WindowPoolKind kind) {
  const kernels::WindowPoolParameters parameters{kind, static_cast<uint32_t>(tensorOf(op.getInput()).getDimSize(0)),
                                                 windowOf(op),
                                                 clampFor(op.getActivation(), quantizationOf(op.getOutput()))};
  return kernels::packParameters(parameters);
}

template <typename PoolOp> LogicalResult placeOnDsp(PoolOp op, kernels::WindowPoolKind kind, Placement &placement) {
  Quantization quantization = quantizationOf(op.getOutput());
  Placement::Dsp dsp;
  dsp.kernel = kernels::kWindowPoolKernel;
  dsp.parameters = dspParameters(op, kind);
  dsp.inputs = {placement.operand(op.getInput())};
  dsp.inputZeroPoints = {quantization.zeroPoint};
  dsp.results = {storageType(tensorOf(op.getOutput()))};
  dsp.resultZeroPoints = {quantization.zeroPoint};
  dsp.rowWise = tensorOf(op.getInput()).getDimSize(0) == 1; // rows of several images follow each other
  FailureOr<npu::DspOp> pool = placement.dsp(op, dsp);
  return failed(pool) ? failure() : placement.finish(op, pool->getResult(0));
}

/// Whether the DSP is faster by a third or more: of one position, the array uses one column of its steps, and of floats
/// one step in several. A smaller gain is lost when an engine waits for the other one. A global pool waits for all of
/// its input in any case, and an eighth is enough.
template <typename PoolOp> bool isForDsp(PoolOp op, kernels::WindowPoolKind kind, Placement &placement) {
  const PoolCommand onArray = arrayCommand(op);
  DspCommand onDsp;
  onDsp.kernel = kernels::kWindowPoolKernel.number;
  onDsp.parameters = dspParameters(op, kind);
  onDsp.inputs = {onArray.input};
  onDsp.outputs = {onArray.output};
  const kernels::Kernel &kernel = *kernels::findKernel(CommandBody(onDsp));
  if (!kernel.check(placement.target(), onDsp).isOk())
    return false;
  const uint64_t array = kernels::chooseBlock(placement.target(), onArray).cycles;
  const uint64_t dsp = kernel.cost(placement.target(), onDsp).cycles;
  const bool isGlobal = onArray.output.height == 1 && onArray.output.width == 1;
  const bool isForDsp = (isGlobal ? dsp * 9 / 8 : dsp * 3 / 2) < array;
  remarkEngines(op, array, dsp, isForDsp ? EngineKind::Dsp : EngineKind::Mac);
  return isForDsp;
}

/// Whether the array's rounding, away from zero, differs from rounding away from 128. Windows with an odd number of
/// elements have no halves to round.
bool needsCenter(nn::AveragePool2dOp op) {
  bool padded = llvm::any_of(op.getPad(), [](int64_t pad) { return pad != 0; });
  bool odd = op.getKernel()[0] % 2 != 0 && op.getKernel()[1] % 2 != 0;
  return op.getCentered() && quantizationOf(op.getInput()).type == DataType::UInt8 && (padded || !odd);
}

LogicalResult placeAverage(nn::AveragePool2dOp op, Placement &placement) {
  const auto kind = op.getCentered() ? kernels::WindowPoolKind::AverageCentered : kernels::WindowPoolKind::Average;
  if (!needsCenter(op) && arrayTakes(op, placement) && !isForDsp(op, kind, placement))
    return placeOnArray(op, placement);
  return placeOnDsp(op, kind, placement);
}

LogicalResult placeMax(nn::MaxPool2dOp op, Placement &placement) {
  const bool isForArray = arrayTakes(op, placement) && !isForDsp(op, kernels::WindowPoolKind::Max, placement);
  return isForArray ? placeOnArray(op, placement) : placeOnDsp(op, kernels::WindowPoolKind::Max, placement);
}

LogicalResult placeL2(nn::L2Pool2dOp op, Placement &placement) {
  return placeOnDsp(op, kernels::WindowPoolKind::L2, placement);
}

} // namespace

void addPoolPlacers(PlacerTable &table) {
  table.add(placeAverage);
  table.add(placeMax);
  table.add(placeL2);
}

} // namespace avocet::compiler
