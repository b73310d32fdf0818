//===- Reference.cpp - Formulas of TensorFlow Lite's reference ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace avocet::differential {
namespace {

template <typename T> std::vector<int64_t> integersOf(const Bytes &bytes) {
  const std::vector<T> values = numbersOf<T>(bytes);
  return {values.begin(), values.end()};
}

/// Of 64-bit sums: one rounding, and a mantissa of 15 bits.
int64_t timesWide(int64_t sum, const Multiplier &multiplier) {
  const int64_t reduced = multiplier.mantissa < 0x7FFF0000 ? (multiplier.mantissa + (1 << 15)) >> 16 : 0x7FFF;
  const int shift = 15 - multiplier.exponent;
  return (sum * reduced + (1LL << (shift - 1))) >> shift;
}

struct Limits {
  int64_t least, greatest;
};

Limits limitsOf(TensorType type) {
  if (type == TensorType::UINT8)
    return {0, 255};
  if (type == TensorType::INT32)
    return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  return type == TensorType::INT8 ? Limits{-128, 127} : Limits{-32768, 32767};
}

Limits clampOf(tflite::ActivationFunction activation, const Element &result) {
  const auto stored = [&](float real) { return result.zeroPoint() + std::lround(real / result.scale()); };
  Limits limits = limitsOf(result.type);
  using tflite::ActivationFunction;
  if (activation == ActivationFunction::RELU || activation == ActivationFunction::RELU6)
    limits.least = std::max(limits.least, stored(0));
  if (activation == ActivationFunction::RELU6)
    limits.greatest = std::min(limits.greatest, stored(6));
  if (activation == ActivationFunction::RELU_N1_TO_1)
    limits = {std::max(limits.least, stored(-1)), std::min(limits.greatest, stored(1))};
  return limits;
}

} // namespace

Multiplier::Multiplier(double real) {
  if (real == 0)
    return;
  mantissa = std::llround(std::frexp(real, &exponent) * (1LL << 31));
  if (std::abs(mantissa) == 1LL << 31) {
    mantissa /= 2;
    ++exponent;
  }
  if (exponent < -31)
    mantissa = exponent = 0;
}

int64_t timesNarrow(int64_t sum, const Multiplier &multiplier) {
  const int left = std::max(multiplier.exponent, 0), right = std::max(-multiplier.exponent, 0);
  const int64_t shifted = static_cast<int32_t>(static_cast<uint32_t>(sum) << left);
  const int64_t product = shifted * multiplier.mantissa, half = product >= 0 ? 1LL << 30 : 1 - (1LL << 30);
  const int64_t high = (product + half) / (1LL << 31);
  const int64_t mask = (1LL << right) - 1, rest = high & mask, threshold = (mask >> 1) + (high < 0 ? 1 : 0);
  return (high >> right) + (rest > threshold ? 1 : 0);
}

int64_t Stored::zeroPoint(int64_t channel) const {
  const auto &points = element.zeroPoints;
  return points.empty() ? 0 : points[points.size() == 1 ? 0 : static_cast<size_t>(channel)];
}

Stored storedOf(const Model &model, int32_t tensor) {
  Stored stored{model.shape(tensor), model.element(tensor), {}};
  const Bytes &bytes = model.bytes(tensor);
  switch (stored.element.type) {
  case TensorType::INT8:
    stored.values = integersOf<int8_t>(bytes);
    break;
  case TensorType::UINT8:
    stored.values = integersOf<uint8_t>(bytes);
    break;
  case TensorType::INT16:
    stored.values = integersOf<int16_t>(bytes);
    break;
  case TensorType::INT32:
    stored.values = integersOf<int32_t>(bytes);
    break;
  default:
    stored.values = integersOf<int64_t>(bytes);
    break;
  }
  return stored;
}

int64_t ProductScaling::finish(int64_t sum, size_t channel) const {
  const float own = weights.scales[weights.scales.size() == 1 ? 0 : channel];
  // Kernels with one multiplier compute the product of the scales in floats.
  const double product = isPerChannel ? static_cast<double>(input.scale()) * own : double{input.scale() * own};
  const Multiplier multiplier(product / result.scale());
  const int64_t scaled = input.type == TensorType::INT16 ? timesWide(sum, multiplier) : timesNarrow(sum, multiplier);
  const Limits limits = clampOf(activation, result);
  return std::clamp(scaled + result.zeroPoint(), limits.least, limits.greatest);
}

