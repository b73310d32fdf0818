//===- PlaceReduce.cpp - Reductions on the vector DSP -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageRows.h"
#include "LayerNumerics.h"
#include "Placement.h"
#include "avocet/compiler/Dialect/Nn/NnShapes.h"
#include "avocet/kernels/dsp/Mean.h"
#include "avocet/kernels/dsp/Reduce.h"
#include "llvm/ADT/STLExtras.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Adjacent axes that are all reduced or all kept.
struct AxisRun {
  int64_t extent;
  bool isReduced;
};

/// The runs from axis `first` on; at least one.
SmallVector<AxisRun> runsOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, size_t first) {
  SmallVector<AxisRun> runs;
  for (size_t axis = first; axis < shape.size(); ++axis) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(axis));
    int64_t extent = shape[axis];
    if (extent == 1)
      continue;
    if (!runs.empty() && runs.back().isReduced == isReduced)
      runs.back().extent *= extent;
    else
      runs.push_back({extent, isReduced});
  }
  if (runs.empty())
    runs.push_back({1, true});
  return runs;
}

/// Places a kernel that reads `rows` rows of the operand, one pixel each, and makes as many of the result.
LogicalResult placeRows(Operation *op, kernels::KernelId kernel, std::vector<uint32_t> parameters, int64_t rows,
                        Placement &placement) {
  auto input = tensorOf(op->getOperand(0)), result = tensorOf(op->getResult(0));
  Placement::Dsp dsp;
  dsp.kernel = kernel;
  dsp.parameters = std::move(parameters);
  dsp.inputs = {
      placement.view(op->getLoc(), placement.operand(op->getOperand(0)), {rows, 1, input.getNumElements() / rows})};
  dsp.inputZeroPoints = {quantizationOf(op->getOperand(0)).zeroPoint};
  dsp.results = {
      storageType(StorageShape{rows, 1, result.getNumElements() / rows}, storageElement(result.getElementType()))};
  dsp.resultZeroPoints = {quantizationOf(op->getResult(0)).zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> reduced = placement.dsp(op, dsp);
  return failed(reduced) ? failure() : placement.finish(op, reduced->getResult(0));
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

/// The reference rescales after each factor, such that no product overflows.
LogicalResult setProductRescale(nn::ReduceOp op, kernels::ReduceParameters &parameters, Placement &placement) {
  const int64_t count = tensorOf(op.getInput()).getNumElements() / tensorOf(op.getOutput()).getNumElements();
  const double real = double(quantizationOf(op.getInput()).scale) /
                      std::pow(double(quantizationOf(op.getOutput()).scale), 1.0 / static_cast<double>(count));
  constexpr double kLimit = 256;
  if (!(real < kLimit))
    return placement.refuse(op, "input", "the ratio of scales for each factor is a multiplier of the device",
                            std::to_string(real), "less than 2^8");
  const firmware::Rescale rescale = kernels::quantizeMultiplier(real);
  parameters.multiplier = rescale.multiplier;
  parameters.shift = rescale.shift;
  return success();
}

/// Number of leading axes that form the kernel's rows: the storage's folded axes if all reduced axes follow them, so
/// that tiles need only their own rows; else the axes before the first reduced one.
size_t numRowAxes(size_t rank, int64_t firstReduced) {
  size_t folded = rank - std::min<size_t>(rank, 2);
  return std::min<size_t>(folded, firstReduced);
}

/// Places `op` as the kernel "reduce" of its operand along any axes; fills in the shape in `parameters`.
LogicalResult placeReduce(Operation *op, ArrayRef<int64_t> axes, kernels::ReduceParameters parameters,
                          Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op->getOperand(0)).getShape();
  size_t numRows = numRowAxes(shape.size(), axes.front());
  SmallVector<AxisRun> runs = runsOf(shape, axes, numRows);
  parameters.rank = runs.size();
  for (auto [axis, run] : llvm::enumerate(runs)) {
    parameters.extents[axis] = run.extent;
    parameters.reducedAxes |= uint32_t(run.isReduced) << axis;
  }
  return placeRows(op, kernels::kReduceKernel, kernels::packParameters(parameters),
                   llvm::product_of(shape.take_front(numRows)), placement);
}

LogicalResult placeReduceOp(nn::ReduceOp op, Placement &placement) {
  kernels::ReduceParameters parameters;
  parameters.kind = kernelKind(op.getKind());
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  if (op.getKind() == nn::ReduceKind::Prod && isQuantized(op.getOutput()) &&
      failed(setProductRescale(op, parameters, placement)))
    return failure();
  if (op.getKind() == nn::ReduceKind::Sum && (from.scale != to.scale || from.zeroPoint != to.zeroPoint)) {
    float ratio = from.scale / to.scale;
    if (failed(placement.checkMultiplier(op, "input", ratio)))
      return failure();
    parameters.multiplier = std::bit_cast<int32_t>(ratio);
  }
  return placeReduce(op, op.getAxes(), parameters, placement);
}

LogicalResult placeArgReduce(nn::ArgReduceOp op, Placement &placement) {
  auto input = tensorOf(op.getInput());
  ArrayRef<int64_t> shape = input.getShape();
  int64_t rows = llvm::product_of(shape.take_front(numRowAxes(shape.size(), op.getAxis())));
  kernels::ArgReduceParameters parameters;
  parameters.smallest = op.getKind() == nn::ArgReduceKind::Min;
  parameters.extent = shape[op.getAxis()];
  parameters.inner = llvm::product_of(shape.drop_front(op.getAxis() + 1));
  return placeRows(op, kernels::kArgReduceKernel, kernels::packParameters(parameters), rows, placement);
}

/// The result's shape with the reduced axes kept, or empty if only some of the axes that fold into storage rows are
/// reduced.
nn::Shape placeableShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  nn::Shape kept = nn::keptShape(shape, axes);
  ArrayRef<int64_t> folded = ArrayRef(kept).drop_back(std::min<size_t>(kept.size(), 2));
  bool allReduced = llvm::all_of(folded, [](int64_t extent) { return extent == 1; });
  bool noneReduced = folded == shape.take_front(folded.size());
  return allReduced || noneReduced ? kept : nn::Shape();
}

