//===- ExportFunctions.cpp - Functions of one tensor ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of 8-bit numbers are the tables of the device.
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "Conversion/NnToNpu/StoredFunctions.h"

#include "avocet/kernels/Quantization.h"

#include "llvm/Support/ScopedPrinter.h"

#include <algorithm>

using namespace mlir;

namespace avocet::compiler {
namespace {

bool isByte(Value value) {
  const auto quantized = dyn_cast<quant::QuantizedType>(elementOf(value));
  return quantized ? quantized.getStorageTypeIntegralWidth() == 8 : elementOf(value).isSignlessInteger(8);
}

bool isByteFunction(ExportedOperation &op) { return isByte(op.source()->getOperand(0)) && isByte(op.result()); }

/// The entries for the signed forms of the numbers, from the smallest on.
LogicalResult finishTable(ExportedOperation &op) {
  const StoredFunction function = storedFunctionOf(op.source());
  const int32_t from = isUnsignedByte(op.source()->getOperand(0)) ? 128 : 0, to = isUnsignedByte(op.result()) ? 128 : 0;
  SmallVector<int32_t> entries;
  for (int32_t stored = INT8_MIN; stored <= INT8_MAX; ++stored)
    entries.push_back(static_cast<int32_t>(std::clamp<int64_t>(function(stored + from) - to, INT8_MIN, INT8_MAX)));
  return op.finish(op.like<tosa::TableOp>(op.operand(), op.constant({256}, 8, entries)));
}

using FloatFunction = Value (*)(ExportedOperation &op, Value x, double alpha);

/// A function of quantized numbers of 8 bits, or of floats.
LogicalResult finishFunction(ExportedOperation &op, FloatFunction ofFloats, double alpha = 0) {
  Value source = op.source()->getOperand(0);
  if (isByteFunction(op))
    return finishTable(op);
  if (isQuantized(source))
    return op.refuse("input", "numbers of 8 bits or floats", llvm::to_string(elementOf(source)));
  Value input = op.operand();
  return input ? op.finish(ofFloats(op, input, alpha)) : failure();
}

LogicalResult exportTable(ExportedOperation &op, nn::TableOp) { return finishTable(op); }

/// Stored numbers keep their order and are clamped as they are.
LogicalResult exportClamp(ExportedOperation &op, nn::ClampOp source) {
  if (source.getInput().getType() == source.getOutput().getType())
    return op.finish(op.clamped(op.operand(), source.getRange()));
  return isByteFunction(op) ? finishTable(op) : op.refuse("result", "the type of the input", "another");
}

//===----------------------------------------------------------------------===//
// Functions of floats
//===----------------------------------------------------------------------===//

Value times(ExportedOperation &op, Value x, double factor) { return op.multiply(x, op.numberLike(x, factor)); }
Value plus(ExportedOperation &op, Value x, double term) { return op.pair<tosa::AddOp>(x, op.numberLike(x, term)); }

Value squareRoot(ExportedOperation &op, Value x, double) {
  return op.like<tosa::ReciprocalOp>(op.like<tosa::RsqrtOp>(x));
}
Value square(ExportedOperation &op, Value x, double) { return op.multiply(x, x); }
Value swish(ExportedOperation &op, Value x, double) { return op.multiply(x, op.like<tosa::SigmoidOp>(x)); }
Value clampTo(ExportedOperation &op, Value x, double least, double most) {
  const Type element = elementOf(x);
  return op.like<tosa::ClampOp>(x, op.builder().getFloatAttr(element, least), op.builder().getFloatAttr(element, most));
}
Value hardSwish(ExportedOperation &op, Value x, double) {
  return op.multiply(x, times(op, clampTo(op, plus(op, x, 3), 0, 6), 1.0 / 6));
}
Value hardSigmoid(ExportedOperation &op, Value x, double alpha) {
  return clampTo(op, plus(op, times(op, x, alpha), 0.5), 0, 1);
}

/// x times the half of 1 + f.
Value gated(ExportedOperation &op, Value x, Value f) { return op.multiply(times(op, x, 0.5), plus(op, f, 1)); }

Value gelu(ExportedOperation &op, Value x, double) {
  return gated(op, x, op.like<tosa::ErfOp>(times(op, x, 0.70710678118654752440)));
}
Value geluTanh(ExportedOperation &op, Value x, double) {
  Value cube = times(op, op.multiply(op.multiply(x, x), x), 0.044715);
  return gated(op, x, op.like<tosa::TanhOp>(times(op, op.pair<tosa::AddOp>(x, cube), 0.79788456080286535588)));
}

/// The number itself where it is not negative.
Value unlessNegative(ExportedOperation &op, Value x, Value negative) {
  return op.select(op.relation<tosa::GreaterEqualOp>(op.i1(), x, op.numberLike(x, 0)), x, negative);
}
Value leakyRelu(ExportedOperation &op, Value x, double alpha) { return unlessNegative(op, x, times(op, x, alpha)); }
Value elu(ExportedOperation &op, Value x, double alpha) {
  return unlessNegative(op, x, times(op, plus(op, op.like<tosa::ExpOp>(x), -1), alpha));
}

template <typename TosaOp> Value plain(ExportedOperation &op, Value x, double) { return op.like<TosaOp>(x); }

template <typename TosaOp, typename Op> LogicalResult exportFunction(ExportedOperation &op, Op) {
  return finishFunction(op, plain<TosaOp>);
}

Value negative(ExportedOperation &op, Value x, double) {
  Value zero = op.number(elementOf(x), 0);
  return op.like<tosa::NegateOp>(x, zero, zero);
}

constexpr std::pair<nn::UnaryKind, FloatFunction> kFunctions[] = {
    {nn::UnaryKind::Abs, plain<tosa::AbsOp>},
    {nn::UnaryKind::Ceil, plain<tosa::CeilOp>},
    {nn::UnaryKind::Cos, plain<tosa::CosOp>},
    {nn::UnaryKind::Elu, elu},
    {nn::UnaryKind::Erf, plain<tosa::ErfOp>},
    {nn::UnaryKind::Exp, plain<tosa::ExpOp>},
    {nn::UnaryKind::Floor, plain<tosa::FloorOp>},
    {nn::UnaryKind::Gelu, gelu},
    {nn::UnaryKind::GeluTanh, geluTanh},
    {nn::UnaryKind::HardSigmoid, hardSigmoid},
    {nn::UnaryKind::HardSwish, hardSwish},
    {nn::UnaryKind::LeadingZeros, plain<tosa::ClzOp>},
    {nn::UnaryKind::LeakyRelu, leakyRelu},
    {nn::UnaryKind::Log, plain<tosa::LogOp>},
    {nn::UnaryKind::LogicalNot, plain<tosa::LogicalNotOp>},
    {nn::UnaryKind::Neg, negative},
    {nn::UnaryKind::Rsqrt, plain<tosa::RsqrtOp>},
    {nn::UnaryKind::Sin, plain<tosa::SinOp>},
    {nn::UnaryKind::Sqrt, squareRoot},
    {nn::UnaryKind::Square, square},
    {nn::UnaryKind::Swish, swish},
};

LogicalResult exportUnary(ExportedOperation &op, nn::UnaryOp source) {
  const auto *row = llvm::find_if(kFunctions, [&](const auto &each) { return each.first == source.getKind(); });
  // Functions of i32 are those of TOSA alone.
  const bool isKnown = row != std::end(kFunctions) && !elementOf(source.getInput()).isInteger(16);
  if (!isKnown && !isByteFunction(op))
    return op.refuse("", "a function of TOSA", nn::stringifyUnaryKind(source.getKind()));
  return finishFunction(op, isKnown ? row->second : nullptr, source.getAlpha().convertToDouble());
}

//===----------------------------------------------------------------------===//
// Changes of type
//===----------------------------------------------------------------------===//

/// Rescales from or to the unsigned form where the network has that at its border.
LogicalResult finishRescale(ExportedOperation &op, const Factors &factors) {
  Value source = op.source()->getOperand(0), bytes = op.unsignedForm(source);
  const int64_t offset = 128;
  const bool isToUnsigned = isUnsignedByte(op.result());
  const RescaleForm form{op.resultElement(),
                         ExportedOperation::zeroPointOf(source) + (bytes ? offset : 0),
                         ExportedOperation::zeroPointOf(op.result()) + (isToUnsigned ? offset : 0),
                         factors,
                         /*isFromUnsigned=*/bool(bytes),
                         isToUnsigned};
  Value rescaled = op.rescale(bytes ? bytes : op.value(source), form);
  return isToUnsigned ? op.finishUnsigned(rescaled) : op.finish(rescaled);
}

LogicalResult exportRescale(ExportedOperation &op, nn::RescaleOp source) {
  return finishRescale(op, op.factorsOf(source.getNumerics(), elementOf(source.getInput()).isInteger(64)));
}

/// The scale of a quantized type, or that which i32 has in the operation.
double scaleIn(nn::QuantizeOp op, Value value) {
  return isQuantized(value) ? quantizationOf(value).scale : op.getIntegerScale()->convertToFloat();
}

/// Floats would be rounded with halves to even numbers.
LogicalResult exportQuantize(ExportedOperation &op, nn::QuantizeOp source) {
  if (isa<FloatType>(elementOf(source.getInput())))
    return op.refuse("input", "integers", llvm::to_string(elementOf(source.getInput())));
  const double ratio = scaleIn(source, source.getInput()) / scaleIn(source, source.getOutput());
  return finishRescale(op, op.factorsOf(kernels::quantizeMultiplier(ratio)));
}

LogicalResult exportDequantize(ExportedOperation &op, nn::DequantizeOp source) {
  Value real = op.create<tosa::CastOp>(op.resultElement(), op.resultShape(), op.centered(source.getInput()));
  return op.finish(times(op, real, quantizationOf(source.getInput()).scale));
}

/// Quantized numbers count as their stored integers, whatever their zero point.
LogicalResult exportCast(ExportedOperation &op, nn::CastOp source) {
  Value input = op.operand();
  const Type to = op.resultElement();
  if (!input || !to)
    return failure();
  if (isUnsignedByte(source.getInput()) || isUnsignedByte(op.result()))
    return op.refuse("input", "signed numbers", "unsigned ones");
  const Type from = elementOf(input);
  const bool isTruth = from.isInteger(1) || to.isInteger(1),
             areIntegers = isa<IntegerType>(from) && isa<IntegerType>(to);
  if (from == to)
    return op.finish(input);
  if (areIntegers && !isTruth && !source.getWraps() && to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth())
    return op.finish(op.rescale(input, {to})); // saturates
  if (isa<FloatType>(from) && isa<IntegerType>(to)) {
    if (isTruth)
      return op.refuse("result", "integers of 8 to 32 bits", "i1");
    Value isPositive = op.relation<tosa::GreaterEqualOp>(op.i1(), input, op.numberLike(input, 0));
    input = op.select(isPositive, op.like<tosa::FloorOp>(input), op.like<tosa::CeilOp>(input));
  }
  return op.finishAs<tosa::CastOp>(input);
}

/// Both have the same bits.
LogicalResult exportBitcast(ExportedOperation &op, nn::BitcastOp source) {
  if (isUnsignedByte(source.getInput()) != isUnsignedByte(op.result()))
    return op.refuse("result", "numbers that are signed as the input's", llvm::to_string(elementOf(op.result())));
  return op.resultElement() ? op.finish(op.operand()) : failure();
}

constexpr TosaExporter kExporters[] = {
    kConverts<exportBitcast>,
    kConverts<exportCast>,
    kConverts<exportClamp>,
    kConverts<exportDequantize>,
    kConverts<exportQuantize>,
    kConverts<exportRescale>,
    kConverts<exportTable>,
    kConverts<exportUnary>,
    kConverts<exportFunction<tosa::SigmoidOp, nn::LogisticOp>>,
    kConverts<exportFunction<tosa::TanhOp, nn::TanhOp>>,
};

} // namespace

ArrayRef<TosaExporter> functionExporters() { return kExporters; }

} // namespace avocet::compiler
