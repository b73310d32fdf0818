//===- Models.cpp - Small valid models and requests -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "avocet/hal/types/Utils.h"

#include <cstring>

namespace avocet::hal::test {

using enum OperandType;

uint32_t GraphBuilder::add(Operand operand, OperandLifeTime lifetime) {
  operand.lifetime = lifetime;
  graph_.operands.push_back(std::move(operand));
  return static_cast<uint32_t>(graph_.operands.size() - 1);
}

uint32_t GraphBuilder::input(Operand operand) {
  graph_.inputIndexes.push_back(add(std::move(operand), OperandLifeTime::SubgraphInput));
  return graph_.inputIndexes.back();
}

uint32_t GraphBuilder::output(Operand operand) {
  graph_.outputIndexes.push_back(add(std::move(operand), OperandLifeTime::SubgraphOutput));
  return graph_.outputIndexes.back();
}

uint32_t GraphBuilder::temporary(Operand operand) {
  return add(std::move(operand), OperandLifeTime::TemporaryVariable);
}

uint32_t GraphBuilder::noValue(Operand operand) { return add(std::move(operand), OperandLifeTime::NoValue); }

uint32_t GraphBuilder::constant(Operand operand) {
  operand.location = {.offset = model_.operandValues.size(), .length = *getNonExtensionSize(operand)};
  model_.operandValues.resize(model_.operandValues.size() + operand.location.length);
  return add(std::move(operand), OperandLifeTime::ConstantCopy);
}

uint32_t GraphBuilder::pooled(Operand operand, uint64_t offset) {
  operand.location = {.offset = offset, .length = *getNonExtensionSize(operand)};
  return add(std::move(operand), OperandLifeTime::ConstantReference);
}

uint32_t GraphBuilder::scalar(int32_t value) {
  uint32_t index = constant(tensor(Int32, {}));
  std::memcpy(&model_.operandValues[graph_.operands[index].location.offset], &value, sizeof(value));
  return index;
}

uint32_t GraphBuilder::flag(bool value) {
  uint32_t index = constant(tensor(Bool, {}));
  model_.operandValues[graph_.operands[index].location.offset] = value ? 1 : 0;
  return index;
}

uint32_t GraphBuilder::subgraph(uint32_t index) { return add(subgraphReference(index), OperandLifeTime::Subgraph); }

void GraphBuilder::operation(OperationType type, std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
  graph_.operations.push_back({type, std::move(inputs), std::move(outputs)});
}

Operand tensor(OperandType type, std::vector<uint32_t> dimensions, float scale, int32_t zeroPoint) {
  Operand operand;
  operand.type = type;
  operand.dimensions = std::move(dimensions);
  operand.scale = scale;
  operand.zeroPoint = zeroPoint;
  return operand;
}

Operand subgraphReference(uint64_t index) {
  Operand operand = tensor(OperandType::Subgraph, {});
  operand.lifetime = OperandLifeTime::Subgraph;
  operand.location.offset = index;
  return operand;
}

SharedMemory ashmem(uint64_t size) {
  auto file = createMemoryFile("avocetTestPool", size);
  if (!file.isOk())
    return nullptr;
  auto handle = std::make_shared<const FileDescriptor>(std::move(*file));
  return std::make_shared<const Memory>(Memory{Ashmem{handle, size}});
}

static Model addThenRelu() {
  Model model;
  GraphBuilder graph(model, model.main);
  uint32_t a = graph.input(tensor(TensorFloat32, {2, 3}));
  uint32_t b = graph.input(tensor(TensorFloat32, {3}));
  uint32_t sum = graph.temporary(tensor(TensorFloat32, {2, 3}));
  uint32_t result = graph.output(tensor(TensorFloat32, {2, 3}));
  graph.operation(OperationType::Add, {a, b, graph.scalar(0)}, {sum});
  graph.operation(OperationType::Relu, {sum}, {result});
  return model;
}

/// Filter in a pool, bias in the operand values.
static Model quantizedConv(OperandType type, int32_t zeroPoint) {
  Model model;
  model.pools = {ashmem(256)};
  GraphBuilder graph(model, model.main);
  uint32_t input = graph.input(tensor(type, {1, 4, 4, 2}, 0.5F, zeroPoint));
  uint32_t filter = graph.pooled(tensor(type, {3, 1, 1, 2}, 0.25F, zeroPoint), 128);
  uint32_t bias = graph.constant(tensor(TensorInt32, {3}, 0.125F));
  uint32_t output = graph.output(tensor(type, {1, 4, 4, 3}, 1, zeroPoint));
  uint32_t one = graph.scalar(1);
  graph.operation(OperationType::Conv2d, {input, filter, bias, one, one, one, graph.scalar(0)}, {output});
  return model;
}

static Model divideAndTranspose() {
  Model model;
  GraphBuilder graph(model, model.main);
  uint32_t a = graph.input(tensor(TensorFloat32, {2, 3}));
  uint32_t quotient = graph.temporary(tensor(TensorFloat32, {2, 3}));
  uint32_t result = graph.output(tensor(TensorFloat32, {3, 2}));
  graph.operation(OperationType::Div, {a, graph.constant(tensor(TensorFloat32, {2, 3})), graph.scalar(0)}, {quotient});
  graph.operation(OperationType::Transpose, {quotient, graph.noValue(tensor(TensorInt32, {2}))}, {result});
  return model;
}

static Model perChannelConv() {
  Model model;
  GraphBuilder graph(model, model.main);
  uint32_t input = graph.input(tensor(TensorQuant8Asymm, {1, 4, 4, 2}, 0.5F, 3));
  Operand filterType = tensor(TensorQuant8SymmPerChannel, {3, 1, 1, 2});
  filterType.extraParams = SymmPerChannelQuantParams{{0.5F, 0.25F, 1}, 0};
  uint32_t filter = graph.constant(filterType);
  uint32_t bias = graph.constant(tensor(TensorInt32, {3}));
  uint32_t output = graph.output(tensor(TensorQuant8Asymm, {1, 4, 4, 3}, 1, 128));
  uint32_t one = graph.scalar(1);
  graph.operation(OperationType::Conv2d, {input, filter, bias, one, one, one, graph.scalar(0), graph.flag(false)},
                  {output});
  return model;
}

static Model unknownShapes() {
  Model model;
  GraphBuilder graph(model, model.main);
  uint32_t input = graph.input(tensor(TensorFloat16, {2, 3}));
  uint32_t middle = graph.temporary(tensor(TensorFloat16, {}));
  uint32_t output = graph.output(tensor(TensorFloat16, {0, 3}));
  graph.operation(OperationType::Exp, {input}, {middle});
  graph.operation(OperationType::Log, {middle}, {output});
  return model;
}

/// A subgraph that applies a unary operation.
static hal::Subgraph unaryGraph(Model &model, OperationType type) {
  hal::Subgraph graph;
  GraphBuilder builder(model, graph);
  uint32_t input = builder.input(tensor(TensorFloat32, {2}));
  builder.operation(type, {input}, {builder.output(tensor(TensorFloat32, {2}))});
  return graph;
}

static Model branch() {
  Model model;
  model.referenced.push_back(unaryGraph(model, OperationType::Relu));
  model.referenced.push_back(unaryGraph(model, OperationType::Relu6));
  GraphBuilder graph(model, model.main);
  uint32_t condition = graph.input(tensor(TensorBool8, {1}));
  uint32_t value = graph.input(tensor(TensorFloat32, {2}));
  uint32_t result = graph.output(tensor(TensorFloat32, {2}));
  graph.operation(OperationType::If, {condition, graph.subgraph(0), graph.subgraph(1), value}, {result});
  return model;
}

/// while (value == value) value = relu(value) for one float.
static Model loop() {
  Model model;
  hal::Subgraph condition;
  GraphBuilder builder(model, condition);
  uint32_t value = builder.input(tensor(TensorFloat32, {1}));
  builder.operation(OperationType::Equal, {value, value}, {builder.output(tensor(TensorBool8, {1}))});
  model.referenced.push_back(condition);
  hal::Subgraph body;
  GraphBuilder bodyBuilder(model, body);
  uint32_t before = bodyBuilder.input(tensor(TensorFloat32, {1}));
  bodyBuilder.operation(OperationType::Relu, {before}, {bodyBuilder.output(tensor(TensorFloat32, {1}))});
  model.referenced.push_back(body);
  GraphBuilder graph(model, model.main);
  uint32_t start = graph.input(tensor(TensorFloat32, {1}));
  uint32_t end = graph.output(tensor(TensorFloat32, {1}));
  graph.operation(OperationType::While, {graph.subgraph(0), graph.subgraph(1), start}, {end});
  return model;
}

static Model pack() {
  Model model;
  GraphBuilder graph(model, model.main);
  uint32_t a = graph.input(tensor(TensorQuant8Asymm, {2}, 0.5F, 7));
  uint32_t b = graph.input(tensor(TensorQuant8Asymm, {2}, 0.5F, 7));
  uint32_t result = graph.output(tensor(TensorQuant8Asymm, {2, 2}, 0.5F, 7));
  graph.operation(OperationType::Pack, {graph.scalar(0), a, b}, {result});
  return model;
}

static Model reverse() {
  Model model;
  GraphBuilder graph(model, model.main);
  uint32_t a = graph.input(tensor(TensorInt32, {2, 3}));
  uint32_t result = graph.output(tensor(TensorInt32, {2, 3}));
  graph.operation(OperationType::Reverse, {a, graph.constant(tensor(TensorInt32, {1}))}, {result});
  return model;
}

static Model withExtension() {
  Model model;
  model.extensionNameToPrefix = {{"vendor.example.filters", 5}};
  GraphBuilder graph(model, model.main);
  uint32_t a = graph.input(tensor(TensorFloat32, {2}));
  uint32_t handle = graph.temporary(tensor(static_cast<OperandType>(5 << 16 | 1), {}));
  uint32_t result = graph.output(tensor(TensorFloat32, {2}));
  graph.operation(extensionOperation(5, 2), {a}, {handle});
  graph.operation(extensionOperation(5, 3), {handle}, {result});
  return model;
}

std::vector<NamedModel> baseModels() {
  using enum Version;
  return {{"addThenRelu", addThenRelu(), V1_0},
          {"unsignedConv", quantizedConv(TensorQuant8Asymm, 100), V1_0},
          {"divideAndTranspose", divideAndTranspose(), V1_1},
          {"perChannelConv", perChannelConv(), V1_2},
          {"unknownShapes", unknownShapes(), V1_2},
          {"withExtension", withExtension(), V1_2},
          {"signedConv", quantizedConv(TensorQuant8AsymmSigned, -28), V1_3},
          {"branch", branch(), V1_3},
          {"loop", loop(), V1_3},
          {"pack", pack(), AidlV2},
          {"reverse", reverse(), AidlV3}};
}

/// Appends one argument for each operand, at multiples of 64 bytes from `end` on.
static void appendArguments(const Model &model, const std::vector<uint32_t> &indices,
                            std::vector<RequestArgument> &arguments, uint64_t &end) {
  for (uint32_t index : indices) {
    uint64_t length = *getNonExtensionSize(model.main.operands[index]);
    RequestArgument &argument = arguments.emplace_back();
    argument.location = {.offset = end, .length = length};
    end = *checkedRoundUp(end + length, 64);
  }
}

Request requestFor(const Model &model) {
  Request request;
  uint64_t end = 0;
  appendArguments(model, model.main.inputIndexes, request.inputs, end);
  appendArguments(model, model.main.outputIndexes, request.outputs, end);
  request.pools = {ashmem(end)};
  return request;
}

} // namespace avocet::hal::test
