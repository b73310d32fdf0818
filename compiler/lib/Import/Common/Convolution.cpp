//===- Convolution.cpp - Convolutions of any form ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convolution.h"

#include "Constants.h"
#include "Create.h"
#include "FoldedConstants.h"

#include "avocet/base/Rounding.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

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

Value convolvedPlane(ImportedOperation &op, Value image, Value filter, Value bias, int64_t groups, SpatialWindow window,
                     const nn::Activation &activation) {
  image = cutOff(op, image, window.pad, /*first=*/1);
  if (!image)
    return {};
  const int64_t channels = shapeOf(image)[3], outputs = shapeOf(filter)[0];
  const Type element = isQuantized(image) ? op.builder().getI32Type() : elementOf(image);
  const auto pad = window.planePadding();
  if (groups == 1)
    return createAs<nn::Conv2dOp>(op, element, image, filter, bias, window.stride, window.dilation, pad, activation);
  if (groups != channels || outputs % channels != 0)
    return createAs<nn::GroupedConv2dOp>(op, element, image, filter, bias, groups, window.stride, window.dilation, pad,
                                         activation);
  Value each = foldedIfConstant(op, transpose(op, filter, {3, 1, 2, 0}));
  return createAs<nn::DepthwiseConv2dOp>(op, element, image, each, bias, window.stride, window.dilation, pad,
                                         activation);
}

/// Without the figures of the depth.
SpatialWindow planeOf(SpatialWindow window) {
  for (auto *figures : window.lists())
    figures->erase(figures->begin());
  return window;
}

Value convolvedVolume(ImportedOperation &op, Value image, Value filter, Value bias, const SpatialWindow &window,
                      OnLayer last, const nn::Activation &activation) {
  const int64_t depth = shapeOf(image)[1], batches = shapeOf(image)[0];
  if (depth + window.pad.low[0] + window.pad.high[0] < window.reach(0))
    return op.malformed("has a window that is larger than its input");
  DepthWindows windows{window.results(0, depth), window.stride[0]};
  for (int64_t step = 0; step < window.kernel[0]; ++step)
    windows.add(step, step * window.dilation[0] - window.pad.low[0], depth);
  Value result = convolved(op, imagesOfVolumes(op, image, windows), filterOfImages(op, filter, windows, 1, 3), bias, 1,
                           planeOf(window), last, activation);
  if (!result)
    return {};
  ArrayRef<int64_t> shape = shapeOf(result);
  return reshape(op, result, {batches, windows.count, shape[1], shape[2], shape[3]});
}

/// One group of planes.
Value spread(ImportedOperation &op, Value image, Value filter, Value bias, SpatialWindow window,
             const nn::Activation &activation) {
  Value taps = transpose(op, filter, {1, 2, 3, 0});
  if (!image || !taps)
    return {};
  // The operation has no dilation.
  taps = foldedIfConstant(op, spacedOut(op, spacedOut(op, taps, 1, window.dilation[0]), 2, window.dilation[1]));
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
                                             window.planePadding(), activation),
             added);
}

/// The result steps `phase`, `phase` + stride, ..: step k of the filter reads the input step (result + padding -
/// dilation * k) / stride.
DepthWindows windowsOfPhase(const SpatialWindow &window, int64_t phase, int64_t count, int64_t depth) {
  DepthWindows windows{count, 1};
  for (int64_t step = window.kernel[0]; step-- > 0;) {
    const int64_t distance = phase + window.pad.low[0] - window.dilation[0] * step;
    if (distance % window.stride[0] == 0)
      windows.add(step, distance / window.stride[0], depth);
  }
  return windows;
}

