//===- Regions.cpp - Regions of maps --------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "MapView.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

/// A part of one direction of a map.
struct Span {
  double begin = 0, size = 0;
};

/// The regions of a map: x1, y1, x2, y2 of the original image, which is larger by the ratios.
class RegionReader {
public:
  explicit RegionReader(const OperationValues &operation)
      : boxes_(boxesAt(operation, 1)), batches_(operation.integers(2)), rowRatio_(operation.real(5)),
        columnRatio_(operation.real(6)) {}

  uint32_t batch(size_t region) const { return static_cast<uint32_t>(batches_[region]); }
  Span rows(size_t region) const { return spanOf(boxes_[region].y1, boxes_[region].y2, rowRatio_); }
  Span columns(size_t region) const { return spanOf(boxes_[region].x1, boxes_[region].x2, columnRatio_); }

private:
  static Span spanOf(double begin, double end, double ratio) { return {begin / ratio, (end - begin) / ratio}; }

  std::vector<Box> boxes_;
  std::vector<int32_t> batches_;
  double rowRatio_, columnRatio_;
};

/// Near a whole number, but not on it: rounding decides on which side it is.
bool isNearWhole(double value) {
  const double distance = std::fabs(value - std::round(value));
  return distance > 0 && distance < 1e-3;
}

/// The bilinear interpolation of a channel at a point. Points beyond the last pixel have its value.
double interpolated(const MapView &map, const Place &place, double y, double x) {
  const double row = std::clamp(y, 0.0, map.height() - 1.0), column = std::clamp(x, 0.0, map.width() - 1.0);
  const auto top = static_cast<int32_t>(std::floor(row)), left = static_cast<int32_t>(std::floor(column));
  const double below = row - top, right = column - left;
  double sum = 0;
  for (int32_t i = 0; i < 2; ++i)
    for (int32_t j = 0; j < 2; ++j) // pixels beyond the last one have weight 0
      sum += (i == 0 ? 1 - below : below) * (j == 0 ? 1 - right : right) *
             map.at(place.batch, top + i, left + j, place.channel);
  return sum;
}

/// The points of one bin in one direction, evenly spread; `given` 0: as many as the bin has pixels. Regions have at
/// least one pixel.
std::optional<Reals> samplesOf(Span region, uint32_t bins, int32_t bin, int32_t given) {
  const double step = std::max(region.size, 1.0) / bins;
  if (given <= 0 && isNearWhole(step))
    return std::nullopt;
  const int32_t count = given > 0 ? given : static_cast<int32_t>(std::ceil(step));
  Reals points;
  for (int32_t i = 0; i < count; ++i)
    points.push_back(region.begin + step * (bin + (i + 0.5) / count));
  return points;
}

/// Bins of regions, one for each row and column of the result, whose extents operands 3 and 4 give.
/// value(map, regions, place, height, width) is an element of the result; the batch of `place` is a region.
template <typename Value> Reals valuesOfBins(const OperationValues &operation, bool isNchw, Value value) {
  const MapView map(operation, 0, isNchw);
  const RegionReader regions(operation);
  const auto height = static_cast<uint32_t>(operation.integer(3)), width = static_cast<uint32_t>(operation.integer(4));
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](const Dimensions &at) {
    result.push_back(value(map, regions, placeOf(at, isNchw), height, width));
  });
  return result;
}

std::optional<Reals> roiAlign(const OperationValues &operation) {
  const int32_t rowSamples = operation.integer(7), columnSamples = operation.integer(8);
  return valuesOfBins(
      operation, operation.flag(9),
      [=](const MapView &map, const RegionReader &regions, Place place, uint32_t height, uint32_t width) {
        const auto rows = samplesOf(regions.rows(place.batch), height, place.y, rowSamples);
        const auto columns = samplesOf(regions.columns(place.batch), width, place.x, columnSamples);
        if (!rows || !columns)
          return kUndefined;
        place.batch = regions.batch(place.batch);
        double sum = 0;
        for (double y : *rows)
          for (double x : *columns)
            sum += interpolated(map, place, y, x);
        return sum / static_cast<double>(rows->size() * columns->size());
      });
}

/// The pixels of one bin, `end` excluded.
struct Bin {
  int32_t begin, end;
};

/// The borders of regions and bins are rounded; both borders of a region are inside it.
std::optional<Bin> binOf(Span region, uint32_t bins, int32_t bin, int32_t extent) {
  const double last = region.begin + region.size;
  if (isNearWhole(region.begin + 0.5) || isNearWhole(last + 0.5))
    return std::nullopt;
  const double begin = std::round(region.begin);
  const double step = std::max(std::round(last) - begin + 1, 1.0) / bins;
  const double from = begin + step * bin, to = begin + step * (bin + 1);
  if (isNearWhole(from) || isNearWhole(to))
    return std::nullopt;
  return Bin{std::min(static_cast<int32_t>(std::floor(from)), extent),
             std::min(static_cast<int32_t>(std::ceil(to)), extent)};
}

