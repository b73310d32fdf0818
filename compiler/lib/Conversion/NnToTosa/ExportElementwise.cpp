//===- ExportElementwise.cpp - Functions of two numbers ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "Conversion/NnToNpu/ExplicitNumerics.h"

#include "avocet/kernels/Quantization.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Both operands in the rank of the result; null if either could not be read.
struct Pair {
  Value lhs, rhs;

  explicit operator bool() const { return lhs && rhs; }
};

Pair alignedPair(ExportedOperation &op, Value lhs, Value rhs) {
  const size_t rank = op.resultShape().size();
  return {op.ofRank(lhs, rank), op.ofRank(rhs, rank)};
}

Pair operandsOf(ExportedOperation &op) { return alignedPair(op, op.operand(0), op.operand(1)); }

/// The numbers of quantised operands without their zero points, as i32.
Pair centredPair(ExportedOperation &op) {
  return alignedPair(op, op.centred(op.source()->getOperand(0)), op.centred(op.source()->getOperand(1)));
}

/// An operation of numbers that are stored as they are, with the activation of the network's operation.
template <typename TosaOp> LogicalResult finishPlain(ExportedOperation &op) {
  const auto [lhs, rhs] = operandsOf(op);
  return op.finish(op.clamped(op.pair<TosaOp>(lhs, rhs), nn::activationOf(op.source())));
}

/// A summand in the common scale: shifted left, then multiplied.
Value summand(ExportedOperation &op, Value centred, uint32_t leftShift, const FailureOr<Factors> &factors) {
  if (leftShift > 0)
    centred = op.pair<tosa::LogicalLeftShiftOp>(centred, op.numberLike(centred, leftShift));
  return failed(factors) ? Value() : op.rescale(centred, {op.i32(), 0, 0, *factors});
}

kernels::AddRescales rescalesOf(nn::NumericsAttr numerics, const Quantization &a, const Quantization &b,
                                const Quantization &out) {
  if (numerics.isExplicit())
    return {static_cast<uint32_t>(numerics.getLeft()), rescaleOf(numerics, 0), rescaleOf(numerics, 1),
            rescaleOf(numerics, 2)};
  return numerics.getKind() == nn::Numerics::ShiftScales ? kernels::prepareShiftedAdd(a.scale, b.scale, out.scale)
                                                         : kernels::prepareAdd(out.type, a.scale, b.scale, out.scale);
}

template <typename TosaOp, typename Op> LogicalResult exportSum(ExportedOperation &op, Op source) {
  if (!isQuantized(op.result()))
    return finishPlain<TosaOp>(op);
  const kernels::AddRescales rescales = rescalesOf(source.getNumerics(), quantizationOf(source.getLhs()),
                                                   quantizationOf(source.getRhs()), quantizationOf(op.result()));
  const firmware::Rounding rounding = roundingOf(source.getNumerics());
  const Pair pair = centredPair(op);
  Value lhs = summand(op, pair.lhs, rescales.leftShift, op.factorsOf(rescales.inputA, rounding));
  Value rhs = summand(op, pair.rhs, rescales.leftShift, op.factorsOf(rescales.inputB, rounding));
  return op.finishRescaled(op.pair<TosaOp>(lhs, rhs), op.factorsOf(rescales.output, rounding), source.getActivation());
}

LogicalResult exportMul(ExportedOperation &op, nn::MulOp source) {
  const nn::NumericsAttr numerics = source.getNumerics();
  const bool isRescaled = isQuantized(op.result());
  const Pair pair = isRescaled ? centredPair(op) : operandsOf(op);
  Value product = op.multiply(pair.lhs, pair.rhs);
  if (!isRescaled)
    return op.finish(op.clamped(product, source.getActivation()));
  const firmware::Rescale rescale = numerics.isExplicit() ? rescaleOf(numerics, 0)
                                                          : kernels::prepareMul(quantizationOf(source.getLhs()).scale,
                                                                                quantizationOf(source.getRhs()).scale,
                                                                                quantizationOf(op.result()).scale);
  return op.finishRescaled(product, op.factorsOf(rescale, roundingOf(numerics)), source.getActivation());
}

