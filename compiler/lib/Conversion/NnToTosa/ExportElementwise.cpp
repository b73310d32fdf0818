//===- ExportElementwise.cpp - Functions of two numbers ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "Conversion/NnToNpu/LayerNumerics.h"

#include "avocet/compiler/Dialect/Nn/NnStored.h"

#include "avocet/kernels/Quantization.h"

#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Both operands in the rank of the result; null if they could not be read.
using Pair = std::pair<Value, Value>;

Pair alignedPair(ExportedOperation &op, Value lhs, Value rhs) {
  const size_t rank = op.resultShape().size();
  return {op.ofRank(lhs, rank), op.ofRank(rhs, rank)};
}

Pair operandsOf(ExportedOperation &op) { return alignedPair(op, op.operand(0), op.operand(1)); }

/// The numbers of quantized operands without their zero points, as i32.
Pair centeredPair(ExportedOperation &op) {
  return alignedPair(op, op.centered(op.source()->getOperand(0)), op.centered(op.source()->getOperand(1)));
}

/// An operation of numbers that are stored as they are, with the activation of the network's operation.
template <typename TosaOp> LogicalResult finishPlain(ExportedOperation &op) {
  const auto [lhs, rhs] = operandsOf(op);
  return op.finish(op.clamped(op.pair<TosaOp>(lhs, rhs), nn::activationOf(op.source())));
}

/// A summand in the common scale: shifted left, then multiplied.
Value summand(ExportedOperation &op, Value centered, uint32_t leftShift, const Factors &factors) {
  if (leftShift > 0)
    centered = op.pair<tosa::LogicalLeftShiftOp>(centered, op.numberLike(centered, leftShift));
  return op.rescale(centered, {op.i32(), 0, 0, factors});
}

template <typename TosaOp, typename Op> LogicalResult exportSum(ExportedOperation &op, Op source) {
  if (!isQuantized(op.result()))
    return finishPlain<TosaOp>(op);
  const kernels::AddRescales rescales =
      rescalesOfSum(source.getNumerics(), source.getLhs(), source.getRhs(), op.result());
  const firmware::Rounding rounding = roundingOf(source.getNumerics());
  const auto [a, b] = centeredPair(op);
  Value lhs = summand(op, a, rescales.leftShift, op.factorsOf(rescales.inputA, rounding));
  Value rhs = summand(op, b, rescales.leftShift, op.factorsOf(rescales.inputB, rounding));
  return op.finishRescaled(op.pair<TosaOp>(lhs, rhs), op.factorsOf(rescales.output, rounding), source.getActivation());
}

LogicalResult exportMul(ExportedOperation &op, nn::MulOp source) {
  const bool isRescaled = isQuantized(op.result());
  const auto [lhs, rhs] = isRescaled ? centeredPair(op) : operandsOf(op);
  Value product = op.multiply(lhs, rhs);
  if (!isRescaled)
    return op.finish(op.clamped(product, source.getActivation()));
  return op.finishRescaled(product, op.factorsOf(rescaleOfProduct(source), roundingOf(source.getNumerics())),
                           source.getActivation());
}

/// TOSA divides integers towards zero, and floats by way of the reciprocal.
LogicalResult exportDiv(ExportedOperation &op, nn::DivOp source) {
  if (isQuantized(op.result()))
    return op.refuse("inputs", "floats or i32", "quantized numbers");
  if (isa<IntegerType>(elementOf(op.result())))
    return source.getTruncates() ? finishPlain<tosa::IntDivOp>(op)
                                 : op.refuse("", "rounds quotients of integers towards zero", "downwards");
  const auto [lhs, rhs] = operandsOf(op);
  return op.finish(op.clamped(op.multiply(lhs, op.like<tosa::ReciprocalOp>(rhs)), source.getActivation()));
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
  return centeredPair(op);
}

