//===- TestGraphs.cpp -----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestGraphs.h"

#include "avocet/hal/types/Utils.h"

#include <algorithm>
#include <cstring>

namespace avocet::hal::conformance {

static uint32_t add(Graph &graph, Value value) {
  graph.values.push_back(std::move(value));
  return static_cast<uint32_t>(graph.values.size() - 1);
}

uint32_t input(Graph &graph, OperandType type) {
  Value value;
  value.type = type;
  value.dimensions = {1};
  value.bytes = Bytes(elementBytes(type));
  return add(graph, value);
}

uint32_t constant(Graph &graph, int32_t number, bool isScalar) {
  Value value;
  value.type = isScalar ? OperandType::Int32 : OperandType::TensorInt32;
  if (!isScalar)
    value.dimensions = {1};
  value.role = ValueRole::Constant;
  value.bytes = Bytes(sizeof(number));
  std::memcpy(value.bytes.data(), &number, sizeof(number));
  return add(graph, value);
}

uint32_t apply(Graph &graph, OperationType type, std::vector<uint32_t> operands, std::optional<OperandType> result) {
  const uint32_t made = input(graph, result.value_or(graph.values[operands.front()].type));
  graph.values[made].role = ValueRole::Result;
  graph.operations.push_back({type, std::move(operands), {made}});
  return made;
}

uint32_t applyAll(Graph &graph, std::initializer_list<OperationType> types, uint32_t value) {
  for (OperationType type : types)
    value = apply(graph, type, {value});
  return value;
}

void append(Graph &graph, ControlFlow flow) {
  for (uint32_t output : flow.graphs.back().outputs)
    flow.outputs.push_back(add(graph, flow.graphs.back().values[output]));
  graph.operations.push_back(operationOf(flow, graph));
}

uint32_t appendIf(Graph &graph, uint32_t value, std::initializer_list<OperationType> first,
                  std::initializer_list<OperationType> second) {
  ControlFlow flow;
  flow.chooser = input(graph, OperandType::TensorBool8);
  flow.passed = {value};
  flow.graphs[0].outputs = {applyAll(flow.graphs[0], first, input(flow.graphs[0]))};
  flow.graphs[1].outputs = {applyAll(flow.graphs[1], second, input(flow.graphs[1]))};
  append(graph, flow);
  return graph.operations.back().outputs.front();
}

bool has(const Graph &graph, OperationType type) {
  const std::vector<OperationType> types = operationTypes(graph);
  return std::ranges::find(types, type) != types.end();
}

} // namespace avocet::hal::conformance
