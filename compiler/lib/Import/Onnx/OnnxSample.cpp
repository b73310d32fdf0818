//===- OnnxSample.cpp - Images at computed places ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Import/Common/Constants.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Formula.h"
#include "Import/Common/Sampler.h"
#include "OnnxMatrix.h"
#include "OnnxWindow.h"
#include "avocet/kernels/dsp/Scatter.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using nn::UnaryKind;

/// One coordinate of the last axis.
Value component(OnnxOperation &op, Value value, int64_t index) {
  SmallVector<int64_t> begin(shapeOf(value).size(), 0), shape(shapeOf(value));
  begin.back() = index;
  shape.back() = 1;
  Value part = slice(op, value, begin, shape);
  shape.pop_back();
  return reshape(op, part, shape);
}

std::optional<Outside> outsideOf(StringRef mode) {
  if (mode == "zeros")
    return Outside::Zero;
  return mode == "border"       ? std::optional(Outside::Border)
         : mode == "reflection" ? std::optional(Outside::Mirror)
                                : std::nullopt;
}

LogicalResult convertGridSample(OnnxOperation &op) {
  const Type f32 = op.builder().getF32Type();
  Value input = op.value(0, "input"), grid = op.value(1, "grid");
  if (!input || !grid)
    return failure();
  const auto spatial = static_cast<int64_t>(shapeOf(input).size()) - 2;
  const StringRef mode = op.text("mode", "linear"), padding = op.text("padding_mode", "zeros");
  const std::optional<Outside> outside = outsideOf(padding);
  const bool corners = op.flag("align_corners"), isNearest = mode == "nearest",
             isCubic = mode == "cubic" || mode == "bicubic";
  if (spatial < 1 || shapeOf(grid).size() != shapeOf(input).size() || shapeOf(grid).back() != spatial ||
      shapeOf(grid).front() != shapeOf(input).front())
    return op.malformed("has a grid " + nn::textOf(shapeOf(grid)) + " for an input " + nn::textOf(shapeOf(input)));
  if (!outside || (!isNearest && !isCubic && mode != "linear" && mode != "bilinear"))
    return op.malformed("has the mode '" + mode + "' or padding '" + padding + "', which no opset has");
  const Type element = elementOf(input);
  const bool isMoved = isNearest && *outside != Outside::Zero;
  if (!isa<FloatType>(element) && !isMoved)
    return op.refuse("input", "element type", "integers", "FLOAT or FLOAT16");
  Value images = channelsLast(op, isMoved ? input : castTo(op, input, f32));
  if (!images)
    return failure();
  Sampler sampler(op, images, *outside, /*mirrorsEdges=*/!corners);
  Formula &f = sampler.formula();
  SmallVector<AxisTaps> taps;
  for (int64_t axis = 0; axis < spatial; ++axis) {
    const double extent = sampler.extent(axis);
    // The last coordinate is that of the first axis.
    Value part = castTo(op, component(op, grid, spatial - 1 - axis), f32);
    Value place = corners ? f.mul(f.add(part, 1), (extent - 1) / 2) : f.div(f.sub(f.mul(f.add(part, 1), extent), 1), 2);
    if (isNearest)
      place = f.apply(UnaryKind::Round, place);
    // Of a cubic sample each element that it reads is brought inside, not the place between them.
    taps.push_back(isCubic     ? sampler.cubic(axis, place)
                   : isNearest ? sampler.nearest(axis, sampler.inside(axis, place))
                               : sampler.linear(axis, sampler.inside(axis, place)));
  }
  Value sampled = sampler.sum(taps, sampler.ownImages(spatial + 1));
  return op.finish(castTo(op, channelsFirst(op, sampled), element));
}

/// Places of the elements of an axis in [-1, 1].
float placeIn(int64_t i, int64_t extent, bool corners) {
  const auto x = static_cast<double>(i), count = static_cast<double>(extent);
  return static_cast<float>(corners ? (extent > 1 ? 2 * x / (count - 1) - 1 : 1) : (2 * x + 1) / count - 1);
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
  const int64_t count = llvm::product_of(shape);
  const auto type = RankedTensorType::get({count, spatial + 1}, op.builder().getF32Type());
  if (failed(checkComputedBytes(op, "size", type)))
    return failure();
  std::vector<float> places;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (int64_t extent : llvm::reverse(shape)) {
      places.push_back(placeIn(rest % extent, extent, corners));
      rest /= extent;
    }
    places.push_back(1);
  }
  Value rows = castTo(op, float32Constant(op, {count, spatial + 1}, places), elementOf(matrices));
  Value grid = matrixProduct(op, rows, matrices, false, /*transposeRhs=*/true);
  shape.insert(shape.begin(), batches);
  shape.push_back(spatial);
  return op.finish(grid ? reshape(op, grid, shape) : grid);
}

