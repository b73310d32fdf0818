//===- Work.cpp - How long operations take on a processor -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Work.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <array>

namespace avocet::hal::partition {
namespace {

/// Of the processor to which the figures in hal/driver/data are relative: 0.15 (8 bits) to 0.38 (float32) for each
/// product of a convolution, 0.02 to 0.09 for each element of a simple operation.
constexpr double kProductTime = 0.25;
constexpr double kElementTime = 0.05;
/// The IF and WHILE of `avocet calibrate`: 1024 elements once and eight times.
constexpr double kBranchTime = 1024 * kElementTime, kLoopTime = 8 * kBranchTime;
/// A call on two processors (tests/bench/README.md), and the throughput of a copy.
constexpr double kStepTime = 50'000;
constexpr double kByteTime = 0.1;

/// Operations that multiply each weight with each position of their output.
constexpr std::array kMatrixOperations = {
    OperationType::Conv2d,
    OperationType::DepthwiseConv2d,
    OperationType::GroupedConv2d,
    OperationType::TransposeConv2d,
    OperationType::FullyConnected,
    OperationType::BatchMatmul,
    OperationType::Lstm,
    OperationType::QuantizedLstm,
    OperationType::Quantized16bitLstm,
    OperationType::UnidirectionalSequenceLstm,
    OperationType::BidirectionalSequenceLstm,
    OperationType::Rnn,
    OperationType::UnidirectionalSequenceRnn,
    OperationType::BidirectionalSequenceRnn,
    OperationType::Svdf,
};

/// None if an extent is unknown; 0 for an omitted operand.
std::optional<double> elementsOf(const Operand &operand) {
  if (operand.lifetime == OperandLifeTime::NoValue || operand.lifetime == OperandLifeTime::Subgraph)
    return 0;
  if (!isFullySpecified(operand))
    return std::nullopt;
  double elements = 1;
  for (const uint32_t extent : operand.dimensions)
    elements *= extent;
  return elements;
}

std::optional<double> elementsOf(const Subgraph &subgraph, const std::vector<uint32_t> &operands) {
  double sum = 0;
  for (const uint32_t index : operands) {
    const std::optional<double> elements = elementsOf(subgraph.operands[index]);
    if (!elements)
      return std::nullopt;
    sum += *elements;
  }
  return sum;
}

/// Products of an operation whose inputs after the first are weights, vectors and options.
double productsOf(const Subgraph &subgraph, const Operation &operation) {
  double weights = 0;
  for (size_t i = 1; i < operation.inputs.size(); ++i)
    if (const Operand &input = subgraph.operands[operation.inputs[i]]; input.dimensions.size() >= 2)
      weights += elementsOf(input).value_or(0);
  const Operand &output = subgraph.operands[operation.outputs.back()];
  const double channels = output.dimensions.empty() ? 1 : output.dimensions.back();
  return weights * elementsOf(output).value_or(0) / std::max(channels, 1.0);
}

} // namespace

std::optional<double> processorTime(const Subgraph &subgraph, const Operation &operation) {
  if (operation.type == OperationType::If)
    return kBranchTime;
  if (operation.type == OperationType::While)
    return kLoopTime;
  const std::optional<double> read = elementsOf(subgraph, operation.inputs);
  const std::optional<double> written = elementsOf(subgraph, operation.outputs);
  if (!read || !written)
    return std::nullopt;
  const double elements = kElementTime * (*read + *written);
  const bool isMatrix = std::ranges::find(kMatrixOperations, operation.type) != kMatrixOperations.end();
  return isMatrix ? elements + kProductTime * productsOf(subgraph, operation) : elements;
}

std::optional<double> transferTime(const Operand &operand) {
  const std::optional<uint64_t> bytes = getNonExtensionSize(operand);
  if (!bytes || *bytes == 0)
    return std::nullopt;
  return kStepTime + kByteTime * double(*bytes);
}

} // namespace avocet::hal::partition
