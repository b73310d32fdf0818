//===- WideUnsigned.cpp - Unsigned integers of 16, 32 and 64 bits ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "ImportTypes.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using nn::BinaryKind;
using nn::CompareKind;

/// A scalar with these bits, in the type of x.
Value bitsLike(ImportedOperation &op, Value x, uint64_t bits) {
  const auto type = cast<IntegerType>(elementOf(x));
  return filled(op, RankedTensorType::get({}, type),
                IntegerAttr::get(type, APInt(type.getWidth(), bits, /*isSigned=*/false, /*implicitTrunc=*/true)));
}

uint64_t signBit(Value x) { return uint64_t(1) << (elementOf(x).getIntOrFloatBitWidth() - 1); }

Value bitwise(ImportedOperation &op, BinaryKind kind, Value x, uint64_t bits) {
  return x ? createPair<nn::BinaryOp>(op, x, bitsLike(op, x, bits), kind) : x;
}

Value flipped(ImportedOperation &op, Value x) { return x ? bitwise(op, BinaryKind::BitwiseXor, x, signBit(x)) : x; }

Value select(ImportedOperation &op, Value condition, Value a, Value b) {
  return a ? Formula(op, elementOf(a)).select(condition, a, b) : a;
}

Value isNegative(ImportedOperation &op, Value x) {
  return x ? compare(op, x, CompareKind::Less, bitsLike(op, x, 0)) : x;
}

Value truncatedQuotient(ImportedOperation &op, Value a, Value b) { return Formula(op, elementOf(a)).div(a, b); }

struct Quotient {
  Value quotient, rest;
};

/// Of 64 bits: half of the dividend is divided as a signed number, and at most one is missing. A divisor from 2^63 on
/// is contained once or not at all. A divisor of 0 gives 0, as elsewhere.
Quotient divided(ImportedOperation &op, Value a, Value b) {
  const auto notLess = [&](Value x, Value y) {
    return compare(op, flipped(op, x), CompareKind::GreaterEqual, flipped(op, y));
  };
  const auto binary = [&](BinaryKind kind, Value x, Value y) { return createPair<nn::BinaryOp>(op, x, y, kind); };
  Value one = bitsLike(op, a, 1), zero = bitsLike(op, a, 0);
  Value half = truncatedQuotient(op, binary(BinaryKind::LogicalRightShift, a, one), b);
  Value quotient = binary(BinaryKind::LeftShift, half, one);
  quotient = select(op, isNegative(op, b), zero, quotient);
  Value rest = subtract(op, a, multiply(op, quotient, b));
  Value isMissing = notLess(rest, b);
  quotient = add(op, quotient, select(op, isMissing, one, zero));
  rest = subtract(op, rest, select(op, isMissing, b, zero));
  Value isZero = compare(op, b, CompareKind::Equal, zero);
  return {select(op, isZero, zero, quotient), select(op, isZero, zero, rest)};
}

/// A quotient or its rest.
Value division(ImportedOperation &op, Operation *created, Type element, bool isRest) {
  Value a = created->getOperand(0), b = created->getOperand(1);
  if (element.getIntOrFloatBitWidth() == 64) {
    const Quotient both = divided(op, a, b);
    return isRest ? both.rest : both.quotient;
  }
  const Type wide = op.builder().getI64Type();
  a = fromWideUnsigned(op, a, element, wide, true);
  b = fromWideUnsigned(op, b, element, wide, true);
  if (!a || !b)
    return {};
  Value result = isRest ? createPair<nn::BinaryOp>(op, a, b, BinaryKind::FloorMod) : truncatedQuotient(op, a, b);
  return result ? toWideUnsigned(op, result, cast<IntegerType>(element), true) : result;
}

/// The same operation of numbers that have the order of the unsigned ones.
Value ordered(ImportedOperation &op, Operation *created, bool isValue) {
  IRMapping mapping;
  for (Value operand : created->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand, flipped(op, operand));
  Operation *copy = op.builder().clone(*created, mapping);
  return isValue ? flipped(op, copy->getResult(0)) : copy->getResult(0);
}

} // namespace

Value withSignedOrder(ImportedOperation &op, Value x) { return flipped(op, x); }

