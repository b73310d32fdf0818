//===- TosaLookup.cpp - Gathers, scatters, samples ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "Import/Common/Constants.h"
#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// values [N, K, C] at indices [N, W].
LogicalResult convertGather(TosaOperation &op, tosa::GatherOp) {
  Value values = op.stored(0), indices = op.value(1, "indices");
  if (!values || !indices)
    return failure();
  return op.finish(create<nn::GatherNdOp>(op, values, coordinatesOf(op, indices, shapeOf(indices)[0])));
}

/// values [N, K, C] with input [N, W, C] at indices [N, W].
LogicalResult convertScatter(TosaOperation &op, tosa::ScatterOp) {
  Value values = op.plain(0), indices = op.value(1, "indices"), input = op.plain(2);
  if (!values || !indices || !input)
    return failure();
  return op.finish(create<nn::ScatterNdOp>(op, values, coordinatesOf(op, indices, shapeOf(indices)[0]), input,
                                           nn::ScatterKind::Set));
}

/// Where an axis of the result of tosa.resize reads: at (index * denominator + offset) / numerator.
struct Sampling {
  int64_t extent, numerator, denominator, offset, count;

  int64_t position(int64_t index) const { return index * denominator + offset; }
  int64_t below(int64_t index) const { return llvm::divideFloorSigned(position(index), numerator); }
  int64_t fraction(int64_t index) const { return position(index) - below(index) * numerator; }
  int32_t inside(int64_t index) const { return static_cast<int32_t>(std::clamp<int64_t>(index, 0, extent - 1)); }
};

/// An element for each index of the result along an axis of four.
template <typename Element>
Value alongAxis(TosaOperation &op, const Sampling &sampling, int64_t axis, Type type, Element element) {
  SmallVector<int64_t> shape(4, 1);
  shape[axis] = sampling.count;
  SmallVector<Attribute> elements;
  for (int64_t index = 0; index < sampling.count; ++index)
    elements.push_back(isa<FloatType>(type)
                           ? Attribute(op.builder().getFloatAttr(type, element(index)))
                           : Attribute(op.builder().getIntegerAttr(type, static_cast<int64_t>(element(index)))));
  const auto tensor = RankedTensorType::get(shape, type);
  return nn::ConstantOp::create(op.builder(), op.location(), tensor, DenseElementsAttr::get(tensor, elements));
}

template <typename Index>
Value picked(TosaOperation &op, Value input, const Sampling &sampling, int64_t axis, Index index) {
  SmallVector<int32_t> indices;
  for (int64_t i = 0; i < sampling.count; ++i)
    indices.push_back(sampling.inside(index(i)));
  const bool isWhole = sampling.count == sampling.extent && llvm::all_of(llvm::enumerate(indices), [](auto each) {
                         return each.value() == static_cast<int32_t>(each.index());
                       });
  return isWhole ? input
                 : create<nn::GatherOp>(op, input, int32Constant(op, {sampling.count}, indices),
                                        static_cast<uint64_t>(axis));
}

/// The weighted sum of the neighbours along an axis, times the numerator for integers.
Value interpolated(TosaOperation &op, Value input, const Sampling &sampling, int64_t axis) {
  const Type type = elementOf(input);
  if (sampling.numerator == 1)
    return picked(op, input, sampling, axis, [&](int64_t index) { return sampling.below(index); });
  Value below = picked(op, input, sampling, axis, [&](int64_t index) { return sampling.below(index); });
  Value above = picked(op, input, sampling, axis, [&](int64_t index) { return sampling.below(index) + 1; });
  const auto weight = [&](bool isAbove) {
    return alongAxis(op, sampling, axis, type, [&, isAbove](int64_t index) {
      const int64_t steps = isAbove ? sampling.fraction(index) : sampling.numerator - sampling.fraction(index);
      if (!isa<FloatType>(type))
        return static_cast<double>(steps);
      return static_cast<double>(steps) / static_cast<double>(sampling.numerator);
    });
  };
  return add(op, multiply(op, below, weight(false)), multiply(op, above, weight(true)));
}

/// Positions of the specification are at most a pixel before the image and 16 pixels after the first one.
LogicalResult checkPositions(TosaOperation &op, ArrayRef<int64_t> scale, ArrayRef<int64_t> offset,
                             ArrayRef<int64_t> border) {
  for (int64_t factor : scale)
    if (factor < 1 || factor > INT16_MAX)
      return op.malformed("has a scale of " + Twine(factor) + ", must be 1 to 32767");
  for (unsigned axis : {0, 1}) {
    const int64_t numerator = scale[2 * axis];
    if (scale[2 * axis + 1] >= 16 * numerator)
      return op.malformed("has the scale " + Twine(numerator) + " / " + Twine(scale[2 * axis + 1]) +
                          ", must be above 1 / 16");
    if (offset[axis] < -numerator || offset[axis] >= 16 * numerator)
      return op.malformed("has an offset of " + Twine(offset[axis]) + ", must be " + Twine(-numerator) + " to " +
                          Twine(16 * numerator - 1));
    if (border[axis] < -16 * numerator || border[axis] >= numerator)
      return op.malformed("has a border of " + Twine(border[axis]) + ", must be " + Twine(-16 * numerator) + " to " +
                          Twine(numerator - 1));
  }
  return success();
}

LogicalResult convertResize(TosaOperation &op, tosa::ResizeOp source) {
  auto scale = op.integers(1, "scale", 4), offset = op.integers(2, "offset", 2), border = op.integers(3, "border", 2);
  Value input = op.stored(0);
  const Type element = op.resultElement(0);
  if (!input || failed(scale) || failed(offset) || failed(border) || !element ||
      failed(checkPositions(op, *scale, *offset, *border)))
    return failure();
  std::array<Sampling, 2> axes;
  for (unsigned axis : {0, 1})
    axes[axis] = {shapeOf(input)[1 + axis], (*scale)[2 * axis], (*scale)[2 * axis + 1], (*offset)[axis],
                  op.resultShape()[1 + axis]};
  if (source.getMode() == tosa::ResizeMode::BILINEAR) {
    Value sampled = castTo(op, op.value(0, "input"), element);
    for (unsigned axis : {0, 1})
      sampled = sampled ? interpolated(op, sampled, axes[axis], 1 + axis) : Value();
    return op.finish(sampled);
  }
  for (unsigned axis : {0, 1})
    input = input ? picked(op, input, axes[axis], 1 + axis,
                           [&](int64_t index) {
                             const Sampling &sampling = axes[axis];
                             const bool isAbove = 2 * sampling.fraction(index) >= sampling.numerator;
                             return sampling.below(index) + (isAbove ? 1 : 0);
                           })
                  : Value();
  return op.finish(input);
}

constexpr TosaConverter kConverters[] = {kConverts<convertGather>, kConverts<convertResize>, kConverts<convertScatter>};

} // namespace

ArrayRef<TosaConverter> tosaLookupConverters() { return kConverters; }

} // namespace avocet::compiler
