//===- Definitions.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Definitions.h"

#include "../Compare.h"
#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace avocet::hal::conformance {
namespace {

std::vector<Definition> joinFamilies() {
  std::vector<Definition> all;
  for (auto family :
       {elementwiseDefinitions, windowDefinitions, reductionDefinitions, moveDefinitions, recurrentDefinitions}) {
    std::span<const Definition> rows = family();
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

size_t channelOf(const Value &value, size_t index) {
  for (size_t i = value.dimensions.size() - 1; i > value.channelDim; --i)
    index /= value.dimensions[i];
  return index % value.dimensions[value.channelDim];
}

double scaleAt(const Value &value, size_t index) {
  return static_cast<double>(value.channelScales.empty() ? value.scale : value.channelScales[channelOf(value, index)]);
}

/// The real numbers that a quantised type can represent.
double clampToRange(const Value &value, double real) {
  if (!isAsymmetric8Bit(value.type))
    return real;
  const int32_t least = value.type == OperandType::TensorQuant8Asymm ? 0 : -128;
  const auto scale = static_cast<double>(value.scale);
  return std::clamp(real, scale * (least - value.zeroPoint), scale * (least + 255 - value.zeroPoint));
}

/// One step of 8 bits, as the test suites of NNAPI allow; for floating point relative to the largest element, since
/// sums lose what their largest term does. Integers and booleans are exact.
double toleranceOf(const Value &value, const Reals &expected) {
  if (isQuantized(value.type))
    return 1.01 * static_cast<double>(value.scale);
  if (!isFloating(value.type))
    return 0;
  double largest = 1e-3;
  for (double real : expected)
    largest = std::max(largest, std::fabs(real));
  return largest * (value.type == OperandType::TensorFloat16 ? 0x1p-7 : 0x1p-14);
}

/// Sums and products of integers wrap where these do not; an activation then clamps another number.
bool mayWrap(const OperationValues &operation, const Reals &expected) {
  if (operation.output(0).type != OperandType::TensorInt32)
    return false;
  auto isAbove = [](double limit) { return [limit](double real) { return std::fabs(real) > limit; }; };
  constexpr double kRootOfRange = 46340, kRange = 0x1p31 - 1;
  const bool isSum = operation.type() == OperationType::Add || operation.type() == OperationType::Sub ||
                     operation.type() == OperationType::Mul;
  return std::ranges::any_of(expected, isAbove(kRange)) ||
         (isSum && (std::ranges::any_of(operation.reals(0), isAbove(kRootOfRange)) ||
                    std::ranges::any_of(operation.reals(1), isAbove(kRootOfRange))));
}

} // namespace

double realAt(const Value &value, size_t index) {
  const double raw = elementAt(value.type, value.bytes, index);
  const bool isScaled = isQuantized(value.type) || value.scale != 0; // a bias is TENSOR_INT32 with a scale
  return isScaled ? (raw - value.zeroPoint) * scaleAt(value, index) : raw;
}

Reals OperationValues::reals(size_t position) const {
  const Value &value = input(position);
  Reals all(value.numElements());
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = realAt(value, i);
  return all;
}

std::vector<int32_t> OperationValues::integers(size_t position) const {
  const Value &value = input(position);
  std::vector<int32_t> all(value.numElements());
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<int32_t>(elementAt(value.type, value.bytes, i));
  return all;
}

size_t OperationValues::axis(size_t position) const {
  const int32_t given = integer(position);
  return static_cast<size_t>(given < 0 ? given + static_cast<int32_t>(input(0).dimensions.size()) : given);
}

const Definition *findDefinition(OperationType type) {
  static const std::vector<Definition> kAll = joinFamilies();
  const auto found = std::ranges::find(kAll, type, &Definition::type);
  return found == kAll.end() ? nullptr : &*found;
}

double activated(int32_t code, double value) {
  switch (code) {
  case 1:
    return std::max(value, 0.0);
  case 2:
    return std::clamp(value, -1.0, 1.0);
  case 3:
    return std::clamp(value, 0.0, 6.0);
  default:
    return value;
  }
}

size_t offsetOf(const Dimensions &dimensions, const Dimensions &at) {
  size_t offset = 0;
  for (size_t i = 0; i < at.size(); ++i)
    offset = offset * dimensions[i] + at[i];
  return offset;
}

std::string differenceFromDefinition(const Graph &graph) {
  const OperationValues operation(graph, graph.operations.back());
  const Definition *definition = findDefinition(operation.type());
  const std::optional<Reals> expected = definition == nullptr ? std::nullopt : definition->define(operation);
  if (!expected || mayWrap(operation, *expected))
    return "";
  const Value &output = operation.output(0);
  if (expected->size() != output.numElements())
    return fmt::format("output 0 has {} elements, its definition {}", output.numElements(), expected->size());
  const double tolerance = toleranceOf(output, *expected);
  for (size_t i = 0; i < expected->size(); ++i) {
    const double wanted = clampToRange(output, (*expected)[i]);
    if (!(std::fabs(realAt(output, i) - wanted) <= tolerance))
      return fmt::format("element {} of output 0 is {}, its definition gives {}", i, realAt(output, i), wanted);
  }
  return "";
}

} // namespace avocet::hal::conformance
