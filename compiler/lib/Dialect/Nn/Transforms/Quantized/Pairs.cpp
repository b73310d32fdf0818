//===- Pairs.cpp - Sums, products and means on integers ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   quantize(dequantize(a) + dequantize(b))     a sum or a difference with three multipliers
//   quantize(dequantize(a) * dequantize(b))     a product with one
//   quantize(mean(dequantize(x)))               a mean with one
//   quantize(average pool(dequantize(x)))       a depthwise convolution with weights of 1
//
//===----------------------------------------------------------------------===//

#include "Groups.h"

#include "../Greedy.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

/// Summands are multiplied to 20 bits below the larger scale times two.
SmallVector<double> factorsOf(Operation *pair, double a, double b, double result) {
  constexpr double kStep = 1 << 20;
  const double larger = 2 * std::max(a, b);
  return isa<MulOp>(pair) ? SmallVector<double>{a * b / result}
                          : SmallVector<double>{a / larger * kStep, b / larger * kStep, larger / kStep / result};
}

template <typename PairOp>
Operation *createPair(const Group &group, Value a, Value b, NumericsAttr numerics, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(group.last);
  return PairOp::create(rewriter, group.location(), group.resultType(), a, b, group.range, numerics);
}

Operation *createPair(const Group &group, Value a, Value b, NumericsAttr numerics, RewriterBase &rewriter) {
  if (isa<AddOp>(group.op))
    return createPair<AddOp>(group, a, b, numerics, rewriter);
  return isa<SubOp>(group.op) ? createPair<SubOp>(group, a, b, numerics, rewriter)
                              : createPair<MulOp>(group, a, b, numerics, rewriter);
}

/// Weights of 1 for windows of each channel.
Value onesOf(ArrayRef<int64_t> window, int64_t channels, Location loc, RewriterBase &rewriter) {
  const Type i8 = rewriter.getI8Type();
  const auto element =
      quant::UniformQuantizedType::get(quant::QuantizationFlags::Signed, i8, rewriter.getF32Type(), 1.0, 0, -128, 127);
  const SmallVector<int64_t> shape{1, window[0], window[1], channels};
  return ConstantOp::create(rewriter, loc, RankedTensorType::get(shape, element),
                            DenseElementsAttr::get(RankedTensorType::get(shape, i8), int8_t(1)));
}

/// The mean of `count` elements as a factor of their sum.
double factorOfMean(Value bytes, const Group &group, int64_t count) {
  return static_cast<float>(typeOfBytes(bytes).getScale()) / static_cast<float>(group.result().getScale()) /
         static_cast<double>(count);
}

/// Means round halves upwards, and only once with shifts of at most 31. Null: the factor has no such multiplier.
NumericsAttr meanNumerics(double factor, MLIRContext *context) {
  constexpr int32_t kOnce = 31;
  const NumericsAttr numerics = evenNumerics(context, factor);
  if (!numerics)
    return {};
  const int32_t shift = numerics.getShifts()[0];
  const int32_t multiplier =
      shift > kOnce ? static_cast<int32_t>(std::nearbyint(std::ldexp(factor, kOnce))) : numerics.getMultipliers()[0];
  return NumericsAttr::get(context, Numerics::DoubleRound, multiplier, std::min(shift, kOnce));
}

/// Whether one mean in a thousand or more lies exactly between two integers: `count` numbers have scales that are apart
/// by a power of two.
bool hasHalves(Value bytes, const Group &group, int64_t count) {
  constexpr double kMostSums = 1000; // between two halves
  int exponent = 0;
  if (std::frexp(typeOfBytes(bytes).getScale() / group.result().getScale(), &exponent) != 0.5)
    return false;
  const bool isReached = exponent < 1 || count % (int64_t(1) << std::min(exponent, 62)) == 0;
  return isReached && std::ldexp(static_cast<double>(count), 1 - exponent) < kMostSums;
}

std::optional<StringRef> fusePool(const Group &group, AveragePool2dOp pool, RewriterBase &rewriter) {
  Value x = bytesBehind(pool.getInput());
  if (!x || !hasEightBits(group.result()))
    return "its input or its result is not quantized to 8 bits";
  if (llvm::any_of(pool.getPad(), [](int64_t amount) { return amount != 0; }))
    return "its windows at the border have fewer elements";
  const double factor = factorOfMean(x, group, llvm::product_of(pool.getKernel()));
  const NumericsAttr numerics = evenNumerics(rewriter.getContext(), factor);
  if (!numerics)
    return "its scales are too far apart";
  rewriter.setInsertionPoint(group.last);
  Value ones = onesOf(pool.getKernel(), shapeOf(x)[3], group.location(), rewriter);
  replaceGroup(group,
               DepthwiseConv2dOp::create(rewriter, group.location(), group.resultType(), x, ones, Value(),
                                         pool.getStride(), ArrayRef<int64_t>{1, 1}, pool.getPad(), group.range,
                                         numerics),
               rewriter);
  return "";
}

} // namespace

std::optional<StringRef> fuseQuantizedPair(const Group &group, RewriterBase &rewriter) {
  if (!isa<AddOp, SubOp, MulOp>(group.op))
    return std::nullopt;
  Value a = bytesBehind(group.op->getOperand(0)), b = bytesBehind(group.op->getOperand(1));
  if (!a || !b || !hasEightBits(group.result()))
    return "its operands or its result are not quantized to 8 bits";
  if (typeOfBytes(a).isSigned() != typeOfBytes(b).isSigned() || typeOfBytes(a).isSigned() != group.result().isSigned())
    return "operands and result differ in signedness";
  const NumericsAttr numerics =
      evenNumerics(rewriter.getContext(), factorsOf(group.op, typeOfBytes(a).getScale(), typeOfBytes(b).getScale(),
                                                    group.result().getScale()));
  if (!numerics)
    return "its scales are too far apart";
  replaceGroup(group, createPair(group, a, b, numerics, rewriter), rewriter);
  return "";
}

std::optional<StringRef> fuseQuantizedMean(const Group &group, RewriterBase &rewriter) {
  if (auto pool = dyn_cast<AveragePool2dOp>(group.op))
    return fusePool(group, pool, rewriter);
  auto mean = dyn_cast<MeanOp>(group.op);
  if (!mean)
    return std::nullopt;
  Value x = bytesBehind(mean.getInput());
  if (!x || !hasEightBits(group.result()) || typeOfBytes(x).isSigned() != group.result().isSigned())
    return "its input and its result are not quantized to 8 bits of one signedness";
  const int64_t count = tensorOf(mean.getInput()).getNumElements() / tensorOf(mean.getOutput()).getNumElements();
  if (hasHalves(x, group, count))
    return "halves are rounded to even numbers, and those of means of integers upwards";
  const NumericsAttr numerics = meanNumerics(factorOfMean(x, group, count), rewriter.getContext());
  if (!numerics)
    return "its scales are too far apart";
  rewriter.setInsertionPoint(group.last);
  Operation *integers =
      MeanOp::create(rewriter, group.location(), group.resultType(), x, mean.getAxes(), mean.getKeepDims(), numerics);
  if (group.range != Activation::kNone)
    integers = ClampOp::create(rewriter, group.location(), group.resultType(), integers->getResult(0), group.range);
  replaceGroup(group, integers, rewriter);
  return "";
}

} // namespace avocet::compiler::nn