/// A bin of a region has `ratio` samples along each axis.
LogicalResult convertRoiAlign(OnnxOperation &op) {
  const Type f32 = op.builder().getF32Type();
  Value images = channelsLast(op, castTo(op, ofRank(op, op.value(0, "input"), "an input", 4), f32));
  Value regions = castTo(op, ofRank(op, op.value(1, "rois"), "regions", 2), f32),
        batches = op.value(2, "batch_indices");
  if (!images || !regions || !batches)
    return failure();
  const int64_t count = shapeOf(regions)[0], ratio = op.integer("sampling_ratio", 0),
                bins[] = {op.integer("output_height", 1), op.integer("output_width", 1)};
  const StringRef mode = op.text("mode", "avg"),
                  places =
                      op.text("coordinate_transformation_mode", op.version() < 16 ? "output_half_pixel" : "half_pixel");
  const double scale = op.number("spatial_scale", 1), offset = places == "half_pixel" ? 0.5 : 0;
  if (shapeOf(regions)[1] != 4 || shapeOf(batches) != ArrayRef<int64_t>(count) || bins[0] < 1 || bins[1] < 1 ||
      (mode != "avg" && mode != "max") || (places != "half_pixel" && places != "output_half_pixel"))
    return op.malformed("has regions, batches or attributes that do not fit each other");
  if (ratio < 1 || ratio > 64)
    return op.refuse("sampling_ratio", "is a number of samples that does not depend on the regions", Twine(ratio),
                     "1 to 64");
  Sampler sampler(op, images, Outside::Border);
  Formula &f = sampler.formula();
  SmallVector<AxisTaps> taps;
  for (int64_t axis : {0, 1}) {
    Value low = f.sub(f.mul(component(op, regions, 1 - axis), scale), offset);
    Value high = f.sub(f.mul(component(op, regions, 3 - axis), scale), offset);
    Value length = f.sub(high, low);
    if (offset == 0)
      length = f.max(length, 1);
    const int64_t samples = bins[axis] * ratio;
    SmallVector<float> centers;
    for (int64_t i = 0; i < samples; ++i)
      centers.push_back((static_cast<float>(i) + 0.5f) / static_cast<float>(samples));
    const SmallVector<int64_t> column{count, 1, 1},
        line = axis == 0 ? SmallVector<int64_t>{samples, 1} : SmallVector<int64_t>{samples};
    Value place =
        f.add(f.mul(reshape(op, length, column), float32Constant(op, line, centers)), reshape(op, low, column));
    // Beyond one element outside nothing is read.
    const double middle = (sampler.extent(axis) - 1) / 2;
    Value distance = f.apply(UnaryKind::Abs, f.sub(place, middle));
    Value counts = castTo(op, f.compare(distance, nn::CompareKind::LessEqual, middle + 1), f32);
    taps.push_back(sampler.linear(axis, sampler.inside(axis, place)));
    for (AxisTap &tap : taps.back())
      tap.weight = f.mul(tap.weight, counts);
  }
  Value owners = castTo(op, reshape(op, batches, {count, 1, 1}), op.builder().getI32Type());
  Value sampled;
  for (Value each : sampler.products(taps, owners))
    sampled = !sampled ? each : mode == "max" ? f.max(sampled, each) : f.add(sampled, each);
  if (!sampled)
    return failure();
  Value split = reshape(op, sampled, {count, bins[0], ratio, bins[1], ratio, shapeOf(images)[3]});
  Value pooled = mode == "max" ? f.reduce(nn::ReduceKind::Max, split, {2, 4}, /*keep=*/false)
                               : f.mean(split, {2, 4}, /*keep=*/false);
  return op.finish(castTo(op, channelsFirst(op, pooled), op.resultElement(0)));
}

/// `count` elements of an axis, from `first` on.
Value range(OnnxOperation &op, Value value, size_t axis, int64_t first, int64_t count) {
  if (!value)
    return {};
  SmallVector<int64_t> begin(shapeOf(value).size(), 0), shape(shapeOf(value));
  begin[axis] = first;
  shape[axis] = count;
  return slice(op, value, begin, shape);
}

/// Operands and sizes of a convolution whose windows read at computed places.
struct DeformConv {
  OnnxOperation &op;
  Value input, filter, offsets, bias, mask;
  OnnxWindow window;
  int64_t batches, channels, rows, columns, elements; ///< rows and columns of the result, elements of a window