/// The result steps that are a depth stride apart read with the same steps of the filter: they are one convolution, and
/// the results of all are interleaved.
Value spreadVolume(ImportedOperation &op, Value image, Value filter, Value bias, const SpatialWindow &window,
                   const nn::Activation &activation) {
  constexpr int64_t kMostPhases = 64;
  const int64_t in = shapeOf(image)[1], batches = shapeOf(image)[0];
  const int64_t depth =
      firmware::windowsSpan(in, window.stride[0], window.reach(0)) - window.pad.low[0] - window.pad.high[0];
  if (depth < 1)
    return op.malformed("cuts off the whole result");
  const int64_t phases = std::min(window.stride[0], depth), count = divideUp(depth, phases);
  if (phases > kMostPhases)
    return op.refuse("stride", "depth steps", Twine(phases), Twine(kMostPhases));
  SmallVector<Value> results;
  for (int64_t phase = 0; phase < phases; ++phase) {
    const DepthWindows windows = windowsOfPhase(window, phase, count, in);
    Value taps = filterOfImages(op, filter, windows, 2, 0);
    results.push_back(spread(op, imagesOfVolumes(op, image, windows), taps, bias, planeOf(window), activation));
  }
  Value all = stacked(op, results, 1);
  if (!all)
    return {};
  const ArrayRef<int64_t> shape = shapeOf(all);
  return partOf(op, reshape(op, all, {batches, count * phases, shape[2], shape[3], shape[4]}), 1, 0, depth);
}

} // namespace

Value imagesOfVolumes(ImportedOperation &op, Value volumes, DepthWindows windows) {
  if (!volumes)
    return {};
  if (windows.first.empty()) // a convolution needs one step
    windows.first.push_back(0);
  const int64_t depth = shapeOf(volumes)[1], last = (windows.count - 1) * windows.stride;
  Amounts amounts{SmallVector<int64_t>(5, 0), SmallVector<int64_t>(5, 0)};
  for (int64_t first : windows.first) {
    amounts.low[1] = std::max(amounts.low[1], -first);
    amounts.high[1] = std::max(amounts.high[1], first + last + 1 - depth);
  }
  Value padded = pad(op, volumes, amounts);
  const auto steps = llvm::map_to_vector(windows.first, [&](int64_t first) {
    return partOf(op, padded, 1, first + amounts.low[1], windows.count, windows.stride);
  });
  Value all = concatenate(op, steps, 4);
  if (!all)
    return {};
  const ArrayRef<int64_t> shape = shapeOf(all);
  return reshape(op, all, {shape[0] * shape[1], shape[2], shape[3], shape[4]});
}

Value filterOfImages(ImportedOperation &op, Value filter, const DepthWindows &windows, size_t depth, size_t channels) {
  auto steps = llvm::map_to_vector(windows.kernel, [&](int64_t step) { return elementAt(op, filter, depth, step); });
  if (steps.empty() && filter) {
    SmallVector<int64_t> shape(shapeOf(filter));
    shape.erase(shape.begin() + depth);
    steps.push_back(filled(op, shape, elementOf(filter)));
  }
  return foldedIfConstant(op, concatenate(op, steps, static_cast<int64_t>(channels)));
}

Value convolved(ImportedOperation &op, Value image, Value filter, Value bias, int64_t groups, SpatialWindow window,
                OnLayer last, const nn::Activation &activation) {
  if (!image || !filter)
    return {};
  if (window.axes() == 3)
    return inGroups(op, image, filter, bias, groups, [&](Value own, Value taps, Value offset) {
      return convolvedVolume(op, own, taps, offset, window, last, activation);
    });
  Value result = convolvedPlane(op, image, filter, bias, groups, window, activation);
  return result && last ? last(result) : result;
}

Value convolvedTransposed(ImportedOperation &op, Value image, Value filter, Value bias, int64_t groups,
                          const SpatialWindow &window, const nn::Activation &activation) {
  if (!image || !filter)
    return {};
  return inGroups(op, image, filter, bias, groups, [&](Value own, Value taps, Value offset) {
    return window.axes() == 3 ? spreadVolume(op, own, taps, offset, window, activation)
                              : spread(op, own, taps, offset, window, activation);
  });
}

} // namespace avocet::compiler
