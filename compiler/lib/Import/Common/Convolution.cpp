//===- Convolution.cpp - Convolutions of any form ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convolution.h"

#include "Create.h"
#include "FoldedConstants.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Moves padding that the layers do not have, which is negative, out of the window.
Value cropped(ImportedOperation &op, Value image, SpatialWindow &window) {
  SmallVector<int64_t> begin(shapeOf(image).size(), 0), extents(shapeOf(image));
  for (size_t axis = 0; axis < window.axes(); ++axis) {
    const int64_t low = std::min<int64_t>(window.pad.low[axis], 0), high = std::min<int64_t>(window.pad.high[axis], 0);
    begin[1 + axis] = -low;
    extents[1 + axis] += low + high;
    window.pad.low[axis] -= low;
    window.pad.high[axis] -= high;
  }
  return slice(op, image, begin, extents);
}

/// Group after group of the channels, the last axis. `filter` has the groups along its first axis.
Value inGroups(ImportedOperation &op, Value image, Value filter, Value bias, int64_t groups,
               llvm::function_ref<Value(Value image, Value filter, Value bias)> convolve) {
  if (groups == 1)
    return convolve(image, filter, bias);
  const auto part = [&](Value value, size_t axis, int64_t group) {
    const int64_t count = value ? shapeOf(value)[axis] / groups : 0;
    return foldedIfConstant(op, partOf(op, value, axis, group * count, count));
  };
  SmallVector<Value> results;
  const size_t last = shapeOf(image).size() - 1;
  for (int64_t group = 0; group < groups; ++group) {
    Value own = part(image, last, group), taps = part(filter, 0, group);
    results.push_back(own && taps ? convolve(own, taps, part(bias, 0, group)) : Value());
    if (!results.back())
      return {};
  }
  return concatenate(op, results, static_cast<int64_t>(last));
}

Value convolvedPlane(ImportedOperation &op, Value image, Value filter, Value bias, int64_t groups,
                     SpatialWindow window) {
  image = cropped(op, image, window);
  if (!image)
    return {};
  const int64_t channels = shapeOf(image)[3], outputs = shapeOf(filter)[0];
  const Type element = isQuantized(image) ? op.builder().getI32Type() : elementOf(image);
  const auto pad = window.planePadding();
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

Value convolvedVolume(ImportedOperation &op, Value image, Value filter, Value bias, SpatialWindow window,
                      OnLayer last = nullptr) {
  const int64_t depth = shapeOf(image)[1], batches = shapeOf(image)[0];
  if (depth + window.pad.low[0] + window.pad.high[0] < window.reach(0))
    return op.malformed("has a window that is larger than its input");
  DepthWindows windows{window.results(0, depth), window.stride[0], {}};
  for (int64_t tap = 0; tap < window.kernel[0]; ++tap)
    windows.taps.push_back(tap * window.dilation[0] - window.pad.low[0]);
  Value images = imagesOfVolumes(op, image, windows);
  for (auto *figures : window.lists())
    figures->erase(figures->begin());
  Value result = convolved(op, images, filterOfImages(op, filter), bias, 1, window, last);
  if (!result)
    return {};
  ArrayRef<int64_t> shape = shapeOf(result);
  return reshape(op, result, {batches, windows.count, shape[1], shape[2], shape[3]});
}

/// Zeros between the elements of a filter [O, H, W, I].
Value dilated(ImportedOperation &op, Value filter, SpatialWindow &window) {
  ArrayRef<int64_t> shape = shapeOf(filter);
  const int64_t y = window.dilation[0], x = window.dilation[1], height = shape[1], width = shape[2];
  if (y == 1 && x == 1)
    return filter;
  Value apart = reshape(op, filter, {shape[0], height, 1, width, 1, shape[3]});
  apart = pad(op, apart, {{0, 0, 0, 0, 0, 0}, {0, 0, y - 1, 0, x - 1, 0}});
  apart = reshape(op, apart, {shape[0], height * y, width * x, shape[3]});
  window.kernel = {window.reach(0), window.reach(1)};
  window.dilation = {1, 1};
  return slice(op, apart, {0, 0, 0, 0}, {shape[0], window.kernel[0], window.kernel[1], shape[3]});
}

/// One group of planes.
Value spread(ImportedOperation &op, Value image, Value filter, Value bias, SpatialWindow window) {
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
  const bool addsRows = llvm::any_of(added.low, [](int64_t amount) { return amount != 0; });
  if (addsRows && bias)
    return op.refuse("pads", "padding before the first element is not negative with a bias", "a negative one", "0");
  return pad(op,
             createAs<nn::TransposeConv2dOp>(op, elementOf(image), image, taps, bias, window.stride,
                                             window.planePadding(), nn::Activation::kNone),
             added);
}

/// The same of volumes, as the convolution of an input with zeros between its elements and the reversed filter.
Value spreadVolume(ImportedOperation &op, Value image, Value filter, Value bias, SpatialWindow window) {
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
  spaced = slice(op, spaced, SmallVector<int64_t>(5, 0), kept);
  Value taps = foldedIfConstant(op, reverse(op, transpose(op, filter, {1, 2, 3, 4, 0}), {1, 2, 3}));
  return spaced && taps ? convolvedVolume(op, spaced, taps, bias, window) : Value();
}

} // namespace

Value imagesOfVolumes(ImportedOperation &op, Value volumes, const DepthWindows &windows) {
  if (!volumes)
    return {};
  const int64_t depth = shapeOf(volumes)[1], last = (windows.count - 1) * windows.stride;
  Amounts amounts{SmallVector<int64_t>(5, 0), SmallVector<int64_t>(5, 0)};
  for (int64_t tap : windows.taps) {
    amounts.low[1] = std::max(amounts.low[1], -tap);
    amounts.high[1] = std::max(amounts.high[1], tap + last + 1 - depth);
  }
  Value padded = pad(op, volumes, amounts);
  const auto steps = llvm::map_to_vector(windows.taps, [&](int64_t tap) {
    return partOf(op, padded, 1, tap + amounts.low[1], windows.count, windows.stride);
  });
  Value all = concatenate(op, steps, 4);
  if (!all)
    return {};
  const ArrayRef<int64_t> shape = shapeOf(all);
  return reshape(op, all, {shape[0] * shape[1], shape[2], shape[3], shape[4]});
}

Value filterOfImages(ImportedOperation &op, Value filter) {
  if (!filter)
    return {};
  const ArrayRef<int64_t> shape = shapeOf(filter);
  return foldedIfConstant(op, reshape(op, transpose(op, filter, {0, 2, 3, 1, 4}),
                                      {shape[0], shape[2], shape[3], shape[1] * shape[4]}));
}

Value convolved(ImportedOperation &op, Value image, Value filter, Value bias, int64_t groups, SpatialWindow window,
                OnLayer last) {
  if (!image || !filter)
    return {};
  if (window.axes() == 3)
    return inGroups(op, image, filter, bias, groups, [&](Value own, Value taps, Value offset) {
      return convolvedVolume(op, own, taps, offset, window, last);
    });
  Value result = convolvedPlane(op, image, filter, bias, groups, window);
  return result && last ? last(result) : result;
}

Value convolvedTransposed(ImportedOperation &op, Value image, Value filter, Value bias, int64_t groups,
                          const SpatialWindow &window) {
  if (!image || !filter)
    return {};
  return inGroups(op, image, filter, bias, groups, [&](Value own, Value taps, Value offset) {
    return (window.axes() == 3 ? spreadVolume : spread)(op, own, taps, offset, window);
  });
}

} // namespace avocet::compiler
