//===- NetworkBuilder.h - Networks of a calibration -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_VALIDATION_TOOL_CALIBRATE_NETWORKBUILDER_H
#define AVOCET_VALIDATION_TOOL_CALIBRATE_NETWORKBUILDER_H

#include "PlainLoops.h"

#include "avocet/hal/types/Types.h"

#include <vector>

namespace avocet::tool {

/// A subgraph that grows by one operation after the other, and beside it the loops that do the same work. All weights
/// are 0. Values are named by their operands; shapes are those of NNAPI: NHWC, and time first for sequences.
class NetworkBuilder {
public:
  using Shape = std::vector<uint32_t>;

  /// `isPerChannel`: filters are symmetric, with a scale for each channel. The arguments must outlive the builder.
  NetworkBuilder(hal::Model &model, hal::Subgraph &graph, PlainLoops &loops, hal::OperandType type,
                 bool isPerChannel = false)
      : model_(model), graph_(graph), loops_(loops), type_(type), isPerChannel_(isPerChannel) {}

  uint32_t input(const Shape &shape) { return input(type_, shape); }
  uint32_t input(hal::OperandType type, const Shape &shape);
  void output(uint32_t operand);

  /// CONV_2D and DEPTHWISE_CONV_2D of 3x3 with "same" padding and RELU6, and both, as in MobileNet.
  uint32_t convolve(uint32_t x, uint32_t channels, const Shape &window, int32_t stride);
  uint32_t convolveDepthwise(uint32_t x, int32_t stride);
  uint32_t separable(uint32_t x, uint32_t channels, int32_t stride);
  /// The mean of each channel.
  uint32_t averageAll(uint32_t x);
  uint32_t connect(uint32_t x, uint32_t units);
  /// Along the last axis.
  uint32_t join(uint32_t a, uint32_t b);
  uint32_t sum(uint32_t a, uint32_t b);
  /// An operation with operands and a result of one shape and type.
  uint32_t elementwise(hal::OperationType type, std::vector<uint32_t> inputs);
  uint32_t convert(hal::OperationType type, uint32_t x, hal::OperandType to);
  uint32_t isLess(uint32_t a, uint32_t b);
  /// The first element of a tensor of rank 2, as a tensor of one.
  uint32_t first(uint32_t x);
  /// Rows of a table, by indices that are an input.
  uint32_t lookUp(uint32_t rows, uint32_t width, uint32_t count);
  /// UNIDIRECTIONAL_SEQUENCE_LSTM without options, over all times.
  uint32_t lstm(uint32_t x, uint32_t units);
  /// IF and WHILE; `graphs` are the indices of their subgraphs.
  uint32_t controlFlow(hal::OperationType type, const std::vector<uint32_t> &graphs, std::vector<uint32_t> inputs,
                       const Shape &result);
  /// Of one float32.
  uint32_t constant(float value);

private:
  static constexpr float kScale = 1.0F / 16;

  uint32_t add(hal::Operand operand);
  uint32_t add(hal::OperationType type, std::vector<uint32_t> inputs, hal::Operand result);
  /// Appends an operation whose result has the type of the network.
  uint32_t operation(hal::OperationType type, std::vector<uint32_t> inputs, const Shape &shape, float scale = kScale);
  /// As a temporary value; a type that needs a scale has one.
  static hal::Operand tensorOf(hal::OperandType type, Shape shape);
  /// With these values, one for each element; null: zeros.
  uint32_t constantOf(hal::OperandType type, const Shape &shape, const void *values = nullptr);
  uint32_t scalar(int32_t value);
  uint32_t integers(const std::vector<int32_t> &values);
  uint32_t weights(const Shape &shape, uint32_t channelAxis);
  uint32_t bias(uint32_t channels, uint32_t filter);
  uint32_t omitted();
  const Shape &shapeOf(uint32_t operand) const { return graph_.operands[operand].dimensions; }
  uint32_t elementsOf(uint32_t operand) const;
  float scaleOf(uint32_t operand) const;

  hal::Model &model_;
  hal::Subgraph &graph_;
  PlainLoops &loops_;
  const hal::OperandType type_;
  const bool isPerChannel_;
};

} // namespace avocet::tool

#endif // AVOCET_VALIDATION_TOOL_CALIBRATE_NETWORKBUILDER_H
