//===- ReorderedConstants.cpp - Constants with moved elements -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReorderedConstants.h"

#include "avocet/compiler/Dialect/Nn/NnStored.h"
#include "avocet/compiler/Dialect/Nn/NnValues.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;

namespace avocet::compiler::nn {

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

/// Elements that `move` writes, in the form of the constant's.
ElementsAttr movedValue(ConstantOp op, ShapedType type, llvm::function_ref<void(MutableArrayRef<char>)> move) {
  const size_t bytes = bytesOf(op).size();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue())) {
    AsmResourceBlob blob = HeapAsmResourceBlob::allocate(bytes, 16, /*dataIsMutable=*/true);
    move(blob.getMutableData());
    return DenseResourceElementsAttr::get(type, resource.getRawHandle().getKey(), std::move(blob));
  }
  SmallVector<char> moved(bytes);
  move(moved);
  return DenseElementsAttr::getFromRawBuffer(type, moved);
}

ElementsAttr reorderedValue(ConstantOp op, size_t run, ArrayRef<int64_t> order) {
  return movedValue(op, cast<ShapedType>(op.getValue().getType()),
                    [&](MutableArrayRef<char> to) { reorderRuns(bytesOf(op), to, run, order); });
}

/// Copies runs of bytes from `from`, which are apart by a stride along each axis of the shape, to `to`, which ends up
/// after them.
void copyRuns(const char *from, char *&to, size_t run, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  if (shape.empty()) {
    std::memcpy(to, from, run);
    to += run;
    return;
  }
  for (int64_t index = 0; index < shape.front(); ++index)
    copyRuns(from + index * strides.front(), to, run, shape.drop_front(), strides.drop_front());
}

/// The bytes of `from`, a tensor of this shape, with axis order[i] in place i.
void transposeBytes(ArrayRef<char> from, MutableArrayRef<char> to, ArrayRef<int64_t> shape, int64_t elementBytes,
                    ArrayRef<int64_t> order) {
  SmallVector<int64_t> own(shape.size(), elementBytes);
  for (size_t axis = shape.size(); axis-- > 1;)
    own[axis - 1] = own[axis] * shape[axis];
  // The last axes that keep their places are one run.
  size_t moved = shape.size();
  while (moved > 0 && order[moved - 1] == static_cast<int64_t>(moved - 1))
    --moved;
  SmallVector<int64_t> extents, strides;
  for (int64_t axis : order.take_front(moved)) {
    extents.push_back(shape[axis]);
    strides.push_back(own[axis]);
  }
  const int64_t run = llvm::product_of(shape.drop_front(moved)) * elementBytes;
  char *end = to.data();
  copyRuns(from.data(), end, static_cast<size_t>(run), extents, strides);
}

ElementsAttr transposedValue(ConstantOp op, ShapedType type, ArrayRef<int64_t> order) {
  if (isSplat(op))
    return cast<DenseElementsAttr>(op.getValue()).resizeSplat(type);
  const RankedTensorType own = tensorOf(op);
  return movedValue(op, type, [&](MutableArrayRef<char> to) {
    transposeBytes(bytesOf(op), to, own.getShape(), compiler::bytesOf(own.getElementType()), order);
  });
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

ConstantOp transposed(ConstantOp op, ArrayRef<int64_t> order, ArrayRef<int64_t> shape) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  auto stored = cast<ShapedType>(op.getValue().getType()).clone(shape);
  auto moved = ConstantOp::create(builder, op.getLoc(), tensorOf(op).clone(shape), transposedValue(op, stored, order));
  if (shape.size() == order.size())
    setStoredType(moved, transposedStored(storedTypeOf(op), order));
  return moved;
}

} // namespace avocet::compiler::nn
