//===- NnFolders.cpp - Operations that need no device -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The folders of all operations: those that change nothing become their operand, and those on a few known integers
// become a constant (FoldedIntegers.h).
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"
#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

/// The result as a constant, if the operation has few integers and knows all of its operands.
OpFoldResult foldConstants(Operation *op, ArrayRef<Attribute> constants) {
  const RankedTensorType type = tensorOf(op->getResult(0));
  if (!hasFewIntegers(type))
    return {};
  SmallVector<Integers> operands;
  for (auto [value, constant] : llvm::zip_equal(op->getOperands(), constants)) {
    std::optional<Integers> integers = integersOf(constant, tensorOf(value));
    if (!integers)
      return {};
    operands.push_back(std::move(*integers));
  }
  const std::optional<Integers> result = foldedIntegers(op, operands);
  return result ? OpFoldResult(elementsOf(type, *result)) : OpFoldResult();
}

OpFoldResult constantOf(RankedTensorType type, int64_t element) {
  if (!hasFewIntegers(type))
    return {};
  return elementsOf(type, Integers(type.getNumElements(), element));
}

/// Whether all elements of a constant are the same integer. Constants of any size may be written as one element.
bool isAll(Attribute constant, Value value, int64_t element) {
  if (!isa<IntegerType>(elementOf(value)))
    return false;
  if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(constant); dense && dense.isSplat()) {
    const auto splat = dense.getSplatValue<llvm::APInt>();
    return splat.getBitWidth() == 1 ? splat.getBoolValue() == (element != 0) : splat.trySExtValue() == element;
  }
  const std::optional<Integers> integers = integersOf(constant, tensorOf(value));
  return integers && llvm::all_of(*integers, [&](int64_t each) { return each == element; });
}

/// `value`, if it is the whole result.
OpFoldResult whole(Value value, Operation *op) {
  return value.getType() == op->getResult(0).getType() ? OpFoldResult(value) : OpFoldResult();
}

/// The first operand of a function of integers that leaves it if the second one is `neutral`.
OpFoldResult withoutNeutral(Operation *op, ArrayRef<Attribute> constants, int64_t neutral) {
  if (activationOf(op) != Activation::kNone || !isAll(constants[1], op->getOperand(1), neutral))
    return {};
  return whole(op->getOperand(0), op);
}

/// The same for either operand.
OpFoldResult withoutEitherNeutral(Operation *op, ArrayRef<Attribute> constants, int64_t neutral) {
  if (OpFoldResult first = withoutNeutral(op, constants, neutral))
    return first;
  if (activationOf(op) != Activation::kNone || !isAll(constants[0], op->getOperand(0), neutral))
    return {};
  return whole(op->getOperand(1), op);
}

/// Whether the bytes of truth values are 0 and 1. Those of inputs may be any number but 0 for true.
bool hasBits(Value value) { return isa_and_nonnull<CompareOp, LogicalOp, CastOp, UnaryOp>(value.getDefiningOp()); }

/// `and` with true and `or` with false leave the other operand; `and` with false and `or` with true are constant.
OpFoldResult foldLogical(LogicalOp op, ArrayRef<Attribute> constants) {
  const int64_t neutral = op.getKind() == LogicalKind::And ? 1 : 0;
  for (unsigned known : {0u, 1u}) {
    const Value value = op->getOperand(known), other = op->getOperand(1 - known);
    if (isAll(constants[known], value, 1 - neutral))
      return constantOf(tensorOf(op.getOutput()), 1 - neutral);
    if (isAll(constants[known], value, neutral) && hasBits(other))
      return whole(other, op);
  }
  return op.getLhs() == op.getRhs() && hasBits(op.getLhs()) ? whole(op.getLhs(), op) : OpFoldResult();
}

OpFoldResult foldSelect(SelectOp op, ArrayRef<Attribute> constants) {
  if (op.getLhs() == op.getRhs() || isAll(constants[0], op.getCondition(), 1))
    return op.getLhs();
  return isAll(constants[0], op.getCondition(), 0) ? OpFoldResult(op.getRhs()) : OpFoldResult();
}

bool admitsEqual(CompareKind kind) {
  return kind == CompareKind::Equal || kind == CompareKind::LessEqual || kind == CompareKind::GreaterEqual;
}

OpFoldResult foldBinary(BinaryOp op, ArrayRef<Attribute> constants) {
  switch (op.getKind()) {
  case BinaryKind::FloorDiv:
    return withoutNeutral(op, constants, 1);
  case BinaryKind::BitwiseXor:
  case BinaryKind::BitwiseOr:
    return withoutEitherNeutral(op, constants, 0);
  case BinaryKind::BitwiseAnd:
    return withoutEitherNeutral(op, constants, -1);
  case BinaryKind::RightShift:
  case BinaryKind::LeftShift:
  case BinaryKind::LogicalRightShift:
  case BinaryKind::RoundingRightShift:
    return withoutNeutral(op, constants, 0);
  default:
    return {};
  }
}

