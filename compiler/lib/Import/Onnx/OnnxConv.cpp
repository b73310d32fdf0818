//===- OnnxConv.cpp - Convolutions ------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxConv.h"
#include "Import/Common/Create.h"
#include "Import/Common/FoldedConstants.h"
#include "Import/Common/Volumes.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// [A, B, L] as [A, B, 1, L].
Value asPlane(OnnxOperation &op, Value value) {
  if (!value || shapeOf(value).size() != 3)
    return value;
  SmallVector<int64_t> shape(shapeOf(value));
  shape.insert(shape.begin() + 2, 1);
  return reshape(op, value, shape);
}

/// A channels-last image with the rank of the operator's operands, channels first.
Value asOperand(OnnxOperation &op, Value image, size_t rank) {
  Value first = channelsFirst(op, image);
  if (!first || rank != 3)
    return first;
  ArrayRef<int64_t> shape = shapeOf(first);
  return reshape(op, first, {shape[0], shape[1], shape[3]});
}

/// Moves padding that the layers do not have, which is negative, out of the window.
Value cropped(OnnxOperation &op, Value image, OnnxWindow &window) {
  SmallVector<int64_t> begin(shapeOf(image).size(), 0), extents(shapeOf(image));
  for (size_t axis = 0; axis < window.axes(); ++axis) {
    const int64_t low = std::min<int64_t>(window.pad.low[axis], 0), high = std::min<int64_t>(window.pad.high[axis], 0);
    begin[1 + axis] = -low;
    extents[1 + axis] += low + high;
    window.pad.low[axis] -= low;
    window.pad.high[axis] -= high;
  }
  return extents == shapeOf(image) ? image : slice(op, image, begin, extents);
}

/// Group after group of the channels, the last axis. `filter` has the groups along its first axis.
Value inGroups(OnnxOperation &op, Value image, Value filter, Value bias, int64_t groups,
               llvm::function_ref<Value(Value image, Value filter, Value bias)> convolve) {
  if (groups == 1)
    return convolve(image, filter, bias);
  const auto part = [&](Value value, size_t axis, int64_t group) -> Value {
    if (!value)
      return {};
    SmallVector<int64_t> begin(shapeOf(value).size(), 0), extents(shapeOf(value));
    extents[axis] /= groups;
    begin[axis] = group * extents[axis];
    return foldedIfConstant(op, slice(op, value, begin, extents));
  };
  SmallVector<Value> results;
  const size_t last = shapeOf(image).size() - 1;
  for (int64_t group = 0; group < groups; ++group) {
    results.push_back(convolve(part(image, last, group), part(filter, 0, group), part(bias, 0, group)));
    if (!results.back())
      return {};
  }
  return concatenate(op, results, static_cast<int64_t>(last));
}

/// Volumes: the taps along the first spatial axis become channels of a convolution of planes.
Value convolvedVolume(OnnxOperation &op, Value image, Value filter, Value bias, OnnxWindow window,
                      OnLayer last = nullptr) {
  image = image ? cropped(op, image, window) : image;
  if (!image || !filter)
    return {};
  const int64_t batches = shapeOf(image)[0], depth = window.results(0, shapeOf(image)[1]);
  if (depth < 1)
    return op.malformed("has a window that is larger than its input");
  Value stacked = volumesAsImages(
      op, image,
      {window.kernel[0], window.stride[0], window.dilation[0], window.pad.low[0], window.pad.high[0], depth});
  Value plane = foldedIfConstant(op, volumesFilter(op, filter));
  for (auto *figures : {&window.kernel, &window.stride, &window.dilation, &window.pad.low, &window.pad.high})
    figures->erase(figures->begin());
  Value result = convolved(op, stacked, plane, bias, 1, window, last);
  if (!result)
    return {};
  ArrayRef<int64_t> shape = shapeOf(result);
  return reshape(op, result, {batches, depth, shape[1], shape[2], shape[3]});
}

LogicalResult convertConv(OnnxOperation &op) {
  Value input = op.value(0, "input"), filter = op.parameter(1, "filter");
  Value bias = op.hasInput(2) ? op.parameter(2, "bias") : Value();
  if (!input || !filter || (op.hasInput(2) && !bias))
    return failure();
  FailureOr<OnnxWindow> window = convWindow(op, input, filter);
  if (failed(window))
    return failure();
  return op.finish(convolvedFirst(op, input, filter, bias, *window));
}

/// Zeros between the elements of a filter [O, H, W, I].
Value dilated(OnnxOperation &op, Value filter, OnnxWindow &window) {
  ArrayRef<int64_t> shape = shapeOf(filter);
  const int64_t y = window.dilation[0], x = window.dilation[1];
  if (y == 1 && x == 1)
    return filter;
  const int64_t height = shape[1], width = shape[2];
  Value apart = reshape(op, filter, {shape[0], height, 1, width, 1, shape[3]});
  apart = pad(op, apart, {{0, 0, 0, 0, 0, 0}, {0, 0, y - 1, 0, x - 1, 0}});
  apart = reshape(op, apart, {shape[0], height * y, width * x, shape[3]});
  window.kernel = {window.reach(0), window.reach(1)};
  window.dilation = {1, 1};
  return slice(op, apart, {0, 0, 0, 0}, {shape[0], window.kernel[0], window.kernel[1], shape[3]});
}

