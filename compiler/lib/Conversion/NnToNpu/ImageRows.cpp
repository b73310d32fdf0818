//===- ImageRows.cpp - Rows of operations of pixels -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageRows.h"

#include "Layers/MacLayer.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

#include <optional>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

/// The shape in which the storage was made; nullopt: it is no result of an operation, or of other channels.
static std::optional<StorageShape> shapeOfMaker(Value storage) {
  const Value root = npu::rootOf(storage);
  Operation *maker = root.getDefiningOp();
  if (!maker || isa<npu::ConstantOp, npu::JoinOp, npu::PartOp>(maker))
    return std::nullopt;
  const RankedTensorType own = tensorOf(storage), made = tensorOf(root);
  if (made.getRank() != 3 || made.getElementType() != own.getElementType() ||
      made.getNumElements() != own.getNumElements() || made.getDimSize(2) != own.getDimSize(2))
    return std::nullopt;
  return StorageShape{made.getDimSize(0), made.getDimSize(1), made.getDimSize(2)};
}

/// Whether rows are shorter than the pieces in which the port of the SRAM moves them.
static bool isThin(StorageShape image, RankedTensorType operand, Placement &placement) {
  const int64_t elements = image[1] * image[2];
  return elements * sizeOf(*npu::dataTypeOf(operand.getElementType())) < placement.target().sram().burstBytes;
}

StorageShape shapeInRows(ValueRange operands, StorageShape shape, Placement &placement) {
  std::optional<StorageShape> made;
  for (Value operand : operands) {
    const ArrayRef<int64_t> own = tensorOf(operand).getShape();
    if (own != ArrayRef(shape)) {
      const bool isPixel = own[0] == 1 && own[1] == 1, isOneRow = shape[0] == 1 && own[0] == 1 && own[1] == shape[1];
      if (!isPixel && !isOneRow)
        return shape;
      continue;
    }
    const std::optional<StorageShape> other = shapeOfMaker(operand);
    if (other && (!made || (*other)[0] > (*made)[0]))
      made = other;
  }
  if (made && (shape[0] == 1 || (*made)[0] > shape[0]))
    return *made;
  if (shape[0] != 1)
    return shape;
  const auto [height, width] = rowsAsImage(shape[1], placement);
  const StorageShape image{height, width, shape[2]};
  return isThin(image, tensorOf(operands.front()), placement) ? shape : image;
}

Value viewInRows(Location location, Value storage, StorageShape shape, StorageShape inRows, Placement &placement) {
  const ArrayRef<int64_t> own = tensorOf(storage).getShape();
  if (shape == inRows || own[0] != shape[0] || own[1] != shape[1])
    return storage;
  return placement.view(location, storage, {inRows[0], inRows[1], own[2]});
}

InRows inRows(Operation *op, Placement &placement) {
  const RankedTensorType type = tensorOf(op->getResult(0));
  const Value input = placement.operand(op->getOperand(0));
  const StorageShape shape = shapeInRows(input, storageShape(type.getShape()), placement);
  return {placement.view(op->getLoc(), input, shape), storageType(shape, storageElement(type.getElementType()))};
}

} // namespace avocet::compiler