Bytes expectedConv(const Model &model, const std::vector<int32_t> &operands, const Shape &result, const ConvGrid &grid,
                   const ProductScaling &scaling) {
  const Stored input = storedOf(model, operands[0]), weights = storedOf(model, operands[1]);
  const Stored bias = storedOf(model, operands[2]);
  const int32_t height = input.shape[1], width = input.shape[2], depth = input.shape[3];
  std::vector<double> results;
  const auto sumAt = [&](int32_t image, int32_t y, int32_t x, int32_t channel) {
    int64_t sum = bias.values[static_cast<size_t>(channel)];
    for (int32_t ky = 0; ky < weights.shape[1]; ++ky)
      for (int32_t kx = 0; kx < weights.shape[2]; ++kx) {
        const int32_t fromY = y * grid.stride[0] - grid.padding[0] + ky * grid.dilation[0];
        const int32_t fromX = x * grid.stride[1] - grid.padding[1] + kx * grid.dilation[1];
        if (fromY < 0 || fromY >= height || fromX < 0 || fromX >= width)
          continue;
        const int32_t pixel = ((image * height + fromY) * width + fromX) * depth;
        const int32_t tap = ((channel * weights.shape[1] + ky) * weights.shape[2] + kx) * depth;
        for (int32_t i = 0; i < depth; ++i)
          sum += (input.values[static_cast<size_t>(pixel + i)] - input.zeroPoint()) *
                 (weights.values[static_cast<size_t>(tap + i)] - weights.zeroPoint(channel));
      }
    return sum;
  };
  for (int32_t image = 0; image < result[0]; ++image)
    for (int32_t y = 0; y < result[1]; ++y)
      for (int32_t x = 0; x < result[2]; ++x)
        for (int32_t channel = 0; channel < result[3]; ++channel)
          results.push_back(
              static_cast<double>(scaling.finish(sumAt(image, y, x, channel), static_cast<size_t>(channel))));
  return encode(results, scaling.result.type);
}

Bytes expectedProduct(const Model &model, const std::vector<int32_t> &operands, const ProductScaling &scaling) {
  const Stored input = storedOf(model, operands[0]), weights = storedOf(model, operands[1]);
  const Stored bias = storedOf(model, operands[2]);
  const auto channels = static_cast<size_t>(weights.shape[0]), depth = static_cast<size_t>(weights.shape[1]);
  std::vector<double> results;
  for (size_t row = 0; row < input.values.size() / depth; ++row)
    for (size_t channel = 0; channel < channels; ++channel) {
      int64_t sum = bias.values[channel];
      for (size_t i = 0; i < depth; ++i)
        sum += (input.values[row * depth + i] - input.zeroPoint()) *
               (weights.values[channel * depth + i] - weights.zeroPoint(static_cast<int64_t>(channel)));
      results.push_back(static_cast<double>(scaling.finish(sum, channel)));
    }
  return encode(results, scaling.result.type);
}

namespace {

/// The matrices of an operand.
class Matrices {
public:
  Matrices(Stored stored, bool transposed) : stored_(std::move(stored)), transposed_(transposed) {}

  int32_t columns() const { return *(stored_.shape.end() - (transposed_ ? 2 : 1)); }

  /// Less the zero point; `matrix` counts in the batch of the result.
  int64_t at(const Shape &result, int32_t matrix, int32_t row, int32_t column) const {
    const Shape &shape = stored_.shape;
    int32_t own = 0, step = 1;
    for (size_t i = 3; i <= result.size(); ++i) {
      const int32_t extent = *(result.end() - static_cast<long>(i)), position = matrix % extent;
      matrix /= extent;
      const int32_t available = i <= shape.size() ? *(shape.end() - static_cast<long>(i)) : 1;
      own += (available == 1 ? 0 : position) * step;
      step *= available;
    }
    const int32_t stride = shape.back(), rows = shape[shape.size() - 2];
    const int32_t inside = transposed_ ? column * stride + row : row * stride + column;
    return stored_.values[static_cast<size_t>(own * rows * stride + inside)] - stored_.zeroPoint();
  }

private:
  Stored stored_;
  bool transposed_;
};

} // namespace

