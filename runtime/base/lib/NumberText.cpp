//===- NumberText.cpp - Numbers for people --------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/NumberText.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace avocet {

std::string withCommas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

std::string formatEnergy(double picojoules) {
  return picojoules < 1e9 ? fmt::format("{:.1f} uJ", picojoules / 1e6) : fmt::format("{:.2f} mJ", picojoules / 1e9);
}

std::string formatBytes(uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1023.95 && unit + 1 < kUnits.size(); ++unit)
    value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string formatCount(uint64_t count) {
  constexpr std::array<std::string_view, 4> kUnits = {"k", "M", "G", "T"};
  if (count < 1000)
    return std::to_string(count);
  double value = static_cast<double>(count) / 1000;
  size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit)
    value /= 1000;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

} // namespace avocet
