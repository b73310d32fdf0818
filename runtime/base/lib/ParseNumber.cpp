//===- ParseNumber.cpp - Numbers from command lines and knobs -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/ParseNumber.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace avocet {
namespace {

/// Reads the whole text as one number. A number that is too large for T gives result_out_of_range.
template <typename T> std::errc convert(std::string_view text, T &value, auto... base) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  return error == std::errc() && end != text.data() + text.size() ? std::errc::invalid_argument : error;
}

template <typename T> Result<T> checked(std::string_view text, std::errc error, T value, T least, T most, auto kind) {
  if (error == std::errc() && value >= least && value <= most)
    return value;
  return invalidArgument(fmt::format("'{}' must be {} from {} to {}", text, kind, least, most));
}

/// Powers of 1024 for "", "B", "K", "KB", "KiB", ...; -1: no such unit.
int exponentOf(std::string_view unit) {
  constexpr std::string_view kPrefixes = "KMGT";
  if (unit.empty() || unit == "B" || unit == "b")
    return 0;
  const size_t index = kPrefixes.find(static_cast<char>(unit[0] & ~0x20));
  unit.remove_prefix(1);
  const bool isUnit = unit.empty() || unit == "B" || unit == "b" || unit == "iB" || unit == "ib";
  return index == std::string_view::npos || !isUnit ? -1 : static_cast<int>(index) + 1;
}

} // namespace

Result<uint64_t> parseUnsigned(std::string_view text, uint64_t least, uint64_t most) {
  uint64_t value = 0;
  const bool isHex = text.starts_with("0x") || text.starts_with("0X");
  const std::errc error = isHex ? convert(text.substr(2), value, 16) : convert(text, value, 10);
  return checked(text, error, value, least, most, "a whole number");
}

Result<int64_t> parseSigned(std::string_view text, int64_t least, int64_t most) {
  int64_t value = 0;
  return checked(text, convert(text, value, 10), value, least, most, "a whole number");
}

Result<double> parseReal(std::string_view text, double least, double most) {
  double value = 0;
  std::errc error = convert(text, value);
  if (error == std::errc() && !std::isfinite(value))
    error = std::errc::invalid_argument;
  return checked(text, error, value, least, most, "a number");
}

Result<uint64_t> parseBytes(std::string_view text, uint64_t least, uint64_t most) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const int exponent = exponentOf(text.substr(digits));
  uint64_t value = 0;
  std::errc error = exponent < 0 ? std::errc::invalid_argument : convert(text.substr(0, digits), value, 10);
  const int shift = exponent * 10;
  if (error == std::errc() && value > std::numeric_limits<uint64_t>::max() >> shift)
    error = std::errc::result_out_of_range;
  else if (error == std::errc())
    value <<= shift;
  return checked(text, error, value, least, most, "a number of bytes, with K, M, G or T for powers of 1024,");
}

} // namespace avocet