Bytes expectedMatmul(const Model &model, const std::vector<int32_t> &operands, const std::array<bool, 2> &transposed,
                     const Shape &result, const ProductScaling &scaling) {
  const Matrices left(storedOf(model, operands[0]), transposed[0]), right(storedOf(model, operands[1]), transposed[1]);
  const int32_t rows = result[result.size() - 2], columns = result.back(), depth = left.columns();
  std::vector<double> results;
  for (int32_t element = 0; element < numElements(result); ++element) {
    const int32_t column = element % columns, row = element / columns % rows, matrix = element / columns / rows;
    int64_t sum = 0;
    for (int32_t i = 0; i < depth; ++i)
      sum += left.at(result, matrix, row, i) * right.at(result, matrix, i, column);
    results.push_back(static_cast<double>(scaling.finish(sum, static_cast<size_t>(column))));
  }
  return encode(results, scaling.result.type);
}

namespace {

/// The position in the result of an element of the operand.
size_t positionWithout(const std::vector<bool> &isReduced, const Shape &shape, size_t element) {
  size_t position = 0, step = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    const auto extent = static_cast<size_t>(shape[axis]);
    if (!isReduced[axis]) {
      position += element % extent * step;
      step *= extent;
    }
    element /= extent;
  }
  return position;
}

/// The factor of sums of `count` elements: the division is part of the mantissa.
Multiplier dividedBy(Multiplier multiplier, int64_t count) {
  int shift = std::bit_width(static_cast<uint64_t>(count)) - 1;
  shift = std::min({shift, 32, 31 + multiplier.exponent});
  multiplier.mantissa = (multiplier.mantissa << shift) / count;
  multiplier.exponent -= shift;
  return multiplier;
}

} // namespace

Bytes expectedMean(const Model &model, int32_t operand, const std::vector<bool> &isReduced, const Element &result) {
  const Stored input = storedOf(model, operand);
  int64_t count = 1;
  for (size_t axis = 0; axis < isReduced.size(); ++axis)
    count *= isReduced[axis] ? input.shape[axis] : 1;
  std::vector<int64_t> sums(input.values.size() / static_cast<size_t>(count), -count * input.zeroPoint());
  for (size_t i = 0; i < input.values.size(); ++i)
    sums[positionWithout(isReduced, input.shape, i)] += input.values[i];
  const double ratio = static_cast<double>(input.element.scale()) / static_cast<double>(result.scale());
  const Multiplier multiplier = dividedBy(Multiplier(ratio), count);
  const Limits limits = limitsOf(result.type);
  std::vector<double> results;
  for (int64_t sum : sums)
    results.push_back(static_cast<double>(
        std::clamp(timesNarrow(sum, multiplier) + result.zeroPoint(), limits.least, limits.greatest)));
  return encode(results, result.type);
}

Bytes expectedQuantize(const Model &model, int32_t operand, const Element &result) {
  std::vector<double> results;
  const auto add = [&](double scaled) {
    const Limits limits = limitsOf(result.type);
    results.push_back(std::clamp(scaled + static_cast<double>(result.zeroPoint()), static_cast<double>(limits.least),
                                 static_cast<double>(limits.greatest)));
  };
  const Element source = model.element(operand);
  if (source.type == TensorType::FLOAT32) {
    // The quotient is a float: in double precision, halves may round otherwise.
    for (float value : numbersOf<float>(model.bytes(operand)))
      add(static_cast<double>(std::round(value / result.scale())));
    return encode(results, result.type);
  }
  const Multiplier multiplier(static_cast<double>(source.scale()) / static_cast<double>(result.scale()));
  for (int64_t value : storedOf(model, operand).values)
    add(static_cast<double>(timesNarrow(value - source.zeroPoint(), multiplier)));
  return encode(results, result.type);
}

} // namespace avocet::differential
