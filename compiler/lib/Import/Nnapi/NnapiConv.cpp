//===- NnapiConv.cpp - Convolutions -----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NnapiWindow.h"
#include "ValueChoices.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// The tensors and the window of a convolution.
struct Convolution {
  Value input, filter, bias; ///< the input is NHWC
  NnapiWindow window;
  bool floatScales = false;
};

FailureOr<Convolution> readConvolution(NnapiOperation &op, const NnapiWindowForm &form) {
  FailureOr<NnapiWindow> window = readWindow(op, form);
  if (failed(window))
    return failure();
  Convolution conv{imageValue(op, 0, "input", window->channelsFirst), op.value(1, "filter"), op.value(2, "bias"),
                   *window};
  if (!conv.input || !conv.filter || !conv.bias)
    return failure();
  if (shapeOf(conv.filter).size() != 4)
    return op.malformed("has a filter of rank " + Twine(shapeOf(conv.filter).size()) + ", must be 4");
  conv.window.kernel = extentsOf(conv.filter);
  // Computes alike for signed and unsigned types; filters with scales per channel are signed in both.
  auto element = cast<RankedTensorType>(conv.filter.getType()).getElementType();
  conv.floatScales = isa<quant::UniformQuantizedType>(element);
  return conv;
}

/// The type of the result, whose channels are axis `channelAxis` of the filter.
RankedTensorType resultOf(NnapiOperation &op, const Convolution &conv, std::array<int64_t, 2> extents,
                          unsigned channelAxis) {
  return nhwcResultType(op, 0, {shapeOf(conv.input)[0], extents[0], extents[1], shapeOf(conv.filter)[channelAxis]},
                        conv.window.channelsFirst);
}

/// Resolves the padding and returns the result type of a convolution that walks its input; null on failure.
RankedTensorType directResult(NnapiOperation &op, FailureOr<Convolution> &conv, unsigned channelAxis) {
  if (failed(conv) || failed(resolvePadding(op, conv->window, extentsOf(conv->input))))
    return {};
  auto extents = windowedExtents(op, conv->window, extentsOf(conv->input));
  return failed(extents) ? RankedTensorType() : resultOf(op, *conv, *extents, channelAxis);
}

LogicalResult convertConv(NnapiOperation &op) {
  FailureOr<Convolution> conv = readConvolution(op, {.first = 3, .dilation = true});
  RankedTensorType result = directResult(op, conv, 0);
  if (!result)
    return failure();
  if (shapeOf(conv->input)[3] != shapeOf(conv->filter)[3])
    return op.malformed("reads " + Twine(shapeOf(conv->filter)[3]) + " channels of an input with " +
                        Twine(shapeOf(conv->input)[3]));
  const NnapiWindow &window = conv->window;
  auto created = nn::Conv2dOp::create(op.builder(), op.location(), result, conv->input, conv->filter, conv->bias,
                                      window.stride, window.dilation, window.pad, window.activation, conv->floatScales);
  return finishImage(op, created, window.channelsFirst);
}

LogicalResult convertDepthwise(NnapiOperation &op) {
  FailureOr<Convolution> conv = readConvolution(op, {.first = 3, .extra = true, .dilation = true});
  RankedTensorType result = directResult(op, conv, 3);
  if (!result)
    return failure();
  const NnapiWindow &window = conv->window;
  int64_t channels = shapeOf(conv->input)[3], outputs = shapeOf(conv->filter)[3];
  if (window.extra < 1 || outputs % channels != 0 || outputs / channels != window.extra ||
      shapeOf(conv->filter)[0] != 1)
    return op.malformed("makes " + Twine(outputs) + " channels of " + Twine(channels) + " with the multiplier " +
                        Twine(window.extra));
  auto created =
      nn::DepthwiseConv2dOp::create(op.builder(), op.location(), result, conv->input, conv->filter, conv->bias,
                                    window.stride, window.dilation, window.pad, window.activation, conv->floatScales);
  return finishImage(op, created, window.channelsFirst);
}

