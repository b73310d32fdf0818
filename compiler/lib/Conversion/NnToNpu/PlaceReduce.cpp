//===- PlaceReduce.cpp - Reductions on the vector DSP --------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Neighbouring axes that are all reduced or all kept.
struct AxisRun {
  int64_t extent;
  bool isReduced;
};

SmallVector<AxisRun> runsOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  SmallVector<AxisRun> runs;
  for (auto [axis, extent] : llvm::enumerate(shape)) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(axis));
    if (extent == 1)
      continue;
    if (!runs.empty() && runs.back().isReduced == isReduced)
      runs.back().extent *= extent;
    else
      runs.push_back({extent, isReduced});
  }
  return runs;
}

kernels::ReduceKind kernelKind(nn::ReduceKind kind) {
  switch (kind) {
  case nn::ReduceKind::Sum:
    return kernels::ReduceKind::Sum;
  case nn::ReduceKind::Prod:
    return kernels::ReduceKind::Prod;
  case nn::ReduceKind::Max:
  case nn::ReduceKind::Any:
    return kernels::ReduceKind::Max;
  case nn::ReduceKind::Min:
  case nn::ReduceKind::All:
    return kernels::ReduceKind::Min;
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult placeReduceOp(nn::ReduceOp op, Placement &placement) {
  kernels::ReduceParameters parameters;
  parameters.kind = kernelKind(op.getKind());
  return placeReduce(op, op.getAxes(), parameters, placement);
}

/// The axis becomes the width: in front of it the rows, behind it the channels.
LogicalResult placeArgReduce(nn::ArgReduceOp op, Placement &placement) {
  auto input = tensorOf(op.getInput());
  StorageShape shape{1, input.getDimSize(op.getAxis()), 1};
  for (auto [axis, extent] : llvm::enumerate(input.getShape()))
    if (axis != op.getAxis())
      shape[axis < op.getAxis() ? 0 : 2] *= extent;
  Placement::Dsp dsp;
  dsp.kernel = "argReduce";
  dsp.parameters = kernels::packParameters(
      kernels::ArgReduceParameters{op.getKind() == nn::ArgReduceKind::Min ? uint32_t(1) : uint32_t(0)});
  dsp.inputs = {placement.view(op->getLoc(), placement.operand(op.getInput()), shape)};
  dsp.inputZeroPoints = {quantizationOf(op.getInput()).zeroPoint};
  dsp.results = {storageType(StorageShape{shape[0], 1, shape[2]}, tensorOf(op.getOutput()).getElementType())};
  dsp.resultZeroPoints = {0};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> found = placement.dsp(op, dsp);
  return failed(found) ? failure() : placement.finish(op, found->getResult(0));
}

} // namespace

LogicalResult placeReduce(Operation *op, ArrayRef<int64_t> axes, kernels::ReduceParameters parameters,
                          Placement &placement) {
  Value input = op->getOperand(0), result = op->getResult(0);
  SmallVector<AxisRun> runs = runsOf(tensorOf(input).getShape(), axes);
  // What is kept in front makes rows; a row holds the rest.
  bool hasRows = !runs.empty() && !runs.front().isReduced;
  int64_t rows = hasRows ? runs.front().extent : 1;
  runs.erase(runs.begin(), runs.begin() + (hasRows ? 1 : 0));
  if (runs.empty())
    runs.push_back({1, true});
  parameters.rank = runs.size();
  for (auto [axis, run] : llvm::enumerate(runs)) {
    parameters.extents[axis] = run.extent;
    parameters.reducedAxes |= uint32_t(run.isReduced) << axis;
  }
  Placement::Dsp dsp;
  dsp.kernel = "reduce";
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {
      placement.view(op->getLoc(), placement.operand(input), {rows, 1, tensorOf(input).getNumElements() / rows})};
  dsp.inputZeroPoints = {quantizationOf(input).zeroPoint};
  dsp.results = {storageType(StorageShape{rows, 1, tensorOf(result).getNumElements() / rows},
                             storageElement(tensorOf(result).getElementType()))};
  dsp.resultZeroPoints = {quantizationOf(result).zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> reduced = placement.dsp(op, dsp);
  return failed(reduced) ? failure() : placement.finish(op, reduced->getResult(0));
}

void addReducePlacers(PlacerTable &table) {
  table.add(placeReduceOp);
  table.add(placeArgReduce);
}

} // namespace avocet::compiler
