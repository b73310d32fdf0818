//===- NetworkBuilder.cpp - Networks of a calibration ---------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NetworkBuilder.h"

#include "avocet/hal/types/Utils.h"

#include <cstring>
#include <functional>
#include <numeric>

namespace avocet::tool {

using namespace hal;
using enum OperandType;

static uint32_t strided(uint32_t extent, int32_t stride) {
  const auto step = static_cast<uint32_t>(stride);
  return (extent + step - 1) / step;
}

uint32_t NetworkBuilder::input(OperandType type, const Shape &shape) {
  Operand operand = tensorOf(type, shape);
  operand.lifetime = OperandLifeTime::SubgraphInput;
  graph_.inputIndexes.push_back(add(std::move(operand)));
  return graph_.inputIndexes.back();
}

void NetworkBuilder::output(uint32_t operand) {
  graph_.operands[operand].lifetime = OperandLifeTime::SubgraphOutput;
  graph_.outputIndexes.push_back(operand);
}

uint32_t NetworkBuilder::convolve(uint32_t x, uint32_t channels, const Shape &window, int32_t stride) {
  const Shape in = shapeOf(x), out = {in[0], strided(in[1], stride), strided(in[2], stride), channels};
  const uint32_t filter = weights({channels, window[0], window[1], in[3]}, 0);
  loops_.multiply(out[0] * out[1] * out[2], in[3], window[0] * window[1] * in[3], channels);
  return operation(OperationType::Conv2d,
                   {x, filter, bias(channels, filter), scalar(1), scalar(stride), scalar(stride), scalar(3)}, out);
}

uint32_t NetworkBuilder::convolveDepthwise(uint32_t x, int32_t stride) {
  constexpr uint32_t kWindow = 3;
  const Shape in = shapeOf(x), out = {in[0], strided(in[1], stride), strided(in[2], stride), in[3]};
  const uint32_t filter = weights({1, kWindow, kWindow, in[3]}, 3);
  loops_.multiplyChannels(out[0] * out[1] * out[2], kWindow * kWindow, in[3]);
  return operation(OperationType::DepthwiseConv2d,
                   {x, filter, bias(in[3], filter), scalar(1), scalar(stride), scalar(stride), scalar(1), scalar(3)},
                   out);
}

uint32_t NetworkBuilder::separable(uint32_t x, uint32_t channels, int32_t stride) {
  return convolve(convolveDepthwise(x, stride), channels, {1, 1}, 1);
}

uint32_t NetworkBuilder::averageAll(uint32_t x) {
  const Shape in = shapeOf(x);
  loops_.add(elementsOf(x));
  return operation(OperationType::AveragePool2d,
                   {x, scalar(2), scalar(1), scalar(1), scalar(int32_t(in[2])), scalar(int32_t(in[1])), scalar(0)},
                   {in[0], 1, 1, in[3]}, scaleOf(x));
}

uint32_t NetworkBuilder::connect(uint32_t x, uint32_t units) {
  const uint32_t batch = shapeOf(x)[0], size = elementsOf(x) / batch;
  const uint32_t filter = constantOf(type_, {units, size});
  loops_.multiply(batch, size, size, units);
  return operation(OperationType::FullyConnected, {x, filter, bias(units, filter), scalar(0)}, {batch, units});
}

uint32_t NetworkBuilder::join(uint32_t a, uint32_t b) {
  Shape shape = shapeOf(a);
  shape.back() += shapeOf(b).back();
  loops_.add(elementsOf(a) + elementsOf(b));
  return operation(OperationType::Concatenation, {a, b, scalar(int32_t(shape.size()) - 1)}, shape, scaleOf(a));
}

uint32_t NetworkBuilder::sum(uint32_t a, uint32_t b) { return elementwise(OperationType::Add, {a, b, scalar(0)}); }

uint32_t NetworkBuilder::elementwise(OperationType type, std::vector<uint32_t> inputs) {
  const Shape shape = shapeOf(inputs[0]);
  loops_.add(elementsOf(inputs[0]));
  return operation(type, std::move(inputs), shape);
}

uint32_t NetworkBuilder::convert(OperationType type, uint32_t x, OperandType to) {
  loops_.add(elementsOf(x));
  return add(type, {x}, tensorOf(to, shapeOf(x)));
}

uint32_t NetworkBuilder::isLess(uint32_t a, uint32_t b) {
  loops_.add(elementsOf(a));
  return add(OperationType::Less, {a, b}, tensorOf(TensorBool8, shapeOf(a)));
}

uint32_t NetworkBuilder::first(uint32_t x) {
  const uint32_t slice = operation(OperationType::Slice, {x, integers({0, 0}), integers({1, 1})}, {1, 1}, scaleOf(x));
  return operation(OperationType::Reshape, {slice, integers({1})}, {1}, scaleOf(x));
}

uint32_t NetworkBuilder::lookUp(uint32_t rows, uint32_t width, uint32_t count) {
  const uint32_t indices = input(TensorInt32, {count});
  loops_.add(count * width);
  return operation(OperationType::EmbeddingLookup, {indices, weights({rows, width}, 0)}, {count, width});
}

uint32_t NetworkBuilder::lstm(uint32_t x, uint32_t units) {
  constexpr uint32_t kGates = 4;
  const Shape in = shapeOf(x); // times, batch, features
  std::vector<uint32_t> inputs = {x};
  const auto repeat = [&](int count, auto make) {
    for (int i = 0; i < count; ++i)
      inputs.push_back(make());
  };
  const auto omit = [&] { return omitted(); };
  repeat(kGates, [&] { return weights({units, in[2]}, 0); });
  repeat(kGates, [&] { return weights({units, units}, 0); });
  repeat(3, omit); // no peephole
  repeat(kGates, [&] { return bias(units, inputs[1]); });
  repeat(2, omit); // no projection
  repeat(2, [&] { return input({in[1], units}); });
  inputs.push_back(scalar(4)); // TANH
  repeat(2, [&] { return constantOf(type_ == TensorFloat16 ? Float16 : Float32, {}); });
  const bool isTimeMajor = true;
  inputs.push_back(constantOf(Bool, {}, &isTimeMajor));
  repeat(kGates, omit); // no layer normalization
  for (uint32_t time = 0; time < in[0]; ++time) {
    loops_.multiply(in[1], in[2], in[2] + units, kGates * units);
    loops_.activate(in[1] * (kGates + 1) * units);
    loops_.add(in[1] * 3 * units);
  }
  return operation(OperationType::UnidirectionalSequenceLstm, std::move(inputs), {in[0], in[1], units});
}

uint32_t NetworkBuilder::controlFlow(OperationType type, const std::vector<uint32_t> &graphs,
                                     std::vector<uint32_t> inputs, const Shape &result) {
  std::vector<uint32_t> references;
  for (const uint32_t index : graphs) {
    Operand operand;
    operand.type = OperandType::Subgraph;
    operand.lifetime = OperandLifeTime::Subgraph;
    operand.location.offset = index;
    references.push_back(add(std::move(operand)));
  }
  const auto place = inputs.begin() + (type == OperationType::If ? 1 : 0); // IF has its condition first
  inputs.insert(place, references.begin(), references.end());
  return operation(type, std::move(inputs), result);
}

uint32_t NetworkBuilder::constant(float value) { return constantOf(TensorFloat32, {1}, &value); }

uint32_t NetworkBuilder::add(Operand operand) {
  graph_.operands.push_back(std::move(operand));
  return static_cast<uint32_t>(graph_.operands.size() - 1);
}

uint32_t NetworkBuilder::add(OperationType type, std::vector<uint32_t> inputs, Operand result) {
  const uint32_t output = add(std::move(result));
  graph_.operations.push_back({type, std::move(inputs), {output}});
  return output;
}

uint32_t NetworkBuilder::operation(OperationType type, std::vector<uint32_t> inputs, const Shape &shape, float scale) {
  Operand result = tensorOf(type_, shape);
  result.scale *= scale / kScale;
  return add(type, std::move(inputs), std::move(result));
}

Operand NetworkBuilder::tensorOf(OperandType type, Shape shape) {
  Operand operand;
  operand.type = type;
  operand.dimensions = std::move(shape);
  operand.lifetime = OperandLifeTime::TemporaryVariable;
  if (const OperandTypeInfo *info = findOperandType(type); info != nullptr && info->scale == ScaleRule::Required)
    operand.scale = kScale;
  return operand;
}

uint32_t NetworkBuilder::constantOf(OperandType type, const Shape &shape, const void *values) {
  Operand operand = tensorOf(type, shape);
  operand.lifetime = OperandLifeTime::ConstantCopy;
  const uint64_t bytes = getNonExtensionSize(operand).value_or(0);
  model_.operandValues.resize((model_.operandValues.size() + 3) / 4 * 4);
  operand.location = {0, model_.operandValues.size(), bytes, 0};
  model_.operandValues.resize(model_.operandValues.size() + bytes);
  if (values != nullptr)
    std::memcpy(&model_.operandValues[operand.location.offset], values, bytes);
  return add(std::move(operand));
}

uint32_t NetworkBuilder::scalar(int32_t value) { return constantOf(Int32, {}, &value); }

uint32_t NetworkBuilder::integers(const std::vector<int32_t> &values) {
  return constantOf(TensorInt32, {static_cast<uint32_t>(values.size())}, values.data());
}

uint32_t NetworkBuilder::weights(const Shape &shape, uint32_t channelAxis) {
  if (!isPerChannel_)
    return constantOf(type_, shape);
  const uint32_t filter = constantOf(TensorQuant8SymmPerChannel, shape);
  graph_.operands[filter].scale = 0;
  graph_.operands[filter].extraParams =
      SymmPerChannelQuantParams{std::vector<float>(shape[channelAxis], kScale), channelAxis};
  return filter;
}

uint32_t NetworkBuilder::bias(uint32_t channels, uint32_t filter) {
  const uint32_t operand = constantOf(isQuantized(type_) ? TensorInt32 : type_, {channels});
  const bool hasScale = isQuantized(type_) && graph_.operands[filter].scale != 0;
  graph_.operands[operand].scale = hasScale ? kScale * kScale : 0.0F;
  return operand;
}

uint32_t NetworkBuilder::omitted() {
  Operand operand = tensorOf(type_, {});
  operand.lifetime = OperandLifeTime::NoValue;
  return add(std::move(operand));
}

uint32_t NetworkBuilder::elementsOf(uint32_t operand) const {
  const Shape &shape = shapeOf(operand);
  return std::accumulate(shape.begin(), shape.end(), 1U, std::multiplies());
}

float NetworkBuilder::scaleOf(uint32_t operand) const {
  const float scale = graph_.operands[operand].scale;
  return scale == 0 ? kScale : scale;
}

} // namespace avocet::tool
