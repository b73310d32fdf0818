//===- Compare.cpp -------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "avocet/hal/types/Utils.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace avocet::hal::conformance {
namespace {

template <typename T> double read(std::span<const uint8_t> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

/// IEEE binary16.
double halfAt(std::span<const uint8_t> bytes, size_t index) {
  uint16_t bits;
  std::memcpy(&bits, bytes.data() + index * sizeof(bits), sizeof(bits));
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  if (exponent == 0x1f)
    value = mantissa == 0 ? HUGE_VAL : std::nan("");
  return bits & 0x8000 ? -value : value;
}

struct Layout {
  OperandType type;
  double (*at)(std::span<const uint8_t>, size_t);
};

constexpr Layout kLayouts[] = {
    {OperandType::Float32, read<float>},
    {OperandType::Int32, read<int32_t>},
    {OperandType::UInt32, read<uint32_t>},
    {OperandType::TensorFloat32, read<float>},
    {OperandType::TensorInt32, read<int32_t>},
    {OperandType::TensorQuant8Asymm, read<uint8_t>},
    {OperandType::Bool, read<uint8_t>},
    {OperandType::TensorQuant16Symm, read<int16_t>},
    {OperandType::TensorFloat16, halfAt},
    {OperandType::TensorBool8, read<uint8_t>},
    {OperandType::Float16, halfAt},
    {OperandType::TensorQuant8SymmPerChannel, read<int8_t>},
    {OperandType::TensorQuant16Asymm, read<uint16_t>},
    {OperandType::TensorQuant8Symm, read<int8_t>},
    {OperandType::TensorQuant8AsymmSigned, read<int8_t>},
};

const Layout *layoutOf(OperandType type) {
  for (const Layout &layout : kLayouts)
    if (layout.type == type)
      return &layout;
  return nullptr;
}

bool isClose(double actual, double expected, const ExpectedOutput &rule) {
  return actual == expected || std::abs(actual - expected) <= rule.absolute + rule.relative * std::abs(expected);
}

/// Probability of each class of one row, exp(x_i) / sum(exp(x)).
std::vector<double> distribution(OperandType type, std::span<const uint8_t> logits, size_t row, size_t classes) {
  std::vector<double> result(classes);
  double sum = 0;
  for (size_t i = 0; i < classes; ++i)
    sum += result[i] = std::exp(elementAt(type, logits, row * classes + i));
  for (double &value : result)
    value /= sum;
  return result;
}

/// Share of each class in the draws of one row; empty if a draw is out of range.
std::vector<double> shares(std::span<const uint8_t> draws, size_t row, size_t samples, size_t classes) {
  std::vector<double> result(classes);
  for (size_t i = 0; i < samples; ++i) {
    const double drawn = elementAt(OperandType::TensorInt32, draws, row * samples + i);
    if (drawn < 0 || drawn >= static_cast<double>(classes))
      return {};
    result[static_cast<size_t>(drawn)] += 1.0 / static_cast<double>(samples);
  }
  return result;
}

} // namespace

double elementAt(OperandType type, std::span<const uint8_t> bytes, size_t index) {
  const Layout *layout = layoutOf(type);
  return layout ? layout->at(bytes, index) : 0;
}

/// Only the extension defines what its bytes mean.
static std::string compareForeign(size_t output, const ExpectedOutput &expected, std::span<const uint8_t> actual) {
  return compareBits(output, expected.bytes, actual, 0);
}

std::string compareValues(size_t output, const ExpectedOutput &expected, std::span<const uint8_t> actual) {
  if (isExtension(expected.type))
    return compareForeign(output, expected, actual);
  const size_t width = elementBytes(expected.type);
  if (width == 0 || actual.size() != expected.bytes.size())
    return fmt::format("output {}: {} bytes of type {}, expected {}", output, actual.size(),
                       static_cast<int>(expected.type), expected.bytes.size());
  const size_t count = actual.size() / width;
  size_t wrong = 0, first = 0;
  for (size_t i = count; i-- > 0;)
    if (!isClose(elementAt(expected.type, actual, i), elementAt(expected.type, expected.bytes, i), expected)) {
      first = i;
      ++wrong;
    }
  if (wrong == 0)
    return "";
  return fmt::format("output {} [{}]: actual {}, expected {}, {} of {} elements are wrong", output, first,
                     elementAt(expected.type, actual, first), elementAt(expected.type, expected.bytes, first), wrong,
                     count);
}

std::string compareDraws(size_t output, const ExpectedOutput &expected, std::span<const uint8_t> actual,
                         OperandType logitType, std::span<const uint8_t> logits, double tolerance) {
  const size_t width = elementBytes(logitType);
  if (expected.dimensions.size() != 2 || expected.dimensions[0] == 0 || expected.dimensions[1] == 0 || width == 0)
    return fmt::format("output {}: no draws of shape {}", output, shapeText(expected.dimensions));
  const size_t rows = expected.dimensions[0], samples = expected.dimensions[1];
  const size_t classes = logits.size() / width / rows;
  if (actual.size() / sizeof(int32_t) / samples != rows)
    return fmt::format("output {}: {} bytes of draws", output, actual.size());
  for (size_t row = 0; row < rows; ++row) {
    const std::vector<double> wanted = distribution(logitType, logits, row, classes);
    const std::vector<double> drawn = shares(actual, row, samples, classes);
    if (drawn.empty())
      return fmt::format("output {} row {}: a draw is outside [0, {})", output, row, classes);
    for (size_t i = 0; i < classes; ++i)
      if (!(std::abs(drawn[i] - wanted[i]) <= tolerance))
        return fmt::format("output {} row {} class {}: actual share {}, expected {}", output, row, i, drawn[i],
                           wanted[i]);
  }
  return "";
}

std::string compareBits(size_t output, std::span<const uint8_t> reference, std::span<const uint8_t> actual,
                        uint8_t flip) {
  if (reference.size() != actual.size())
    return fmt::format("output {}: {} bytes, the other run {}", output, actual.size(), reference.size());
  for (size_t i = 0; i < actual.size(); ++i)
    if (actual[i] != (reference[i] ^ flip))
      return fmt::format("output {} byte {}: actual {}, the other run {}", output, i, actual[i], reference[i] ^ flip);
  return "";
}

std::string shapeText(const std::vector<uint32_t> &dimensions) {
  return fmt::format("[{}]", fmt::join(dimensions, "x"));
}

} // namespace avocet::hal::conformance
