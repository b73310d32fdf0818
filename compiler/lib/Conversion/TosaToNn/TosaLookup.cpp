//===- TosaLookup.cpp - Gathers, scatters, samples ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaGraph.h"

#include "Import/Common/Create.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Resampling.h"

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

/// The nearest pixel for each index of the result, or both neighbors. Weights of integers are whole numbers, whose sum
/// is the numerator.
Taps tapsOf(const Sampling &sampling, int64_t pixels, int64_t results, bool isBilinear, bool isInteger) {
  Taps taps(static_cast<size_t>(results));
  const float whole = isInteger ? 1 : static_cast<float>(sampling.numerator);
  for (auto [place, each] : llvm::enumerate(taps)) {
    const auto index = static_cast<int64_t>(place);
    const int64_t below = sampling.below(index), rest = sampling.rest(index);
    const int64_t lower = std::clamp<int64_t>(below, 0, pixels - 1),
                  upper = std::clamp<int64_t>(below + 1, 0, pixels - 1);
    if (!isBilinear)
      each.push_back({2 * rest >= sampling.numerator ? upper : lower, 1});
    else if (lower == upper || rest == 0)
      each.push_back({lower, static_cast<float>(sampling.numerator) / whole});
    else
      each.append(
          {{lower, static_cast<float>(sampling.numerator - rest) / whole}, {upper, static_cast<float>(rest) / whole}});
  }
  return taps;
}

/// Positions of the specification are at most a pixel before the image and 16 pixels after the first one.
LogicalResult checkPositions(TosaOperation &op, const Sampling &sampling, int64_t border) {
  const int64_t numerator = sampling.numerator;
  const std::tuple<StringRef, int64_t, int64_t, int64_t> ranges[] = {
      {"numerator of a scale", numerator, 1, INT16_MAX},
      {"denominator of a scale", sampling.denominator, 1, std::min<int64_t>(INT16_MAX, 16 * numerator - 1)},
      {"offset", sampling.offset, -numerator, 16 * numerator - 1},
      {"border", border, -16 * numerator, numerator - 1}};
  for (auto [name, number, least, most] : ranges)
    if (number < least || number > most)
      return op.malformed("has the " + name + " " + Twine(number) + ", must be " + Twine(least) + " to " + Twine(most));
  return success();
}

LogicalResult convertResize(TosaOperation &op, tosa::ResizeOp source) {
  auto scale = op.integers(1, "scale", 4), offset = op.integers(2, "offset", 2), border = op.integers(3, "border", 2);
  const bool isBilinear = source.getMode() == tosa::ResizeMode::BILINEAR;
  const Type element = op.resultElement(0);
  Value input = isBilinear ? op.value(0, "input") : op.stored(0);
  if (!input || failed(scale) || failed(offset) || failed(border) || !element)
    return failure();
  std::array<Taps, 4> taps;
  for (unsigned axis : {0, 1}) {
    const Sampling sampling{(*scale)[2 * axis], (*scale)[2 * axis + 1], (*offset)[axis]};
    if (failed(checkPositions(op, sampling, (*border)[axis])))
      return failure();
    taps[1 + axis] =
        tapsOf(sampling, shapeOf(input)[1 + axis], op.resultShape()[1 + axis], isBilinear, isa<IntegerType>(element));
  }
  return op.finish(resampled(op, isBilinear ? castTo(op, input, element) : input, taps));
}

constexpr TosaConverter kConverters[] = {kConverts<convertGather>, kConverts<convertResize>, kConverts<convertScatter>};

} // namespace

ArrayRef<TosaConverter> tosaLookupConverters() { return kConverters; }

} // namespace avocet::compiler
