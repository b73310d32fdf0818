//===- OnnxResize.cpp - Resize and Upsample ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Moves.h"
#include "Import/Common/Resampling.h"
#include "OnnxGraph.h"

#include <cmath>
#include <map>

using namespace mlir;

namespace avocet::compiler {
namespace {

struct ResizedAxis {
  int64_t in, out;
  float scale;
  float start = 0, end = 1; ///< of the region, as parts of the axis
};

/// The place in the input that element `x` of the result comes from. Floats are those of ONNX Runtime, as places may
/// lie between two elements.
using Place = float (*)(float x, const ResizedAxis &axis);

float asymmetric(float x, const ResizedAxis &axis) { return x / axis.scale; }
float halfPixel(float x, const ResizedAxis &axis) { return (x + 0.5f) / axis.scale - 0.5f; }
float halfPixelOfTorch(float x, const ResizedAxis &axis) { return axis.out > 1 ? halfPixel(x, axis) : 0; }
float halfPixelForNearest(float x, const ResizedAxis &axis) { return (x + 0.5f) / axis.scale; }
float halfPixelSymmetric(float x, const ResizedAxis &axis) {
  const auto in = static_cast<float>(axis.in), adjustment = static_cast<float>(axis.out) / (axis.scale * in);
  return in / 2 * (1 - adjustment) + halfPixel(x, axis);
}
float alignedCorners(float x, const ResizedAxis &axis) {
  return axis.out > 1 ? x * static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1) : 0;
}
float cropped(float x, const ResizedAxis &axis) {
  const double start = axis.start, end = axis.end, last = static_cast<double>(axis.in - 1);
  return static_cast<float>(axis.out > 1 ? start * last + x * (end - start) * last / static_cast<double>(axis.out - 1)
                                         : 0.5 * (start + end) * last);
}

constexpr StringLiteral kCrop = "tf_crop_and_resize";

struct Coordinates {
  StringLiteral name;
  Place place;
  bool countsElements; ///< of the result: the definition and ONNX Runtime differ if these are no multiple of the scale
};

constexpr Coordinates kCoordinates[] = {
    {"align_corners", alignedCorners, true},
    {"asymmetric", asymmetric, false},
    {"half_pixel", halfPixel, false},
    {"half_pixel_symmetric", halfPixelSymmetric, false},
    {"pytorch_half_pixel", halfPixelOfTorch, false},
    {kCrop, cropped, true},
    {"tf_half_pixel_for_nn", halfPixelForNearest, false},
};

using Nearest = float (*)(float place, bool shrinks);
const std::map<StringRef, Nearest> kNearest = {
    {"ceil", [](float place, bool) { return std::ceil(place); }},
    {"floor", [](float place, bool) { return std::floor(place); }},
    {"round_prefer_ceil", [](float place, bool) { return std::floor(place + 0.5f); }},
    {"round_prefer_floor", [](float place, bool) { return std::ceil(place - 0.5f); }},
    {"simple", [](float place, bool shrinks) { return shrinks ? std::ceil(place) : std::floor(place); }},
};

struct Resizing {
  StringRef mode;
  const Coordinates *coordinates = nullptr;
  Nearest nearest = nullptr;
  float cubic = 0, extrapolation = 0;
  bool excludesOutside = false, antialiases = false;

  bool isNearest() const { return mode == "nearest"; }
  bool crops() const { return coordinates->name == kCrop; }

  double weightAt(double distance) const {
    const double x = std::abs(distance);
    if (mode == "linear")
      return std::max(0.0, 1 - x);
    if (x <= 1)
      return ((cubic + 2) * x - (cubic + 3)) * x * x + 1;
    return x < 2 ? ((cubic * x - 5 * cubic) * x + 8 * cubic) * x - 4 * cubic : 0;
  }

  /// The definition crops an axis whose extent stays, ONNX Runtime does not.
  bool isAmbiguous(const ResizedAxis &axis) const {
    return crops() && axis.scale == 1 && (axis.start != 0 || axis.end != 1);
  }

  bool isOutside(const ResizedAxis &axis, int64_t x) const {
    const float place = coordinates->place(static_cast<float>(x), axis);
    return crops() && (place < 0 || place > static_cast<float>(axis.in - 1));
  }