Value fromWideUnsigned(ImportedOperation &op, Value x, Type from, Type to, bool wraps) {
  const unsigned width = from.getIntOrFloatBitWidth();
  Builder &builder = op.builder();
  if (width < 64) {
    const Type wide = width == 16 ? builder.getI32Type() : builder.getI64Type();
    Value number = bitwise(op, BinaryKind::BitwiseAnd, castTo(op, x, wide), (uint64_t(1) << width) - 1);
    return !number || elementOf(number) == to ? number : createAs<nn::CastOp>(op, to, number, wraps);
  }
  if (isa<IntegerType>(to)) {
    if (!wraps && !to.isInteger(1))
      x = select(op, isNegative(op, x), bitsLike(op, x, INT64_MAX), x);
    return !x || elementOf(x) == to ? x : createAs<nn::CastOp>(op, to, x, wraps);
  }
  // From 2^63 on: half of it, whose last bit keeps the rounding right.
  const Type f32 = builder.getF32Type();
  Value last = bitwise(op, BinaryKind::BitwiseAnd, x, 1), half = bitwise(op, BinaryKind::LogicalRightShift, x, 1);
  Value odd = createPair<nn::BinaryOp>(op, half, last, BinaryKind::BitwiseOr);
  Formula f(op, f32);
  Value number = select(op, isNegative(op, x), f.mul(castTo(op, odd, f32), 2), castTo(op, x, f32));
  return castTo(op, number, to);
}

Value toWideUnsigned(ImportedOperation &op, Value x, IntegerType to, bool wraps) {
  Builder &builder = op.builder();
  const unsigned width = to.getWidth();
  const Type stored = builder.getIntegerType(width), own = elementOf(x);
  const uint64_t most = width == 64 ? INT64_MAX : (uint64_t(1) << width) - 1;
  if (isa<FloatType>(own)) {
    Formula f(op, builder.getF32Type());
    x = castTo(op, x, builder.getF32Type());
    const Type wide = width == 16 ? builder.getI32Type() : builder.getI64Type();
    Value number = castTo(op, x, wide);
    if (!number)
      return {};
    number = createPair<nn::MaximumOp>(op, number, bitsLike(op, number, 0));
    if (width < 64)
      return createAs<nn::CastOp>(op, stored, createPair<nn::MinimumOp>(op, number, bitsLike(op, number, most)),
                                  /*wraps=*/true);
    Value beyond = flipped(op, castTo(op, f.sub(x, 0x1p63), wide));
    return select(op, f.compare(x, CompareKind::GreaterEqual, 0x1p63), beyond, number);
  }
  const auto integer = cast<IntegerType>(own);
  if (!wraps && integer.getWidth() > 1 && !integer.isUnsigned()) {
    x = createPair<nn::MaximumOp>(op, x, bitsLike(op, x, 0));
    if (x && integer.getWidth() > width)
      x = createPair<nn::MinimumOp>(op, x, bitsLike(op, x, most));
  }
  return !x || elementOf(x) == stored ? x : createAs<nn::CastOp>(op, stored, x, /*wraps=*/true);
}

Value wideUnsigned(ImportedOperation &op, Operation *created, TypeRange operands, Type result) {
  const Type element = operands.front();
  return llvm::TypeSwitch<Operation *, Value>(created)
      .Case([&](nn::DivOp) { return division(op, created, element, false); })
      .Case([&](nn::BinaryOp binary) -> Value {
        switch (binary.getKind()) {
        case BinaryKind::FloorDiv:
        case BinaryKind::FloorMod:
          return division(op, created, element, binary.getKind() == BinaryKind::FloorMod);
        case BinaryKind::BitwiseAnd:
        case BinaryKind::BitwiseOr:
        case BinaryKind::BitwiseXor:
        case BinaryKind::LeftShift:
        case BinaryKind::LogicalRightShift:
          return op.builder().clone(*created)->getResult(0);
        default:
          return op.refuse("", "has a form for unsigned numbers", nn::stringifyBinaryKind(binary.getKind()));
        }
      })
      .Case([&](nn::CompareOp compare) -> Value {
        if (compare.getKind() == CompareKind::Equal || compare.getKind() == CompareKind::NotEqual)
          return op.builder().clone(*created)->getResult(0);
        return ordered(op, created, false);
      })
      .Case<nn::MinimumOp, nn::MaximumOp>([&](auto) { return ordered(op, created, true); })
      .Case([&](nn::ArgReduceOp) { return ordered(op, created, false); })
      .Case([&](nn::ReduceOp reduce) -> Value {
        const bool hasOrder = reduce.getKind() == nn::ReduceKind::Max || reduce.getKind() == nn::ReduceKind::Min;
        return hasOrder ? ordered(op, created, true) : op.builder().clone(*created)->getResult(0);
      })
      .Case([&](nn::UnaryOp unary) -> Value {
        if (unary.getKind() == nn::UnaryKind::Abs)
          return unary.getInput();
        return op.refuse("", "has a form for unsigned numbers", nn::stringifyUnaryKind(unary.getKind()));
      })
      .Case<nn::AddOp, nn::SubOp, nn::MulOp, nn::CumulativeSumOp>(
          [&](auto) { return op.builder().clone(*created)->getResult(0); })
      .Default([&](Operation *other) -> Value {
        return op.refuse("", "has a form for unsigned numbers", other->getName().stripDialect());
      });
}

} // namespace avocet::compiler