LogicalResult convertGrouped(NnapiOperation &op) {
  FailureOr<Convolution> conv = readConvolution(op, {.first = 3, .extra = true});
  RankedTensorType result = directResult(op, conv, 0);
  if (!result)
    return failure();
  const NnapiWindow &window = conv->window;
  int64_t channels = shapeOf(conv->input)[3], outputs = shapeOf(conv->filter)[0];
  if (window.extra < 1 || outputs % window.extra != 0 || channels % window.extra != 0 ||
      channels / window.extra != shapeOf(conv->filter)[3])
    return op.malformed("has " + Twine(window.extra) + " groups for " + Twine(channels) + " channels, " +
                        Twine(outputs) + " results and a filter that reads " + Twine(shapeOf(conv->filter)[3]));
  auto created = nn::GroupedConv2dOp::create(op.builder(), op.location(), result, conv->input, conv->filter, conv->bias,
                                             window.extra, window.stride, window.dilation, window.pad,
                                             window.activation, conv->floatScales);
  return finishImage(op, created, window.channelsFirst);
}

/// SAME pads like the convolution from the result back to the input; the trailing padding may be negative.
LogicalResult resolveTransposedPadding(NnapiOperation &op, NnapiWindow &window) {
  if (!window.same)
    return success();
  if (window.outputShape.size() != 4)
    return op.malformed("has an output shape of " + Twine(window.outputShape.size()) + " extents");
  for (unsigned axis : {0, 1}) {
    int64_t output = window.outputShape[axis + (window.channelsFirst ? 2 : 1)];
    if (output < 1)
      return op.malformed("has the extent " + Twine(output) + " in its output shape");
    int64_t inputs = (output + window.stride[axis] - 1) / window.stride[axis];
    int64_t total = (inputs - 1) * window.stride[axis] + window.kernel[axis] - output;
    window.pad[2 * axis] = std::max<int64_t>(total, 0) / 2;
    window.pad[2 * axis + 1] = total - window.pad[2 * axis];
  }
  return success();
}

FailureOr<std::array<int64_t, 2>> transposedExtents(NnapiOperation &op, const Convolution &conv) {
  std::array<int64_t, 2> extents;
  for (unsigned axis : {0, 1}) {
    const NnapiWindow &window = conv.window;
    int64_t extent = (extentsOf(conv.input)[axis] - 1) * window.stride[axis] + window.kernel[axis] -
                     window.pad[2 * axis] - window.pad[2 * axis + 1];
    if (extent < 1 || extent > INT32_MAX || window.pad[2 * axis] > INT32_MAX)
      return op.malformed("computes an extent of " + Twine(extent));
    extents[axis] = extent;
  }
  return extents;
}

LogicalResult convertTransposed(NnapiOperation &op) {
  FailureOr<Convolution> conv = readConvolution(op, {.first = 3, .outputShape = true});
  if (failed(conv) || failed(resolveTransposedPadding(op, conv->window)))
    return failure();
  if (shapeOf(conv->input)[3] != shapeOf(conv->filter)[3])
    return op.malformed("reads " + Twine(shapeOf(conv->filter)[3]) + " channels of an input with " +
                        Twine(shapeOf(conv->input)[3]));
  auto extents = transposedExtents(op, *conv);
  RankedTensorType result = failed(extents) ? RankedTensorType() : resultOf(op, *conv, *extents, 0);
  if (!result)
    return failure();
  const NnapiWindow &window = conv->window;
  auto created =
      nn::TransposeConv2dOp::create(op.builder(), op.location(), result, conv->input, conv->filter, conv->bias,
                                    window.stride, window.pad, window.activation, conv->floatScales);
  return finishImage(op, created, window.channelsFirst);
}

constexpr NnapiConverter kConverters[] = {
    {OperationType::Conv2d, 7, 13, scalarsFrom(3), convertConv},
    {OperationType::DepthwiseConv2d, 8, 14, scalarsFrom(3), convertDepthwise},
    {OperationType::GroupedConv2d, 9, 12, scalarsFrom(3), convertGrouped},
    {OperationType::TransposeConv2d, 9, 11, scalarsFrom(3), convertTransposed, transposedShapeChoices},
};

} // namespace

ArrayRef<NnapiConverter> nnapiConvConverters() { return kConverters; }

} // namespace avocet::compiler
