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
#include "Import/Common/Moves.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

template <typename Source, typename Op, auto... kind> LogicalResult convertBinary(TosaOperation &op, Source) {
  return createBinary<Op>(op, kind...);
}

template <typename Source, nn::UnaryKind kind> LogicalResult convertUnary(TosaOperation &op, Source) {
  return createFunction<nn::UnaryOp>(op, kind, llvm::APFloat(1.0f));
}

template <typename Source, typename Op> LogicalResult convertFunction(TosaOperation &op, Source) {
  return createFunction<Op>(op);
}

LogicalResult convertAdd(TosaOperation &op, tosa::AddOp) { return createBinary<nn::AddOp>(op, nn::Activation::kNone); }
LogicalResult convertSub(TosaOperation &op, tosa::SubOp) { return createBinary<nn::SubOp>(op, nn::Activation::kNone); }

/// The device propagates NaN, as the mode PROPAGATE asks for. With IGNORE the other number counts.
template <typename Source, typename Op> LogicalResult convertExtreme(TosaOperation &op, Source source) {
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  if (!lhs || !rhs)
    return failure();
  if (source.getNanMode() == tosa::NanPropagationMode::PROPAGATE || !isa<FloatType>(elementOf(lhs)))
    return finish<Op>(op, lhs, rhs);
  lhs = broadcastTo(op, lhs, op.resultShape());
  rhs = broadcastTo(op, rhs, op.resultShape());
  Value either = create<nn::SelectOp>(op, isNan(op, lhs), rhs, createPair<Op>(op, lhs, rhs));
  return finish<nn::SelectOp>(op, isNan(op, rhs), lhs, either);
}

LogicalResult convertBitwiseNot(TosaOperation &op, tosa::BitwiseNotOp) {
  Value input = op.value(0, "input");
  return input ? finish<nn::BinaryOp>(op, input, numberLike(op, input, -1), nn::BinaryKind::BitwiseXor) : failure();
}

