//===- BuildGraph.cpp - Models of graphs through the C library ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildGraph.h"

namespace avocet::fuzz {

using namespace nnapi::testing;

namespace {

/// A constant operand; long ones lie in a memory or in `values`, which must outlive the finish of the model.
uint32_t addConstant(ModelMaker &maker, const Graph &graph, const std::vector<float> &values,
                     std::vector<Memory> &memories) {
  if (!graph.hasMemory)
    return maker.constant({graph.length}, values);
  const SharedFile file(64 + graph.outputBytes());
  std::ranges::copy(values, file.floats() + 16);
  memories.push_back(file.memory());
  const uint32_t index = maker.floats({graph.length});
  NEED(ANeuralNetworksModel_setOperandValueFromMemory(maker.get(), static_cast<int32_t>(index), memories.back().get(),
                                                      64, graph.outputBytes()));
  return index;
}

struct Operation {
  int32_t code;
  std::vector<uint32_t> inputs, outputs;
};

bool hasActivation(int32_t code) {
  return code == ANEURALNETWORKS_ADD || code == ANEURALNETWORKS_SUB || code == ANEURALNETWORKS_MUL;
}

Model buildChain(const Graph &graph, std::vector<Memory> &memories) {
  ModelMaker maker;
  const std::vector<uint32_t> extents = {graph.isOpen ? 0 : graph.length};
  const uint32_t a = maker.floats(extents), b = maker.floats(extents), none = maker.scalar(0);
  uint32_t value = maker.floats(extents);
  std::vector<Operation> operations = {{ANEURALNETWORKS_ADD, {a, b, none}, {value}}};
  std::vector<std::vector<float>> constants;
  constants.reserve(graph.steps.size());
  for (const Graph::Step &step : graph.steps) {
    Operation next{step.operation, {value}, {}};
    if (step.operation != ANEURALNETWORKS_RELU && step.operation != ANEURALNETWORKS_ABS)
      next.inputs.push_back(
          addConstant(maker, graph, constants.emplace_back(std::vector<float>(graph.length, step.constant)), memories));
    if (hasActivation(step.operation))
      next.inputs.push_back(none);
    value = maker.floats(extents);
    next.outputs.push_back(value);
    operations.push_back(std::move(next));
  }
  if (graph.isReversed)
    std::ranges::reverse(operations);
  for (Operation &operation : operations)
    maker.operation(operation.code, operation.inputs, operation.outputs);
  NEED(ANeuralNetworksModel_relaxComputationFloat32toFloat16(maker.get(), graph.isRelaxed));
  maker.identify({a, b}, {value});
  return maker.finish();
}

Model buildIf(const Graph &graph, std::vector<Memory> &memories) {
  // One branch may be both.
  const bool isSame = graph.yes->fingerprint() == graph.no->fingerprint();
  const Model yes = buildChain(*graph.yes, memories), no = isSame ? nullptr : buildChain(*graph.no, memories);
  ModelMaker maker;
  const uint32_t condition = maker.operand({ANEURALNETWORKS_TENSOR_BOOL8, {1}});
  const uint32_t a = maker.floats({graph.length}), b = maker.floats({graph.length});
  const uint32_t output = maker.floats({graph.length});
  maker.operation(ANEURALNETWORKS_IF, {condition, maker.submodel(yes), maker.submodel(isSame ? yes : no), a, b},
                  {output});
  maker.identify({condition, a, b}, {output});
  return maker.finish();
}

} // namespace

Model buildModel(const Graph &graph, std::vector<Memory> &memories) {
  switch (graph.kind) {
  case Graph::Kind::If:
    return buildIf(graph, memories);
  case Graph::Kind::While:
    return whileModel(graph.steps[0].constant);
  case Graph::Kind::Chain:
    break;
  }
  return buildChain(graph, memories);
}

} // namespace avocet::fuzz
