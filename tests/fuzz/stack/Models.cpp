//===- Models.cpp - Models of graphs for the HAL ------------------------------- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "SmallModels.h"

#include "avocet/NeuralNetworks.h"

#include <algorithm>
#include <limits>

namespace avocet::fuzz {

using namespace hal;
using hal::testing::scalarConstant;
using hal::testing::tensor;
using hal::testing::TestPool;

std::shared_ptr<const Graph> chooseStackGraph(Bytes &bytes) {
  std::shared_ptr<const Graph> graph = chooseGraph(bytes);
  if (graph->kind != Graph::Kind::While || !bytes.oneIn(2))
    return graph;
  auto endless = std::make_shared<Graph>(*graph);
  endless->steps[0].constant = std::numeric_limits<float>::infinity();
  return endless;
}

namespace {

/// Adds the operands and operations of one subgraph; constants belong to the model.
class SubgraphMaker {
public:
  SubgraphMaker(Model &model, bool hasMemory) : model_(model), hasMemory_(hasMemory) {}

  uint32_t add(Operand operand) {
    made_.operands.push_back(std::move(operand));
    return static_cast<uint32_t>(made_.operands.size() - 1);
  }
  uint32_t input(OperandType type, std::vector<uint32_t> extents) {
    made_.inputIndexes.push_back(add(tensor(type, std::move(extents), OperandLifeTime::SubgraphInput)));
    return made_.inputIndexes.back();
  }
  uint32_t scalar(int32_t value) { return add(scalarConstant(model_, value)); }
  uint32_t constant(uint32_t count, float value) { return hasMemory_ ? inMemory(count, value) : copied(count, value); }
  /// Returns the operand of the result.
  uint32_t operation(int32_t code, std::vector<uint32_t> inputs, OperandType type, std::vector<uint32_t> extents) {
    const uint32_t result = add(tensor(type, std::move(extents), OperandLifeTime::TemporaryVariable));
    made_.operations.push_back({static_cast<OperationType>(code), std::move(inputs), {result}});
    return result;
  }
  Subgraph finish(uint32_t result) {
    made_.operands[result].lifetime = OperandLifeTime::SubgraphOutput;
    made_.outputIndexes = {result};
    return std::move(made_);
  }

private:
  uint32_t copied(uint32_t count, float value) {
    Operand operand = tensor(OperandType::TensorFloat32, {count}, OperandLifeTime::ConstantCopy);
    operand.location = {0, model_.operandValues.size(), count * sizeof(float), 0};
    for (uint32_t i = 0; i < count; ++i)
      hal::testing::floatConstant(model_, value);
    return add(std::move(operand));
  }
  uint32_t inMemory(uint32_t count, float value) {
    TestPool pool(count * sizeof(float));
    std::ranges::fill(pool.as<float>(), value);
    Operand operand = tensor(OperandType::TensorFloat32, {count}, OperandLifeTime::ConstantReference);
    operand.location = {static_cast<uint32_t>(model_.pools.size()), 0, count * sizeof(float), 0};
    model_.pools.push_back(pool.memory());
    return add(std::move(operand));
  }

  Model &model_;
  const bool hasMemory_;
  Subgraph made_;
};

bool hasConstant(int32_t code) { return code != ANEURALNETWORKS_RELU && code != ANEURALNETWORKS_ABS; }
bool hasActivation(int32_t code) {
  return code == ANEURALNETWORKS_ADD || code == ANEURALNETWORKS_SUB || code == ANEURALNETWORKS_MUL;
}

/// Constants of a model with unknown extents are broadcast.
Subgraph chain(const Graph &graph, Model &model) {
  SubgraphMaker maker(model, graph.hasMemory);
  constexpr OperandType kType = OperandType::TensorFloat32;
  const std::vector<uint32_t> extents = {graph.isOpen ? 0 : graph.length};
  const uint32_t a = maker.input(kType, extents), b = maker.input(kType, extents);
  uint32_t value = maker.operation(ANEURALNETWORKS_ADD, {a, b, maker.scalar(0)}, kType, extents);
  for (const Graph::Step &step : graph.steps) {
    std::vector<uint32_t> inputs = {value};
    if (hasConstant(step.operation))
      inputs.push_back(maker.constant(graph.isOpen ? 1 : graph.length, step.constant));
    if (hasActivation(step.operation))
      inputs.push_back(maker.scalar(0));
    value = maker.operation(step.operation, inputs, kType, extents);
  }
  return maker.finish(value);
}

uint32_t reference(SubgraphMaker &maker, uint64_t index) {
  Operand operand = tensor(OperandType::Subgraph, {}, OperandLifeTime::Subgraph);
  operand.location.offset = index;
  return maker.add(std::move(operand));
}

void buildIf(const Graph &graph, Model &model) {
  model.referenced = {chain(*graph.yes, model), chain(*graph.no, model)};
  SubgraphMaker maker(model, false);
  const uint32_t condition = maker.input(OperandType::TensorBool8, {1});
  const uint32_t yes = reference(maker, 0), no = reference(maker, 1);
  const uint32_t a = maker.input(OperandType::TensorFloat32, {graph.length});
  const uint32_t b = maker.input(OperandType::TensorFloat32, {graph.length});
  model.main = maker.finish(
      maker.operation(ANEURALNETWORKS_IF, {condition, yes, no, a, b}, OperandType::TensorFloat32, {graph.length}));
}

/// x + 1 while x is below the limit.
void buildWhile(const Graph &graph, Model &model) {
  constexpr OperandType kType = OperandType::TensorFloat32;
  SubgraphMaker condition(model, false), body(model, false), maker(model, false);
  const uint32_t tested = condition.input(kType, {1}), limit = condition.constant(1, graph.steps[0].constant);
  const uint32_t isBelow = condition.operation(ANEURALNETWORKS_LESS, {tested, limit}, OperandType::TensorBool8, {1});
  const uint32_t value = body.input(kType, {1}), one = body.constant(1, 1);
  const uint32_t next = body.operation(ANEURALNETWORKS_ADD, {value, one, body.scalar(0)}, kType, {1});
  model.referenced = {condition.finish(isBelow), body.finish(next)};
  const uint32_t test = reference(maker, 0), step = reference(maker, 1), start = maker.input(kType, {1});
  model.main = maker.finish(maker.operation(ANEURALNETWORKS_WHILE, {test, step, start}, kType, {1}));
}

} // namespace

Model modelOf(const Graph &graph) {
  Model model;
  model.relaxComputationFloat32toFloat16 = graph.isRelaxed;
  switch (graph.kind) {
  case Graph::Kind::Chain:
    model.main = chain(graph, model);
    break;
  case Graph::Kind::If:
    buildIf(graph, model);
    break;
  case Graph::Kind::While:
    buildWhile(graph, model);
    break;
  }
  return model;
}

} // namespace avocet::fuzz
