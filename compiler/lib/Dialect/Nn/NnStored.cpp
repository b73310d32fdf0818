//===- NnStored.cpp - Real numbers that were integers -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnStored.h"

#include "avocet/compiler/Dialect/Nn/NnValues.h"
#include "avocet/kernels/Quantization.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

using PerAxisType = quant::UniformQuantizedPerAxisType;

/// Front ends fold no longer chains of moves.
constexpr size_t kMostMoves = 64;

Type withAxis(PerAxisType type, ArrayRef<double> scales, ArrayRef<int64_t> zeroPoints, int64_t axis) {
  return PerAxisType::get(type.getFlags(), type.getStorageType(), type.getExpressedType(), scales, zeroPoints,
                          static_cast<int32_t>(axis), type.getStorageTypeMin(), type.getStorageTypeMax());
}

/// The axis becomes another one, or is divided.
Type reshapedStored(PerAxisType type, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  const auto axis = static_cast<size_t>(type.getQuantizedDimension());
  const int64_t before = llvm::product_of(from.take_front(axis), int64_t(1));
  int64_t product = 1;
  for (auto [place, extent] : llvm::enumerate(to)) {
    if (product == before && extent == from[axis])
      return withAxis(type, type.getScales(), type.getZeroPoints(), static_cast<int64_t>(place));
    product *= extent;
  }
  return {};
}

Type slicedStored(PerAxisType type, SliceOp slice) {
  const int32_t axis = type.getQuantizedDimension();
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  for (int64_t index = 0; index < slice.getSize()[axis]; ++index) {
    const int64_t channel = slice.getBegin()[axis] + index * slice.getStrides()[axis];
    scales.push_back(type.getScales()[channel]);
    zeroPoints.push_back(type.getZeroPoints()[channel]);
  }
  return withAxis(type, scales, zeroPoints, axis);
}

Type movedStored(Type stored, Operation *move) {
  auto perAxis = dyn_cast_or_null<PerAxisType>(stored);
  if (!perAxis)
    return stored;
  if (auto transpose = dyn_cast<TransposeOp>(move))
    return transposedStored(perAxis, transpose.getPermutation());
  if (auto slice = dyn_cast<SliceOp>(move))
    return slicedStored(perAxis, slice);
  return reshapedStored(perAxis, shapeOf(move->getOperand(0)), shapeOf(move->getResult(0)));
}

bool hasScalesOf(Type stored, ArrayRef<int64_t> shape) {
  auto perAxis = dyn_cast<PerAxisType>(stored);
  if (!perAxis)
    return isa<quant::UniformQuantizedType>(stored);
  const int64_t axis = perAxis.getQuantizedDimension();
  return axis >= 0 && axis < static_cast<int64_t>(shape.size()) &&
         static_cast<int64_t>(perAxis.getScales().size()) == shape[axis];
}

/// That of the operation itself. Anyone may write the attribute.
Type ownStored(Operation *op) {
  if (auto noted = op->getAttrOfType<TypeAttr>(kStoredAttr))
    return op->getNumResults() == 1 && hasScalesOf(noted.getValue(), shapeOf(op->getResult(0))) ? noted.getValue()
                                                                                                : Type();
  auto dequantize = dyn_cast<DequantizeOp>(op);
  return dequantize ? elementOf(dequantize.getInput()) : Type();
}

} // namespace

Type storedTypeOf(Value value) {
  SmallVector<Operation *> moves;
  for (Operation *op = value.getDefiningOp(); op && moves.size() <= kMostMoves; op = value.getDefiningOp()) {
    if (Type stored = ownStored(op)) {
      for (Operation *move : llvm::reverse(moves))
        stored = movedStored(stored, move);
      return stored;
    }
    if (!isa<ReshapeOp, TransposeOp, SliceOp>(op))
      return {};
    moves.push_back(op);
    value = op->getOperand(0);
  }
  return {};
}

Type transposedStored(Type stored, ArrayRef<int64_t> order) {
  auto perAxis = dyn_cast_or_null<PerAxisType>(stored);
  if (!perAxis)
    return stored;
  const auto *place = llvm::find(order, perAxis.getQuantizedDimension());
  return withAxis(perAxis, perAxis.getScales(), perAxis.getZeroPoints(), place - order.begin());
}

void setStoredType(Operation *op, Type stored) {
  if (stored)
    op->setDiscardableAttr(kStoredAttr, TypeAttr::get(stored));
}

NumericsAttr evenNumerics(MLIRContext *context, ArrayRef<double> factors) {
  constexpr int kMostShift = 29;
  SmallVector<int32_t> multipliers, shifts;
  for (double factor : factors) {
    const firmware::Rescale rescale = kernels::quantizeMultiplier(factor);
    if (rescale.shift > kMostShift)
      return {};
    multipliers.push_back(rescale.multiplier);
    shifts.push_back(31 - rescale.shift);
  }
  return NumericsAttr::get(context, Numerics::EvenRound, multipliers, shifts);
}

} // namespace avocet::compiler::nn
