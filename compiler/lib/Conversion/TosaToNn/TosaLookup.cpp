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

/// The coordinates [N, index] of slices of [N, K, C], of indices [N, W].
Value coordinates(TosaOperation &op) {
  Value indices = op.value(1, "indices");
  return indices ? coordinatesOf(op, indices, shapeOf(indices)[0]) : indices;
}

LogicalResult convertGather(TosaOperation &op, tosa::GatherOp) {
  return op.finish(create<nn::GatherNdOp>(op, op.stored(0), coordinates(op)));
}

LogicalResult convertScatter(TosaOperation &op, tosa::ScatterOp) {
  return op.finish(create<nn::ScatterNdOp>(op, op.plain(0), coordinates(op), op.plain(2), nn::ScatterKind::Set));
}

/// Where an axis of the result of tosa.resize reads: at (index * denominator + offset) / numerator.
struct Sampling {
  int64_t extent, numerator, denominator, offset, count;

  int64_t position(int64_t index) const { return index * denominator + offset; }
  int64_t below(int64_t index) const { return llvm::divideFloorSigned(position(index), numerator); }
  int64_t fraction(int64_t index) const { return position(index) - below(index) * numerator; }
  int32_t inside(int64_t index) const { return static_cast<int32_t>(std::clamp<int64_t>(index, 0, extent - 1)); }
};

/// The pixels along an axis at an index for each of the result.
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
  if (!input)
    return input;
  const Type type = elementOf(input);
  SmallVector<int64_t> shape(4, 1);
  shape[axis] = sampling.count;
  const auto neighbour = [&](int64_t step) {
    return picked(op, input, sampling, axis, [&](int64_t index) { return sampling.below(index) + step; });
  };
  const auto weighted = [&](int64_t step) {
    SmallVector<Attribute> weights;
    for (int64_t index = 0; index < sampling.count; ++index) {
      const int64_t fraction = sampling.fraction(index), weight = step ? fraction : sampling.numerator - fraction;
      weights.push_back(
          isa<FloatType>(type)
              ? Attribute(FloatAttr::get(type, static_cast<double>(weight) / static_cast<double>(sampling.numerator)))
              : IntegerAttr::get(type, weight));
    }
    const auto tensor = RankedTensorType::get(shape, type);
    return multiply(
        op, neighbour(step),
        nn::ConstantOp::create(op.builder(), op.location(), tensor, DenseElementsAttr::get(tensor, weights)));
  };
  return sampling.numerator == 1 ? neighbour(0) : add(op, weighted(0), weighted(1));
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
  const bool isBilinear = source.getMode() == tosa::ResizeMode::BILINEAR;
  const Type element = op.resultElement(0);
  Value input = isBilinear ? op.value(0, "input") : op.stored(0);
  if (!input || failed(scale) || failed(offset) || failed(border) || !element ||
      failed(checkPositions(op, *scale, *offset, *border)))
    return failure();
  if (isBilinear)
    input = castTo(op, input, element);
  for (unsigned axis : {0, 1}) {
    const Sampling sampling{cast<ShapedType>(source.getInput().getType()).getDimSize(1 + axis), (*scale)[2 * axis],
                            (*scale)[2 * axis + 1], (*offset)[axis], op.resultShape()[1 + axis]};
    const auto nearest = [&](int64_t index) {
      return sampling.below(index) + (2 * sampling.fraction(index) >= sampling.numerator ? 1 : 0);
    };
    input = isBilinear ? interpolated(op, input, sampling, 1 + axis) : picked(op, input, sampling, 1 + axis, nearest);
  }
  return op.finish(input);
}

constexpr TosaConverter kConverters[] = {kConverts<convertGather>, kConverts<convertResize>, kConverts<convertScatter>};

} // namespace

ArrayRef<TosaConverter> tosaLookupConverters() { return kConverters; }

} // namespace avocet::compiler
