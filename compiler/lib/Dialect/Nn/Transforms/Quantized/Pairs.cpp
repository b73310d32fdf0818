//===- Pairs.cpp - Sums and products on integers ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   quantize(dequantize(a) + dequantize(b))     a sum or a difference with three multipliers
//   quantize(dequantize(a) * dequantize(b))     a product with one
//   quantize(prelu(dequantize(a), slopes))      the same of integers
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "../Greedy.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

/// Summands are multiplied to 20 bits below the larger scale times two, those of 16 bits to 15.
SmallVector<double> factorsOf(Operation *pair, double a, double b, quant::UniformQuantizedType type) {
  const double kStep = hasEightBits(type) ? 1 << 20 : 1 << 15, result = type.getScale();
  const double larger = 2 * std::max(a, b);
  return isa<MulOp, PreluOp>(pair)
             ? SmallVector<double>{a * b / result}
             : SmallVector<double>{a / larger * kStep, b / larger * kStep, larger / kStep / result};
}

/// Whether the device holds all results, in steps.
bool holdsResults(Operation *pair, double a, double b, quant::UniformQuantizedType type) {
  const double most = mostMagnitude(type), result = type.getScale();
  const bool isProduct = isa<MulOp, PreluOp>(pair);
  return isHeld((isProduct ? a * b * most : a + b) * most / result) && isHeld(a * most / result);
}

Operation *createPair(const Group &group, Value a, Value b, NumericsAttr numerics, RewriterBase &rewriter) {
  const Location loc = group.location();
  const RankedTensorType type = group.resultType();
  if (isa<AddOp>(group.op))
    return AddOp::create(rewriter, loc, type, a, b, group.range, numerics);
  if (isa<SubOp>(group.op))
    return SubOp::create(rewriter, loc, type, a, b, group.range, numerics);
  if (isa<MulOp>(group.op))
    return MulOp::create(rewriter, loc, type, a, b, group.range, numerics);
  Operation *rectifier = PreluOp::create(rewriter, loc, type, a, b);
  rectifier->setDiscardableAttr(kNearestAttr, rewriter.getUnitAttr());
  return clampedResult(group, rectifier, rewriter);
}

/// The integers of an operand: dequantized, or a constant that is the real numbers of such.
QuantizedWeights operandOf(const Group &group, unsigned index, RewriterBase &rewriter) {
  Value integers = integersBehind(group.op->getOperand(index));
  if (!hasEightBits(group.result()))
    return integers && !hasEightBits(typeOfBytes(integers))
               ? QuantizedWeights{integers, {typeOfBytes(integers).getScale()}, -1}
               : QuantizedWeights();
  QuantizedWeights found = quantizedWeights(group.op->getOperand(index), rewriter);
  return found.axis < 0 ? found : QuantizedWeights();
}

} // namespace

std::optional<StringRef> fuseQuantizedPair(const Group &group, RewriterBase &rewriter) {
  if (!isa<AddOp, SubOp, MulOp, PreluOp>(group.op))
    return std::nullopt;
  const bool isWide = !hasEightBits(group.result());
  if (isWide && (!isSymmetric(group.result()) || isa<PreluOp>(group.op)))
    return "there is no form of it for such 16-bit numbers";
  rewriter.setInsertionPoint(group.last);
  const QuantizedWeights a = operandOf(group, 0, rewriter), b = operandOf(group, 1, rewriter);
  if (!a.bytes || !b.bytes)
    return "an operand is not quantized as the result is, with one scale";
  const NumericsAttr numerics =
      evenNumerics(rewriter.getContext(), factorsOf(group.op, a.scales.front(), b.scales.front(), group.result()));
  if (!numerics || !holdsResults(group.op, a.scales.front(), b.scales.front(), group.result()))
    return "its scales are too far apart";
  const bool isSigned = group.result().isSigned();
  replaceGroup(group,
               createPair(group, withSignedness(a.bytes, isSigned, group.location(), rewriter),
                          withSignedness(b.bytes, isSigned, group.location(), rewriter), numerics, rewriter),
               rewriter);
  return "";
}

} // namespace avocet::compiler::nn
