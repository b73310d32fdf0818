//===- NnElementwiseOps.cpp - Elementwise operations, comparisons and quantization ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnVerify.h"
#include "avocet/kernels/Quantization.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

using namespace mlir;
using namespace avocet::compiler::nn;

namespace {

/// Integers that arithmetic supports; narrower ones are only moved, cast and compared.
bool isWideInteger(Type element) { return element.isInteger(32) || element.isInteger(64); }

/// 8-bit quantized numbers.
bool isBytes(Type element) {
  auto type = dyn_cast<quant::QuantizedType>(element);
  return type && type.getStorageTypeIntegralWidth() == 8;
}

/// i8, ui8, i16, i32 or i64, but no truth value.
bool isPlainInteger(Type element) { return isa<IntegerType>(element) && !element.isInteger(1); }

template <typename Op> LogicalResult verifyPair(Op op) {
  return verifySameStorage(op, {op.getLhs(), op.getRhs(), op.getOutput()});
}

template <typename Op> LogicalResult verifyArithmetic(Op op) {
  Type element = elementOf(op.getLhs());
  if (isPlainInteger(element) && !isWideInteger(element))
    return op.emitOpError() << "does not take " << element;
  return verifyPair(op);
}

/// The exponent of a 16-bit number's scale, if that is a power of two.
std::optional<int> wideExponent(Value value) {
  auto type = dyn_cast<quant::UniformQuantizedType>(elementOf(value));
  if (!type || type.getStorageTypeIntegralWidth() != 16)
    return std::nullopt;
  return avocet::kernels::scaleExponent(static_cast<float>(type.getScale()));
}

/// Explicit numerics of quantized numbers: `count` multipliers.
template <typename Op> LogicalResult verifyExplicit(Op op, int64_t count) {
  if (!isQuantized(op.getLhs()))
    return op.emitOpError("needs quantized operands for explicit numerics");
  return failed(verifyExplicitNumerics(op, op.getNumerics(), count)) ? failure() : verifyArithmetic(op);
}

template <typename Op> LogicalResult refuseNumerics(Op op) {
  return op.emitOpError() << "has no numerics " << stringifyNumerics(op.getNumerics().getKind());
}

/// The multipliers of a sum are those of the two operands and of the result.
template <typename SumOp> LogicalResult verifySum(SumOp op) {
  if (op.getNumerics().getKind() == Numerics::Tflite)
    return verifyArithmetic(op);
  if (op.getNumerics().isExplicit())
    return verifyExplicit(op, 3);
  if (op.getNumerics().getKind() != Numerics::ShiftScales)
    return refuseNumerics(op);
  const auto a = wideExponent(op.getLhs()), b = wideExponent(op.getRhs()), out = wideExponent(op.getOutput());
  if (!a || !b || !out || std::max(*a, *b) != *out)
    return op.emitOpError("shift_scales needs 16-bit numbers with powers of two as scales, of which that of the result "
                          "is the larger one of the inputs");
  return verifyArithmetic(op);
}

template <typename Op> LogicalResult verifySelecting(Op op) {
  return verifySameElements(op, {op.getLhs(), op.getRhs(), op.getOutput()});
}

} // namespace

LogicalResult AddOp::verify() { return verifySum(*this); }
LogicalResult SubOp::verify() { return verifySum(*this); }
LogicalResult MulOp::verify() {
  if (getNumerics().isExplicit())
    return verifyExplicit(*this, 1);
  return getNumerics().getKind() == Numerics::Tflite ? verifyArithmetic(*this) : refuseNumerics(*this);
}
LogicalResult DivOp::verify() {
  Type element = elementOf(getLhs());
  if (getTruncates() && !isa<IntegerType>(element))
    return emitOpError("only quotients of integers truncate");
  if (isQuantized(getLhs()) && !isBytes(element))
    return emitOpError("takes quantized numbers of 8 bits alone");
  return verifyArithmetic(*this);
}
LogicalResult PowOp::verify() { return verifyArithmetic(*this); }
LogicalResult PreluOp::verify() { return verifyPair(*this); }
LogicalResult MinimumOp::verify() { return verifySelecting(*this); }
LogicalResult MaximumOp::verify() { return verifySelecting(*this); }
LogicalResult ClampOp::verify() {
  if (getRange() == Activation::kNone)
    return emitOpError("needs a bound");
  return verifySameStorage(*this, {getInput(), getOutput()});
}