/// TOSA divides integers towards zero, and floats by way of the reciprocal.
LogicalResult exportDiv(ExportedOperation &op, nn::DivOp source) {
  if (isQuantized(op.result()))
    return op.refuse("inputs", "floats or i32", "quantised numbers");
  const Pair pair = operandsOf(op);
  if (!pair)
    return failure();
  if (isa<FloatType>(elementOf(pair.lhs)))
    return op.finish(op.clamped(op.multiply(pair.lhs, op.like<tosa::ReciprocalOp>(pair.rhs)), source.getActivation()));
  return source.getTruncates() ? finishPlain<tosa::IntDivOp>(op)
                               : op.refuse("", "rounds quotients of integers towards zero", "downwards");
}

/// Stored numbers of one type are compared as i32.
Pair comparedPair(ExportedOperation &op) {
  Value lhs = op.source()->getOperand(0), rhs = op.source()->getOperand(1);
  const Type element = elementOf(lhs);
  if (element != elementOf(rhs))
    return op.refuse("inputs", "equal element types", llvm::to_string(elementOf(rhs)), llvm::to_string(element)),
           Pair();
  if (isa<FloatType>(element) || element.isInteger(32) || element.isInteger(1))
    return operandsOf(op);
  return centredPair(op);
}

/// The smaller or the larger number, which has the type of the operands.
template <typename TosaOp, typename Op> LogicalResult exportChoice(ExportedOperation &op, Op) {
  const Pair pair = comparedPair(op);
  const Type element = op.resultElement();
  if (!pair || !element)
    return failure();
  if (elementOf(op.source()->getOperand(0)) != elementOf(op.result()))
    return op.refuse("result", "the element type of the inputs", llvm::to_string(elementOf(op.result())));
  Value chosen = op.pair<TosaOp>(pair.lhs, pair.rhs);
  return elementOf(chosen) == element ? op.finish(chosen) : op.finishRescaled(chosen, Factors());
}

Value comparison(ExportedOperation &op, nn::CompareKind kind, Value lhs, Value rhs) {
  using enum nn::CompareKind;
  if (kind == Less || kind == LessEqual)
    return comparison(op, kind == Less ? Greater : GreaterEqual, rhs, lhs);
  if (kind == Greater)
    return op.relation<tosa::GreaterOp>(op.i1(), lhs, rhs);
  if (kind == GreaterEqual)
    return op.relation<tosa::GreaterEqualOp>(op.i1(), lhs, rhs);
  Value areEqual = op.relation<tosa::EqualOp>(op.i1(), lhs, rhs);
  return kind == Equal ? areEqual : op.like<tosa::LogicalNotOp>(areEqual);
}

/// Real numbers of one scale have the order of their stored integers.
LogicalResult exportCompare(ExportedOperation &op, nn::CompareOp source) {
  if (elementOf(source.getLhs()).isInteger(1))
    return op.refuse("inputs", "numbers", "truth values");
  const auto [lhs, rhs] = comparedPair(op);
  return op.finish(comparison(op, source.getKind(), lhs, rhs));
}

LogicalResult exportLogical(ExportedOperation &op, nn::LogicalOp source) {
  return source.getKind() == nn::LogicalKind::And ? finishPlain<tosa::LogicalAndOp>(op)
                                                  : finishPlain<tosa::LogicalOrOp>(op);
}

LogicalResult exportSelect(ExportedOperation &op, nn::SelectOp) {
  return op.finishAs<tosa::SelectOp>(op.operand(0), op.operand(1), op.operand(2));
}