/// The trailing padding of each axis follows from output_shape, output_padding and the scheme.
LogicalResult readTransposedPadding(OnnxOperation &op, OnnxWindow &window, ArrayRef<int64_t> extents) {
  const size_t axes = window.axes();
  const SmallVector<int64_t> zeros(axes, 0), more = op.list("output_padding", zeros), wanted = op.list("output_shape");
  const StringRef scheme = op.text("auto_pad", "NOTSET");
  const bool isSame = scheme == "SAME_UPPER" || scheme == "SAME_LOWER";
  if (more.size() != axes || (!wanted.empty() && wanted.size() < axes))
    return op.malformed("has " + Twine(more.size()) + " output_padding and " + Twine(wanted.size()) +
                        " output_shape, must have " + Twine(axes));
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t span = firmware::windowsSpan(extents[axis], window.stride[axis], window.reach(axis));
    if (!wanted.empty() || isSame) {
      const int64_t result =
          wanted.empty() ? extents[axis] * window.stride[axis] : ArrayRef(wanted).take_back(axes)[axis];
      const int64_t total = span + more[axis] - result, cut = std::max<int64_t>(total, 0);
      // The odd element is cut at the end for SAME_UPPER, else at the beginning. Missing elements are added at the end,
      // but not by a scheme.
      window.pad.low[axis] = scheme == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
      window.pad.high[axis] = (wanted.empty() ? cut : total) - window.pad.low[axis];
    }
    window.pad.high[axis] -= more[axis];
  }
  return success();
}

/// One group: [N, H, W, C] with a filter [C, M, H, W].
Value spread(OnnxOperation &op, Value image, Value filter, Value bias, OnnxWindow window) {
  Value taps = transpose(op, filter, {1, 2, 3, 0});
  if (!taps)
    return {};
  taps = foldedIfConstant(op, dilated(op, taps, window));
  // The operation has no padding before the first row that adds rows.
  Amounts added{{0, 0, 0, 0}, {0, 0, 0, 0}};
  for (size_t axis : {0, 1}) {
    added.low[1 + axis] = std::max<int64_t>(-window.pad.low[axis], 0);
    window.pad.low[axis] = std::max<int64_t>(window.pad.low[axis], 0);
  }
  Value result = createAs<nn::TransposeConv2dOp>(op, elementOf(image), image, taps, bias, window.stride,
                                                 planePadding(window), nn::Activation::kNone);
  const bool addsRows = llvm::any_of(added.low, [](int64_t amount) { return amount != 0; });
  if (addsRows && bias)
    return op.refuse("pads", "padding before the first element is not negative with a bias", "a negative one", "0");
  return result && addsRows ? pad(op, result, added) : result;
}

/// The same of volumes, as the convolution of an input with zeros between its elements and the reversed filter.
Value spreadVolume(OnnxOperation &op, Value image, Value filter, Value bias, OnnxWindow window) {
  SmallVector<int64_t> apart{shapeOf(image)[0]}, together = apart, kept = apart;
  Amounts zeros{SmallVector<int64_t>(8, 0), SmallVector<int64_t>(8, 0)};
  for (size_t axis : {0, 1, 2}) {
    const int64_t extent = shapeOf(image)[1 + axis], stride = window.stride[axis];
    apart.append({extent, 1});
    zeros.high[2 + 2 * axis] = stride - 1;
    together.push_back(extent * stride);
    kept.push_back((extent - 1) * stride + 1);
    window.pad.low[axis] = window.reach(axis) - 1 - window.pad.low[axis];
    window.pad.high[axis] = window.reach(axis) - 1 - window.pad.high[axis];
    window.stride[axis] = 1;
  }
  for (auto *shape : {&apart, &together, &kept})
    shape->push_back(shapeOf(image).back());
  Value spaced = reshape(op, pad(op, reshape(op, image, apart), zeros), together);
  Value taps = reverse(op, transpose(op, filter, {1, 2, 3, 4, 0}), {1, 2, 3});
  spaced = spaced ? slice(op, spaced, SmallVector<int64_t>(5, 0), kept) : spaced;
  return convolvedVolume(op, spaced, foldedIfConstant(op, taps), bias, window);
}