/// The smaller or the larger number, which has the type of the operands.
template <typename TosaOp, typename Op> LogicalResult exportChoice(ExportedOperation &op, Op) {
  const auto [lhs, rhs] = comparedPair(op);
  if (elementOf(op.source()->getOperand(0)) != elementOf(op.result()))
    return op.refuse("result", "the element type of the inputs", llvm::to_string(elementOf(op.result())));
  Value chosen = op.pair<TosaOp>(lhs, rhs);
  return chosen && elementOf(chosen) != op.resultElement() ? op.finishRescaled(chosen, Factors()) : op.finish(chosen);
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

/// A shift to the right with a distance of the device's range, 0 to 31.
template <bool rounds> LogicalResult finishShift(ExportedOperation &op) {
  const auto [lhs, rhs] = operandsOf(op);
  if (rhs && !elementOf(rhs).isInteger(32))
    return op.refuse("inputs", "i32", llvm::to_string(elementOf(rhs)));
  Value distance = op.pair<tosa::MaximumOp>(rhs, op.numberLike(rhs, 0));
  distance = op.pair<tosa::MinimumOp>(distance, op.numberLike(rhs, 31));
  return op.finish(op.pair<tosa::ArithmeticRightShiftOp>(lhs, distance, rounds));
}

LogicalResult exportSquaredDifference(ExportedOperation &op) {
  const auto [lhs, rhs] = operandsOf(op);
  if (lhs && !isa<FloatType>(elementOf(lhs)))
    return op.refuse("inputs", "floats", llvm::to_string(elementOf(lhs)));
  Value difference = op.pair<tosa::SubOp>(lhs, rhs);
  return op.finish(op.multiply(difference, difference));
}

constexpr std::pair<nn::BinaryKind, LogicalResult (*)(ExportedOperation &)> kBinaries[] = {
    {nn::BinaryKind::BitwiseAnd, finishPlain<tosa::BitwiseAndOp>},
    {nn::BinaryKind::BitwiseOr, finishPlain<tosa::BitwiseOrOp>},
    {nn::BinaryKind::BitwiseXor, finishPlain<tosa::BitwiseXorOp>},
    {nn::BinaryKind::RightShift, finishShift</*rounds=*/false>},
    {nn::BinaryKind::RoundingRightShift, finishShift</*rounds=*/true>},
    {nn::BinaryKind::SquaredDifference, exportSquaredDifference},
};

LogicalResult exportBinary(ExportedOperation &op, nn::BinaryOp source) {
  const auto *row = llvm::find_if(kBinaries, [&](const auto &each) { return each.first == source.getKind(); });
  return row == std::end(kBinaries) ? op.refuse("", "a function of TOSA", nn::stringifyBinaryKind(source.getKind()))
                                    : row->second(op);
}

LogicalResult exportPow(ExportedOperation &op, nn::PowOp source) {
  return isa<FloatType>(elementOf(source.getLhs())) ? finishPlain<tosa::PowOp>(op)
                                                    : op.refuse("inputs", "floats", "i32");
}

/// The number itself or its product, each with its own multiplier.
LogicalResult exportPrelu(ExportedOperation &op, nn::PreluOp source) {
  const bool isRescaled = isQuantized(op.result());
  auto [kept, factor] = isRescaled ? centeredPair(op) : operandsOf(op);
  Value isPositive = op.relation<tosa::GreaterEqualOp>(op.i1(), kept, op.numberLike(kept, 0));
  Value product = op.multiply(kept, factor);
  if (isRescaled) {
    const float a = scaleOf(source.getLhs()), b = scaleOf(source.getRhs()), out = scaleOf(op.result());
    const auto rounding = source->hasAttr(nn::kNearestAttr) ? firmware::Rounding::Even : firmware::Rounding::Double;
    kept = op.rescaledToResult(kept, op.factorsOf(kernels::quantizeMultiplier(a / out), rounding));
    product = op.rescaledToResult(product, op.factorsOf(kernels::prepareMul(a, b, out), rounding));
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
