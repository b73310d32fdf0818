//===- Reductions.cpp - Reductions and normalizations ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace avocet::hal::conformance {
namespace {

using enum OperationType;

using Fold = double (*)(double, double);

/// Combines all elements that differ only in the reduced dimensions.
Reals folded(const OperationValues &operation, double start, Fold fold) {
  const Dimensions &dimensions = operation.input(0).dimensions;
  const auto rank = static_cast<int32_t>(dimensions.size());
  Dimensions kept = dimensions;
  for (int32_t axis : operation.integers(1))
    kept[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 1;
  Reals result(elementsOf(kept), start);
  const Reals values = operation.reals(0);
  size_t index = 0;
  forEachElement(dimensions, [&](Dimensions at) {
    for (size_t i = 0; i < at.size(); ++i)
      at[i] = kept[i] == 1 ? 0 : at[i];
    double &place = result[offsetOf(kept, at)];
    place = fold(place, values[index++]);
  });
  return result;
}

double sum(double a, double b) { return a + b; }
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<Reals> mean(const OperationValues &operation) {
  Reals result = folded(operation, 0, sum);
  const double count = static_cast<double>(operation.input(0).numElements()) / static_cast<double>(result.size());
  for (double &value : result)
    value /= count;
  return result;
}

std::optional<Reals> reduceSum(const OperationValues &operation) { return folded(operation, 0, sum); }
std::optional<Reals> reduceProduct(const OperationValues &operation) {
  return folded(operation, 1, [](double a, double b) { return a * b; });
}
std::optional<Reals> reduceMax(const OperationValues &operation) {
  return folded(operation, -kInfinity, [](double a, double b) { return std::max(a, b); });
}
std::optional<Reals> reduceMin(const OperationValues &operation) {
  return folded(operation, kInfinity, [](double a, double b) { return std::min(a, b); });
}
std::optional<Reals> reduceAll(const OperationValues &operation) {
  return folded(operation, 1, [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; });
}
std::optional<Reals> reduceAny(const OperationValues &operation) {
  return folded(operation, 0, [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; });
}

/// The elements of one line along `axis` are `step` apart.
struct Lines {
  size_t length = 1, step = 1, count = 1;
  size_t begin(size_t line) const { return line / step * step * length + line % step; }
};

Lines linesAlong(const Dimensions &dimensions, size_t axis) {
  Lines lines;
  lines.length = dimensions[axis];
  for (size_t i = 0; i < dimensions.size(); ++i) {
    lines.step *= i > axis ? dimensions[i] : 1;
    lines.count *= i == axis ? 1 : dimensions[i];
  }
  return lines;
}

/// The index of the first of the best elements of each line.
template <typename IsBetter> std::optional<Reals> argument(const OperationValues &operation) {
  const Reals values = operation.reals(0);
  const Lines lines = linesAlong(operation.input(0).dimensions, operation.axis(1));
  Reals result;
  for (size_t line = 0; line < lines.count; ++line) {
    size_t best = 0;
    for (size_t i = 1; i < lines.length; ++i)
      if (IsBetter()(values[lines.begin(line) + i * lines.step], values[lines.begin(line) + best * lines.step]))
        best = i;
    result.push_back(static_cast<double>(best));
  }
  return result;
}

/// Changes each line along `axis` as a whole.
template <typename Change> Reals changedLines(const OperationValues &operation, size_t axis, Change change) {
  Reals values = operation.reals(0);
  const Lines lines = linesAlong(operation.input(0).dimensions, axis);
  for (size_t line = 0; line < lines.count; ++line) {
    Reals elements;
    for (size_t i = 0; i < lines.length; ++i)
      elements.push_back(values[lines.begin(line) + i * lines.step]);
    change(elements);
    for (size_t i = 0; i < lines.length; ++i)
      values[lines.begin(line) + i * lines.step] = elements[i];
  }
  return values;
}

std::optional<Reals> softmax(const OperationValues &operation) {
  const double beta = operation.real(1);
  return changedLines(operation, operation.axis(2), [&](Reals &line) {
    const double largest = std::ranges::max(line);
    double total = 0;
    for (double &value : line)
      total += value = std::exp(beta * (value - largest));
    for (double &value : line)
      value /= total;
  });
}

std::optional<Reals> logSoftmax(const OperationValues &operation) {
  const double beta = operation.real(1);
  return changedLines(operation, operation.axis(2), [&](Reals &line) {
    const double largest = std::ranges::max(line);
    double total = 0;
    for (double value : line)
      total += std::exp(beta * (value - largest));
    for (double &value : line)
      value = beta * (value - largest) - std::log(total);
  });
}

/// Shorter lines than this are divided by it, as by the reference of NNAPI: a line of zeros stays one.
constexpr double kShortestLine = 1e-6;

std::optional<Reals> l2Normalization(const OperationValues &operation) {
  return changedLines(operation, operation.axis(1), [](Reals &line) {
    double total = 0;
    for (double value : line)
      total += value * value;
    for (double &value : line)
      value /= std::max(std::sqrt(total), kShortestLine);
  });
}

std::optional<Reals> localResponse(const OperationValues &operation) {
  const auto radius = static_cast<size_t>(operation.integer(1));
  const double bias = operation.real(2), alpha = operation.real(3), beta = operation.real(4);
  return changedLines(operation, operation.axis(5), [&](Reals &line) {
    const Reals before = line;
    for (size_t i = 0; i < line.size(); ++i) {
      double total = 0;
      for (size_t j = i - std::min(i, radius); j < std::min(i + radius + 1, line.size()); ++j)
        total += before[j] * before[j];
      line[i] = before[i] / std::pow(bias + alpha * total, beta);
    }
  });
}

/// The mean of each channel of an image becomes 0 and its variance 1; then scale and offset.
std::optional<Reals> instanceNormalization(const OperationValues &operation) {
  const double scale = operation.real(1), offset = operation.real(2), least = operation.real(3);
  const size_t channelDimension = operation.flag(4) ? 1 : 3;
  const Dimensions &dimensions = operation.input(0).dimensions;
  auto imageOf = [&](const Dimensions &at) { return at[0] * dimensions[channelDimension] + at[channelDimension]; };
  const size_t images = size_t{dimensions[0]} * dimensions[channelDimension];
  Reals values = operation.reals(0), means(images), variances(images);
  const double count = static_cast<double>(values.size()) / static_cast<double>(images);
  auto forEachValue = [&](auto visit) {
    size_t index = 0;
    forEachElement(dimensions, [&](const Dimensions &at) { visit(values[index++], imageOf(at)); });
  };
  forEachValue([&](double value, size_t image) { means[image] += value / count; });
  forEachValue([&](double value, size_t image) { variances[image] += std::pow(value - means[image], 2) / count; });
  forEachValue([&](double &value, size_t image) {
    value = (value - means[image]) * scale / std::sqrt(variances[image] + least) + offset;
  });
  return values;
}

constexpr Definition kRows[] = {
    {Mean, mean},
    {ReduceSum, reduceSum},
    {ReduceProd, reduceProduct},
    {ReduceMax, reduceMax},
    {ReduceMin, reduceMin},
    {ReduceAll, reduceAll},
    {ReduceAny, reduceAny},
    {Argmax, argument<std::greater<>>},
    {Argmin, argument<std::less<>>},
    {Softmax, softmax},
    {LogSoftmax, logSoftmax},
    {L2Normalization, l2Normalization},
    {LocalResponseNormalization, localResponse},
    {InstanceNormalization, instanceNormalization},
};

} // namespace

std::span<const Definition> reductionDefinitions() { return kRows; }

} // namespace avocet::hal::conformance
