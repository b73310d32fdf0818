//===- Interpolation.cpp - Which elements a resized axis reads --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpolation.h"

#include "Axes.h"
#include "Constants.h"
#include "Formula.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {

// Floats are those of ONNX Runtime, as places may lie between two elements.

static float asymmetric(float x, const ResizedAxis &axis) { return x / axis.scale; }
static float halfPixel(float x, const ResizedAxis &axis) { return (x + 0.5f) / axis.scale - 0.5f; }
static float halfPixelOfTorch(float x, const ResizedAxis &axis) { return axis.out > 1 ? halfPixel(x, axis) : 0; }
static float halfPixelForNearest(float x, const ResizedAxis &axis) { return (x + 0.5f) / axis.scale; }
static float halfPixelSymmetric(float x, const ResizedAxis &axis) {
  const auto in = static_cast<float>(axis.in), adjustment = static_cast<float>(axis.out) / (axis.scale * in);
  return in / 2 * (1 - adjustment) + halfPixel(x, axis);
}
static float alignedCorners(float x, const ResizedAxis &axis) {
  return axis.out > 1 ? x * static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1) : 0;
}
static float cropped(float x, const ResizedAxis &axis) {
  const double start = axis.start, end = axis.end, last = static_cast<double>(axis.in - 1);
  return static_cast<float>(axis.out > 1 ? start * last + x * (end - start) * last / static_cast<double>(axis.out - 1)
                                         : 0.5 * (start + end) * last);
}

ArrayRef<Coordinates> allCoordinates() {
  static constexpr Coordinates kAll[] = {
      {"align_corners", alignedCorners, true},
      {"asymmetric", asymmetric, false},
      {"half_pixel", halfPixel, false},
      {"half_pixel_symmetric", halfPixelSymmetric, false},
      {"pytorch_half_pixel", halfPixelOfTorch, false},
      {"tf_crop_and_resize", cropped, true, /*crops=*/true},
      {"tf_half_pixel_for_nn", halfPixelForNearest, false},
  };
  return kAll;
}

const std::map<StringRef, Nearest> &allNearest() {
  static const std::map<StringRef, Nearest> kAll = {
      {"ceil", [](float place, bool) { return std::ceil(place); }},
      {"floor", [](float place, bool) { return std::floor(place); }},
      {"round_prefer_ceil", [](float place, bool) { return std::floor(place + 0.5f); }},
      {"round_prefer_floor", [](float place, bool) { return std::ceil(place - 0.5f); }},
      {"simple", [](float place, bool shrinks) { return shrinks ? std::ceil(place) : std::floor(place); }},
  };
  return kAll;
}

double Interpolation::weightAt(double distance) const {
  const double x = std::abs(distance);
  if (kind == kLinear)
    return std::max(0.0, 1 - x);
  if (x <= 1)
    return ((cubic + 2) * x - (cubic + 3)) * x * x + 1;
  return x < 2 ? ((cubic * x - 5 * cubic) * x + 8 * cubic) * x - 4 * cubic : 0;
}

SmallVector<Tap, 4> Interpolation::tapsAt(const ResizedAxis &axis, int64_t x) const {
  if (axis.scale == 1 && axis.in == axis.out)
    return {{x, 1}};
  const float place = placeOf(axis, x);
  const auto last = static_cast<float>(axis.in - 1);
  if (kind == kNearest)
    return {{static_cast<int64_t>(std::clamp(nearest(place, axis.scale < 1), 0.0f, last)), 1}};
  // Far outside, only the outermost element counts.
  const double width = antialiases ? std::min(axis.scale, 1.0f) : 1, radius = (kind == kLinear ? 1 : 2) / width;
  const double at = std::clamp<double>(place, -2 * radius, last + 2 * radius);
  std::map<int64_t, double> weights;
  double total = 0;
  for (auto i = static_cast<int64_t>(std::floor(at - radius)); static_cast<double>(i) < at + radius; ++i) {
    const double weight = weightAt((static_cast<double>(i) - at) * width);
    const int64_t inside = std::clamp<int64_t>(i, 0, axis.in - 1);
    if (weight == 0 || (excludesOutside && i != inside))
      continue;
    weights[inside] += weight;
    total += weight;
  }
  SmallVector<Tap, 4> taps;
  for (auto [index, weight] : weights)
    taps.push_back({index, static_cast<float>(weight / total)});
  return taps.empty() ? SmallVector<Tap, 4>{{at < 0 ? 0 : axis.in - 1, 1}} : taps;
}

Taps Interpolation::taps(const ResizedAxis &axis) const {
  Taps all;
  for (int64_t x = 0; x < axis.out; ++x)
    all.push_back(tapsAt(axis, x));
  return all;
}

Value Interpolation::extrapolated(ImportedOperation &op, Value resized, ArrayRef<ResizedAxis> axes) const {
  for (auto [number, axis] : llvm::enumerate(axes)) {
    SmallVector<int32_t> isOutside;
    for (int64_t x = 0; coordinates->crops && x < axis.out; ++x) {
      const float place = placeOf(axis, x);
      isOutside.push_back(place < 0 || place > static_cast<float>(axis.in - 1) ? 1 : 0);
    }
    if (!resized || !llvm::is_contained(isOutside, 1))
      continue;
    Value condition = int32Constant(op, lineShape(axes.size() - number, 0, axis.out), isOutside);
    Formula f(op, elementOf(resized));
    resized = f.select(castTo(op, condition, op.builder().getI1Type()), f.constant(extrapolation), resized);
  }
  return resized;
}

} // namespace avocet::compiler
