//===- Windows.cpp - Convolutions, poolings, products ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapView.h"
#include "avocet/base/Rounding.h"

#include <algorithm>
#include <cmath>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

constexpr int32_t kSame = 1;

/// How a window moves over a map, from the operands that follow the map (and weights and bias).
struct Motion {
  int32_t left = 0, top = 0;
  int32_t strideWidth = 1, strideHeight = 1;
  int32_t dilationWidth = 1, dilationHeight = 1;
  size_t next = 0; ///< the operand after the strides
};

int32_t samePadding(int32_t extent, int32_t stride, int32_t span) {
  const int32_t steps = divideUp(extent, stride);
  return std::max((steps - 1) * stride + span - extent, 0) / 2;
}

/// Padding and strides at `position`: one operand for implicit padding, else four.
Motion motionAt(const OperationValues &operation, size_t position, bool isExplicit) {
  Motion motion;
  if (isExplicit) {
    motion.left = operation.integer(position);
    motion.top = operation.integer(position + 2);
  }
  const size_t strides = position + (isExplicit ? 4 : 1);
  motion.strideWidth = operation.integer(strides);
  motion.strideHeight = operation.integer(strides + 1);
  motion.next = strides + 2;
  return motion;
}

void padSame(Motion &motion, const MapView &map, int32_t height, int32_t width) {
  motion.left = samePadding(map.width(), motion.strideWidth, (width - 1) * motion.dilationWidth + 1);
  motion.top = samePadding(map.height(), motion.strideHeight, (height - 1) * motion.dilationHeight + 1);
}

int32_t rowOf(const Motion &motion, const Place &place, int32_t y) {
  return place.y * motion.strideHeight - motion.top + y * motion.dilationHeight;
}
int32_t columnOf(const Motion &motion, const Place &place, int32_t x) {
  return place.x * motion.strideWidth - motion.left + x * motion.dilationWidth;
}

/// The weights [rows, height, width, columns] of a convolution, and what of them makes one output channel.
struct Kernel {
  Reals weights, bias;
  Dimensions dimensions;
  int32_t height() const { return static_cast<int32_t>(dimensions[1]); }
  int32_t width() const { return static_cast<int32_t>(dimensions[2]); }
  double at(uint32_t first, int32_t y, int32_t x, uint32_t last) const {
    return weights[offsetOf(dimensions, {first, static_cast<uint32_t>(y), static_cast<uint32_t>(x), last})];
  }
};

/// A bias of weights with scales per channel has no scale of its own: it is the product of the other two.
Reals biasOf(const OperationValues &operation) {
  Reals bias = operation.reals(2);
  const Value &weights = operation.input(1);
  for (size_t i = 0; i < weights.channelScales.size(); ++i)
    bias[i] = operation.integers(2)[i] * static_cast<double>(operation.input(0).scale) *
              static_cast<double>(weights.channelScales[i]);
  return bias;
}

Kernel kernelOf(const OperationValues &operation) {
  return {operation.reals(1), biasOf(operation), operation.input(1).dimensions};
}

/// A convolution over a map. Operands: map, weights, bias, padding, strides, `own` operands of its type, activation,
/// layout, dilations if `dilates`.
struct Convolution {
  /// `explicitInputs`: number of operands with four for the padding.
  Convolution(const OperationValues &operation, size_t explicitInputs, size_t own, bool dilates)
      : motion(motionAt(operation, 3, operation.numInputs() == explicitInputs)), kernel(kernelOf(operation)),
        activation(operation.integer(motion.next + own)), isNchw(operation.boolean(motion.next + own + 1)),
        map(operation, 0, isNchw) {
    if (dilates) {
      motion.dilationWidth = operation.integer(motion.next + own + 2);
      motion.dilationHeight = operation.integer(motion.next + own + 3);
    }
    if (operation.numInputs() != explicitInputs && operation.integer(3) == kSame)
      padSame(motion, map, kernel.height(), kernel.width());
  }

  Motion motion;
  Kernel kernel;
  int32_t activation;
  bool isNchw;
  MapView map;
};

/// Sums of groups of `inputs` channels of the map, each for `outputs` channels of the result, with
/// `weight(channel, y, x, input)` for the channel of the result and the input channel in its group.
template <typename Weight>
Reals slideInGroups(const OperationValues &operation, const Convolution &convolution, uint32_t inputs, uint32_t outputs,
                    Weight weight) {
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](const Dimensions &at) {
    const Place place = placeOf(at, convolution.isNchw);
    const uint32_t first = place.channel / outputs * inputs;
    double sum = convolution.kernel.bias[place.channel];
    for (int32_t y = 0; y < convolution.kernel.height(); ++y)
      for (int32_t x = 0; x < convolution.kernel.width(); ++x)
        for (uint32_t c = 0; c < inputs; ++c)
          sum += convolution.map.at(place.batch, rowOf(convolution.motion, place, y),
                                    columnOf(convolution.motion, place, x), first + c) *
                 weight(place.channel, y, x, c);
    result.push_back(activated(convolution.activation, sum));
  });
  return result;
}

/// `groups` groups of channels; weights [channel, height, width, input].
Reals slideWithGroups(const OperationValues &operation, const Convolution &convolution, uint32_t groups) {
  return slideInGroups(
      operation, convolution, convolution.kernel.dimensions[3], convolution.kernel.dimensions[0] / groups,
      [&](uint32_t channel, int32_t y, int32_t x, uint32_t c) { return convolution.kernel.at(channel, y, x, c); });
}

std::optional<Reals> conv(const OperationValues &operation) {
  return slideWithGroups(operation, Convolution(operation, 13, 0, true), 1);
}

