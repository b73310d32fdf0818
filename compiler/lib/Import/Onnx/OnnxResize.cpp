//===- OnnxResize.cpp - Resize and Upsample ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Axes.h"
#include "Import/Common/Create.h"
#include "Import/Common/Resampling.h"
#include "OnnxGraph.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// In opset 9 and 10, and of Upsample, only the mode is free.
bool isOld(const OnnxOperation &op) { return op.version() < 11 || op.kind() == "Upsample"; }

FailureOr<Interpolation> interpolationOf(OnnxOperation &op) {
  const std::map<StringRef, Interpolation::Kind> kModes = {
      {"nearest", Interpolation::kNearest}, {"linear", Interpolation::kLinear}, {"cubic", Interpolation::kCubic}};
  StringRef mode = op.text("mode", "nearest");
  if (mode == "bilinear" && isOld(op))
    mode = "linear";
  const StringRef coordinates = isOld(op) ? "asymmetric" : op.text("coordinate_transformation_mode", "half_pixel");
  const StringRef nearest = isOld(op) ? "simple" : op.text("nearest_mode", "round_prefer_floor");
  const auto kind = kModes.find(mode);
  const auto *places = llvm::find_if(allCoordinates(), [&](const Coordinates &each) { return each.name == coordinates; });
  const auto rounding = allNearest().find(nearest);
  if (places == allCoordinates().end() || rounding == allNearest().end() || kind == kModes.end())
    return op.malformed("has the mode '" + mode + "' of '" + coordinates + "', '" + nearest + "', which no opset has");
  return Interpolation{kind->second,
                       places,
                       rounding->second,
                       op.number("cubic_coeff_a", -0.75f),
                       op.flag("exclude_outside"),
                       op.flag("antialias"),
                       op.number("extrapolation_value", 0)};
}

/// The extents from those that are wanted; a policy other than stretching keeps the ratio between them.
LogicalResult setSizes(OnnxOperation &op, ArrayRef<ResizedAxis *> axes, ArrayRef<int64_t> sizes) {
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

LogicalResult setScales(OnnxOperation &op, ArrayRef<ResizedAxis *> axes, ArrayRef<float> scales,
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
  SmallVector<ResizedAxis> axes;
  for (int64_t extent : shape)
    axes.push_back({extent, extent, 1});
  FailureOr<SmallVector<int64_t>> numbers =
      op.normalizedAxes(op.list("axes", axesFrom(0, shape.size())), static_cast<int64_t>(shape.size()));
  if (failed(numbers))
    return failure();
  const auto resized = llvm::map_to_vector(*numbers, [&](int64_t axis) { return &axes[axis]; });
  const auto isGiven = [&](uint32_t position) { return op.hasInput(position) && !op.emptyInput(position); };
  if (coordinates.crops) {
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
  if (!isOld(op) && isGiven(3)) {
    FailureOr<SmallVector<int64_t>> sizes = op.integers(3, "sizes", resized.size());
    if (failed(sizes) || failed(setSizes(op, resized, *sizes)))
      return failure();
    return axes;
  }
  op.ignore({"keep_aspect_ratio_policy"});
  FailureOr<SmallVector<float>> scales = op.floats(isOld(op) ? 1 : 2, "scales");
  if (failed(scales))
    return failure();
  if (scales->size() != resized.size())
    return op.malformed("has " + Twine(scales->size()) + " scales for " + Twine(resized.size()) + " axes");
  if (failed(setScales(op, resized, *scales, coordinates)))
    return failure();
  return axes;
}

LogicalResult convertOnnxResize(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<Interpolation> how = interpolationOf(op);
  if (!input || failed(how))
    return failure();
  FailureOr<SmallVector<ResizedAxis>> axes = axesOf(op, shapeOf(input), *how->coordinates);
  if (failed(axes))
    return failure();
  if (how->kind != Interpolation::kNearest && !isa<FloatType>(elementOf(input)))
    return op.refuse("input", "element type", "integers", "FLOAT or FLOAT16 with this mode");
  if (!boundedType(op, llvm::map_to_vector(*axes, [](const ResizedAxis &axis) { return axis.out; }), elementOf(input)))
    return failure();
  SmallVector<Taps> taps;
  // A few bytes of a file must not ask for any amount of work.
  constexpr double kMostTaps = 1 << 24;
  for (const ResizedAxis &axis : *axes) {
    // The definition crops an axis whose extent stays, ONNX Runtime does not.
    if (how->coordinates->crops && axis.scale == 1 && (axis.start != 0 || axis.end != 1))
      return op.refuse("roi", "is the whole of an axis with the scale 1", "another region");
    const double count = 4 * static_cast<double>(axis.out) * (how->antialiases ? std::max(1 / axis.scale, 1.0f) : 1);
    if (!(count <= kMostTaps))
      return op.refuse("result", "number of interpolated elements along an axis", Twine(axis.out), Twine(1 << 22));
    taps.push_back(how->taps(axis));
  }
  return op.finish(how->extrapolated(op, resampled(op, input, taps), *axes));
}

constexpr OnnxConverter kConverters[] = {
    {"Resize", 10, 2, 4, convertOnnxResize},
    {"Resize", 11, 1, 4, convertOnnxResize},
    {"Upsample", 7, 2, 2, convertOnnxResize},
};

} // namespace

ArrayRef<OnnxConverter> onnxResizeConverters() { return kConverters; }

} // namespace avocet::compiler
