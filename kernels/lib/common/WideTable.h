//===- WideTable.h - Interpolated tables of 16-bit functions --------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_WIDETABLE_H
#define AVOCET_KERNELS_LIB_COMMON_WIDETABLE_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace avocet::kernels {

/// A function of 16-bit numbers as 513 samples, one every 128 numbers.
using WideTable = std::array<int16_t, 513>;

/// Q0.15 samples of a function on [low, high]. Each is lowered by half the error that a straight line to the next one
/// has in the middle, as in the reference.
template <typename F> WideTable makeWideTable(F &&function, double low, double high) {
  constexpr double kOne = 32768;
  auto stored = [](double value) { return static_cast<int16_t>(std::clamp(value, -kOne, kOne - 1)); };
  const double step = (high - low) / 512;
  WideTable table;
  for (int i = 0; i < 512; ++i) {
    double sample = std::round(function(low + i * step) * kOne);
    double line = std::round((function(low + (i + 1) * step) * kOne + sample) / 2);
    double middle = std::round(function(low + i * step + step / 2) * kOne);
    table[i] = stored(sample - std::round((line - middle) / 2));
  }
  table[512] = stored(std::round(function(high) * kOne));
  return table;
}

/// The function of a number, interpolated between two samples.
inline int16_t lookUp(const int16_t *table, int16_t value) {
  int index = 256 + (value >> 7), offset = value & 127;
  // The difference of two samples is stored in 16 bits by the reference.
  auto slope = static_cast<int16_t>(table[index + 1] - table[index]);
  return static_cast<int16_t>(table[index] + ((slope * offset + 64) >> 7));
}

/// The same for each number of a row; input and output may be one row.
void lookUpRow(const WideTable &table, const int16_t *input, int16_t *output, size_t count);

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_WIDETABLE_H