  SmallVector<Tap, 4> tapsAt(const ResizedAxis &axis, int64_t x) const {
    if (axis.scale == 1 && axis.in == axis.out)
      return {{x, 1}};
    const float place = coordinates->place(static_cast<float>(x), axis);
    const auto last = static_cast<float>(axis.in - 1);
    if (isNearest())
      return {{static_cast<int64_t>(std::clamp(nearest(place, axis.scale < 1), 0.0f, last)), 1}};
    // Far outside, only the outermost element counts.
    const double width = antialiases ? std::min(axis.scale, 1.0f) : 1, radius = (mode == "linear" ? 1 : 2) / width;
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
};

/// In opset 9 and 10, and of Upsample, only the mode is free.
FailureOr<Resizing> resizingOf(OnnxOperation &op) {
  const bool isOld = op.version() < 11 || op.kind() == "Upsample";
  Resizing how{op.text("mode", "nearest")};
  const StringRef coordinates = isOld ? "asymmetric" : op.text("coordinate_transformation_mode", "half_pixel");
  how.coordinates = llvm::find_if(kCoordinates, [&](const Coordinates &each) { return each.name == coordinates; });
  const StringRef nearest = isOld ? "simple" : op.text("nearest_mode", "round_prefer_floor");
  const auto found = kNearest.find(nearest);
  how.cubic = op.number("cubic_coeff_a", -0.75f);
  how.extrapolation = op.number("extrapolation_value", 0);
  how.excludesOutside = op.flag("exclude_outside");
  how.antialiases = op.flag("antialias");
  if (how.mode == "bilinear" && isOld)
    how.mode = "linear";
  if (how.coordinates == std::end(kCoordinates) || found == kNearest.end() ||
      !llvm::is_contained(ArrayRef<StringRef>{"nearest", "linear", "cubic"}, how.mode))
    return op.malformed("has the mode '" + how.mode + "' of '" + coordinates + "', '" + nearest +
                        "', which no opset has");
  how.nearest = found->second;
  return how;
}

/// The extents from those that are wanted; a policy other than stretching keeps the ratio between them.
LogicalResult setSizes(OnnxOperation &op, MutableArrayRef<ResizedAxis *> axes, ArrayRef<int64_t> sizes) {
  const StringRef policy = op.text("keep_aspect_ratio_policy", "stretch");
  if (!llvm::is_contained(ArrayRef<StringRef>{"stretch", "not_larger", "not_smaller"}, policy))
    return op.malformed("has the policy '" + policy + "', must be stretch, not_larger or not_smaller");
  for (auto [axis, size] : llvm::zip_equal(axes, sizes)) {
    axis->out = size;
    axis->scale = static_cast<float>(size) / static_cast<float>(axis->in);
  }
  if (policy == "stretch")
    return success();
  const auto isSmaller = [](const ResizedAxis *a, const ResizedAxis *b) { return a->scale < b->scale; };
  const float scale =
      (policy == "not_larger" ? *llvm::min_element(axes, isSmaller) : *llvm::max_element(axes, isSmaller))->scale;
  for (ResizedAxis *axis : axes) {
    axis->scale = scale;
    axis->out = static_cast<int64_t>(std::floor(scale * static_cast<float>(axis->in) + 0.5f));
  }
  return success();
}

LogicalResult setScales(OnnxOperation &op, MutableArrayRef<ResizedAxis *> axes, ArrayRef<float> scales,
                        const Coordinates &coordinates) {
  for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
    const float extent = scale * static_cast<float>(axis->in);
    if (!(scale > 0) || !(extent < static_cast<float>(INT32_MAX)))
      return op.malformed("has a scale that is not a positive number");
    axis->scale = scale;
    axis->out = static_cast<int64_t>(extent);
    if (coordinates.countsElements && static_cast<float>(axis->out) != extent)
      return op.refuse("scales", ("are whole multiples with " + coordinates.name).str(), std::to_string(scale),
                       "sizes");
  }
  return success();
}

/// Which axes are resized, and how. Operands of opset 11 and later are input, region, scales and sizes.
FailureOr<SmallVector<ResizedAxis>> axesOf(OnnxOperation &op, ArrayRef<int64_t> shape, const Coordinates &coordinates) {
  const auto rank = static_cast<int64_t>(shape.size());
  const bool isOld = op.version() < 11 || op.kind() == "Upsample";
  SmallVector<ResizedAxis> axes;
  for (int64_t extent : shape)
    axes.push_back({extent, extent, 1});
  SmallVector<ResizedAxis *> resized;
  for (int64_t axis : op.list("axes", llvm::to_vector(llvm::seq<int64_t>(0, rank)))) {
    FailureOr<int64_t> normalized = op.normalizedAxis(axis, rank);
    if (failed(normalized))
      return failure();
    resized.push_back(&axes[*normalized]);
  }
  const auto isGiven = [&](uint32_t position) { return op.hasInput(position) && !op.emptyInput(position); };
  if (coordinates.name == kCrop) {
    FailureOr<SmallVector<float>> region = op.floats(1, "roi");
    if (failed(region))
      return failure();
    if (region->size() != 2 * resized.size())
      return op.malformed("has a region of " + Twine(region->size()) + " numbers for " + Twine(resized.size()) +
                          " axes");
    if (!llvm::all_of(*region, [](float number) { return std::isfinite(number); }))
      return op.malformed("has a region of numbers that are not finite");
    for (auto [i, axis] : llvm::enumerate(resized)) {
      axis->start = (*region)[i];
      axis->end = (*region)[resized.size() + i];
    }
  }
  if (!isOld && isGiven(3)) {
    FailureOr<SmallVector<int64_t>> sizes = op.integers(3, "sizes", resized.size());
    if (failed(sizes) || failed(setSizes(op, resized, *sizes)))
      return failure();
    return axes;
  }
  op.ignore({"keep_aspect_ratio_policy"});
  FailureOr<SmallVector<float>> scales = op.floats(isOld ? 1 : 2, "scales");
  if (failed(scales))
    return failure();
  if (scales->size() != resized.size())
    return op.malformed("has " + Twine(scales->size()) + " scales for " + Twine(resized.size()) + " axes");
  if (failed(setScales(op, resized, *scales, coordinates)))
    return failure();
  return axes;
}

/// Elements that come from outside of the input become one value.
Value extrapolated(OnnxOperation &op, Value resized, ArrayRef<ResizedAxis> axes, const Resizing &how) {
  Formula f(op, elementOf(resized));
  for (auto [number, axis] : llvm::enumerate(axes)) {
    SmallVector<int32_t> isOutside;
    for (int64_t x = 0; x < axis.out; ++x)
      isOutside.push_back(how.isOutside(axis, x) ? 1 : 0);
    if (!resized || !llvm::is_contained(isOutside, 1))
      continue;
    SmallVector<int64_t> shape(axes.size() - number, 1);
    shape.front() = axis.out;
    Value condition = castTo(op, int32Constant(op, shape, isOutside), op.builder().getI1Type());
    resized = f.select(condition, f.constant(how.extrapolation), resized);
  }
  return resized;
}

LogicalResult convertOnnxResize(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<Resizing> how = resizingOf(op);
  if (!input || failed(how))
    return failure();
  FailureOr<SmallVector<ResizedAxis>> axes = axesOf(op, shapeOf(input), *how->coordinates);
  if (failed(axes))
    return failure();
  if (!how->isNearest() && !isa<FloatType>(elementOf(input)))
    return op.refuse("input", "element type", "integers", "FLOAT or FLOAT16 with this mode");
  if (!boundedType(op, llvm::map_to_vector(*axes, [](const ResizedAxis &axis) { return axis.out; }), elementOf(input)))
    return failure();
  SmallVector<Taps> taps(axes->size());
  // A few bytes of a file must not ask for any amount of work.
  constexpr double kMostTaps = 1 << 24;
  for (auto [axis, each] : llvm::zip_equal(*axes, taps)) {
    if (how->isAmbiguous(axis))
      return op.refuse("roi", "is the whole of an axis with the scale 1", "another region");
    const double count = 4 * static_cast<double>(axis.out) * (how->antialiases ? std::max(1 / axis.scale, 1.0f) : 1);
    if (!(count <= kMostTaps))
      return op.refuse("result", "number of interpolated elements along an axis", Twine(axis.out), Twine(1 << 22));
    for (int64_t x = 0; x < axis.out; ++x)
      each.push_back(how->tapsAt(axis, x));
  }
  return op.finish(extrapolated(op, resampled(op, input, taps), *axes, *how));
}

constexpr OnnxConverter kConverters[] = {
    {"Resize", 10, 2, 4, convertOnnxResize},
    {"Resize", 11, 1, 4, convertOnnxResize},
    {"Upsample", 7, 2, 2, convertOnnxResize},
};

} // namespace

ArrayRef<OnnxConverter> onnxResizeConverters() { return kConverters; }

} // namespace avocet::compiler