  /// What the windows read of some channels of the input, [N, elements, rows, columns, channels].
  Value windows(int64_t part, int64_t parts) const {
    Sampler sampler(op, channelsLast(op, range(op, input, 1, part * (channels / parts), channels / parts)),
                    Outside::Zero);
    Formula &f = sampler.formula();
    Value moves =
        reshape(op, range(op, offsets, 1, part * elements * 2, elements * 2), {batches, elements, 2, rows, columns});
    SmallVector<AxisTaps> taps;
    for (size_t axis : {0, 1}) {
      const int64_t count = axis == 0 ? rows : columns, width = window.kernel[1];
      SmallVector<float> places;
      for (int64_t element = 0; element < elements; ++element)
        for (int64_t i = 0; i < count; ++i)
          places.push_back(static_cast<float>(i * window.stride[axis] - window.pad.low[axis] +
                                              (axis == 0 ? element / width : element % width) * window.dilation[axis]));
      Value move = reshape(op, range(op, moves, 2, static_cast<int64_t>(axis), 1), {batches, elements, rows, columns});
      Value grid = float32Constant(op, {elements, axis == 0 ? count : 1, axis == 0 ? 1 : count}, places);
      taps.push_back(sampler.linear(axis, f.add(move, grid)));
    }
    Value sampled = sampler.sum(taps, sampler.ownImages(4));
    if (!mask)
      return sampled;
    Value weights = reshape(op, range(op, mask, 1, part * elements, elements), {batches, elements, rows, columns, 1});
    return f.mul(sampled, weights);
  }

  /// The products of one group of channels with its filters, [N, rows, columns, filters].
  Value product(Value windows, int64_t group, int64_t groups) const {
    const int64_t filters = shapeOf(filter)[0] / groups, depth = shapeOf(filter)[1];
    Value lhs = reshape(op, range(op, windows, 3, group * depth, depth), {batches, rows, columns, depth * elements});
    Value weights = reshape(op, range(op, filter, 0, group * filters, filters), {filters, depth * elements});
    nn::ConstantOp folded = weights ? foldedConstant(op, weights) : nn::ConstantOp();
    Value addend = bias ? range(op, bias, 0, group * filters, filters) : Value();
    return matrixProduct(op, lhs, folded ? Value(folded) : weights, false, /*transposeRhs=*/true, addend);
  }
};

LogicalResult convertDeformConv(OnnxOperation &op) {
  const Type f32 = op.builder().getF32Type();
  const auto operand = [&](uint32_t position, StringRef name, size_t rank) {
    Value value = op.hasInput(position) ? op.parameter(position, name) : Value();
    return castTo(op, ofRank(op, value, name, rank), f32);
  };
  Value input = operand(0, "an input", 4), filter = operand(1, "a filter", 4), offsets = operand(2, "offsets", 4);
  if (!input || !filter || !offsets)
    return failure();
  const ArrayRef<int64_t> in = shapeOf(input), weights = shapeOf(filter);
  FailureOr<OnnxWindow> window = windowOf(op, op.list("kernel_shape", weights.drop_front(2)), in.drop_front(2));
  if (failed(window))
    return failure();
  DeformConv conv{op,
                  input,
                  filter,
                  offsets,
                  operand(3, "a bias", 1),
                  operand(4, "a mask", 4),
                  *window,
                  in[0],
                  in[1],
                  window->results(0, in[2]),
                  window->results(1, in[3]),
                  llvm::product_of(window->kernel)};
  const int64_t groups = op.integer("group", 1), parts = op.integer("offset_group", 1);
  const auto fits = [&](Value value, int64_t numbers) {
    return shapeOf(value) == ArrayRef<int64_t>({conv.batches, numbers, conv.rows, conv.columns});
  };
  if (groups < 1 || parts < 1 || conv.channels % parts != 0 || weights[1] * groups != conv.channels ||
      weights[0] % groups != 0 || weights.drop_front(2) != ArrayRef<int64_t>(window->kernel) ||
      !fits(offsets, parts * conv.elements * 2) ||
      (op.hasInput(3) && (!conv.bias || shapeOf(conv.bias) != weights.take_front(1))) ||
      (op.hasInput(4) && (!conv.mask || !fits(conv.mask, parts * conv.elements))))
    return op.malformed("has a filter, offsets, bias or mask that do not fit its input");
  SmallVector<Value> windows, products;
  for (int64_t part = 0; part < parts; ++part)
    windows.push_back(conv.windows(part, parts));
  Value all = transpose(op, concatenate(op, windows, 4), {0, 2, 3, 4, 1});
  for (int64_t group = 0; group < groups; ++group)
    products.push_back(conv.product(all, group, groups));
  return op.finish(castTo(op, channelsFirst(op, concatenate(op, products, 3)), op.resultElement(0)));
}

