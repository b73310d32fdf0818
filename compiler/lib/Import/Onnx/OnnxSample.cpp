//===- OnnxSample.cpp - Images at computed places ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/PlacedWindows.h"
#include "Import/Common/Resampling.h"
#include "Import/Common/Sampler.h"
#include "OnnxWindow.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

LogicalResult convertGridSample(OnnxOperation &op) {
  const std::map<StringRef, SampleKind> kKinds = {{"nearest", SampleKind::Nearest},
                                                  {"linear", SampleKind::Linear},
                                                  {"bilinear", SampleKind::Linear},
                                                  {"cubic", SampleKind::Cubic},
                                                  {"bicubic", SampleKind::Cubic}};
  const std::map<StringRef, Outside> kOutside = {
      {"zeros", Outside::Zero}, {"border", Outside::Border}, {"reflection", Outside::Mirror}};
  Value input = op.value(0, "input"), grid = op.value(1, "grid");
  if (!input || !grid)
    return failure();
  const auto axes = static_cast<int64_t>(shapeOf(input).size()) - 2;
  const StringRef mode = op.text("mode", "linear"), padding = op.text("padding_mode", "zeros");
  const auto kind = kKinds.find(mode);
  const auto outside = kOutside.find(padding);
  const bool corners = op.flag("align_corners");
  if (axes < 1 || shapeOf(grid).size() != shapeOf(input).size() || shapeOf(grid).back() != axes ||
      shapeOf(grid).front() != shapeOf(input).front())
    return op.malformed("has a grid " + nn::textOf(shapeOf(grid)) + " for an input " + nn::textOf(shapeOf(input)));
  if (kind == kKinds.end() || outside == kOutside.end())
    return op.malformed("has the mode '" + mode + "' or padding '" + padding + "', which no opset has");
  if (!isa<FloatType>(elementOf(input)) && (kind->second != SampleKind::Nearest || outside->second == Outside::Zero))
    return op.refuse("input", "element type", "integers", "FLOAT or FLOAT16");
  return op.finish(gridSampled(op, input, grid, kind->second, outside->second, corners));
}

/// Matrices [N, 2, 3] or [N, 3, 4] times the places of all elements.
LogicalResult convertAffineGrid(OnnxOperation &op) {
  Value matrices = ofRank(op, op.value(0, "theta"), "theta", 3);
  FailureOr<SmallVector<int64_t>> size = op.integers(1, "size");
  if (!matrices || failed(size))
    return failure();
  const int64_t spatial = shapeOf(matrices)[1], batches = shapeOf(matrices)[0];
  const bool corners = op.flag("align_corners");
  if (static_cast<int64_t>(size->size()) != spatial + 2 || shapeOf(matrices)[2] != spatial + 1 ||
      size->front() != batches)
    return op.malformed("has matrices " + nn::textOf(shapeOf(matrices)) + " for a size of rank " + Twine(size->size()));
  SmallVector<int64_t> shape(ArrayRef<int64_t>(*size).drop_front(2));
  if (!nn::isBounded(shape))
    return op.refuse("size", "has 1 to 2^31 - 1 elements", "another number");
  return op.finish(affineGrid(op, matrices, shape, corners));
}

/// A bin of a region has `ratio` samples along each axis.
LogicalResult convertRoiAlign(OnnxOperation &op) {
  Value input = ofRank(op, op.value(0, "input"), "an input", 4),
        regions = castTo(op, ofRank(op, op.value(1, "rois"), "regions", 2), op.builder().getF32Type()),
        batches = op.value(2, "batch_indices");
  if (!input || !regions || !batches)
    return failure();
  const StringRef mode = op.text("mode", "avg"),
                  places =
                      op.text("coordinate_transformation_mode", op.version() < 16 ? "output_half_pixel" : "half_pixel");
  const AlignedRegions aligned{regions,
                               batches,
                               op.number("spatial_scale", 1),
                               places == "half_pixel",
                               {op.integer("output_height", 1), op.integer("output_width", 1)},
                               op.integer("sampling_ratio", 0),
                               mode == "max"};
  if (shapeOf(regions)[1] != 4 || shapeOf(batches) != shapeOf(regions).take_front(1) || aligned.bins[0] < 1 ||
      aligned.bins[1] < 1 || (mode != "avg" && mode != "max") ||
      (places != "half_pixel" && places != "output_half_pixel"))
    return op.malformed("has regions, batches or attributes that do not fit each other");
  if (aligned.ratio < 1 || aligned.ratio > 64)
    return op.refuse("sampling_ratio", "is a number of samples that does not depend on the regions",
                     Twine(aligned.ratio), "1 to 64");
  return op.finish(castTo(op, aligned.pooled(op, input), elementOf(input)));
}

