//===- ReferenceTable.cpp - Functions of 16-bit numbers in tables ---------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <algorithm>
#include <cmath>

namespace avocet::differential {
namespace {

/// The table, in floats throughout.
std::vector<double> tableOf(float inputScale, float resultScale, const std::function<float(float)> &function) {
  const float low = inputScale * -32768, high = inputScale * 32767, step = (high - low) / 512;
  const float inverse = 65536 / (resultScale * 32767 - resultScale * -32768);
  std::vector<double> table;
  for (int i = 0; i < 512; ++i) {
    const auto at = static_cast<float>(i);
    const float value = function(low + at * step), middle = function(low + at * step + step / 2);
    const float sample = std::round(value * inverse);
    const float between = std::round((function(low + (at + 1) * step) * inverse + sample) / 2);
    const float error = between - std::round(middle * inverse);
    table.push_back(std::clamp(sample - std::round(error / 2), -32768.0f, 32767.0f));
  }
  table.push_back(std::clamp(std::round(function(high) * inverse), -32768.0f, 32767.0f));
  return table;
}

} // namespace

Bytes expectedTable(const Model &model, int32_t operand, const Element &result,
                    const std::function<float(float)> &function) {
  const std::vector<double> table = tableOf(model.element(operand).scale(), result.scale(), function);
  std::vector<double> results;
  for (int64_t value : storedOf(model, operand).values) {
    const auto index = static_cast<size_t>((value + 32768) / 128);
    const int64_t offset = (value + 32768) % 128;
    const auto slope = static_cast<int16_t>(static_cast<int64_t>(table[index + 1] - table[index]));
    const double rise = std::floor(static_cast<double>(slope * offset + 64) / 128);
    results.push_back(static_cast<int16_t>(static_cast<int64_t>(table[index] + rise)));
  }
  return encode(results, result.type);
}

} // namespace avocet::differential
