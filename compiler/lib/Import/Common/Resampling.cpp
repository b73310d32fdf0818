//===- Resampling.cpp - Interpolation along axes ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resampling.h"

#include "Constants.h"
#include "Formula.h"
#include "Moves.h"

#include "avocet/kernels/dsp/Resize.h"

#include <cmath>

using namespace mlir;

namespace avocet::compiler {
namespace {

/// A form of nn.resize.
struct ImageForm {
  nn::ResizeKind kind;
  bool corners, centers;
};

constexpr ImageForm kForms[] = {
    {nn::ResizeKind::Nearest, false, false}, {nn::ResizeKind::Nearest, false, true},
    {nn::ResizeKind::Nearest, true, false},  {nn::ResizeKind::Bilinear, false, false},
    {nn::ResizeKind::Bilinear, false, true}, {nn::ResizeKind::Bilinear, true, false},
};

/// The pixels that the form reads for position `at`, as its kernel computes them.
kernels::ResizeSource pixelsOf(const ImageForm &form, int64_t in, int64_t out, int64_t at) {
  kernels::ResizeParameters parameters;
  parameters.kind = form.kind == nn::ResizeKind::Nearest ? kernels::ResizeKind::Nearest : kernels::ResizeKind::Bilinear;
  parameters.alignCorners = form.corners;
  parameters.halfPixelCenters = form.centers;
  parameters.inputHeight = static_cast<uint32_t>(in);
  parameters.outputHeight = static_cast<uint32_t>(out);
  return kernels::sourceOf(parameters, {static_cast<uint32_t>(at), 1});
}

/// The place between pixels that a bilinear form reads.
double placeOf(const ImageForm &form, int64_t in, int64_t out, int64_t at) {
  const double scale = form.corners && out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1)
                                               : static_cast<double>(in) / static_cast<double>(out);
  const double place = form.centers ? (static_cast<double>(at) + 0.5) * scale - 0.5 : static_cast<double>(at) * scale;
  return std::clamp(place, 0.0, static_cast<double>(in - 1));
}

/// Whether the taps are those of the form; weights may differ as much as floats are rounded.
bool isForm(const ImageForm &form, const Taps &taps, int64_t in) {
  const auto out = static_cast<int64_t>(taps.size());
  for (int64_t at = 0; at < out; ++at) {
    if (form.kind == nn::ResizeKind::Nearest) {
      if (taps[at].size() != 1 || taps[at][0].weight != 1 || pixelsOf(form, in, out, at).firstRow != taps[at][0].index)
        return false;
      continue;
    }
    double place = 0, total = 0;
    for (const Tap &tap : taps[at]) {
      place += tap.weight * static_cast<double>(tap.index);
      total += tap.weight;
    }
    if (taps[at].size() > 2 || taps[at].back().index - taps[at].front().index > 1 || std::abs(total - 1) > 1e-5 ||
        std::abs(place - placeOf(form, in, out, at)) > 1e-5 * static_cast<double>(std::max<int64_t>(in, 8)) / 8)
      return false;
  }
  return true;
}

bool isIdentity(const Taps &taps, int64_t in) {
  if (taps.empty())
    return true;
  for (auto [at, each] : llvm::enumerate(taps))
    if (each.size() != 1 || each[0].weight != 1 || each[0].index != static_cast<int64_t>(at))
      return false;
  return static_cast<int64_t>(taps.size()) == in;
}

bool hasImages(Type element) { return element.isF32() || element.isF16(); }

/// Resizes axis `height`, and the next one if it has taps, as the height and width of images with channels last.
Value imagesResized(ImportedOperation &op, Value input, size_t height, ArrayRef<Taps> taps, const ImageForm &form) {
  const ArrayRef<int64_t> shape = shapeOf(input);
  const bool hasWidth = height + 1 < shape.size() && !taps[height + 1].empty();
  const size_t end = height + (hasWidth ? 2 : 1);
  const SmallVector<int64_t> size{static_cast<int64_t>(taps[height].size()),
                                  hasWidth ? static_cast<int64_t>(taps[height + 1].size()) : 1};
  const int64_t rows = shape[height], columns = hasWidth ? shape[height + 1] : 1;
  const int64_t inner = llvm::product_of(shape.drop_front(end), int64_t(1));
  // The axis before is the one of channels if none comes after.
  const bool movesChannels = inner == 1 && height > 0;
  const int64_t channels = movesChannels ? shape[height - 1] : inner;
  const int64_t batches = tensorOf(input).getNumElements() / (rows * columns * channels);
  Value images = movesChannels ? transpose(op, reshape(op, input, {batches, channels, rows, columns}), {0, 2, 3, 1})
                               : reshape(op, input, {batches, rows, columns, channels});
  Value resized = create<nn::ResizeOp>(op, images, form.kind, size, form.corners, form.centers);
  if (movesChannels)
    resized = transpose(op, resized, {0, 3, 1, 2});
  SmallVector<int64_t> result(shape);
  for (size_t axis = height; axis < end; ++axis)
    result[axis] = size[axis - height];
  return reshape(op, resized, result);
}

Value selected(ImportedOperation &op, Value input, int64_t axis, const Taps &taps, size_t place = 0) {
  SmallVector<int32_t> indices;
  for (const auto &each : taps)
    indices.push_back(static_cast<int32_t>(each[std::min(place, each.size() - 1)].index));
  return create<nn::GatherOp>(op, input, int32Constant(op, {static_cast<int64_t>(taps.size())}, indices), axis);
}

/// Weights of integers are whole numbers.
Value weightsOf(ImportedOperation &op, Type element, ArrayRef<int64_t> shape, ArrayRef<float> weights) {
  if (!isa<IntegerType>(element))
    return float32Constant(op, shape, weights);
  const auto type = RankedTensorType::get(shape, element);
  const auto elements = llvm::map_to_vector(
      weights, [&](float weight) -> Attribute { return IntegerAttr::get(element, static_cast<int64_t>(weight)); });
  return nn::ConstantOp::create(op.builder(), op.location(), type, DenseElementsAttr::get(type, elements));
}

/// A gather for each tap, times its weight.
Value sumOfGathers(ImportedOperation &op, Value input, int64_t axis, const Taps &taps, size_t count) {
  Value sum;
  const auto line = lineShape(shapeOf(input).size() - axis, 0, static_cast<int64_t>(taps.size()));
  for (size_t place = 0; place < count; ++place) {
    SmallVector<float> weights;
    for (const auto &each : taps)
      weights.push_back(place < each.size() ? each[place].weight : 0);
    Value part = multiply(op, selected(op, input, axis, taps, place), weightsOf(op, elementOf(input), line, weights));
    sum = sum ? add(op, sum, part) : part;
  }
  return sum;
}

/// The axis as the last one, times a constant matrix.
Value productWithMatrix(ImportedOperation &op, Value input, int64_t axis, const Taps &taps) {
  const auto rank = static_cast<int64_t>(shapeOf(input).size()), in = shapeOf(input)[axis],
             out = static_cast<int64_t>(taps.size());
  const auto type = RankedTensorType::get({out, in}, op.builder().getF32Type());
  if (failed(checkComputedBytes(op, "result", type)))
    return {};
  std::vector<float> matrix(static_cast<size_t>(out * in), 0);
  for (auto [row, each] : llvm::enumerate(taps))
    for (const Tap &tap : each)
      matrix[row * in + tap.index] = tap.weight;
  Value rows = moveAxis(op, input, axis, rank - 1), weights = float32Constant(op, {out, in}, matrix);
  Value product = createAs<nn::FullyConnectedOp>(op, elementOf(input), rows, weights, Value(), /*keepDims=*/true,
                                                 nn::Activation::kNone);
  return moveAxis(op, product, rank - 1, axis);
}

Value axisResampled(ImportedOperation &op, Value input, int64_t axis, const Taps &taps) {
  if (!input || isIdentity(taps, shapeOf(input)[axis]))
    return input;
  if (isSelection(taps))
    return selected(op, input, axis, taps);
  // Products of the array cost less than three steps of the vector engine for each tap, unless there are far more.
  constexpr int64_t kProductsPerTap = 32;
  size_t most = 0;
  for (const auto &each : taps)
    most = std::max(most, each.size());
  const bool usesMatrix = shapeOf(input)[axis] <= kProductsPerTap * static_cast<int64_t>(most) || most > 8;
  return usesMatrix && isa<FloatType>(elementOf(input)) ? productWithMatrix(op, input, axis, taps)
                                                        : sumOfGathers(op, input, axis, taps, most);
}

} // namespace

