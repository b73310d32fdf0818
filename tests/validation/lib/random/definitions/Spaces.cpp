//===- Spaces.cpp - Blocks of maps, and other sizes -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapView.h"

#include <algorithm>
#include <cmath>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// Each element of the result is the element of the map that `source(map, place)` returns.
template <typename Source> Reals drawnFrom(const OperationValues &operation, bool isNchw, Source source) {
  const MapView map(operation, 0, isNchw);
  Reals result;
  forEachElement(operation.output(0).dimensions,
                 [&](const Dimensions &at) { result.push_back(source(map, placeOf(at, isNchw))); });
  return result;
}

/// Channels of a deep map: those of the pixels of a block, row by row.
std::optional<Reals> spaceToDepth(const OperationValues &operation) {
  const int32_t block = operation.integer(1);
  return drawnFrom(operation, operation.flag(2), [&](const MapView &map, const Place &to) {
    const auto channels = static_cast<uint32_t>(map.channels());
    const auto pixel = static_cast<int32_t>(to.channel / channels);
    return map.at(to.batch, to.y * block + pixel / block, to.x * block + pixel % block, to.channel % channels);
  });
}

std::optional<Reals> depthToSpace(const OperationValues &operation) {
  const int32_t block = operation.integer(1);
  return drawnFrom(operation, operation.flag(2), [&](const MapView &map, const Place &to) {
    const auto channels = static_cast<uint32_t>(map.channels() / (block * block));
    const auto pixel = static_cast<uint32_t>(to.y % block * block + to.x % block);
    return map.at(to.batch, to.y / block, to.x / block, pixel * channels + to.channel);
  });
}

/// Batches of the result: those of the input for the first pixel of each block, then for the next. Padding is 0.
std::optional<Reals> spaceToBatch(const OperationValues &operation) {
  const std::vector<int32_t> blocks = operation.integers(1), paddings = operation.integers(2);
  const uint32_t batches = operation.input(0).dimensions[0];
  return drawnFrom(operation, operation.flag(3), [&](const MapView &map, const Place &to) {
    const auto pixel = static_cast<int32_t>(to.batch / batches);
    return map.at(to.batch % batches, to.y * blocks[0] + pixel / blocks[1] - paddings[0],
                  to.x * blocks[1] + pixel % blocks[1] - paddings[2], to.channel);
  });
}

std::optional<Reals> batchToSpace(const OperationValues &operation) {
  const std::vector<int32_t> blocks = operation.integers(1);
  const uint32_t batches = operation.output(0).dimensions[0];
  return drawnFrom(operation, operation.flag(2), [&](const MapView &map, const Place &to) {
    const auto pixel = static_cast<uint32_t>(to.y % blocks[0] * blocks[1] + to.x % blocks[1]);
    return map.at(pixel * batches + to.batch, to.y / blocks[0], to.x / blocks[1], to.channel);
  });
}

/// How the pixels of a resized map lie over those of the map, in one direction.
struct Scaling {
  double scale, offset;
  double at(int32_t pixel) const { return (pixel + offset) * scale; }
  /// Whether the position of each pixel is exact in binary32, so that no rounding makes a whole number another.
  bool isExact() const { return std::ldexp(scale, 12) == std::round(std::ldexp(scale, 12)); }
};

Scaling scalingOf(const OperationValues &operation, int32_t from, int32_t to) {
  const bool alignsCorners = operation.flag(4) && to > 1, hasHalfPixels = operation.flag(5);
  return {alignsCorners ? double(from - 1) / (to - 1) : double(from) / to, hasHalfPixels ? 0.5 : 0.0};
}

struct Scalings {
  Scaling rows, columns;
};

Scalings scalingsOf(const OperationValues &operation) {
  const bool isNchw = operation.flag(3);
  const MapView map(operation, 0, isNchw);
  const Dimensions &to = operation.output(0).dimensions;
  return {scalingOf(operation, map.height(), static_cast<int32_t>(to[isNchw ? 2 : 1])),
          scalingOf(operation, map.width(), static_cast<int32_t>(to[isNchw ? 3 : 2]))};
}

/// Two neighbors in one direction, and the share of the second.
struct Neighbors {
  int32_t first, second;
  double share;
};

Neighbors neighborsOf(double position, int32_t extent) {
  const double inside = std::clamp(position, 0.0, extent - 1.0);
  const auto first = static_cast<int32_t>(std::floor(inside));
  return {first, std::min(first + 1, extent - 1), inside - first};
}

/// Signed integers have scales in steps of 1/1024, as in TensorFlow Lite. Far from the origin and between a dark and a
/// light pixel that is more than rounding.
void roundScale(const OperationValues &operation, Scaling &scaling) {
  if (operation.input(0).type == OperandType::TensorQuant8AsymmSigned)
    scaling.scale = std::round(scaling.scale * 1024) / 1024;
}

std::optional<Reals> resizeBilinear(const OperationValues &operation) {
  Scalings scalings = scalingsOf(operation);
  roundScale(operation, scalings.rows);
  roundScale(operation, scalings.columns);
  return drawnFrom(operation, operation.flag(3), [&](const MapView &map, const Place &to) {
    const Neighbors rows = neighborsOf(scalings.rows.at(to.y) - scalings.rows.offset, map.height());
    const Neighbors columns = neighborsOf(scalings.columns.at(to.x) - scalings.columns.offset, map.width());
    auto between = [&](int32_t row) {
      return map.at(to.batch, row, columns.first, to.channel) * (1 - columns.share) +
             map.at(to.batch, row, columns.second, to.channel) * columns.share;
    };
    return between(rows.first) * (1 - rows.share) + between(rows.second) * rows.share;
  });
}

/// The pixel at a position: that which contains it, or the nearest if corners are aligned. Nothing: on the border of
/// two pixels, where rounding decides.
std::optional<int32_t> nearestOf(const Scaling &scaling, int32_t pixel, int32_t extent, bool alignsCorners) {
  const double position = scaling.at(pixel) + (alignsCorners ? 0.5 : 0);
  const bool isBorder = std::fabs(position - std::round(position)) < 1e-4 * (1 + position);
  if (isBorder && !scaling.isExact() && position > 0.5)
    return std::nullopt;
  return std::min(static_cast<int32_t>(std::floor(position)), extent - 1);
}

std::optional<Reals> resizeNearest(const OperationValues &operation) {
  const Scalings scalings = scalingsOf(operation);
  const bool alignsCorners = operation.flag(4);
  return drawnFrom(operation, operation.flag(3), [&](const MapView &map, const Place &to) {
    const std::optional<int32_t> row = nearestOf(scalings.rows, to.y, map.height(), alignsCorners);
    const std::optional<int32_t> column = nearestOf(scalings.columns, to.x, map.width(), alignsCorners);
    return row && column ? map.at(to.batch, *row, *column, to.channel) : kUndefined;
  });
}

constexpr Definition kRows[] = {
    {SpaceToDepth, spaceToDepth, kCopies},   {DepthToSpace, depthToSpace, kCopies},
    {SpaceToBatchNd, spaceToBatch, kCopies}, {BatchToSpaceNd, batchToSpace, kCopies},
    {ResizeBilinear, resizeBilinear},        {ResizeNearestNeighbor, resizeNearest},
};

} // namespace

std::span<const Definition> spaceDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
