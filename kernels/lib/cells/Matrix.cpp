//===- Matrix.cpp - Matrices in SRAM as rows of floats -------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cells/Matrix.h"

#include "common/DynamicScale.h"
#include "common/Elements.h"
#include "common/FeatureMapView.h"

#include <algorithm>
#include <cmath>

namespace avocet::kernels {

using namespace firmware;

template <typename T>
static void loadElements(const FeatureMap &map, std::span<uint8_t> sram, std::vector<float> &elements) {
  FeatureMapView<T> view(map, sram);
  for (uint32_t y = 0; y < map.height; ++y)
    for (uint32_t x = 0; x < map.width; ++x)
      elements.insert(elements.end(), view.pixel(y, x), view.pixel(y, x) + map.channels);
}

Matrix::Matrix(const FeatureMap &map, std::span<uint8_t> sram, HybridScale hybrid)
    : rows_(map.height * map.width), columns_(map.channels), hybrid_(hybrid) {
  elements_.reserve(elementCount(map));
  if (map.type == DataType::Int8)
    loadElements<int8_t>(map, sram, elements_);
  else if (map.type == DataType::Float16)
    loadElements<_Float16>(map, sram, elements_);
  else
    loadElements<float>(map, sram, elements_);
}

void storeRow(const FeatureMap &map, std::span<uint8_t> sram, uint32_t row, std::span<const float> values) {
  uint8_t *element = FeatureMapView<uint8_t>(map, sram).pixel(row / map.width, row % map.width);
  for (float value : values) {
    storeFloat(map.type, element, value);
    element += sizeOf(map.type);
  }
}

Status checkMatrix(std::string_view name, const FeatureMap &map, DataType type, uint64_t rows, uint64_t columns) {
  const std::string prefix(name);
  AVOCET_RETURN_IF_ERROR(checkType(name, map.type, {type}));
  AVOCET_RETURN_IF_ERROR(checkEqual(prefix + ".height", map.height, "that of a matrix", 1));
  AVOCET_RETURN_IF_ERROR(checkEqual(prefix + ".width", map.width, "the number of rows", rows));
  return checkEqual(prefix + ".channels", map.channels, "the number of columns", columns);
}

Status checkSequences(StepOrder order, const FeatureMap &input, const FeatureMap &output, uint64_t outputs) {
  if (order != StepOrder::TimeMajor && order != StepOrder::BatchMajor)
    return ruleBroken("order", static_cast<uint32_t>(order), "0 or 1");
  AVOCET_RETURN_IF_ERROR(checkType("output", output.type, {input.type}));
  AVOCET_RETURN_IF_ERROR(checkEqual("output.height", output.height, "input0.height", input.height));
  AVOCET_RETURN_IF_ERROR(checkEqual("output.width", output.width, "input0.width", input.width));
  return checkEqual("output.channels", output.channels, "the number of outputs", outputs);
}

DspCommand sequencePart(const DspCommand &command, StepOrder order, const SequenceOperands &operands, uint32_t first,
                        uint32_t count) {
  const bool isBatch = SequenceShape(command.inputs[operands.input], order).batch > 1;
  const MapAxis axis = isBatch == (order == StepOrder::TimeMajor) ? MapAxis::Columns : MapAxis::Rows;
  DspCommand part = command;
  for (FeatureMap *map : {&part.inputs[operands.input], &part.outputs[operands.output]})
    *map = sliceOf(*map, axis, first, count);
  for (const auto &[before, after] : operands.states)
    if (isBatch) {
      part.inputs[before] = sliceOf(part.inputs[before], MapAxis::Columns, first, count);
      part.outputs[after] = sliceOf(part.outputs[after], MapAxis::Columns, first, count);
    } else if (first > 0) {
      part.inputs[before] = part.outputs[after];
    }
  return part;
}

Status checkActivation(CellActivation activation) {
  switch (activation) {
  case CellActivation::None:
  case CellActivation::Relu:
  case CellActivation::ReluN1To1:
  case CellActivation::Relu6:
  case CellActivation::Tanh:
  case CellActivation::Sigmoid:
    return Status::ok();
  }
  return ruleBroken("activation", static_cast<uint32_t>(activation), "0 to 4, or 6");
}

float sigmoid(float x) { return 1.0f / (1.0f + std::exp(-x)); }

float activated(CellActivation activation, float x) {
  switch (activation) {
  case CellActivation::Relu:
    return std::max(x, 0.0f);
  case CellActivation::ReluN1To1:
    return std::clamp(x, -1.0f, 1.0f);
  case CellActivation::Relu6:
    return std::clamp(x, 0.0f, 6.0f);
  case CellActivation::Tanh:
    return std::tanh(x);
  case CellActivation::Sigmoid:
    return sigmoid(x);
  default:
    return x;
  }
}

void addProducts(const FeatureMap &matrix, uint64_t vectors, DspWork &work) {
  (sizeOf(matrix.type) == 1 ? work.byteProducts : work.elementOps) += elementCount(matrix) * vectors;
  work.rows += uint64_t(matrix.height) * matrix.width * vectors;
  work.bytesRead += byteCount(matrix) * (vectors - 1);
}

float dot(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

/// The vector in 8 bits, less its zero point.
static std::vector<int32_t> roundedTo8Bits(std::span<const float> x, const DynamicScale &scale) {
  std::vector<int32_t> rounded;
  for (float value : x)
    rounded.push_back(scale.quantized(value) - scale.record().zeroPoint);
  return rounded;
}

static void multiplyAddRounded(const Matrix &weights, std::span<const float> x, std::span<float> sums) {
  FloatRange range;
  for (float value : x)
    range.add(value);
  const DynamicScale scale(range, weights.hybrid().asymmetric);
  const std::vector<int32_t> rounded = roundedTo8Bits(x, scale);
  const float factor = scale.record().scale * weights.hybrid().scale;
  for (uint32_t r = 0; r < weights.rows(); ++r) {
    uint32_t sum = 0;
    for (size_t i = 0; i < rounded.size(); ++i)
      sum += static_cast<uint32_t>(rounded[i] * static_cast<int32_t>(weights.row(r)[i]));
    sums[r] += static_cast<float>(static_cast<int32_t>(sum)) * factor;
  }
}

void multiplyAdd(const Matrix &weights, std::span<const float> x, std::span<float> sums) {
  if (weights.hybrid().scale != 0)
    return multiplyAddRounded(weights, x, sums);
  for (uint32_t r = 0; r < weights.rows(); ++r)
    sums[r] += dot(weights.row(r), x);
}

} // namespace avocet::kernels
