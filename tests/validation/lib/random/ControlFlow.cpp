//===- ControlFlow.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"

#include <algorithm>

namespace avocet::hal::conformance {

ControlFlow controlFlowOf(const Graph &graph, const Operation &operation) {
  ControlFlow flow;
  flow.type = operation.type;
  auto next = operation.inputs.begin();
  if (!flow.isLoop())
    flow.chooser = *next++;
  for (Graph &subgraph : flow.graphs)
    subgraph = *graph.values[*next++].graph;
  flow.passed.assign(next, operation.inputs.end());
  flow.outputs = operation.outputs;
  return flow;
}

Operation operationOf(const ControlFlow &flow, Graph &graph) {
  Operation operation{flow.type, {}, flow.outputs};
  if (flow.chooser)
    operation.inputs.push_back(*flow.chooser);
  for (const Graph &subgraph : flow.graphs) {
    operation.inputs.push_back(static_cast<uint32_t>(graph.values.size()));
    graph.values.push_back(subgraphValue(subgraph));
  }
  operation.inputs.insert(operation.inputs.end(), flow.passed.begin(), flow.passed.end());
  return operation;
}

Value subgraphValue(Graph graph) {
  Value value;
  value.type = OperandType::Subgraph;
  value.role = ValueRole::Subgraph;
  value.graph = std::make_shared<const Graph>(std::move(graph));
  return value;
}

std::vector<uint32_t> inputsOf(const Graph &graph) {
  std::vector<uint32_t> inputs;
  for (uint32_t i = 0; i < graph.values.size(); ++i)
    if (graph.values[i].role == ValueRole::Input)
      inputs.push_back(i);
  return inputs;
}

Graph inputsAlone(const Graph &graph) {
  Graph made;
  for (uint32_t input : inputsOf(graph))
    made.values.push_back(graph.values[input]);
  return made;
}

std::vector<bool> valuesRead(const Graph &graph) {
  std::vector<bool> isRead(graph.values.size());
  for (const Operation &operation : graph.operations)
    for (uint32_t input : operation.inputs)
      isRead[input] = true;
  return isRead;
}

Graph withInputs(const Graph &graph, const std::vector<uint32_t> &inputs) {
  std::vector<uint32_t> order = inputs;
  for (uint32_t i = 0; i < graph.values.size(); ++i)
    if (graph.values[i].role != ValueRole::Input)
      order.push_back(i);
  Graph made;
  std::vector<uint32_t> number(graph.values.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    made.values.push_back(graph.values[order[i]]);
  }
  auto renumber = [&](std::vector<uint32_t> &list) {
    for (uint32_t &value : list)
      value = number[value];
  };
  made.operations = graph.operations;
  for (Operation &operation : made.operations) {
    renumber(operation.inputs);
    renumber(operation.outputs);
  }
  made.outputs = graph.outputs;
  renumber(made.outputs);
  return made;
}

void passOnly(ControlFlow &flow, const std::vector<size_t> &positions) {
  auto selected = [&](const std::vector<uint32_t> &list) {
    std::vector<uint32_t> made;
    for (size_t position : positions)
      made.push_back(list[position]);
    return made;
  };
  for (Graph &graph : flow.graphs)
    graph = withInputs(graph, selected(inputsOf(graph)));
  flow.passed = selected(flow.passed);
}

void prune(ControlFlow &flow) {
  std::vector<bool> isKept(flow.passed.size());
  std::fill_n(isKept.begin(), flow.numStates(), true);
  for (Graph &graph : flow.graphs) {
    graph = prunedSubgraph(graph);
    const std::vector<uint32_t> inputs = inputsOf(graph);
    const std::vector<bool> isRead = valuesRead(graph);
    for (size_t i = 0; i < inputs.size(); ++i)
      isKept[i] = isKept[i] || isRead[inputs[i]];
  }
  std::vector<size_t> kept;
  for (size_t i = 0; i < isKept.size(); ++i)
    if (isKept[i])
      kept.push_back(i);
  passOnly(flow, kept);
}

bool isSameKind(const Value &a, const Value &b) {
  return a.type == b.type && a.dimensions == b.dimensions && a.scale == b.scale && a.zeroPoint == b.zeroPoint;
}

bool mayLeaveSubgraph(const Value &value) {
  using enum OperandType;
  constexpr OperandType kTypes[] = {TensorFloat32,     TensorFloat16,           TensorInt32,
                                    TensorQuant8Asymm, TensorQuant8AsymmSigned, TensorBool8};
  return value.role == ValueRole::Result && std::ranges::find(kTypes, value.type) != std::end(kTypes);
}

} // namespace avocet::hal::conformance
