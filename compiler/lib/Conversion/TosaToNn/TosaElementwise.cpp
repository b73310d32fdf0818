//===- TosaElementwise.cpp - Functions of single elements -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "TosaNumbers.h"

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Elements.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename Source, typename Op, auto... kind> LogicalResult convertBinary(TosaOperation &op, Source) {
  return createBinary<Op>(op, kind...);
}

template <typename Source, typename Op, auto... kind> LogicalResult convertFunction(TosaOperation &op, Source) {
  return convertDirect<1, Op, kind...>(op);
}

/// The device propagates NaN, as the mode PROPAGATE asks for. With IGNORE the other number counts.
template <typename Source, typename Op> LogicalResult convertExtreme(TosaOperation &op, Source source) {
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  if (!ignoresNan(source.getNanMode(), lhs))
    return finish<Op>(op, lhs, rhs);
  Formula f(op, elementOf(lhs));
  Value either = f.select(isNan(op, lhs), rhs, createPair<Op>(op, lhs, rhs));
  return op.finish(f.select(isNan(op, rhs), lhs, either));
}

LogicalResult convertBitwiseNot(TosaOperation &op, tosa::BitwiseNotOp) {
  Value input = op.value(0, "input");
  return finish<nn::BinaryOp>(op, input, numberLike(op, input, -1), nn::BinaryKind::BitwiseXor);
}

LogicalResult convertReciprocal(TosaOperation &op, tosa::ReciprocalOp) {
  Value input = op.value(0, "input");
  return finish<nn::DivOp>(op, numberLike(op, input, 1), input, nn::Activation::kNone, /*truncates=*/false);
}

LogicalResult convertRightShift(TosaOperation &op, tosa::ArithmeticRightShiftOp source) {
  return createBinary<nn::BinaryOp>(op, source.getRound() ? nn::BinaryKind::RoundingRightShift
                                                          : nn::BinaryKind::RightShift);
}

/// Floats are rounded to the nearest integers, halves to even ones; integers keep their low bits.
LogicalResult convertCast(TosaOperation &op, tosa::CastOp) {
  Value input = op.value(0, "input");
  const Type element = op.resultElement(0);
  if (!input || !element)
    return failure();
  const bool isInteger = isa<IntegerType>(element) && !element.isInteger(1);
  if (isa<FloatType>(elementOf(input)) && isInteger)
    input = createAs<nn::UnaryOp>(op, elementOf(input), input, nn::UnaryKind::Round, llvm::APFloat(1.0f));
  return op.finish(createAs<nn::CastOp>(op, element, input, isInteger));
}

/// A shift is one of products of 64 bits, with a half of the last bit that stays.
LogicalResult convertMul(TosaOperation &op, tosa::MulOp) {
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  FailureOr<int64_t> shift = op.integer(2, "shift");
  const Type element = op.resultElement(0), wide = op.builder().getI64Type();
  if (!lhs || !rhs || failed(shift) || !element)
    return failure();
  if (*shift < 0 || *shift > 63)
    return op.malformed("has the shift " + Twine(*shift) + ", must be 0 to 63");
  if (*shift != 0 && !elementOf(lhs).isInteger(32))
    return op.malformed("has the shift " + Twine(*shift) + " of numbers other than i32, must be 0");
  if (*shift == 0)
    return op.finish(multiply(op, castTo(op, lhs, element), castTo(op, rhs, element)));
  Formula f(op, wide);
  Value product = f.apply(nn::BinaryKind::RoundingRightShift, f.mul(castTo(op, lhs, wide), castTo(op, rhs, wide)),
                          f.constant(static_cast<double>(*shift)));
  return finish<nn::CastOp>(op, product, /*wraps=*/true);
}

Value tableOf(TosaOperation &op, Value input, llvm::function_ref<int64_t(int64_t)> function) {
  SmallVector<int8_t> entries;
  for (int64_t number = INT8_MIN; number <= INT8_MAX; ++number)
    entries.push_back(static_cast<int8_t>(std::clamp<int64_t>(function(number), INT8_MIN, INT8_MAX)));
  const Type element = op.builder().getI8Type();
  auto values = DenseIntElementsAttr::get(RankedTensorType::get({256}, element), ArrayRef(entries));
  return createAs<nn::TableOp>(op, element, input, values);
}