LogicalResult TableOp::verify() {
  if (getEntries().getType().getShape() == ArrayRef<int64_t>{256})
    return success();
  return emitOpError() << "entries must be tensor<256xi8>, are " << getEntries().getType();
}

/// The element types of a kind, which its record lists.
static StringRef typesOf(BinaryKind kind) {
  switch (kind) {
#define AVOCET_NN_BINARY_KIND(Case, types)                                                                             \
  case BinaryKind::Case:                                                                                               \
    return types;
#include "avocet/nnapi/NnOperations.inc"
  }
  llvm_unreachable("all kinds are listed");
}

static StringRef typesOf(UnaryKind kind) {
  switch (kind) {
#define AVOCET_NN_UNARY_KIND(Case, types)                                                                              \
  case UnaryKind::Case:                                                                                                \
    return types;
#include "avocet/nnapi/NnOperations.inc"
  }
  llvm_unreachable("all kinds are listed");
}

template <typename Kind> static bool takes(Kind kind, Type element) {
  return llvm::is_contained(llvm::split(typesOf(kind), ' '), avocet::compiler::nameOf(element));
}

LogicalResult BinaryOp::verify() {
  if (!takes(getKind(), elementOf(getLhs())))
    return emitOpError() << "there is no " << stringifyBinaryKind(getKind()) << " of " << elementOf(getLhs());
  return verifyPair(*this);
}

LogicalResult UnaryOp::verify() {
  if (!takes(getKind(), elementOf(getInput())))
    return emitOpError() << "there is no " << stringifyUnaryKind(getKind()) << " of " << elementOf(getInput());
  return verifySameStorage(*this, {getInput(), getOutput()});
}

LogicalResult LogisticOp::verify() {
  if (failed(verifySameStorage(*this, {getInput(), getOutput()})))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 256, -128);
}

LogicalResult TanhOp::verify() {
  if (failed(verifySameStorage(*this, {getInput(), getOutput()})))
    return failure();
  return verifyBoundedResult(*this, getOutput(), 1.0 / 128, 0, ScaleRule::WidePowerOfTwo);
}

LogicalResult CompareOp::verify() {
  if (getFixedPoint() && !isQuantized(getLhs()))
    return emitOpError("only quantized numbers are compared in fixed point");
  return verifySameStorage(*this, {getLhs(), getRhs()});
}

LogicalResult SelectOp::verify() { return verifySameElements(*this, {getLhs(), getRhs()}); }

/// Between i32, whose type has no scale, and a quantized type.
static LogicalResult verifyIntegerScale(QuantizeOp op) {
  const std::optional<APFloat> scale = op.getIntegerScale();
  if (!isQuantized(op.getInput()) && !isQuantized(op.getOutput()))
    return op.emitOpError("input or result must be quantized");
  if (!scale || !scale->isFiniteNonZero() || scale->isNegative())
    return op.emitOpError("i32 needs a positive integer_scale");
  return success();
}

LogicalResult QuantizeOp::verify() {
  const bool hasIntegers = elementOf(getInput()).isInteger(32) || elementOf(getOutput()).isInteger(32);
  if (hasIntegers && failed(verifyIntegerScale(*this)))
    return failure();
  if (!hasIntegers && getIntegerScale())
    return emitOpError("only i32 has an integer_scale");
  const Numerics kind = getNumerics().getKind();
  if (kind != Numerics::Tflite && (kind != Numerics::HalfEven || !isa<FloatType>(elementOf(getInput()))))
    return emitOpError() << "of " << elementOf(getInput()) << " has no numerics " << stringifyNumerics(kind);
  return hasIntegers || isQuantized(getOutput()) ? success() : emitOpError("result must be quantized");
}

LogicalResult RescaleOp::verify() {
  if (!getNumerics().isExplicit())
    return emitOpError("needs numerics with multipliers and shifts: single_round, double_round or even_round");
  if (elementOf(getOutput()).isInteger(64))
    return emitOpError("results have 8, 16 or 32 bits");
  const ArrayRef<int64_t> shape = shapeOf(getInput());
  return verifyExplicitNumerics(*this, getNumerics(), {1, shape.empty() ? 1 : shape.back()},
                                elementOf(getInput()).isInteger(64));
}

LogicalResult DequantizeOp::verify() {
  if (!isQuantized(getInput()) || isQuantized(getOutput()))
    return emitOpError("input must be quantized and the result f32");
  return success();
}
