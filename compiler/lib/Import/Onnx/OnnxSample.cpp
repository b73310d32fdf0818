//===- OnnxSample.cpp - Images at computed places ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/PlacedWindows.h"
#include "Import/Common/Sampler.h"
#include "OnnxWindow.h"

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
  DeformedConv conv{operand(0, "an input", 4), operand(1, "a filter", 4), operand(2, "offsets", 4),
                    operand(3, "a bias", 1),   operand(4, "a mask", 4),   {},
                    op.integer("group", 1),    op.integer("offset_group", 1)};
  if (!conv.input || !conv.filter || !conv.offsets)
    return failure();
  const ArrayRef<int64_t> in = shapeOf(conv.input), weights = shapeOf(conv.filter), kernel = weights.drop_front(2);
  FailureOr<SpatialWindow> window = windowOf(op, op.list("kernel_shape", kernel), in.drop_front(2));
  if (failed(window))
    return failure();
  conv.window = *window;
  const auto fits = [&](Value value, int64_t numbers) {
    return value && shapeOf(value) == ArrayRef<int64_t>({in[0], numbers * conv.elements(), conv.rows(), conv.columns()});
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

constexpr OnnxConverter kConverters[] = {
    {"AffineGrid", 20, 2, 2, convertAffineGrid}, {"Col2Im", 18, 3, 3, convertColumnsToImage},
    {"DeformConv", 19, 3, 5, convertDeformConv}, {"GridSample", 16, 2, 2, convertGridSample},
    {"RoiAlign", 10, 3, 3, convertRoiAlign},
};

} // namespace

ArrayRef<OnnxConverter> onnxSampleConverters() { return kConverters; }

} // namespace avocet::compiler