/// The table of 513 entries has one for each 128 numbers, between which the result is interpolated; it has 7 bits more.
LogicalResult convertWideTable(TosaOperation &op, Value input, Value table) {
  Formula f(op, op.builder().getI32Type());
  Value wide = castTo(op, input, op.builder().getI32Type()), entries = castTo(op, table, op.builder().getI32Type());
  Value fraction = f.apply(nn::BinaryKind::BitwiseAnd, wide, f.constant(127));
  Value index = f.apply(nn::BinaryKind::RightShift, f.add(wide, 32768), f.constant(7));
  Value base = create<nn::GatherOp>(op, entries, index, uint64_t(0));
  Value slope = f.sub(create<nn::GatherOp>(op, entries, f.add(index, 1), uint64_t(0)), base);
  return op.finish(f.add(f.mul(base, 128), f.mul(slope, fraction)));
}

LogicalResult convertTable(TosaOperation &op, tosa::TableOp) {
  Value input = op.value(0, "input"), table = op.value(1, "table");
  if (!input || !table)
    return failure();
  if (elementOf(input).isInteger(16)) {
    if (shapeOf(table) != ArrayRef<int64_t>{513})
      return op.malformed("has a table of shape " + nn::textOf(shapeOf(table)) + ", must be [513]");
    return convertWideTable(op, input, table);
  }
  auto entries = op.integers(1, "table", 256);
  if (failed(entries))
    return failure();
  return op.finish(tableOf(op, input, [&](int64_t number) { return (*entries)[number - INT8_MIN]; }));
}

/// Integers of 8 and 16 bits saturate.
LogicalResult convertNegate(TosaOperation &op, tosa::NegateOp) {
  Value input = op.value(0, "input");
  FailureOr<int64_t> from = op.integer(1, "zero point"), to = op.integer(2, "zero point");
  if (!input || failed(from) || failed(to))
    return failure();
  const Type element = elementOf(input);
  if (isa<FloatType>(element) || element.isInteger(32))
    return createFunction<nn::UnaryOp>(op, nn::UnaryKind::Neg, llvm::APFloat(1.0f));
  if (element.isInteger(8))
    return op.finish(tableOf(op, input, [&](int64_t number) { return *from + *to - number; }));
  Formula f(op, op.builder().getI32Type());
  Value wide = castTo(op, input, op.builder().getI32Type());
  return finish<nn::CastOp>(op, f.sub(static_cast<double>(*from + *to), wide), /*wraps=*/false);
}

/// A bound as a number.
double boundOf(Attribute bound) {
  if (auto number = dyn_cast<FloatAttr>(bound))
    return number.getValueAsDouble();
  const APInt integer = cast<IntegerAttr>(bound).getValue();
  return cast<IntegerAttr>(bound).getType().isUnsignedInteger() ? integer.roundToDouble()
                                                                : integer.signedRoundToDouble();
}

/// Integers are clamped as quantized numbers of the zero point that they have.
LogicalResult convertClamp(TosaOperation &op, tosa::ClampOp source) {
  const double low = boundOf(source.getMinVal()), high = boundOf(source.getMaxVal());
  Value input = op.computed(0);
  if (!(low <= high))
    return op.malformed("has the lower bound " + std::to_string(low) + " and the upper bound " + std::to_string(high));
  if (input && isa<IntegerType>(elementOf(input)))
    input = op.quantized(0u);
  if (!input)
    return failure();
  const auto quantized = dyn_cast<quant::UniformQuantizedType>(elementOf(input));
  const auto zero = static_cast<double>(quantized ? quantized.getZeroPoint() : 0);
  const nn::Activation range{static_cast<float>(low - zero), static_cast<float>(high - zero)};
  Value clamped = createAs<nn::ClampOp>(op, elementOf(input), input, range);
  return op.finish(ignoresNan(source.getNanMode(), input) ? selectNan(op, input, low, clamped) : clamped);
}

LogicalResult convertSelect(TosaOperation &op, tosa::SelectOp) {
  Value condition = op.plain(0), lhs = op.plain(1), rhs = op.plain(2);
  return lhs ? op.finish(Formula(op, elementOf(lhs)).select(condition, lhs, rhs)) : failure();
}

