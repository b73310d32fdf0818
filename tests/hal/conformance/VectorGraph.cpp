//===- VectorGraph.cpp ----------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorGraph.h"

#include "avocet/base/File.h"

#include <algorithm>

namespace avocet::hal::conformance {
namespace {

Bytes bytesAt(std::span<const uint8_t> all, const DataLocation &location) {
  const auto part = all.subspan(location.offset, location.length);
  return {part.begin(), part.end()};
}

/// The vectors store referenced constants in anonymous memory.
Bytes constantOf(const Model &model, const Operand &operand) {
  if (operand.lifetime == OperandLifeTime::ConstantCopy)
    return bytesAt(model.operandValues, operand.location);
  const auto &pool = std::get<Ashmem>(model.pools[operand.location.poolIndex]->handle);
  const auto mapping = Mapping::map(pool.fd->get(), pool.size, Mapping::Access::Read);
  return mapping.isOk() ? bytesAt(mapping->bytes(), operand.location) : Bytes();
}

ValueRole roleOf(OperandLifeTime lifetime) {
  switch (lifetime) {
  case OperandLifeTime::SubgraphInput:
    return ValueRole::Input;
  case OperandLifeTime::ConstantCopy:
  case OperandLifeTime::ConstantReference:
    return ValueRole::Constant;
  case OperandLifeTime::NoValue:
    return ValueRole::Omitted;
  default:
    return ValueRole::Result;
  }
}

Value valueOf(const Model &model, const Operand &operand) {
  Value value;
  value.type = operand.type;
  value.dimensions = operand.dimensions;
  value.scale = operand.scale;
  value.zeroPoint = operand.zeroPoint;
  if (const auto *channels = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams)) {
    value.channelScales = channels->scales;
    value.channelDim = channels->channelDim;
  }
  value.role = roleOf(operand.lifetime);
  if (value.role == ValueRole::Constant)
    value.bytes = constantOf(model, operand);
  return value;
}

} // namespace

std::optional<Graph> graphOfCase(const TestCase &test) {
  const Subgraph &main = test.model.main;
  if (main.operations.size() != 1 || !test.model.referenced.empty())
    return std::nullopt;
  Graph graph;
  graph.operations = main.operations;
  graph.outputs = main.outputIndexes;
  for (const Operand &operand : main.operands)
    graph.values.push_back(valueOf(test.model, operand));
  for (size_t i = 0; i < main.inputIndexes.size(); ++i) {
    Value &input = graph.values[main.inputIndexes[i]];
    if (test.inputs[i])
      input.bytes = *test.inputs[i];
    else
      input.role = ValueRole::Omitted;
  }
  for (size_t i = 0; i < main.outputIndexes.size(); ++i) {
    if (test.outputs[i].rule == OutputRule::Close)
      graph.values[main.outputIndexes[i]].bytes = test.outputs[i].bytes;
    graph.values[main.outputIndexes[i]].dimensions = test.outputs[i].dimensions;
  }
  return graph;
}

} // namespace avocet::hal::conformance