bool isIdentity(ArrayRef<int64_t> permutation) {
  return llvm::all_of(llvm::enumerate(permutation),
                      [](auto axis) { return axis.value() == static_cast<int64_t>(axis.index()); });
}

/// The first answer, or else what constant operands give.
OpFoldResult orConstants(OpFoldResult first, Operation *op, ArrayRef<Attribute> constants) {
  return first ? first : foldConstants(op, constants);
}

} // namespace

//===----------------------------------------------------------------------===//
// Constants and moves
//===----------------------------------------------------------------------===//

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Operation *NnDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  return elements ? ConstantOp::create(builder, location, type, elements) : nullptr;
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  return orConstants(whole(getInput(), *this), *this, adaptor.getOperands());
}

/// Of two in a row the first one only changes how the bytes are read for the second.
OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (OpFoldResult same = whole(getInput(), *this))
    return same;
  auto first = getInput().getDefiningOp<BitcastOp>();
  if (!first)
    return {};
  if (OpFoldResult original = whole(first.getInput(), *this))
    return original;
  getInputMutable().assign(first.getInput());
  return getOutput();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  return isIdentity(getPermutation()) ? OpFoldResult(getInput()) : foldConstants(*this, adaptor.getOperands());
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  const bool isForward = llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  return orConstants(isForward ? whole(getInput(), *this) : OpFoldResult(), *this, adaptor.getOperands());
}

OpFoldResult TileOp::fold(FoldAdaptor adaptor) {
  return orConstants(whole(getInput(), *this), *this, adaptor.getOperands());
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  return orConstants(whole(getInput(), *this), *this, adaptor.getOperands());
}

OpFoldResult ConcatenationOp::fold(FoldAdaptor adaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs().front()) : foldConstants(*this, adaptor.getOperands());
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) { return foldConstants(*this, adaptor.getOperands()); }

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  return orConstants(withoutEitherNeutral(*this, adaptor.getOperands(), 0), *this, adaptor.getOperands());
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return orConstants(withoutNeutral(*this, adaptor.getOperands(), 0), *this, adaptor.getOperands());
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  return orConstants(withoutEitherNeutral(*this, adaptor.getOperands(), 1), *this, adaptor.getOperands());
}

OpFoldResult DivOp::fold(FoldAdaptor adaptor) {
  return orConstants(withoutNeutral(*this, adaptor.getOperands(), 1), *this, adaptor.getOperands());
}

OpFoldResult BinaryOp::fold(FoldAdaptor adaptor) {
  return orConstants(foldBinary(*this, adaptor.getOperands()), *this, adaptor.getOperands());
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) { return foldConstants(*this, adaptor.getOperands()); }

OpFoldResult MinimumOp::fold(FoldAdaptor adaptor) {
  return getLhs() == getRhs() ? OpFoldResult(getLhs()) : foldConstants(*this, adaptor.getOperands());
}

OpFoldResult MaximumOp::fold(FoldAdaptor adaptor) {
  return getLhs() == getRhs() ? OpFoldResult(getLhs()) : foldConstants(*this, adaptor.getOperands());
}

OpFoldResult UnaryOp::fold(FoldAdaptor adaptor) { return foldConstants(*this, adaptor.getOperands()); }

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) { return foldConstants(*this, adaptor.getOperands()); }

/// Only floats differ from themselves.
OpFoldResult CompareOp::fold(FoldAdaptor adaptor) {
  if (getLhs() == getRhs() && !isa<FloatType>(elementOf(getLhs())))
    return constantOf(tensorOf(getOutput()), admitsEqual(getKind()) ? 1 : 0);
  return foldConstants(*this, adaptor.getOperands());
}

OpFoldResult LogicalOp::fold(FoldAdaptor adaptor) {
  return orConstants(foldLogical(*this, adaptor.getOperands()), *this, adaptor.getOperands());
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  return orConstants(foldSelect(*this, adaptor.getOperands()), *this, adaptor.getOperands());
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

OpFoldResult QuantizeOp::fold(FoldAdaptor) { return whole(getInput(), *this); }

/// With a product of 1 and one type for operand and result, every number stays.
OpFoldResult RescaleOp::fold(FoldAdaptor) {
  const NumericsAttr numerics = getNumerics();
  for (auto [multiplier, shift] : llvm::zip_equal(numerics.getMultipliers(), numerics.getShifts()))
    if (shift > 30 || multiplier != 1 << shift)
      return {};
  return whole(getInput(), *this);
}

/// A cast makes bits of truth values.
OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  const bool isSame = !elementOf(getInput()).isInteger(1) || hasBits(getInput());
  return orConstants(isSame ? whole(getInput(), *this) : OpFoldResult(), *this, adaptor.getOperands());
}
