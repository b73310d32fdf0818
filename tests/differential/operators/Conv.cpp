//===- Conv.cpp - Convolutions and matrix products ------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Reference.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace avocet::differential {
namespace {

using tflite::Padding;

/// One axis of a window: input extent, kernel, stride, dilation and the extent of the result.
struct Window {
  int32_t input, kernel, stride, dilation, output;
};

Window window(Draft &draft, Padding padding, bool mayDilate) {
  Window w{draft.pick(1, 13), draft.pick(1, 4), draft.pick(1, 3), 1, 0};
  if (mayDilate && draft.oneIn(3))
    w.dilation = draft.pick(2, 3);
  const int32_t reach = (w.kernel - 1) * w.dilation + 1;
  if (padding == Padding::VALID && w.input < reach)
    w.input = reach + draft.pick(0, 4);
  w.output = padding == Padding::SAME ? (w.input + w.stride - 1) / w.stride : (w.input - reach + w.stride) / w.stride;
  return w;
}

/// 8-bit weights: for one channel each, or for all together. Those of unsigned networks have a zero point.
Element weightElement(Draft &draft, int32_t channels, int32_t axis) {
  if (draft.kind() == Kind::F32)
    return Draft::plain(TensorType::FLOAT32);
  if (draft.kind() == Kind::U8)
    return {TensorType::UINT8, {static_cast<float>(draft.real(0.005, 0.05))}, {draft.pick(0, 255)}};
  Element element{.type = TensorType::INT8, .axis = axis};
  // The library reads unset memory for depthwise weights of one scale beside floats.
  const bool needsChannels = draft.kind() == Kind::Hybrid && axis == 3;
  const int32_t count = axis >= 0 && (needsChannels || !draft.oneIn(3)) ? channels : 1;
  element.axis = count == 1 ? 0 : axis;
  // Small weights beside floats: they multiply the errors of the activations' run-time quantization.
  const double least = draft.kind() == Kind::Hybrid ? 0.002 : 0.005, most = draft.kind() == Kind::Hybrid ? 0.01 : 0.05;
  for (int32_t i = 0; i < count; ++i) {
    element.scales.push_back(static_cast<float>(draft.real(least, most)));
    element.zeroPoints.push_back(0);
  }
  return element;
}

Element biasElement(const Element &input, const Element &weights) {
  if (input.scales.empty())
    return Draft::plain(TensorType::FLOAT32);
  Element bias{.type = input.type == TensorType::INT16 ? TensorType::INT64 : TensorType::INT32};
  for (float scale : weights.scales) {
    bias.scales.push_back(input.scale() * scale);
    bias.zeroPoints.push_back(0);
  }
  return bias;
}

/// A scale with which sums of `terms` products spread over the range of the type, or leave it.
Element resultElement(Draft &draft, const Element &input, const Element &weights, int32_t terms) {
  const double step = draft.kind() == Kind::I16 ? 4 : 60;
  const double spread = input.scale() * weights.scale() * std::sqrt(terms) * step * draft.real(0.4, 3);
  return draft.elementWith(static_cast<float>(spread));
}

/// Activations, weights, a bias: the kernels of convolutions do not accept its absence.
std::vector<int32_t> operands(Draft &draft, const Shape &inputShape, const Element &input, const Shape &weightShape,
                              const Element &weights, int32_t channels) {
  const Range biases = input.scales.empty() ? Range{-2, 2} : Range{-3000, 3000};
  return {draft.input(inputShape, input), draft.constant(weightShape, weights, {-1, 1}),
          draft.constant({channels}, biasElement(input, weights), biases)};
}

struct Windows {
  Padding padding;
  Window height, width;
};

Windows windows(Draft &draft) {
  const Padding padding = draft.oneIn(2) ? Padding::SAME : Padding::VALID;
  const Window height = window(draft, padding, true);
  return {padding, height, window(draft, padding, true)};
}

template <typename Options> Options windowOptions(Draft &draft, const Windows &windows) {
  Options options;
  options.padding = windows.padding;
  options.stride_h = windows.height.stride;
  options.stride_w = windows.width.stride;
  options.dilation_h = windows.height.dilation;
  options.dilation_w = windows.width.dilation;
  options.activation = draft.clamp();
  return options;
}

int32_t paddingOf(Padding padding, const Window &w) {
  const int32_t total = (w.output - 1) * w.stride + (w.kernel - 1) * w.dilation + 1 - w.input;
  return padding == Padding::SAME ? std::max(total, 0) / 2 : 0;
}

ConvGrid gridOf(const Windows &windows) {
  const auto &[padding, height, width] = windows;
  return {{paddingOf(padding, height), paddingOf(padding, width)},
          {height.stride, width.stride},
          {height.dilation, width.dilation}};
}

void drawConv(Draft &draft) {
  const Windows all = windows(draft);
  const auto &[padding, height, width] = all;
  const int32_t batch = draft.pick(1, 2), depth = draft.pick(1, 9), channels = draft.pick(1, 9);
  const Element input = draft.element(), weights = weightElement(draft, channels, 0);
  const Element result = resultElement(draft, input, weights, height.kernel * width.kernel * depth);
  auto options = windowOptions<tflite::Conv2DOptionsT>(draft, all);
  const std::vector<int32_t> tensors = operands(draft, {batch, height.input, width.input, depth}, input,
                                                {channels, height.kernel, width.kernel, depth}, weights, channels);
  const Shape shape = {batch, height.output, width.output, channels};
  draft.op(BuiltinOperator::CONV_2D, tensors, {draft.output(shape, result)}, options);
  if (draft.isQuantized())
    draft.model().expect({expectedConv(draft.model(), tensors, shape, gridOf(all),
                                       {input, weights, result, options.activation, draft.kind() != Kind::U8})});
}

void drawDepthwise(Draft &draft) {
  const Windows all = windows(draft);
  const auto &[padding, height, width] = all;
  const int32_t batch = draft.pick(1, 2), depth = draft.pick(1, 9), multiplier = draft.pick(1, 3);
  const int32_t channels = depth * multiplier;
  const Element input = draft.element(), weights = weightElement(draft, channels, 3);
  const Element result = resultElement(draft, input, weights, height.kernel * width.kernel);
  auto options = windowOptions<tflite::DepthwiseConv2DOptionsT>(draft, all);
  options.depth_multiplier = multiplier;
  draft.op(BuiltinOperator::DEPTHWISE_CONV_2D,
           operands(draft, {batch, height.input, width.input, depth}, input, {1, height.kernel, width.kernel, channels},
                    weights, channels),
           {draft.output({batch, height.output, width.output, channels}, result)}, options);
}

void drawFullyConnected(Draft &draft) {
  const int32_t batch = draft.pick(1, 5), depth = draft.pick(1, 40), channels = draft.pick(1, 20);
  const Element input = draft.element(), weights = weightElement(draft, channels, -1);
  const Element result = resultElement(draft, input, weights, depth);
  tflite::FullyConnectedOptionsT options;
  options.activation = draft.clamp();
  Shape inputShape = {batch, depth}, outputShape = {batch, channels};
  if (draft.oneIn(4)) { // more axes, which the result keeps
    options.keep_num_dims = true;
    inputShape.insert(inputShape.begin(), 2);
    outputShape.insert(outputShape.begin(), 2);
  }
  const std::vector<int32_t> tensors = operands(draft, inputShape, input, {channels, depth}, weights, channels);
  draft.op(BuiltinOperator::FULLY_CONNECTED, tensors, {draft.output(outputShape, result)}, options);
  if (draft.isQuantized())
    draft.model().expect({expectedProduct(draft.model(), tensors, {input, weights, result, options.activation})});
}

/// The matrices in the last two axes; `transposed` exchanges rows and columns.
Shape matrices(const Shape &batch, int32_t rows, int32_t columns, bool transposed) {
  Shape shape = batch;
  shape.insert(shape.end(), {transposed ? columns : rows, transposed ? rows : columns});
  return shape;
}

void drawMatmul(Draft &draft) {
  // The library supports matrices of at most four axes.
  // The library has memory for as many scales of rows as a row has elements, and for one axis of matrices.
  const bool isHybrid = draft.kind() == Kind::Hybrid;
  const Draft::Broadcast batch = draft.broadcast(isHybrid ? 1 : 2);
  const int32_t rows = draft.pick(1, 9), columns = draft.pick(1, 20);
  const int32_t depth = draft.pick(1, 40) + (isHybrid ? rows * static_cast<int32_t>(numElements(batch.result)) : 0);
  const Element left = draft.element();
  const Element right = isHybrid ? weightElement(draft, columns, -1) : draft.element();
  const Element result = resultElement(draft, left, right, depth);
  tflite::BatchMatMulOptionsT options;
  options.adj_x = !isHybrid && draft.oneIn(2);
  options.adj_y = draft.oneIn(2);
  const Shape shape = matrices(batch.result, rows, columns, false);
  const std::vector<int32_t> tensors = {
      draft.input(matrices(batch.first, rows, depth, options.adj_x), left),
      draft.operand(matrices(batch.second, depth, columns, options.adj_y), right, {-1, 1})};
  draft.op(BuiltinOperator::BATCH_MATMUL, tensors, {draft.output(shape, result)}, options);
  if (draft.isQuantized())
    draft.model().expect(
        {expectedMatmul(draft.model(), tensors, {options.adj_x, options.adj_y}, shape, {left, right, result})});
}

/// The first operand is the shape of the result.
void drawTransposeConv(Draft &draft) {
  tflite::TransposeConvOptionsT options;
  options.padding = draft.oneIn(2) ? Padding::SAME : Padding::VALID;
  options.stride_h = draft.pick(1, 3);
  options.stride_w = draft.pick(1, 3);
  const Shape kernel = {draft.pick(1, 4), draft.pick(1, 4)}, input = {draft.pick(1, 6), draft.pick(1, 6)};
  const auto extent = [&](size_t axis, int32_t stride) {
    return options.padding == Padding::SAME ? input[axis] * stride
                                            : (input[axis] - 1) * stride + std::max(kernel[axis], stride);
  };
  const int32_t batch = draft.pick(1, 2), depth = draft.pick(1, 5), channels = draft.pick(1, 5);
  const Shape result = {batch, extent(0, options.stride_h), extent(1, options.stride_w), channels};
  const Element element = draft.element(), weights = weightElement(draft, channels, 0);
  const std::vector<int32_t> tensors = operands(draft, {batch, input[0], input[1], depth}, element,
                                                {channels, kernel[0], kernel[1], depth}, weights, channels);
  std::vector<int32_t> ordered = {draft.integers({result.begin(), result.end()}), tensors[1], tensors[0]};
  if (draft.oneIn(2))
    ordered.push_back(tensors[2]);
  draft.op(BuiltinOperator::TRANSPOSE_CONV, ordered,
           {draft.output(result, resultElement(draft, element, weights, kernel[0] * kernel[1] * depth))}, options);
}

/// Depth, height and width of a volume.
using Volume = std::array<Window, 3>;

Shape shapeOf(const Volume &volume, int32_t Window::*extent, int32_t batch, int32_t channels) {
  return {batch, volume[0].*extent, volume[1].*extent, volume[2].*extent, channels};
}

tflite::Conv3DOptionsT volumeOptions(Draft &draft, Padding padding, const Volume &volume) {
  const auto &[depth, height, width] = volume;
  tflite::Conv3DOptionsT options;
  options.padding = padding;
  options.stride_d = depth.stride, options.stride_h = height.stride, options.stride_w = width.stride;
  options.dilation_d = depth.dilation, options.dilation_h = height.dilation, options.dilation_w = width.dilation;
  options.activation = draft.clamp();
  return options;
}

void drawConv3d(Draft &draft) {
  const Padding padding = draft.oneIn(2) ? Padding::SAME : Padding::VALID;
  const Volume volume = {window(draft, padding, true), window(draft, padding, true), window(draft, padding, true)};
  // The library's dilated form exchanges the extents of depth and channels, and reads past the end if there are more
  // channels.
  const bool isDilated = std::ranges::any_of(volume, [](const Window &w) { return w.dilation > 1; });
  const int32_t mostInputs = std::min(3, isDilated ? volume[0].input : 3);
  const int32_t batch = draft.pick(1, 2), inputs = draft.pick(1, mostInputs), channels = draft.pick(1, 5);
  const Element element = draft.element();
  std::vector<int32_t> tensors =
      operands(draft, shapeOf(volume, &Window::input, batch, inputs), element,
               {volume[0].kernel, volume[1].kernel, volume[2].kernel, inputs, channels}, element, channels);
  if (draft.oneIn(3))
    tensors.pop_back();
  draft.op(BuiltinOperator::CONV_3D, tensors,
           {draft.output(shapeOf(volume, &Window::output, batch, channels), element)},
           volumeOptions(draft, padding, volume));
}

/// A window of which the input is what a convolution of the result gives.
Window transposedWindow(Draft &draft, Padding padding) {
  Window w{draft.pick(1, 5), draft.pick(1, 4), draft.pick(1, 3), draft.oneIn(4) ? 2 : 1, 0};
  const int32_t reach = (w.kernel - 1) * w.dilation + 1, more = draft.pick(0, w.stride - 1);
  w.output = padding == Padding::SAME ? w.input * w.stride - more : (w.input - 1) * w.stride + reach + more;
  return w;
}

/// With SAME.
int32_t paddingBefore(const Window &w) {
  return std::max((w.input - 1) * w.stride + (w.kernel - 1) * w.dilation + 1 - w.output, 0) / 2;
}

/// The first operand is the shape of the result.
void drawConv3dTranspose(Draft &draft) {
  const Padding padding = draft.oneIn(2) ? Padding::SAME : Padding::VALID;
  Volume volume = {transposedWindow(draft, padding), transposedWindow(draft, padding),
                   transposedWindow(draft, padding)};
  // The library pads the end of the depth with the padding before the height.
  if (padding == Padding::SAME && paddingBefore(volume[0]) > paddingBefore(volume[1]))
    std::swap(volume[0], volume[1]);
  const bool hasBias = draft.oneIn(2);
  // The library wants a bias for each input channel.
  const int32_t batch = draft.pick(1, 2), inputs = draft.pick(1, 5), channels = hasBias ? inputs : draft.pick(1, 5);
  const Element element = draft.element();
  const Shape result = shapeOf(volume, &Window::output, batch, channels);
  const std::vector<int32_t> tensors =
      operands(draft, shapeOf(volume, &Window::input, batch, inputs), element,
               {volume[0].kernel, volume[1].kernel, volume[2].kernel, channels, inputs}, element, channels);
  std::vector<int32_t> ordered = {draft.integers({result.begin(), result.end()}), tensors[1], tensors[0]};
  if (hasBias)
    ordered.push_back(tensors[2]);
  draft.op(BuiltinOperator::CONV_3D_TRANSPOSE, ordered, {draft.output(result, element)},
           volumeOptions(draft, padding, volume));
}

constexpr KnownDifference kMatrixRounding = {
    1, "the matrix library rounds the product with a multiplier once, the reference twice"};

const std::vector<Kind> kWithHybrid = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::Hybrid};

const Row kRows[] = {
    {BuiltinOperator::BATCH_MATMUL,
     {Kind::F32, Kind::I8, Kind::I16, Kind::Hybrid},
     drawMatmul,
     kTolerance,
     kMatrixRounding},
    {BuiltinOperator::CONV_2D, kWithHybrid, drawConv, kTolerance, kMatrixRounding},
    {BuiltinOperator::CONV_3D, kFloatKinds, drawConv3d},
    {BuiltinOperator::CONV_3D_TRANSPOSE, kFloatKinds, drawConv3dTranspose},
    {BuiltinOperator::DEPTHWISE_CONV_2D, kWithHybrid, drawDepthwise},
    {BuiltinOperator::TRANSPOSE_CONV, kRealKinds, drawTransposeConv},
    {BuiltinOperator::FULLY_CONNECTED, kWithHybrid, drawFullyConnected, kTolerance, kMatrixRounding},
};

} // namespace

std::span<const Row> convRows() { return kRows; }

} // namespace avocet::differential
