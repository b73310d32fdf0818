//===- PlaceMean.cpp - MEAN on the vector DSP -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"

#include "avocet/kernels/dsp/Mean.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The result's shape with the reduced axes kept, or empty if only some of the axes that fold into storage rows are
/// reduced.
SmallVector<int64_t> keptShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> kept(shape);
  for (int64_t axis : axes)
    kept[axis] = 1;
  ArrayRef<int64_t> folded = ArrayRef(kept).drop_back(std::min<size_t>(kept.size(), 2));
  bool allReduced = llvm::all_of(folded, [](int64_t extent) { return extent == 1; });
  bool noneReduced = folded == shape.take_front(folded.size());
  return allReduced || noneReduced ? kept : SmallVector<int64_t>();
}

/// For axes and types that the kernel "mean" does not support.
LogicalResult placeAnyMean(nn::MeanOp op, const kernels::MeanParameters &mean, Placement &placement) {
  kernels::ReduceParameters parameters;
  parameters.kind = kernels::ReduceKind::Mean;
  parameters.multiplier = mean.multiplier;
  parameters.shift = mean.shift;
  return placeReduce(op, op.getAxes(), parameters, placement);
}

LogicalResult placeMean(nn::MeanOp op, Placement &placement) {
  auto input = tensorOf(op.getInput());
  Quantization from = quantizationOf(op.getInput()), to = quantizationOf(op.getOutput());
  uint64_t count = input.getNumElements() / tensorOf(op.getOutput()).getNumElements();
  kernels::MeanParameters parameters;
  if (isQuantized(op.getInput()))
    parameters = kernels::prepareMean(from.scale, to.scale, count);
  SmallVector<int64_t> kept = keptShape(input.getShape(), op.getAxes());
  bool isForMean = isQuantized(op.getInput()) || from.type == firmware::DataType::Float32;
  if (kept.empty() || !isForMean)
    return placeAnyMean(op, parameters, placement);
  Placement::Dsp dsp;
  dsp.kernel = kernels::kMeanKernel;
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputs = {placement.operand(op.getInput())};
  dsp.inputZeroPoints = {from.zeroPoint};
  dsp.results = {storageType(storageShape(kept), storageElement(tensorOf(op.getOutput()).getElementType()))};
  dsp.resultZeroPoints = {to.zeroPoint};
  FailureOr<npu::DspOp> mean = placement.dsp(op, dsp);
  return failed(mean) ? failure() : placement.finish(op, mean->getResult(0));
}

} // namespace

void addMeanPlacers(PlacerTable &table) { table.add(placeMean); }

} // namespace avocet::compiler