/// The largest pixel of each bin; 0 for a bin without pixels.
std::optional<Reals> roiPooling(const OperationValues &operation) {
  return valuesOfBins(
      operation, operation.flag(7),
      [](const MapView &map, const RegionReader &regions, const Place &place, uint32_t height, uint32_t width) {
        const auto rows = binOf(regions.rows(place.batch), height, place.y, map.height());
        const auto columns = binOf(regions.columns(place.batch), width, place.x, map.width());
        if (!rows || !columns)
          return kUndefined;
        std::optional<double> largest;
        for (int32_t y = rows->begin; y < rows->end; ++y)
          for (int32_t x = columns->begin; x < columns->end; ++x) {
            const double pixel = map.at(regions.batch(place.batch), y, x, place.channel);
            largest = std::max(largest.value_or(pixel), pixel);
          }
        return largest.value_or(0);
      });
}

/// A pixel of a heat map with its neighbors; those beyond an edge are mirrored.
class Peak {
public:
  Peak(const MapView &map, uint32_t box, uint32_t keypoint, int32_t y, int32_t x)
      : map_(map), box_(box), keypoint_(keypoint), y_(y), x_(x) {}

  struct Refined {
    double dx = 0, dy = 0, score = 0;
  };

  /// The maximum of the quadratic Taylor expansion around the pixel, at most 1.5 pixels away. Nothing: the equations
  /// are nearly singular.
  std::optional<Refined> refined() const {
    const double gx = (at(0, 1) - at(0, -1)) / 2, gy = (at(1, 0) - at(-1, 0)) / 2;
    const double xx = at(0, -1) - 2 * at(0, 0) + at(0, 1), yy = at(-1, 0) - 2 * at(0, 0) + at(1, 0);
    const double xy = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / 4;
    const double determinant = xx * yy - xy * xy;
    if (determinant == 0)
      return Refined{0, 0, at(0, 0)};
    if (std::fabs(determinant) < 0.02 + 0.02 * (std::fabs(xx * yy) + xy * xy))
      return std::nullopt;
    double dx = -(yy * gx - xy * gy) / determinant, dy = -(xx * gy - xy * gx) / determinant;
    const double shrunk = std::min(1.0, 1.5 / std::max({std::fabs(dx), std::fabs(dy), 1e-9}));
    dx *= shrunk, dy *= shrunk;
    return Refined{dx, dy, at(0, 0) + gx * dx + gy * dy + (xx * dx * dx + 2 * xy * dx * dy + yy * dy * dy) / 2};
  }

private:
  static int32_t mirrored(int32_t at, int32_t extent) { return at < 0 ? 1 : at >= extent ? extent - 2 : at; }
  double at(int32_t dy, int32_t dx) const {
    return map_.at(box_, mirrored(y_ + dy, map_.height()), mirrored(x_ + dx, map_.width()), keypoint_);
  }

  const MapView &map_;
  uint32_t box_, keypoint_;
  int32_t y_, x_;
};

/// The peak of a heat map; nothing if two pixels are the largest.
std::optional<Place> peakOf(const MapView &map, uint32_t box, uint32_t keypoint) {
  Place best{box, 0, 0, keypoint};
  bool isUnique = true;
  for (int32_t y = 0; y < map.height(); ++y)
    for (int32_t x = y == 0 ? 1 : 0; x < map.width(); ++x) {
      const double pixel = map.at(box, y, x, keypoint), largest = map.at(box, best.y, best.x, keypoint);
      isUnique = pixel > largest || (isUnique && pixel < largest);
      best = pixel > largest ? Place{box, y, x, keypoint} : best;
    }
  return isUnique ? std::optional(best) : std::nullopt;
}

/// Score, x and y of a keypoint in the box of the original image.
std::array<double, 3> keypointIn(const MapView &map, const Box &box, uint32_t number, uint32_t keypoint) {
  const std::optional<Place> place = peakOf(map, number, keypoint);
  const auto peak = place ? Peak(map, number, keypoint, place->y, place->x).refined() : std::nullopt;
  if (!peak)
    return {kUndefined, kUndefined, kUndefined};
  return {peak->score, box.x1 + (place->x + peak->dx + 0.5) / map.width() * (box.x2 - box.x1),
          box.y1 + (place->y + peak->dy + 0.5) / map.height() * (box.y2 - box.y1)};
}

std::optional<Results> heatmapMaxKeypoint(const OperationValues &operation) {
  const MapView map(operation, 0, operation.flag(2));
  const std::vector<Box> boxes = boxesAt(operation, 1);
  Reals scores, places;
  for (uint32_t box = 0; box < boxes.size(); ++box)
    for (uint32_t keypoint = 0; keypoint < static_cast<uint32_t>(map.channels()); ++keypoint) {
      const auto [score, x, y] = keypointIn(map, boxes[box], box, keypoint);
      scores.push_back(score);
      places.insert(places.end(), {x, y});
    }
  return Results{scores, places};
}

constexpr Definition kRows[] = {
    {RoiAlign, roiAlign},
    {RoiPooling, roiPooling},
    {HeatmapMaxKeypoint, heatmapMaxKeypoint},
};

} // namespace

std::span<const Definition> regionDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