std::optional<Reals> grouped(const OperationValues &operation) {
  const Convolution convolution(operation, 12, 1, false);
  return slideWithGroups(operation, convolution, static_cast<uint32_t>(operation.integer(convolution.motion.next)));
}

/// Each channel is a group; weights [1, height, width, channel].
std::optional<Reals> depthwise(const OperationValues &operation) {
  const Convolution convolution(operation, 14, 1, true);
  const auto multiplier = static_cast<uint32_t>(operation.integer(convolution.motion.next));
  return slideInGroups(operation, convolution, 1, multiplier, [&](uint32_t channel, int32_t y, int32_t x, uint32_t) {
    return convolution.kernel.at(0, y, x, channel);
  });
}

/// Each input element is spread over a window of the result; here each result element gathers what reaches it.
std::optional<Reals> transposed(const OperationValues &operation) {
  const Motion motion = motionAt(operation, 3, true);
  const bool isNchw = operation.boolean(motion.next + 1);
  const MapView map(operation, 0, isNchw);
  const Kernel kernel = kernelOf(operation);
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](const Dimensions &at) {
    const Place place = placeOf(at, isNchw);
    double sum = kernel.bias[place.channel];
    for (int32_t y = 0; y < kernel.height(); ++y)
      for (int32_t x = 0; x < kernel.width(); ++x) {
        const int32_t row = place.y + motion.top - y, column = place.x + motion.left - x;
        if (row % motion.strideHeight != 0 || column % motion.strideWidth != 0)
          continue;
        for (uint32_t c = 0; c < kernel.dimensions[3]; ++c)
          sum += map.at(place.batch, row / motion.strideHeight, column / motion.strideWidth, c) *
                 kernel.at(place.channel, y, x, c);
      }
    result.push_back(activated(operation.integer(motion.next), sum));
  });
  return result;
}

/// What a pooling makes of the elements of a window that lie in the map.
using Pooling = double (*)(const Reals &elements);

double average(const Reals &elements) {
  double sum = 0;
  for (double element : elements)
    sum += element;
  return sum / static_cast<double>(elements.size());
}
double largest(const Reals &elements) { return std::ranges::max(elements); }
double rootMeanSquare(const Reals &elements) {
  double sum = 0;
  for (double element : elements)
    sum += element * element;
  return std::sqrt(sum / static_cast<double>(elements.size()));
}

template <Pooling combine> std::optional<Reals> pool(const OperationValues &operation) {
  Motion motion = motionAt(operation, 1, operation.numInputs() == 11);
  const int32_t width = operation.integer(motion.next), height = operation.integer(motion.next + 1);
  const bool isNchw = operation.boolean(motion.next + 3);
  const MapView map(operation, 0, isNchw);
  if (operation.numInputs() == 8 && operation.integer(1) == kSame)
    padSame(motion, map, height, width);
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](const Dimensions &at) {
    const Place place = placeOf(at, isNchw);
    Reals elements;
    for (int32_t y = 0; y < height; ++y)
      for (int32_t x = 0; x < width; ++x)
        if (const int32_t row = rowOf(motion, place, y), column = columnOf(motion, place, x); map.has(row, column))
          elements.push_back(map.at(place.batch, row, column, place.channel));
    result.push_back(elements.empty() ? 0 : activated(operation.integer(motion.next + 2), combine(elements)));
  });
  return result;
}

std::optional<Reals> fullyConnected(const OperationValues &operation) {
  const Reals input = operation.reals(0), weights = operation.reals(1), bias = operation.reals(2);
  const size_t units = operation.input(1).dimensions[0], size = operation.input(1).dimensions[1];
  Reals result;
  for (size_t row = 0; row < input.size() / size; ++row)
    for (size_t unit = 0; unit < units; ++unit) {
      double sum = bias[unit];
      for (size_t i = 0; i < size; ++i)
        sum += input[row * size + i] * weights[unit * size + i];
      result.push_back(activated(operation.integer(3), sum));
    }
  return result;
}

std::optional<Reals> batchMatmul(const OperationValues &operation) {
  const Dimensions &left = operation.input(0).dimensions, &right = operation.input(1).dimensions;
  const Reals first = operation.reals(0), second = operation.reals(1);
  const size_t rank = left.size();
  const bool isLeftTransposed = operation.boolean(2), isRightTransposed = operation.boolean(3);
  const uint32_t depth = left[isLeftTransposed ? rank - 2 : rank - 1];
  Reals result;
  forEachElement(operation.output(0).dimensions, [&](const Dimensions &at) {
    Dimensions row = at, column = at;
    double sum = 0;
    for (uint32_t i = 0; i < depth; ++i) {
      row[rank - 2] = isLeftTransposed ? i : at[rank - 2];
      row[rank - 1] = isLeftTransposed ? at[rank - 2] : i;
      column[rank - 2] = isRightTransposed ? at[rank - 1] : i;
      column[rank - 1] = isRightTransposed ? i : at[rank - 1];
      sum += first[offsetOf(left, row)] * second[offsetOf(right, column)];
    }
    result.push_back(sum);
  });
  return result;
}

constexpr Definition kRows[] = {
    {Conv2d, conv},
    {DepthwiseConv2d, depthwise},
    {GroupedConv2d, grouped},
    {TransposeConv2d, transposed},
    {AveragePool2d, pool<average>},
    {MaxPool2d, pool<largest>},
    {L2Pool2d, pool<rootMeanSquare>},
    {FullyConnected, fullyConnected},
    {BatchMatmul, batchMatmul},
};

} // namespace

std::span<const Definition> windowDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
