//===- ChannelOrder.cpp - Layers with channels in another order -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelOrder.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace avocet::compiler::nn {

ChannelOrder inverse(ArrayRef<int64_t> order) {
  ChannelOrder result(order.size());
  for (auto [place, channel] : llvm::enumerate(order))
    result[channel] = static_cast<int64_t>(place);
  return result;
}

/// Empty: they are not there. A splat has those of one element.
static ArrayRef<char> bytesOf(ConstantOp op) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue())) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? blob->getData() : ArrayRef<char>();
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  return dense ? dense.getRawData() : ArrayRef<char>();
}

static bool isSplat(ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  return dense && dense.isSplat();
}

bool hasBytes(ConstantOp op) {
  const RankedTensorType type = tensorOf(op);
  const auto bytes = static_cast<size_t>(type.getNumElements() * compiler::bytesOf(type.getElementType()));
  return isSplat(op) || bytesOf(op).size() == bytes;
}

namespace {

/// Scales of an axis move with its elements.
RankedTensorType reorderedType(RankedTensorType type, unsigned axis, ArrayRef<int64_t> order) {
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type.getElementType());
  if (!perAxis || perAxis.getQuantizedDimension() != static_cast<int32_t>(axis))
    return type;
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  for (int64_t channel : order) {
    scales.push_back(perAxis.getScales()[channel]);
    zeroPoints.push_back(perAxis.getZeroPoints()[channel]);
  }
  return type.clone(quant::UniformQuantizedPerAxisType::get(
      perAxis.getFlags(), perAxis.getStorageType(), perAxis.getExpressedType(), scales, zeroPoints,
      perAxis.getQuantizedDimension(), perAxis.getStorageTypeMin(), perAxis.getStorageTypeMax()));
}

/// `to` gets the runs of `from`, each of so many bytes, in another order inside each of their groups.
void reorderRuns(ArrayRef<char> from, MutableArrayRef<char> to, size_t run, ArrayRef<int64_t> order) {
  for (size_t group = 0; group < from.size(); group += order.size() * run)
    for (auto [place, channel] : llvm::enumerate(order))
      std::memcpy(&to[group + place * run], &from[group + channel * run], run);
}

ElementsAttr reorderedValue(ConstantOp op, size_t run, ArrayRef<int64_t> order) {
  const ArrayRef<char> bytes = bytesOf(op);
  auto type = cast<ShapedType>(op.getValue().getType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue())) {
    AsmResourceBlob blob = HeapAsmResourceBlob::allocate(bytes.size(), 16, /*dataIsMutable=*/true);
    reorderRuns(bytes, blob.getMutableData(), run, order);
    return DenseResourceElementsAttr::get(type, resource.getRawHandle().getKey(), std::move(blob));
  }
  SmallVector<char> moved(bytes.size());
  reorderRuns(bytes, moved, run, order);
  return DenseElementsAttr::getFromRawBuffer(type, moved);
}

/// Whether the constant has no other reader, and its bytes are there.
bool isOwn(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && constant->hasOneUse() && hasBytes(constant);
}

template <typename Layer> bool hasOwnConstants(Layer op) {
  return isOwn(op.getFilter()) && (!op.getBias() || isOwn(op.getBias()));
}

template <typename Layer>
void reorderConstants(Layer op, unsigned filterAxis, ArrayRef<int64_t> order, PatternRewriter &rewriter) {
  auto filter = op.getFilter().template getDefiningOp<ConstantOp>();
  const Value moved = reordered(filter, filterAxis, order, rewriter);
  rewriter.modifyOpInPlace(op, [&] { op.getFilterMutable().assign(moved); });
  if (!op.getBias())
    return;
  const Value bias = reordered(op.getBias().template getDefiningOp<ConstantOp>(), 0, order, rewriter);
  rewriter.modifyOpInPlace(op, [&] { op.getBiasMutable().assign(bias); });
}

} // namespace

ConstantOp reordered(ConstantOp op, unsigned axis, ArrayRef<int64_t> order, PatternRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  const RankedTensorType type = tensorOf(op);
  const ArrayRef<int64_t> inner = type.getShape().drop_front(axis + 1);
  const int64_t run = llvm::product_of(inner) * compiler::bytesOf(type.getElementType());
  const ElementsAttr value = isSplat(op) ? op.getValue() : reorderedValue(op, static_cast<size_t>(run), order);
  return ConstantOp::create(rewriter, op.getLoc(), reorderedType(type, axis, order), value);
}

bool hasFreeOutputs(Conv2dOp op) { return hasOwnConstants(op); }

bool hasFreeOutputs(DepthwiseConv2dOp op) {
  return hasOwnConstants(op) && shapeOf(op.getInput()).back() == shapeOf(op.getOutput()).back();
}

void reorderOutputs(Conv2dOp op, ArrayRef<int64_t> order, PatternRewriter &rewriter) {
  reorderConstants(op, 0, order, rewriter);
}

void reorderOutputs(DepthwiseConv2dOp op, ArrayRef<int64_t> order, PatternRewriter &rewriter) {
  reorderConstants(op, 3, order, rewriter);
}

bool hasFreeInputs(Conv2dOp op) { return isOwn(op.getFilter()) && isQuantized(op.getFilter()); }

bool isReadInAnyOrder(Value value) {
  return !value.use_empty() && llvm::all_of(value.getUses(), [](OpOperand &use) {
    auto conv = dyn_cast<Conv2dOp>(use.getOwner());
    return conv && use.getOperandNumber() == 0 && hasFreeInputs(conv);
  });
}

void reorderInputs(Conv2dOp op, Value input, ArrayRef<int64_t> order, PatternRewriter &rewriter) {
  const Value filter = reordered(op.getFilter().getDefiningOp<ConstantOp>(), 3, order, rewriter);
  rewriter.modifyOpInPlace(op, [&] {
    op.getInputMutable().assign(input);
    op.getFilterMutable().assign(filter);
  });
}

} // namespace avocet::compiler::nn
