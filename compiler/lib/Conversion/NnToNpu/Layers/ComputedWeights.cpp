//===- ComputedWeights.cpp - Weights that the device computes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layers/ComputedWeights.h"

#include "Views.h"
#include "avocet/firmware_iface/WeightLayout.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// Equal blocks along one axis of the weights: all whole ones, or the narrower last one.
struct Blocks {
  int64_t first, count, width; ///< the first element; blocks; elements of a block
};

SmallVector<Blocks, 2> blocksOf(int64_t extent, int64_t width) {
  SmallVector<Blocks, 2> blocks;
  if (extent >= width)
    blocks.push_back({0, extent / width, width});
  if (extent % width != 0)
    blocks.push_back({extent - extent % width, 1, extent % width});
  return blocks;
}

kernels::MoveAxis moveAxis(int64_t extent, int64_t from, int64_t to) {
  return {static_cast<uint32_t>(extent), static_cast<int32_t>(from), static_cast<int32_t>(to)};
}

/// Moves the weights that are in equal blocks along both axes. In the array's order the axes of a set are: block of
/// channels, block of products, channel, product.
kernels::Move moveOf(const ComputedWeights &weights, const Blocks &channels, const Blocks &products,
                     const WeightLayout &layout) {
  const StridedAxis &channel = weights.channels, &product = weights.products;
  kernels::Move move;
  move.inputOffset = static_cast<uint32_t>(channels.first * channel.stride + products.first * product.stride);
  move.outputOffset =
      static_cast<uint32_t>(layout.indexOf(uint32_t(channels.first), static_cast<uint32_t>(products.first)));
  int64_t outputStride = channel.extent * product.extent;
  for (size_t axis = weights.sets.size(); axis-- > 0; outputStride *= weights.sets[axis].extent)
    move.axes.insert(move.axes.begin(), moveAxis(weights.sets[axis].extent, weights.sets[axis].stride, outputStride));
  move.axes.push_back(moveAxis(channels.count, channels.width * channel.stride, channels.width * product.extent));
  move.axes.push_back(moveAxis(products.count, products.width * product.stride, products.width * channels.width));
  move.axes.push_back(moveAxis(channels.width, channel.stride, products.width));
  move.axes.push_back(moveAxis(products.width, product.stride, 1));
  return move;
}

/// The first of the operations on rows that make a tensor; null if none does.
Operation *firstOnRows(Value tensor) {
  Operation *first = nullptr;
  for (Operation *maker = npu::rootOf(tensor).getDefiningOp(); maker;
       maker = npu::rootOf(maker->getOperand(0)).getDefiningOp()) {
    if (isa<npu::ConvOp>(maker))
      return maker;
    auto dsp = dyn_cast<npu::DspOp>(maker);
    if (!isa<npu::EltwiseOp, npu::LookupOp>(maker) && !(dsp && dsp.getRowWise()))
      break;
    first = maker;
  }
  return first;
}

} // namespace

void reorderBeforeRows(Value weights, Value left) {
  Operation *first = firstOnRows(left), *reorder = npu::rootOf(weights).getDefiningOp();
  if (!first || !first->isBeforeInBlock(reorder))
    return;
  SmallVector<Operation *> moved{reorder};
  Value input = reorder->getOperand(0);
  for (; Operation *maker = input.getDefiningOp(); input = maker->getOperand(0)) {
    if (maker->isBeforeInBlock(first))
      break;
    if (!isa<npu::ViewOp, npu::PartOp>(maker))
      return;
    moved.push_back(maker);
  }
  for (Operation *each : llvm::reverse(moved))
    each->moveBefore(first);
}

int64_t ComputedWeights::setCount() const {
  int64_t count = 1;
  for (const StridedAxis &axis : sets)
    count *= axis.extent;
  return count;
}

FailureOr<Value> reorderWeights(Operation *op, const ComputedWeights &weights, Placement &placement) {
  const int64_t channels = weights.channels.extent, products = weights.products.extent;
  const uint32_t size = sizeOf(*npu::dataTypeOf(tensorOf(weights.storage).getElementType()));
  auto layout = WeightLayout::create(placement.target().mac(), ConvKind::Dense,
                                     {static_cast<uint32_t>(channels), 1, 1, static_cast<uint32_t>(products)}, size);
  const int64_t sets = weights.setCount();
  if (!layout.isOk() || sets > INT32_MAX / channels / products)
    return placement.refuse(op, "filter", "weights of at most 2^31 elements", Twine(sets * channels * products));
  kernels::RearrangeParameters parameters;
  for (const Blocks &channelBlocks : blocksOf(channels, layout->granule()))
    for (const Blocks &productBlocks : blocksOf(products, kChunkProducts))
      parameters.moves.push_back(moveOf(weights, channelBlocks, productBlocks, *layout));
  return placeRearrange(op, weights.storage, {sets, 1, channels * products}, std::move(parameters), placement,
                        placement.addLayer(op, "TRANSPOSE"), /*rows=*/sets);
}

} // namespace avocet::compiler