/// Slides of blocks [N, C * elements of a block, blocks] are added into images.
LogicalResult convertColumnsToImage(OnnxOperation &op) {
  Value input = ofRank(op, op.value(0, "input"), "an input", 3);
  FailureOr<SmallVector<int64_t>> image = op.integers(1, "image_shape"), block = op.integers(2, "block_shape");
  if (!input || failed(image) || failed(block))
    return failure();
  FailureOr<OnnxWindow> window = windowOf(op, *block, *image);
  if (failed(window) || !nn::isBounded(*image) || !nn::isBounded(*block))
    return failed(window) ? failure() : LogicalResult(op.malformed("has an image or block without elements"));
  SmallVector<int64_t> blocks;
  for (auto [axis, extent] : llvm::enumerate(*image))
    blocks.push_back(window->results(axis, extent));
  const int64_t elements = llvm::product_of(*block), pixels = llvm::product_of(*image), batches = shapeOf(input)[0],
                channels = shapeOf(input)[1] / elements, slides = shapeOf(input)[2];
  if (channels * elements != shapeOf(input)[1] || llvm::any_of(blocks, [](int64_t each) { return each < 1; }) ||
      llvm::product_of(blocks) != slides)
    return op.malformed("has an input " + nn::textOf(shapeOf(input)) + " that does not have its blocks");
  // In the order of the input: the pixel of each element of each block; padding is left out.
  SmallVector<int32_t> places;
  for (int64_t i = 0; i < elements * slides; ++i) {
    int64_t element = i / slides, slide = i % slides, pixel = 0, stride = 1;
    for (size_t axis = image->size(); axis-- > 0;) {
      const int64_t at = slide % blocks[axis] * window->stride[axis] +
                         element % (*block)[axis] * window->dilation[axis] - window->pad.low[axis];
      pixel = pixel < 0 || at < 0 || at >= (*image)[axis] ? -1 : pixel + at * stride;
      stride *= (*image)[axis];
      slide /= blocks[axis];
      element /= (*block)[axis];
    }
    places.push_back(pixel < 0 ? kernels::kLeftOut : static_cast<int32_t>(pixel));
  }
  const int64_t maps = batches * channels;
  const auto type = RankedTensorType::get({pixels, maps}, elementOf(input));
  Value rows = transpose(op, reshape(op, input, {maps, elements * slides}), {1, 0});
  Value sums = create<nn::ScatterNdOp>(op, filled(op, type, op.builder().getZeroAttr(elementOf(input))),
                                       int32Constant(op, {elements * slides, 1}, places), rows, nn::ScatterKind::Sum);
  SmallVector<int64_t> shape{batches, channels};
  llvm::append_range(shape, *image);
  return op.finish(reshape(op, transpose(op, sums, {1, 0}), shape));
}

/// Cuts or pads each axis at both ends, at the second one by one more.
LogicalResult convertCenterCropPad(OnnxOperation &op) {
  Value input = op.value(0, "input");
  FailureOr<SmallVector<int64_t>> wanted = op.integers(1, "shape");
  if (!input || failed(wanted))
    return failure();
  const size_t rank = shapeOf(input).size();
  const SmallVector<int64_t> axes = op.list("axes", llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  if (axes.size() != wanted->size())
    return op.malformed("has " + Twine(wanted->size()) + " extents for " + Twine(axes.size()) + " axes");
  SmallVector<int64_t> begin(rank, 0), shape(shapeOf(input));
  Amounts amounts{begin, begin};
  for (auto [each, extent] : llvm::zip(axes, *wanted)) {
    FailureOr<int64_t> axis = op.normalizedAxis(each, static_cast<int64_t>(rank));
    if (failed(axis))
      return failure();
    if (extent < 1 || extent > INT32_MAX)
      return op.refuse("shape", "is positive", Twine(extent));
    const int64_t more = extent - shapeOf(input)[*axis];
    begin[*axis] = std::max<int64_t>(-more / 2, 0);
    shape[*axis] = std::min(shape[*axis], extent);
    amounts.low[*axis] = std::max<int64_t>(more / 2, 0);
    amounts.high[*axis] = std::max<int64_t>(more - more / 2, 0);
  }
  if (shape != shapeOf(input))
    input = slice(op, input, begin, shape);
  return op.finish(pad(op, input, amounts));
}

constexpr OnnxConverter kConverters[] = {
    {"AffineGrid", 20, 2, 2, convertAffineGrid}, {"CenterCropPad", 18, 2, 2, convertCenterCropPad},
    {"Col2Im", 18, 3, 3, convertColumnsToImage}, {"DeformConv", 19, 3, 5, convertDeformConv},
    {"GridSample", 16, 2, 2, convertGridSample}, {"RoiAlign", 10, 3, 3, convertRoiAlign},
};

} // namespace

ArrayRef<OnnxConverter> onnxSampleConverters() { return kConverters; }

} // namespace avocet::compiler