LogicalResult convertConvTranspose(OnnxOperation &op) {
  Value input = op.value(0, "input"), filter = op.parameter(1, "filter");
  Value bias = op.hasInput(2) ? op.parameter(2, "bias") : Value();
  if (!input || !filter || (op.hasInput(2) && !bias))
    return failure();
  const size_t rank = shapeOf(input).size();
  if (rank < 3 || shapeOf(filter).size() != rank)
    return op.malformed("has an input of rank " + Twine(rank) + " and a filter of rank " +
                        Twine(shapeOf(filter).size()));
  if (rank > 5)
    return op.refuse("input", "rank", Twine(rank), "3 to 5");
  const SmallVector<int64_t> extents(shapeOf(input).drop_front(2));
  FailureOr<OnnxWindow> window = windowOf(op, op.list("kernel_shape", shapeOf(filter).drop_front(2)), extents);
  if (failed(window) || failed(readTransposedPadding(op, *window, extents)))
    return failure();
  if (rank == 3)
    addAxis(*window);
  const int64_t groups = op.integer("group", 1);
  Value image = channelsLast(op, asPlane(op, input)), taps = asPlane(op, filter);
  if (!image || !taps)
    return failure();
  const int64_t channels = shapeOf(image).back();
  if (groups < 1 || shapeOf(taps)[0] != channels || channels % groups != 0)
    return op.malformed("has " + Twine(channels) + " channels, a filter of " + Twine(shapeOf(taps)[0]) + " and " +
                        Twine(groups) + " groups");
  const auto convolve = [&](Value own, Value filter, Value offset) {
    return own && filter ? (rank == 5 ? spreadVolume : spread)(op, own, filter, offset, *window) : Value();
  };
  return op.finish(asOperand(op, inGroups(op, image, taps, bias, groups, convolve), rank));
}

constexpr OnnxConverter kConverters[] = {
    {"Conv", 1, 2, 3, convertConv},
    {"ConvTranspose", 1, 2, 3, convertConvTranspose},
};

} // namespace

FailureOr<OnnxWindow> convWindow(OnnxOperation &op, Value input, Value filter) {
  const size_t rank = shapeOf(input).size();
  if (rank < 3 || shapeOf(filter).size() != rank)
    return op.malformed("has an input of rank " + Twine(rank) + " and a filter of rank " +
                        Twine(shapeOf(filter).size()));
  if (rank > 5)
    return op.refuse("input", "rank", Twine(rank), "3 to 5");
  const SmallVector<int64_t> kernel = op.list("kernel_shape", shapeOf(filter).drop_front(2));
  if (ArrayRef(kernel) != shapeOf(filter).drop_front(2))
    return op.malformed("has the kernel_shape " + nn::textOf(kernel) + ", its filter has " +
                        nn::textOf(shapeOf(filter).drop_front(2)));
  return windowOf(op, kernel, shapeOf(input).drop_front(2));
}

/// The layer without what follows it.
static Value layer(OnnxOperation &op, Value image, Value filter, Value bias, int64_t groups, const OnnxWindow &window) {
  const int64_t channels = shapeOf(image)[3], outputs = shapeOf(filter)[0];
  const Type element = isQuantized(image) ? op.builder().getI32Type() : elementOf(image);
  const auto pad = planePadding(window);
  if (groups == 1)
    return createAs<nn::Conv2dOp>(op, element, image, filter, bias, window.stride, window.dilation, pad,
                                  nn::Activation::kNone);
  if (groups != channels || outputs % channels != 0)
    return createAs<nn::GroupedConv2dOp>(op, element, image, filter, bias, groups, window.stride, window.dilation, pad,
                                         nn::Activation::kNone);
  Value each = foldedIfConstant(op, transpose(op, filter, {3, 1, 2, 0}));
  return createAs<nn::DepthwiseConv2dOp>(op, element, image, each, bias, window.stride, window.dilation, pad,
                                         nn::Activation::kNone);
}

Value convolved(OnnxOperation &op, Value image, Value filter, Value bias, int64_t groups, OnnxWindow window,
                OnLayer last) {
  image = cropped(op, image, window);
  Value result = image && filter ? layer(op, image, filter, bias, groups, window) : Value();
  return result && last ? last(result) : result;
}

Value convolvedFirst(OnnxOperation &op, Value input, Value filter, Value bias, OnnxWindow window, OnLayer last) {
  if (!input || !filter)
    return {};
  const size_t rank = shapeOf(input).size();
  const int64_t groups = op.integer("group", 1), channels = shapeOf(input)[1];
  if (groups < 1 || channels % groups != 0 || shapeOf(filter)[1] != channels / groups ||
      shapeOf(filter)[0] % groups != 0)
    return op.malformed("has " + Twine(channels) + " channels, a filter " + nn::textOf(shapeOf(filter)) + " and " +
                        Twine(groups) + " groups");
  if (rank == 3)
    addAxis(window);
  Value image = channelsLast(op, asPlane(op, input));
  Value taps = foldedIfConstant(op, channelsLast(op, asPlane(op, filter)));
  if (!image || !taps)
    return {};
  if (rank != 5)
    return asOperand(op, convolved(op, image, taps, bias, groups, window, last), rank);
  const auto convolve = [&](Value own, Value filter, Value offset) {
    return convolvedVolume(op, own, filter, offset, window, last);
  };
  return asOperand(op, inGroups(op, image, taps, bias, groups, convolve), rank);
}

ArrayRef<OnnxConverter> onnxConvConverters() { return kConverters; }

} // namespace avocet::compiler