bool isSelection(const Taps &taps) {
  return llvm::all_of(taps, [](const auto &each) { return each.size() == 1 && each[0].weight == 1; });
}

Value resampled(ImportedOperation &op, Value input, ArrayRef<Taps> all) {
  if (!input)
    return {};
  const Type element = elementOf(input);
  SmallVector<Taps> taps(all);
  for (auto [each, extent] : llvm::zip_equal(taps, shapeOf(input)))
    if (isIdentity(each, extent))
      each.clear();
  for (size_t axis = taps.size(); input && axis-- > 0;) {
    if (taps[axis].empty())
      continue;
    const bool isPair = axis > 0 && !taps[axis - 1].empty();
    const size_t height = isPair ? axis - 1 : axis;
    const ArrayRef<int64_t> shape = shapeOf(input);
    const auto *form = llvm::find_if(kForms, [&](const ImageForm &each) {
      return hasImages(element) && isForm(each, taps[height], shape[height]) && isForm(each, taps[axis], shape[axis]);
    });
    if (form != std::end(kForms)) {
      input = imagesResized(op, input, height, taps, *form);
      taps[axis].clear();
      taps[height].clear();
      continue;
    }
    const bool widens = element.isF16() && !isSelection(taps[axis]);
    Value wide = widens ? castTo(op, input, op.builder().getF32Type()) : input;
    input = castTo(op, axisResampled(op, wide, static_cast<int64_t>(axis), taps[axis]), element);
    taps[axis].clear();
  }
  return input;
}

//===----------------------------------------------------------------------===//
// Which elements a resized axis reads
//===----------------------------------------------------------------------===//

// Floats are those of ONNX Runtime, as places may lie between two elements.

void resizeTo(ArrayRef<ResizedAxis *> axes, ArrayRef<int64_t> extents, Fit fit) {
  for (auto [axis, extent] : llvm::zip_equal(axes, extents)) {
    axis->out = extent;
    axis->scale = static_cast<float>(extent) / static_cast<float>(axis->in);
  }
  if (fit == Fit::Stretched)
    return;
  const auto isSmaller = [](const ResizedAxis *a, const ResizedAxis *b) { return a->scale < b->scale; };
  const float scale =
      (fit == Fit::NotLarger ? *llvm::min_element(axes, isSmaller) : *llvm::max_element(axes, isSmaller))->scale;
  for (ResizedAxis *axis : axes) {
    axis->scale = scale;
    axis->out = static_cast<int64_t>(std::floor(scale * static_cast<float>(axis->in) + 0.5f));
  }
}

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