LogicalResult convertDeformConv(OnnxOperation &op) {
  const auto operand = [&](uint32_t position, StringRef name, size_t rank) {
    return castTo(op, ofRank(op, op.optionalParameter(position, name), name, rank), op.builder().getF32Type());
  };
  DeformedConv conv{operand(0, "an input", 4), operand(1, "a filter", 4),    operand(2, "offsets", 4),
                    operand(3, "a bias", 1),   operand(4, "a mask", 4),      {},
                    op.integer("group", 1),    op.integer("offset_group", 1)};
  if (!conv.input || !conv.filter || !conv.offsets)
    return failure();
  const ArrayRef<int64_t> in = shapeOf(conv.input), weights = shapeOf(conv.filter), kernel = weights.drop_front(2);
  FailureOr<SpatialWindow> window = windowOf(op, op.list("kernel_shape", kernel), in.drop_front(2));
  if (failed(window))
    return failure();
  conv.window = *window;
  const auto fits = [&](Value value, int64_t numbers) {
    return value &&
           shapeOf(value) == ArrayRef<int64_t>({in[0], numbers * conv.elements(), conv.rows(), conv.columns()});
  };
  if (conv.groups < 1 || conv.parts < 1 || in[1] % conv.parts != 0 || weights[1] * conv.groups != in[1] ||
      weights[0] % conv.groups != 0 || kernel != ArrayRef<int64_t>(window->kernel) ||
      !fits(conv.offsets, conv.parts * 2) ||
      (op.hasInput(3) && (!conv.bias || shapeOf(conv.bias) != weights.take_front(1))) ||
      (op.hasInput(4) && !fits(conv.mask, conv.parts)))
    return op.malformed("has a filter, offsets, bias or mask that do not fit its input");
  return op.finish(castTo(op, conv.result(op), op.resultElement(0)));
}

/// Slides of blocks [N, C * elements of a block, blocks] are added into images.
LogicalResult convertColumnsToImage(OnnxOperation &op) {
  Value input = ofRank(op, op.value(0, "input"), "an input", 3);
  FailureOr<SmallVector<int64_t>> image = op.integers(1, "image_shape"), block = op.integers(2, "block_shape");
  if (!input || failed(image) || failed(block))
    return failure();
  FailureOr<SpatialWindow> window = windowOf(op, *block, *image);
  if (failed(window) || !nn::isBounded(*image) || !nn::isBounded(*block))
    return failed(window) ? failure() : LogicalResult(op.malformed("has an image or block without elements"));
  int64_t blocks = 1;
  for (auto [axis, extent] : llvm::enumerate(*image))
    blocks *= std::max<int64_t>(window->results(axis, extent), 0);
  if (shapeOf(input)[1] % llvm::product_of(*block) != 0 || blocks != shapeOf(input)[2])
    return op.malformed("has an input " + nn::textOf(shapeOf(input)) + " that does not have its blocks");
  return op.finish(imagesOfBlocks(op, input, *image, *window));
}

//===----------------------------------------------------------------------===//
// Resize and Upsample
//===----------------------------------------------------------------------===//

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
  const auto *places =
      llvm::find_if(allCoordinates(), [&](const Coordinates &each) { return each.name == coordinates; });
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

/// The extents from those that are wanted.
LogicalResult setSizes(OnnxOperation &op, ArrayRef<ResizedAxis *> axes, ArrayRef<int64_t> sizes) {
  const std::map<StringRef, Fit> kPolicies = {
      {"stretch", Fit::Stretched}, {"not_larger", Fit::NotLarger}, {"not_smaller", Fit::NotSmaller}};
  const StringRef given = op.text("keep_aspect_ratio_policy", "stretch");
  const auto policy = kPolicies.find(given);
  if (policy == kPolicies.end())
    return op.malformed("has the policy '" + given + "', must be stretch, not_larger or not_smaller");
  resizeTo(axes, sizes, policy->second);
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
    {"AffineGrid", 20, 2, 2, convertAffineGrid}, {"Col2Im", 18, 3, 3, convertColumnsToImage},
    {"DeformConv", 19, 3, 5, convertDeformConv}, {"GridSample", 16, 2, 2, convertGridSample},
    {"Resize", 10, 2, 4, convertOnnxResize},     {"Resize", 11, 1, 4, convertOnnxResize},
    {"RoiAlign", 10, 3, 3, convertRoiAlign},     {"Upsample", 7, 2, 2, convertOnnxResize},
};

} // namespace

ArrayRef<OnnxConverter> onnxSampleConverters() { return kConverters; }

} // namespace avocet::compiler
