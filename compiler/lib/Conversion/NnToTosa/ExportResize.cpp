//===- ExportResize.cpp - Images on another grid ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The positions of TOSA are quotients of integers, those of the device floats or multiples of 1/1024. An image of
// integers is exported if both are equal for each of its rows and columns.
//
//===----------------------------------------------------------------------===//

#include "TosaExport.h"

#include "avocet/kernels/dsp/Resize.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Numerator and denominator are even, so that halves of pixels are integers. Pixels of TOSA are the nearest ones,
/// those of the device the ones below unless corners are aligned.
Sampling samplingOf(nn::ResizeOp source, unsigned axis) {
  const int64_t from = shapeOf(source.getInput())[1 + axis], to = source.getSize()[axis];
  const bool corners = source.getAlignCorners() && to > 1;
  int64_t numerator = corners ? to - 1 : to, denominator = corners ? std::max<int64_t>(from - 1, 1) : from;
  const int64_t common = std::gcd(numerator, denominator);
  numerator = 2 * numerator / common;
  denominator = 2 * denominator / common;
  const bool isBelow = source.getKind() == nn::ResizeKind::Nearest && !source.getAlignCorners();
  const bool isCentered = source.getHalfPixelCenters();
  const int64_t offset = (isCentered ? denominator / 2 : 0) - (isCentered || isBelow ? numerator / 2 : 0);
  return {numerator, denominator, offset};
}

/// The distance from the last pixel to the place of the last result.
int64_t borderOf(nn::ResizeOp source, unsigned axis, const Sampling &sampling) {
  const int64_t from = shapeOf(source.getInput())[1 + axis], to = source.getSize()[axis];
  return (to - 1) * sampling.denominator + sampling.offset - (from - 1) * sampling.numerator;
}

/// Whether the device reads the same pixels, of integers with the same weights.
bool isSame(nn::ResizeOp source, unsigned axis, const Sampling &sampling) {
  const bool isNearest = source.getKind() == nn::ResizeKind::Nearest;
  kernels::ResizeParameters parameters;
  parameters.kind = isNearest ? kernels::ResizeKind::Nearest : kernels::ResizeKind::FixedBilinear;
  parameters.alignCorners = source.getAlignCorners();
  parameters.halfPixelCenters = source.getHalfPixelCenters();
  const int64_t last = shapeOf(source.getInput())[1 + axis] - 1;
  const auto inside = [last](int64_t pixel) { return std::clamp<int64_t>(pixel, 0, last); };
  const auto own = kernels::resizeSamples(parameters, static_cast<uint32_t>(last + 1),
                                          static_cast<uint32_t>(source.getSize()[axis]));
  return llvm::all_of(llvm::enumerate(own), [&](const auto &each) {
    const auto index = static_cast<int64_t>(each.index());
    const int64_t below = sampling.below(index), rest = sampling.rest(index);
    const kernels::ResizeSample &sample = each.value();
    if (isNearest)
      return inside(below + (2 * rest >= sampling.numerator ? 1 : 0)) == sample.lower;
    if (sample.lower == sample.upper)
      return inside(below) == sample.lower && (rest == 0 || inside(below + 1) == sample.lower);
    return below == sample.lower && below + 1 == sample.upper &&
           rest * kernels::kResizeSteps == sample.steps * sampling.numerator;
  });
}

/// The sum of weighted integers over a power of two, with halves away from zero.
Value divided(ExportedOperation &op, Value sum, int64_t divisor) {
  const auto number = [&](int64_t value) { return op.numberLike(sum, static_cast<double>(value)); };
  Value isPositive = op.relation<tosa::GreaterOp>(op.i1(), sum, number(0));
  sum = op.pair<tosa::AddOp>(sum, number(divisor / 2 - 1));
  sum = op.pair<tosa::AddOp>(sum, op.create<tosa::CastOp>(op.i32(), shapeOf(sum), isPositive));
  return op.pair<tosa::ArithmeticRightShiftOp>(sum, number(llvm::Log2_64(static_cast<uint64_t>(divisor))), false);
}

LogicalResult exportResize(ExportedOperation &op, nn::ResizeOp source) {
  const Type element = op.resultElement();
  if (!element)
    return failure();
  const std::array<Sampling, 2> axes{samplingOf(source, 0), samplingOf(source, 1)};
  const bool isNearest = source.getKind() == nn::ResizeKind::Nearest, isInteger = isa<IntegerType>(element);
  const int64_t divisor = axes[0].numerator * axes[1].numerator;
  // Means of unsigned numbers are computed in floats.
  const bool isExact = isNearest || (llvm::isPowerOf2_64(static_cast<uint64_t>(divisor)) && element.isInteger(8) &&
                                     !isUnsignedByte(op.result()));
  if ((isNearest || isInteger) && !(isExact && isSame(source, 0, axes[0]) && isSame(source, 1, axes[1])))
    return op.refuse("size", "positions that are the same in TOSA", nn::textOf(source.getSize()));
  const Type sums = isInteger && !isNearest ? op.i32() : element;
  Value scale = op.shape({axes[0].numerator, axes[0].denominator, axes[1].numerator, axes[1].denominator});
  Value resized =
      op.create<tosa::ResizeOp>(sums, op.resultShape(), op.operand(), scale, op.shape({axes[0].offset, axes[1].offset}),
                                op.shape({borderOf(source, 0, axes[0]), borderOf(source, 1, axes[1])}),
                                isNearest ? tosa::ResizeMode::NEAREST_NEIGHBOR : tosa::ResizeMode::BILINEAR);
  return sums == element ? op.finish(resized) : op.finishAs<tosa::CastOp>(divided(op, resized, divisor));
}

constexpr TosaExporter kExporters[] = {kConverts<exportResize>};

} // namespace

ArrayRef<TosaExporter> resizeExporters() { return kExporters; }

} // namespace avocet::compiler
