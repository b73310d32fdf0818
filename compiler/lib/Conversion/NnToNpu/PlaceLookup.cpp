//===- PlaceLookup.cpp - Look-ups, hashes, resampling on the DSP ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Placement.h"
#include "avocet/kernels/dsp/Gather.h"
#include "avocet/kernels/dsp/LshProjection.h"
#include "avocet/kernels/dsp/Resize.h"
#include "avocet/kernels/dsp/Scatter.h"
#include "avocet/kernels/dsp/Sort.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult placeGather(nn::GatherOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getInput()).getShape();
  kernels::GatherParameters parameters;
  parameters.outer = llvm::product_of(shape.take_front(op.getAxis()));
  parameters.extent = static_cast<uint32_t>(shape[op.getAxis()]);
  parameters.inner = llvm::product_of(shape.drop_front(op.getAxis() + 1));
  return placeWhole(op, kernels::kGatherKernel, kernels::packParameters(parameters), StoredValues::Moved, placement);
}

LogicalResult placeTopK(nn::TopkV2Op op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getInput()).getShape();
  kernels::TopKParameters parameters;
  parameters.rows = llvm::product_of(shape.drop_back());
  parameters.extent = static_cast<uint32_t>(shape.back());
  parameters.count = static_cast<uint32_t>(tensorOf(op.getValues()).getShape().back());
  parameters.lastFirst = op.getLastFirst() ? 1 : 0;
  return placeWhole(op, kernels::kTopKKernel, kernels::packParameters(parameters), StoredValues::Moved, placement);
}

LogicalResult placeHashtableLookup(nn::HashtableLookupOp op, Placement &placement) {
  return placeWhole(op, kernels::kHashtableLookupKernel, {}, StoredValues::Moved, placement);
}

LogicalResult placeLshProjection(nn::LshProjectionOp op, Placement &placement) {
  static_assert(static_cast<uint32_t>(nn::LshKind::SparseDeprecated) ==
                    static_cast<uint32_t>(kernels::LshKind::SparseDeprecated) &&
                static_cast<uint32_t>(nn::LshKind::Dense) == static_cast<uint32_t>(kernels::LshKind::Dense) &&
                static_cast<uint32_t>(nn::LshKind::Sparse) == static_cast<uint32_t>(kernels::LshKind::Sparse));
  kernels::LshProjectionParameters parameters;
  parameters.kind = static_cast<kernels::LshKind>(op.getKind());
  parameters.bits = static_cast<uint32_t>(tensorOf(op.getSeeds()).getDimSize(1));
  parameters.items = static_cast<uint32_t>(tensorOf(op.getInput()).getDimSize(0));
  return placeWhole(op, kernels::kLshProjectionKernel, kernels::packParameters(parameters), StoredValues::Moved,
                    placement);
}

/// The reference interpolates signed integers in fixed point.
kernels::ResizeKind kindFor(nn::ResizeOp op) {
  const firmware::DataType type = quantizationOf(op.getInput()).type;
  const bool isSigned = type == firmware::DataType::Int8 || type == firmware::DataType::Int16;
  const bool isFixed = op.getKind() == nn::ResizeKind::Bilinear && isSigned;
  return isFixed ? kernels::ResizeKind::FixedBilinear : static_cast<kernels::ResizeKind>(op.getKind());
}

LogicalResult placeResize(nn::ResizeOp op, Placement &placement) {
  static_assert(static_cast<uint32_t>(nn::ResizeKind::Nearest) == static_cast<uint32_t>(kernels::ResizeKind::Nearest) &&
                static_cast<uint32_t>(nn::ResizeKind::Bilinear) ==
                    static_cast<uint32_t>(kernels::ResizeKind::Bilinear));
  auto extent = [](Value value, unsigned axis) { return static_cast<uint32_t>(tensorOf(value).getDimSize(axis)); };
  kernels::ResizeParameters parameters;
  parameters.kind = kindFor(op);
  parameters.alignCorners = op.getAlignCorners();
  parameters.halfPixelCenters = op.getHalfPixelCenters();
  parameters.batches = extent(op.getInput(), 0);
  parameters.inputHeight = extent(op.getInput(), 1);
  parameters.inputWidth = extent(op.getInput(), 2);
  parameters.outputHeight = extent(op.getOutput(), 1);
  parameters.outputWidth = extent(op.getOutput(), 2);
  parameters.channels = extent(op.getInput(), 3);
  return placeWhole(op, kernels::kResizeKernel, kernels::packParameters(parameters), StoredValues::Moved, placement);
}

kernels::SliceTable tableOf(Value table, Value indices) {
  ArrayRef<int64_t> shape = tensorOf(table).getShape(), coordinates = tensorOf(indices).getShape();
  kernels::SliceTable slices;
  slices.count = llvm::product_of(coordinates.drop_back());
  slices.depth = static_cast<uint32_t>(coordinates.back());
  slices.slice = llvm::product_of(shape.drop_front(coordinates.back()));
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

void addLookupPlacers(PlacerTable &table) {
  table.add(placeGather);
  table.add(placeTopK);
  table.add(placeHashtableLookup);
  table.add(placeLshProjection);
  table.add(placeResize);
  table.add(placeGatherNd);
  table.add(placeScatterNd);
}

} // namespace avocet::compiler