/// For axes and types that the kernel "mean" does not support.
LogicalResult placeAnyMean(nn::MeanOp op, const kernels::MeanParameters &mean, Placement &placement) {
  kernels::ReduceParameters parameters;
  parameters.kind = kernels::ReduceKind::Mean;
  parameters.multiplier = mean.multiplier;
  parameters.shift = mean.shift;
  parameters.rounding = mean.rounding;
  return placeReduce(op, op.getAxes(), parameters, placement);
}

LogicalResult placeMean(nn::MeanOp op, Placement &placement) {
  auto input = tensorOf(op.getInput());
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  kernels::MeanParameters parameters;
  if (isQuantized(op.getInput())) {
    const firmware::Rescale rescale = rescaleOfMean(op);
    parameters = {rescale.multiplier, rescale.shift, roundingOf(op.getNumerics())};
  }
  nn::Shape kept = placeableShape(input.getShape(), op.getAxes());
  bool isForMean = isQuantized(op.getInput()) || from.type == firmware::DataType::Float32;
  if (kept.empty() || !isForMean)
    return placeAnyMean(op, parameters, placement);
  Value storage = placement.operand(op.getInput());
  StorageShape shape = storageShape(input.getShape()), means = storageShape(kept);
  const bool isOfPixels = shape[0] == 1 && shape[1] > 1 && shape[1] == means[1];
  if (isOfPixels) {
    shape = shapeInRows(storage, shape, placement);
    means = {shape[0], shape[1], means[2]};
  }
  Placement::Dsp dsp;
  dsp.kernel = kernels::kMeanKernel;
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {placement.view(op.getLoc(), storage, shape)};
  dsp.inputZeroPoints = {from.zeroPoint};
  dsp.results = {storageType(means, storageElement(tensorOf(op.getOutput()).getElementType()))};
  dsp.resultZeroPoints = {to.zeroPoint};
  dsp.rowWise = isOfPixels;
  FailureOr<npu::DspOp> mean = placement.dsp(op, dsp);
  return failed(mean) ? failure() : placement.finish(op, mean->getResult(0));
}

} // namespace

void addReducePlacers(PlacerTable &table) {
  table.add(placeReduceOp);
  table.add(placeArgReduce);
  table.add(placeMean);
}

} // namespace avocet::compiler