LogicalResult convertReciprocal(TosaOperation &op, tosa::ReciprocalOp) {
  Value input = op.value(0, "input");
  return input ? finish<nn::DivOp>(op, numberLike(op, input, 1), input, nn::Activation::kNone, /*truncates=*/false)
               : failure();
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

/// The product of 64 bits, with a half of the last bit that stays, shifted to the right.
Value shiftedProduct(TosaOperation &op, Value lhs, Value rhs, int64_t shift) {
  const Type wide = op.builder().getI64Type();
  Value product = multiply(op, castTo(op, lhs, wide), castTo(op, rhs, wide));
  product = product ? createPair<nn::BinaryOp>(op, product, numberLike(op, product, static_cast<double>(shift)),
                                               nn::BinaryKind::RoundingRightShift)
                    : Value();
  return product ? createAs<nn::CastOp>(op, op.builder().getI32Type(), product, /*wraps=*/true) : Value();
}

LogicalResult convertMul(TosaOperation &op, tosa::MulOp) {
  Value lhs = op.value(0, "input 0"), rhs = op.value(1, "input 1");
  FailureOr<int64_t> shift = op.integer(2, "shift");
  const Type element = op.resultElement(0);
  if (!lhs || !rhs || failed(shift) || !element)
    return failure();
  if (*shift < 0 || *shift > 63)
    return op.malformed("has the shift " + Twine(*shift) + ", must be 0 to 63");
  if (*shift != 0 && !elementOf(lhs).isInteger(32))
    return op.malformed("has the shift " + Twine(*shift) + " of numbers other than i32, must be 0");
  return op.finish(*shift == 0 ? multiply(op, castTo(op, lhs, element), castTo(op, rhs, element))
                               : shiftedProduct(op, lhs, rhs, *shift));
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
  const Type i32 = op.builder().getI32Type();
  const auto binary = [&](Value lhs, int64_t number, nn::BinaryKind kind) {
    return lhs ? createPair<nn::BinaryOp>(op, lhs, numberLike(op, lhs, static_cast<double>(number)), kind) : Value();
  };
  Value wide = castTo(op, input, i32), entries = castTo(op, table, i32);
  if (!wide || !entries)
    return failure();
  Value fraction = binary(wide, 127, nn::BinaryKind::BitwiseAnd);
  Value index = binary(add(op, wide, numberLike(op, wide, 32768)), 7, nn::BinaryKind::RightShift);
  const auto entry = [&](Value at) { return at ? create<nn::GatherOp>(op, entries, at, uint64_t(0)) : Value(); };
  Value base = entry(index), next = index ? entry(add(op, index, numberLike(op, index, 1))) : Value();
  Value slope = next ? subtract(op, next, base) : Value();
  return slope ? op.finish(add(op, multiply(op, base, numberLike(op, base, 128)), multiply(op, slope, fraction)))
               : failure();
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
  Value wide = castTo(op, input, op.builder().getI32Type());
  Value negative = wide ? subtract(op, numberLike(op, wide, static_cast<double>(*from + *to)), wide) : Value();
  return negative ? finish<nn::CastOp>(op, negative, /*wraps=*/false) : failure();
}

/// A bound as a number; nullopt: it has a type without one.
std::optional<double> boundOf(Attribute bound) {
  if (auto integer = dyn_cast<IntegerAttr>(bound))
    return integer.getType().isUnsignedInteger() ? static_cast<double>(integer.getUInt())
                                                 : static_cast<double>(integer.getValue().getSExtValue());
  auto number = dyn_cast<FloatAttr>(bound);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

/// Integers are clamped as quantised numbers of the zero point that they have.
LogicalResult convertClamp(TosaOperation &op, tosa::ClampOp source) {
  const auto low = boundOf(source.getMinVal()), high = boundOf(source.getMaxVal());
  Value input = op.computed(0);
  if (!input || !low || !high)
    return failure();
  if (!(*low <= *high))
    return op.malformed("has the lower bound " + std::to_string(*low) + " and the upper bound " +
                        std::to_string(*high));
  if (isa<IntegerType>(elementOf(input)))
    input = op.quantized(0, 0);
  const auto quantized = dyn_cast<quant::UniformQuantizedType>(elementOf(input));
  const auto zero = static_cast<double>(quantized ? quantized.getZeroPoint() : 0);
  const nn::Activation range{static_cast<float>(*low - zero), static_cast<float>(*high - zero)};
  Value clamped = createAs<nn::ClampOp>(op, elementOf(input), input, range);
  if (clamped && source.getNanMode() == tosa::NanPropagationMode::IGNORE && isa<FloatType>(elementOf(input)))
    return finish<nn::SelectOp>(op, isNan(op, input), broadcastTo(op, numberLike(op, input, *low), op.resultShape()),
                                clamped);
  return op.finish(clamped);
}

LogicalResult convertIntDiv(TosaOperation &op, tosa::IntDivOp) {
  return createBinary<nn::DivOp>(op, nn::Activation::kNone, /*truncates=*/true);
}

LogicalResult convertXor(TosaOperation &op, tosa::LogicalXorOp) {
  return createBinary<nn::CompareOp>(op, nn::CompareKind::NotEqual);
}

LogicalResult convertSelect(TosaOperation &op, tosa::SelectOp) {
  SmallVector<Value> operands;
  for (uint32_t position = 0; position < 3; ++position)
    operands.push_back(broadcastTo(op, op.plain(position), op.resultShape()));
  return op.finish(create<nn::SelectOp>(op, operands[0], operands[1], operands[2]));
}

constexpr TosaConverter kConverters[] = {
    kConverts<convertUnary<tosa::AbsOp, nn::UnaryKind::Abs>>,
    kConverts<convertUnary<tosa::CeilOp, nn::UnaryKind::Ceil>>,
    kConverts<convertUnary<tosa::ClzOp, nn::UnaryKind::LeadingZeros>>,
    kConverts<convertUnary<tosa::CosOp, nn::UnaryKind::Cos>>,
    kConverts<convertUnary<tosa::ErfOp, nn::UnaryKind::Erf>>,
    kConverts<convertUnary<tosa::ExpOp, nn::UnaryKind::Exp>>,
    kConverts<convertUnary<tosa::FloorOp, nn::UnaryKind::Floor>>,
    kConverts<convertUnary<tosa::LogOp, nn::UnaryKind::Log>>,
    kConverts<convertUnary<tosa::LogicalNotOp, nn::UnaryKind::LogicalNot>>,
    kConverts<convertUnary<tosa::RsqrtOp, nn::UnaryKind::Rsqrt>>,
    kConverts<convertUnary<tosa::SinOp, nn::UnaryKind::Sin>>,
    kConverts<convertFunction<tosa::SigmoidOp, nn::LogisticOp>>,
    kConverts<convertFunction<tosa::TanhOp, nn::TanhOp>>,
    kConverts<convertAdd>,
    kConverts<convertBitwiseNot>,
    kConverts<convertCast>,
    kConverts<convertClamp>,
    kConverts<convertMul>,
    kConverts<convertNegate>,
    kConverts<convertReciprocal>,
    kConverts<convertRightShift>,
    kConverts<convertTable>,
    kConverts<convertSub>,
    kConverts<convertIntDiv>,
    kConverts<convertXor>,
    kConverts<convertSelect>,
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
