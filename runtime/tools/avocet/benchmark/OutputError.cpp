//===- OutputError.cpp - Differences from a reference ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputError.h"

#include "avocet/session/Tensors.h"

#include <algorithm>
#include <cmath>

namespace avocet::tool {
namespace {

using firmware::DataType;

/// Of integers: a share of a step that rounding of the scale may add.
constexpr double kRounding = 1e-6;

double toleranceOf(DataType type, double step, double expected) {
  constexpr double kFloat32 = 0x1p-23, kFloat16 = 0x1p-10, kBFloat16 = 0x1p-7;
  switch (type) {
  case DataType::Float32:
    return 1e-5 + 5 * kFloat32 * std::abs(expected);
  case DataType::Float16:
    return 5 * kFloat16 * (1 + std::abs(expected));
  case DataType::BFloat16:
    return 5 * kBFloat16 * (1 + std::abs(expected));
  case DataType::Bool8:
    return 0;
  default:
    return step * (1 + kRounding);
  }
}

} // namespace

void OutputError::addValue(DataType type, double step, double actual, double expected) {
  if (!std::isfinite(actual) || !std::isfinite(expected)) {
    ++notFinite_;
    ++outside_;
    return;
  }
  const double error = actual - expected;
  outside_ += std::abs(error) > toleranceOf(type, step, expected);
  maxError_ = std::max(maxError_, std::abs(error));
  sum_ += error;
  squares_ += error * error;
  product_ += actual * expected;
  actualSquares_ += actual * actual;
  expectedSquares_ += expected * expected;
  const bool isFirst = values_ == notFinite_ + 1; // of the finite values
  least_ = isFirst ? expected : std::min(least_, expected);
  most_ = isFirst ? expected : std::max(most_, expected);
}

void OutputError::add(const cache::OperandView &operand, std::span<const uint8_t> actual,
                      std::span<const uint8_t> expected) {
  const size_t count = operand.bytes / sizeOf(operand.type);
  const double step = operand.scales.empty() ? 1.0 : operand.scales.front();
  size_t largest = 0, expectedLargest = 0;
  double most = 0, expectedMost = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = session::realValue(operand, actual, i), wanted = session::realValue(operand, expected, i);
    ++values_;
    addValue(operand.type, step, value, wanted);
    if (i == 0 || value > most) {
      largest = i;
      most = value;
    }
    if (i == 0 || wanted > expectedMost) {
      expectedLargest = i;
      expectedMost = wanted;
    }
  }
  ++cases_;
  sameLargest_ += largest == expectedLargest;
  equalCases_ += std::ranges::equal(actual, expected);
}

double OutputError::inside() const {
  return values_ == 0 ? 1 : 1 - static_cast<double>(outside_) / static_cast<double>(values_);
}

double OutputError::bias() const {
  const uint64_t finite = values_ - notFinite_;
  return finite == 0 ? 0 : sum_ / static_cast<double>(finite);
}

double OutputError::meanSquare() const {
  const uint64_t finite = values_ - notFinite_;
  return finite == 0 ? 0 : squares_ / static_cast<double>(finite);
}

double OutputError::cosine() const {
  if (actualSquares_ == 0 || expectedSquares_ == 0)
    return actualSquares_ == expectedSquares_ ? 1 : 0;
  return product_ / std::sqrt(actualSquares_ * expectedSquares_);
}

std::optional<double> OutputError::psnr() const {
  const double range = most_ - least_, square = meanSquare();
  if (square == 0 || range == 0)
    return std::nullopt;
  return 10 * std::log10(range * range / square);
}

} // namespace avocet::tool
