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
  for (auto family : {elementwiseDefinitions, windowDefinitions, reductionDefinitions, moveDefinitions,
                      spaceDefinitions, selectionDefinitions, regionDefinitions, detectionDefinitions,
                      proposalDefinitions, recurrentDefinitions, integerLstmDefinitions}) {
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

struct StoredRange {
  int32_t least, most;
};

StoredRange storedRange(OperandType type) {
  switch (type) {
  case OperandType::TensorQuant8Asymm:
    return {0, 255};
  case OperandType::TensorQuant16Asymm:
    return {0, 65535};
  case OperandType::TensorQuant16Symm:
    return {-32768, 32767};
  default:
    return {-128, 127};
  }
}

/// The real numbers that a quantized type can represent.
double clampToRange(const Value &value, double real) {
  if (!isQuantized(value.type))
    return real;
  const StoredRange range = storedRange(value.type);
  const auto scale = static_cast<double>(value.scale);
  return std::clamp(real, scale * (range.least - value.zeroPoint), scale * (range.most - value.zeroPoint));
}

/// One step of 8 bits, as the test suites of NNAPI allow. The states of LSTM layers have steps of 1/2048 and magnitudes
/// of up to 16; gates in fixed point are exact to about 1/4096: 8 steps. For floating point relative to the largest
/// element, since sums lose what their largest term does. Integers and booleans are exact.
double toleranceOf(const Value &value, const Reals &expected) {
  if (isQuantized(value.type))
    return (value.type == OperandType::TensorQuant16Symm ? 8.01 : 1.01) * static_cast<double>(value.scale);
  if (!isFloating(value.type))
    return 0;
  double largest = 1e-3;
  for (double real : expected)
    if (!std::isnan(real))
      largest = std::max(largest, std::fabs(real));
  return largest * (value.type == OperandType::TensorFloat16 ? 0x1p-7 : 0x1p-14);
}

/// Sums and products of integers wrap where these do not; an activation then clamps another number.
bool mayWrap(const OperationValues &operation, const Results &results) {
  if (operation.output(0).type != OperandType::TensorInt32 || !results.front())
    return false;
  const Reals &expected = *results.front();
  auto isAbove = [](double limit) { return [limit](double real) { return std::fabs(real) > limit; }; };
  constexpr double kRootOfRange = 46340, kRange = 0x1p31 - 1;
  const bool isSum = operation.type() == OperationType::Add || operation.type() == OperationType::Sub ||
                     operation.type() == OperationType::Mul;
  return std::ranges::any_of(expected, isAbove(kRange)) ||
         (isSum && (std::ranges::any_of(operation.reals(0), isAbove(kRootOfRange)) ||
                    std::ranges::any_of(operation.reals(1), isAbove(kRootOfRange))));
}

std::optional<Results> resultsOf(const Definition &definition, const OperationValues &operation) {
  if (const auto *all = std::get_if<Definition::AllOutputs>(&definition.define))
    return (*all)(operation);
  std::optional<Reals> only = std::get<Definition::OneOutput>(definition.define)(operation);
  return only ? std::optional(Results{std::move(only)}) : std::nullopt;
}

/// Adds to `check` how `output` compares with its definition.
void compareOutput(const Value &output, size_t number, const Reals &expected, double tolerance,
                   DefinitionCheck &check) {
  if (expected.size() != output.numElements()) {
    check = {true, fmt::format("output {} has {} elements, its definition {}", number, output.numElements(),
                               expected.size())};
    return;
  }
  for (size_t i = 0; i < expected.size() && check.difference.empty(); ++i) {
    if (std::isnan(expected[i]))
      continue;
    check.isCompared = true;
    const double wanted = clampToRange(output, expected[i]);
    if (!(std::fabs(realAt(output, i) - wanted) <= tolerance))
      check.difference =
          fmt::format("element {} of output {} is {}, its definition gives {}", i, number, realAt(output, i), wanted);
  }
}

DefinitionCheck compareOutputs(const OperationValues &operation, const Definition &definition, const Results &expected,
                               double slack) {
  DefinitionCheck check;
  for (size_t i = 0; i < expected.size() && check.difference.empty(); ++i)
    if (expected[i] && !operation.output(i).bytes.empty()) {
      const double rounding = definition.copies ? 0 : toleranceOf(operation.output(i), *expected[i]);
      compareOutput(operation.output(i), i, *expected[i], rounding + slack, check);
    }
  return check;
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
  case 4:
    return std::tanh(value);
  case 6:
    return 1 / (1 + std::exp(-value));
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

DefinitionCheck compareWithDefinition(const Graph &graph, double slack) {
  const OperationValues operation(graph, graph.operations.back());
  const Definition *definition = findDefinition(operation.type());
  if (definition == nullptr)
    return {};
  if (const auto *check = std::get_if<Definition::Check>(&definition->define))
    return {true, (*check)(operation)};
  const std::optional<Results> expected = resultsOf(*definition, operation);
  if (!expected || mayWrap(operation, *expected))
    return {};
  if (expected->size() != operation.numOutputs())
    return {true, fmt::format("{} outputs, the definition has {}", operation.numOutputs(), expected->size())};
  return compareOutputs(operation, *definition, *expected, slack);
}

} // namespace avocet::hal::conformance