/// A shift with a distance of the device's range, 0 to 31.
template <typename TosaOp, typename... Arguments>
LogicalResult finishShift(ExportedOperation &op, const Arguments &...arguments) {
  const Pair pair = operandsOf(op);
  if (!pair)
    return failure();
  if (!elementOf(pair.rhs).isInteger(32))
    return op.refuse("inputs", "i32", llvm::to_string(elementOf(pair.rhs)));
  Value distance = op.pair<tosa::MaximumOp>(pair.rhs, op.numberLike(pair.rhs, 0));
  distance = op.pair<tosa::MinimumOp>(distance, op.numberLike(pair.rhs, 31));
  return op.finish(op.pair<TosaOp>(pair.lhs, distance, arguments...));
}

LogicalResult exportBinary(ExportedOperation &op, nn::BinaryOp source) {
  switch (source.getKind()) {
  case nn::BinaryKind::BitwiseAnd:
    return finishPlain<tosa::BitwiseAndOp>(op);
  case nn::BinaryKind::BitwiseOr:
    return finishPlain<tosa::BitwiseOrOp>(op);
  case nn::BinaryKind::BitwiseXor:
    return finishPlain<tosa::BitwiseXorOp>(op);
  case nn::BinaryKind::RightShift:
    return finishShift<tosa::ArithmeticRightShiftOp>(op, false);
  case nn::BinaryKind::RoundingRightShift:
    return finishShift<tosa::ArithmeticRightShiftOp>(op, true);
  case nn::BinaryKind::SquaredDifference:
    if (Pair pair = operandsOf(op); pair && isa<FloatType>(elementOf(pair.lhs))) {
      Value difference = op.pair<tosa::SubOp>(pair.lhs, pair.rhs);
      return op.finish(op.multiply(difference, difference));
    }
    [[fallthrough]];
  default:
    return op.refuse("", "a function of TOSA", nn::stringifyBinaryKind(source.getKind()));
  }
}

LogicalResult exportPow(ExportedOperation &op, nn::PowOp source) {
  return isa<FloatType>(elementOf(source.getLhs())) ? finishPlain<tosa::PowOp>(op)
                                                    : op.refuse("inputs", "floats", "i32");
}

/// The number itself or its product, each with its own multiplier.
LogicalResult exportPrelu(ExportedOperation &op, nn::PreluOp source) {
  const bool isRescaled = isQuantized(op.result());
  const Pair pair = isRescaled ? centredPair(op) : operandsOf(op);
  Value isPositive = op.relation<tosa::GreaterEqualOp>(op.i1(), pair.lhs, op.numberLike(pair.lhs, 0));
  Value kept = pair.lhs, product = op.multiply(pair.lhs, pair.rhs);
  if (isRescaled) {
    const float a = quantizationOf(source.getLhs()).scale, b = quantizationOf(source.getRhs()).scale,
                out = quantizationOf(op.result()).scale;
    const auto own = op.factorsOf(kernels::quantizeMultiplier(a / out)),
               times = op.factorsOf(kernels::prepareMul(a, b, out));
    if (failed(own) || failed(times))
      return failure();
    const int64_t zero = ExportedOperation::zeroPointOf(op.result());
    kept = op.rescale(kept, {op.resultElement(), 0, zero, *own});
    product = op.rescale(product, {op.resultElement(), 0, zero, *times});
  }
  return op.finishAs<tosa::SelectOp>(isPositive, kept, product);
}

constexpr TosaExporter kExporters[] = {
    kConverts<exportSum<tosa::AddOp, nn::AddOp>>,
    kConverts<exportSum<tosa::SubOp, nn::SubOp>>,
    kConverts<exportChoice<tosa::MaximumOp, nn::MaximumOp>>,
    kConverts<exportChoice<tosa::MinimumOp, nn::MinimumOp>>,
    kConverts<exportBinary>,
    kConverts<exportCompare>,
    kConverts<exportDiv>,
    kConverts<exportLogical>,
    kConverts<exportMul>,
    kConverts<exportPow>,
    kConverts<exportPrelu>,
    kConverts<exportSelect>,
};

} // namespace

ArrayRef<TosaExporter> elementwiseExporters() { return kExporters; }

} // namespace avocet::compiler
