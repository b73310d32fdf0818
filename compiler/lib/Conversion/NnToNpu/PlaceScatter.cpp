//===- PlaceScatter.cpp - Slices at coordinates on the DSP ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"

#include "avocet/kernels/dsp/Scatter.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

uint32_t productOf(ArrayRef<int64_t> extents) {
  return static_cast<uint32_t>(std::accumulate(extents.begin(), extents.end(), int64_t(1), std::multiplies()));
}

kernels::SliceTable tableOf(Value table, Value indices) {
  ArrayRef<int64_t> shape = tensorOf(table).getShape(), coordinates = tensorOf(indices).getShape();
  kernels::SliceTable slices;
  slices.count = productOf(coordinates.drop_back());
  slices.depth = static_cast<uint32_t>(coordinates.back());
  slices.slice = productOf(shape.drop_front(coordinates.back()));
  std::copy_n(shape.begin(), slices.depth, slices.extents.begin());
  return slices;
}

LogicalResult placeGatherNd(nn::GatherNdOp op, Placement &placement) {
  return placeWhole(op, kernels::kGatherNdKernel, kernels::packParameters(tableOf(op.getInput(), op.getIndices())),
                    StoredValues::Moved, placement);
}

LogicalResult placeScatterNd(nn::ScatterNdOp op, Placement &placement) {
  using nn::ScatterKind;
  using Kernel = kernels::ScatterKind;
  static_assert(static_cast<uint32_t>(ScatterKind::Set) == static_cast<uint32_t>(Kernel::Set) &&
                static_cast<uint32_t>(ScatterKind::Sum) == static_cast<uint32_t>(Kernel::Sum) &&
                static_cast<uint32_t>(ScatterKind::Product) == static_cast<uint32_t>(Kernel::Product) &&
                static_cast<uint32_t>(ScatterKind::Max) == static_cast<uint32_t>(Kernel::Max) &&
                static_cast<uint32_t>(ScatterKind::Min) == static_cast<uint32_t>(Kernel::Min));
  const kernels::ScatterParameters parameters = {tableOf(op.getTable(), op.getIndices()),
                                                 static_cast<Kernel>(op.getKind())};
  return placeWhole(op, kernels::kScatterKernel, kernels::packParameters(parameters), StoredValues::Moved, placement);
}

} // namespace

void addScatterPlacers(PlacerTable &table) {
  table.add(placeGatherNd);
  table.add(placeScatterNd);
}

} // namespace avocet::compiler