constexpr TosaConverter kConverters[] = {
    kConverts<convertFunction<tosa::AbsOp, nn::UnaryOp, nn::UnaryKind::Abs>>,
    kConverts<convertFunction<tosa::CeilOp, nn::UnaryOp, nn::UnaryKind::Ceil>>,
    kConverts<convertFunction<tosa::ClzOp, nn::UnaryOp, nn::UnaryKind::LeadingZeros>>,
    kConverts<convertFunction<tosa::CosOp, nn::UnaryOp, nn::UnaryKind::Cos>>,
    kConverts<convertFunction<tosa::ErfOp, nn::UnaryOp, nn::UnaryKind::Erf>>,
    kConverts<convertFunction<tosa::ExpOp, nn::UnaryOp, nn::UnaryKind::Exp>>,
    kConverts<convertFunction<tosa::FloorOp, nn::UnaryOp, nn::UnaryKind::Floor>>,
    kConverts<convertFunction<tosa::LogOp, nn::UnaryOp, nn::UnaryKind::Log>>,
    kConverts<convertFunction<tosa::LogicalNotOp, nn::UnaryOp, nn::UnaryKind::LogicalNot>>,
    kConverts<convertFunction<tosa::RsqrtOp, nn::UnaryOp, nn::UnaryKind::Rsqrt>>,
    kConverts<convertFunction<tosa::SinOp, nn::UnaryOp, nn::UnaryKind::Sin>>,
    kConverts<convertFunction<tosa::SigmoidOp, nn::LogisticOp>>,
    kConverts<convertFunction<tosa::TanhOp, nn::TanhOp>>,
    kConverts<convertBitwiseNot>,
    kConverts<convertCast>,
    kConverts<convertClamp>,
    kConverts<convertMul>,
    kConverts<convertNegate>,
    kConverts<convertReciprocal>,
    kConverts<convertRightShift>,
    kConverts<convertTable>,
    kConverts<convertSelect>,
    kConverts<convertBinary<tosa::AddOp, nn::AddOp, nn::Activation::kNone>>,
    kConverts<convertBinary<tosa::SubOp, nn::SubOp, nn::Activation::kNone>>,
    kConverts<convertBinary<tosa::IntDivOp, nn::DivOp, nn::Activation::kNone, /*truncates=*/true>>,
    kConverts<convertBinary<tosa::LogicalXorOp, nn::CompareOp, nn::CompareKind::NotEqual>>,
    kConverts<convertBinary<tosa::EqualOp, nn::CompareOp, nn::CompareKind::Equal>>,
    kConverts<convertBinary<tosa::GreaterOp, nn::CompareOp, nn::CompareKind::Greater>>,
    kConverts<convertBinary<tosa::GreaterEqualOp, nn::CompareOp, nn::CompareKind::GreaterEqual>>,
    kConverts<convertBinary<tosa::LogicalAndOp, nn::LogicalOp, nn::LogicalKind::And>>,
    kConverts<convertBinary<tosa::LogicalOrOp, nn::LogicalOp, nn::LogicalKind::Or>>,
    kConverts<convertExtreme<tosa::MaximumOp, nn::MaximumOp>>,
    kConverts<convertExtreme<tosa::MinimumOp, nn::MinimumOp>>,
    kConverts<convertBinary<tosa::BitwiseAndOp, nn::BinaryOp, nn::BinaryKind::BitwiseAnd>>,
    kConverts<convertBinary<tosa::BitwiseOrOp, nn::BinaryOp, nn::BinaryKind::BitwiseOr>>,
    kConverts<convertBinary<tosa::BitwiseXorOp, nn::BinaryOp, nn::BinaryKind::BitwiseXor>>,
    kConverts<convertBinary<tosa::LogicalLeftShiftOp, nn::BinaryOp, nn::BinaryKind::LeftShift>>,
    kConverts<convertBinary<tosa::LogicalRightShiftOp, nn::BinaryOp, nn::BinaryKind::LogicalRightShift>>,
    kConverts<convertBinary<tosa::PowOp, nn::PowOp>>,
};

} // namespace

ArrayRef<TosaConverter> tosaElementwiseConverters() { return kConverters; }

} // namespace avocet::compiler
