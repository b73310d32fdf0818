//===- Means.cpp - Means and sums of integers -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   quantize(mean(dequantize(x)))               a mean with one multiplier, rounded once
//   quantize(sum(dequantize(x)))                the same without the division
//   quantize(average pool(dequantize(x)))       a depthwise convolution with weights of 1
//   the same with padding                       its sums, times a common multiple of the numbers of elements over that
//                                               of each window, rescaled
//
//===----------------------------------------------------------------------===//

#include "Groups.h"

#include "../Greedy.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <numeric>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr StringRef kNoBytes = "its input or its result is not quantized to 8 bits";
constexpr StringRef kApart = "its scales are too far apart";
/// The scale of numbers over that of the result, as a factor of the sum of `count` numbers.
double factorOfSum(Value bytes, const Group &group, int64_t count) {
  return static_cast<float>(typeOfBytes(bytes).getScale()) / static_cast<float>(group.result().getScale()) /
         static_cast<double>(count);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Weights of 1 for windows of each channel.
Value onesOf(ArrayRef<int64_t> window, int64_t channels, Location loc, RewriterBase &rewriter) {
  const Type i8 = rewriter.getI8Type();
  const auto element =
      quant::UniformQuantizedType::get(quant::QuantizationFlags::Signed, i8, rewriter.getF32Type(), 1.0, 0, -128, 127);
  const SmallVector<int64_t> shape{1, window[0], window[1], channels};
  return ConstantOp::create(rewriter, loc, RankedTensorType::get(shape, element),
                            DenseElementsAttr::get(RankedTensorType::get(shape, i8), int8_t(1)));
}

Operation *sumWindows(const Group &group, AveragePool2dOp pool, Value x, RankedTensorType type, Activation range,
                      NumericsAttr numerics, RewriterBase &rewriter) {
  Value ones = onesOf(pool.getKernel(), shapeOf(x)[3], group.location(), rewriter);
  return DepthwiseConv2dOp::create(rewriter, group.location(), type, x, ones, Value(), pool.getStride(),
                                   ArrayRef<int64_t>{1, 1}, pool.getPad(), range, numerics);
}

/// How many elements each window of an axis has.
SmallVector<int64_t> extentsOfWindows(int64_t input, int64_t output, int64_t kernel, int64_t stride, int64_t padding) {
  SmallVector<int64_t> extents;
  for (int64_t index = 0; index < output; ++index) {
    const int64_t begin = index * stride - padding;
    extents.push_back(std::min(begin + kernel, input) - std::max<int64_t>(begin, 0));
  }
  return extents;
}

/// Numbers of which all are divisors; 0: none of at most 2^20.
int64_t commonMultiple(ArrayRef<int64_t> numbers) {
  constexpr int64_t kMost = 1 << 20;
  int64_t multiple = 1;
  for (int64_t number : numbers)
    multiple = multiple == 0 || multiple > kMost ? 0 : std::lcm(multiple, number);
  return multiple > kMost ? 0 : multiple;
}

/// A common multiple of the numbers of elements of the windows of a pool, and its quotient for each window.
struct WindowShares {
  int64_t multiple;
  SmallVector<int32_t> shares;

  /// `most`: the largest magnitude of an element.
  WindowShares(AveragePool2dOp pool, double most) {
    const ArrayRef<int64_t> from = shapeOf(pool.getInput()), to = shapeOf(pool.getOutput());
    const auto rows = extentsOfWindows(from[1], to[1], pool.getKernel()[0], pool.getStride()[0], pool.getPad()[0]);
    const auto columns = extentsOfWindows(from[2], to[2], pool.getKernel()[1], pool.getStride()[1], pool.getPad()[2]);
    multiple = commonMultiple(rows) * commonMultiple(columns);
    if (!isHeld(static_cast<double>(multiple) * most))
      multiple = 0;
    for (int64_t row : multiple == 0 ? ArrayRef<int64_t>() : ArrayRef(rows))
      for (int64_t column : columns)
        shares.push_back(static_cast<int32_t>(multiple / (row * column)));
  }
};

/// Sums are exact, and a share of them too: they are rounded once.
std::optional<StringRef> fuseBorderedPool(const Group &group, AveragePool2dOp pool, Value x, RewriterBase &rewriter) {
  const WindowShares windows(pool, mostMagnitude(typeOfBytes(x)));
  if (windows.multiple == 0)
    return "its windows at the border have too many numbers of elements";
  const NumericsAttr numerics = evenNumerics(rewriter.getContext(), factorOfSum(x, group, windows.multiple));
  if (!numerics)
    return kApart;
  const Location loc = group.location();
  const Type i32 = rewriter.getI32Type();
  const auto type = group.resultType().clone(i32);
  const auto each = RankedTensorType::get({1, type.getDimSize(1), type.getDimSize(2), 1}, i32);
  rewriter.setInsertionPoint(group.last);
  Operation *sums = sumWindows(group, pool, x, type, Activation::kNone,
                               NumericsAttr::get(rewriter.getContext(), Numerics::Tflite), rewriter);
  Value shares = ConstantOp::create(rewriter, loc, each, DenseElementsAttr::get(each, ArrayRef(windows.shares)));
  Value scaled = MulOp::create(rewriter, loc, type, sums->getResult(0), shares);
  Operation *result = RescaleOp::create(rewriter, loc, group.resultType(), scaled, numerics);
  replaceGroup(group, clampedResult(group, result, rewriter), rewriter);
  return "";
}

std::optional<StringRef> fusePool(const Group &group, AveragePool2dOp pool, RewriterBase &rewriter) {
  Value x = bytesBehind(pool.getInput());
  if (!x || !hasEightBits(group.result()))
    return kNoBytes;
  if (!isHeld(factorOfSum(x, group, 1) * mostMagnitude(typeOfBytes(x))))
    return kApart;
  if (llvm::any_of(pool.getPad(), [](int64_t amount) { return amount != 0; }))
    return fuseBorderedPool(group, pool, x, rewriter);
  const NumericsAttr numerics =
      evenNumerics(rewriter.getContext(), factorOfSum(x, group, llvm::product_of(pool.getKernel())));
  if (!numerics)
    return kApart;
  rewriter.setInsertionPoint(group.last);
  replaceGroup(group, sumWindows(group, pool, x, group.resultType(), group.range, numerics, rewriter), rewriter);
  return "";
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// `divisor`: of the sums.
template <typename ReductionOp>
std::optional<StringRef> fuseReduction(const Group &group, ReductionOp reduction, int64_t count, int64_t divisor,
                                       RewriterBase &rewriter) {
  Value x = bytesBehind(reduction.getInput());
  if (!x || !hasEightBits(group.result()))
    return kNoBytes;
  const double most = static_cast<double>(count) * mostMagnitude(typeOfBytes(x));
  if (!isHeld(most) || !isHeld(most * factorOfSum(x, group, divisor)))
    return "its sums may have more than 32 bits, or its scales are too far apart";
  const NumericsAttr numerics = evenNumerics(rewriter.getContext(), factorOfSum(x, group, divisor));
  if (!numerics)
    return kApart;
  rewriter.setInsertionPoint(group.last);
  Operation *mean = MeanOp::create(rewriter, group.location(), group.resultType(),
                                   withSignedness(x, group.result().isSigned(), group.location(), rewriter),
                                   reduction.getAxes(), reduction.getKeepDims(), numerics);
  replaceGroup(group, clampedResult(group, mean, rewriter), rewriter);
  return "";
}

} // namespace

std::optional<StringRef> fuseQuantizedMean(const Group &group, RewriterBase &rewriter) {
  if (auto pool = dyn_cast<AveragePool2dOp>(group.op))
    return fusePool(group, pool, rewriter);
  auto mean = dyn_cast<MeanOp>(group.op);
  auto reduce = dyn_cast<ReduceOp>(group.op);
  if (!mean && !(reduce && reduce.getKind() == ReduceKind::Sum))
    return std::nullopt;
  const int64_t count =
      tensorOf(group.op->getOperand(0)).getNumElements() / tensorOf(group.op->getResult(0)).getNumElements();
  return mean ? fuseReduction(group, mean, count, count, rewriter) : fuseReduction(group, reduce, count, 1, rewriter);
}

} // namespace avocet::compiler::nn
