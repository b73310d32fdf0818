//===- Compare.cpp - Differences of two tensors ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace avocet::differential {
namespace {

template <typename T, typename Shown, typename Differs>
std::string firstDifference(const std::vector<T> &found, const std::vector<T> &expected, Differs differs) {
  size_t count = 0, first = 0;
  for (size_t i = expected.size(); i-- > 0;)
    if (differs(found[i], expected[i])) {
      ++count;
      first = i;
    }
  if (count == 0)
    return "";
  return fmt::format("{} of {} elements differ, the first at {}: {}, expected {}", count, expected.size(), first,
                     static_cast<Shown>(found[first]), static_cast<Shown>(expected[first]));
}

template <typename T> std::string compareIntegers(const Bytes &found, const Bytes &expected, int32_t steps) {
  return firstDifference<T, int64_t>(numbersOf<T>(found), numbersOf<T>(expected), [=](T left, T right) {
    const T high = std::max(left, right), low = std::min(left, right);
    return static_cast<uint64_t>(high) - static_cast<uint64_t>(low) > static_cast<uint64_t>(steps);
  });
}

template <typename T> std::string compareFloats(const Bytes &found, const Bytes &expected, float tolerance) {
  const std::vector<T> wanted = numbersOf<T>(expected);
  double greatest = 1;
  for (T value : wanted)
    if (std::isfinite(static_cast<double>(value)))
      greatest = std::max(greatest, std::abs(static_cast<double>(value)));
  const double limit = tolerance * greatest;
  return firstDifference<T, double>(numbersOf<T>(found), wanted, [=](T left, T right) {
    const auto y = static_cast<double>(left), e = static_cast<double>(right);
    // Also zeros of both signs: the library's functions of whole vectors lose the sign.
    if (y == e || (std::isnan(y) && std::isnan(e)))
      return false;
    // Infinities and their absence are never within a tolerance.
    return limit == 0 || !(std::abs(y - e) <= limit);
  });
}

} // namespace

std::string compare(TensorType type, const Bytes &found, const Bytes &expected, const Tolerance &tolerance) {
  if (found.size() != expected.size())
    return fmt::format("{} bytes, expected {}", found.size(), expected.size());
  switch (type) {
  case TensorType::FLOAT32:
    return compareFloats<float>(found, expected, tolerance.real);
  case TensorType::FLOAT16:
    return compareFloats<_Float16>(found, expected, tolerance.real);
  case TensorType::INT64:
    return compareIntegers<int64_t>(found, expected, tolerance.steps);
  case TensorType::INT32:
    return compareIntegers<int32_t>(found, expected, tolerance.steps);
  case TensorType::INT16:
    return compareIntegers<int16_t>(found, expected, tolerance.steps);
  case TensorType::INT8:
    return compareIntegers<int8_t>(found, expected, tolerance.steps);
  default:
    return compareIntegers<uint8_t>(found, expected, tolerance.steps);
  }
}

} // namespace avocet::differential
