//===- Graph.cpp ----------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "nnapiTest_generated.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::hal::conformance {
namespace {

/// Marks the values that the outputs need, and keeps their operations.
class Pruner {
public:
  Pruner(const Graph &graph, bool keepsInputs) : graph_(graph), isNeeded_(graph.values.size()) {
    for (size_t i = 0; i < isNeeded_.size(); ++i)
      isNeeded_[i] = keepsInputs && graph.values[i].role == ValueRole::Input;
  }

  Graph prune() {
    for (uint32_t output : graph_.outputs)
      isNeeded_[output] = true;
    std::vector<bool> keeps(graph_.operations.size());
    for (size_t i = graph_.operations.size(); i-- > 0;)
      keeps[i] = keep(graph_.operations[i]);
    return renumber(keeps);
  }

private:
  bool keep(const Operation &operation) {
    auto needed = [this](uint32_t value) { return graph_.values[value].role == ValueRole::Result && isNeeded_[value]; };
    if (std::ranges::none_of(operation.outputs, needed))
      return false;
    for (const auto *list : {&operation.inputs, &operation.outputs})
      for (uint32_t value : *list)
        isNeeded_[value] = true;
    return true;
  }

  Graph renumber(const std::vector<bool> &keeps) const {
    Graph made;
    std::vector<uint32_t> number(graph_.values.size());
    for (size_t i = 0; i < graph_.values.size(); ++i)
      if (isNeeded_[i]) {
        number[i] = static_cast<uint32_t>(made.values.size());
        made.values.push_back(graph_.values[i]);
      }
    auto renumbered = [&](std::vector<uint32_t> list) {
      for (uint32_t &value : list)
        value = number[value];
      return list;
    };
    for (size_t i = 0; i < keeps.size(); ++i)
      if (keeps[i])
        made.operations.push_back({graph_.operations[i].type, renumbered(graph_.operations[i].inputs),
                                   renumbered(graph_.operations[i].outputs)});
    made.outputs = renumbered(graph_.outputs);
    return made;
  }

  const Graph &graph_;
  std::vector<bool> isNeeded_;
};

bool isOutput(const Graph &graph, uint32_t value) {
  return std::ranges::find(graph.outputs, value) != graph.outputs.end();
}

vectors::Lifetime lifetimeOf(const Graph &graph, uint32_t value) {
  switch (graph.values[value].role) {
  case ValueRole::Input:
    return vectors::Lifetime::SubgraphInput;
  case ValueRole::Constant:
    return vectors::Lifetime::ConstantCopy;
  case ValueRole::Omitted:
    return vectors::Lifetime::NoValue;
  case ValueRole::Subgraph:
    return vectors::Lifetime::Subgraph;
  case ValueRole::Result:
    break;
  }
  return isOutput(graph, value) ? vectors::Lifetime::SubgraphOutput : vectors::Lifetime::Temporary;
}

std::unique_ptr<vectors::OperandT> operandOf(const Graph &graph, uint32_t index) {
  const Value &value = graph.values[index];
  auto made = std::make_unique<vectors::OperandT>();
  made->type = static_cast<int32_t>(value.type);
  made->dimensions = value.dimensions;
  if (value.isOpen && value.role == ValueRole::Result)
    made->dimensions.front() = 0;
  made->scale = value.scale;
  made->zero_point = value.zeroPoint;
  made->channel_scales = value.channelScales;
  made->channel_dim = value.channelDim;
  made->lifetime = lifetimeOf(graph, index);
  if (value.role == ValueRole::Constant)
    made->data = value.bytes;
  return made;
}

using Referenced = std::vector<std::unique_ptr<vectors::SubgraphT>>;

/// Adds the subgraphs to `referenced`.
std::unique_ptr<vectors::SubgraphT> subgraphOf(const Graph &graph, Referenced &referenced) {
  auto made = std::make_unique<vectors::SubgraphT>();
  for (uint32_t i = 0; i < graph.values.size(); ++i) {
    made->operands.push_back(operandOf(graph, i));
    if (graph.values[i].role == ValueRole::Subgraph) {
      auto inner = subgraphOf(*graph.values[i].graph, referenced); // adds its own subgraphs first
      made->operands.back()->subgraph = static_cast<int32_t>(referenced.size());
      referenced.push_back(std::move(inner));
    }
    if (graph.values[i].role == ValueRole::Input)
      made->inputs.push_back(i);
  }
  for (const Operation &operation : graph.operations) {
    auto entry = std::make_unique<vectors::OperationT>();
    entry->type = static_cast<int32_t>(operation.type);
    entry->inputs = operation.inputs;
    entry->outputs = operation.outputs;
    made->operations.push_back(std::move(entry));
  }
  made->outputs = graph.outputs;
  return made;
}

/// The comparison is exact (no tolerances), but its rule needs the type.
vectors::Tolerance toleranceOf(OperandType type) {
  switch (type) {
  case OperandType::TensorFloat32:
    return vectors::Tolerance::Float32;
  case OperandType::TensorFloat16:
    return vectors::Tolerance::Float16;
  case OperandType::TensorInt32:
  case OperandType::Int32:
    return vectors::Tolerance::Int32;
  case OperandType::TensorBool8:
    return vectors::Tolerance::Bool8;
  case OperandType::TensorQuant16Asymm:
  case OperandType::TensorQuant16Symm:
    return vectors::Tolerance::Quant16;
  default:
    return vectors::Tolerance::Quant8;
  }
}

std::unique_ptr<vectors::ExampleT> exampleOf(const Graph &graph) {
  auto made = std::make_unique<vectors::ExampleT>();
  for (const Value &value : graph.values)
    if (value.role == ValueRole::Input) {
      made->inputs.push_back(std::make_unique<vectors::InputValueT>());
      made->inputs.back()->data = value.bytes;
    }
  for (uint32_t index : graph.outputs) {
    const Value &value = graph.values[index];
    auto output = std::make_unique<vectors::ExpectedOutputT>();
    output->dimensions = value.dimensions;
    output->data = value.bytes;
    output->tolerance = toleranceOf(value.type);
    made->outputs.push_back(std::move(output));
  }
  return made;
}

} // namespace

uint64_t elementsOf(const Dimensions &dimensions) {
  uint64_t count = 1;
  for (uint32_t extent : dimensions)
    count *= extent;
  return count;
}

Graph pruned(const Graph &graph) { return Pruner(graph, false).prune(); }
Graph prunedSubgraph(const Graph &graph) { return Pruner(graph, true).prune(); }

std::vector<OperationType> operationTypes(const Graph &graph) {
  std::vector<OperationType> types;
  for (const Operation &operation : graph.operations) {
    types.push_back(operation.type);
    for (uint32_t input : operation.inputs)
      if (graph.values[input].role == ValueRole::Subgraph) {
        const std::vector<OperationType> inner = operationTypes(*graph.values[input].graph);
        types.insert(types.end(), inner.begin(), inner.end());
      }
  }
  return types;
}

Graph cutAt(const Graph &graph, uint32_t value) {
  Graph cut = graph;
  cut.values[value].role = ValueRole::Input;
  std::erase(cut.outputs, value);
  // Another result of the same operation may be an output, so that the operation stays; it then writes a value that
  // nothing reads.
  for (Operation &operation : cut.operations)
    for (uint32_t &output : operation.outputs)
      if (output == value) {
        cut.values.push_back(graph.values[value]);
        output = static_cast<uint32_t>(cut.values.size() - 1);
      }
  return pruned(cut);
}

Bytes vectorFileOf(const Graph &graph, const std::string &name) {
  vectors::SpecFileT root;
  root.format_version = 1;
  root.spec = "graph";
  root.bucket = "random";
  root.suite = vectors::Suite::CtsAndVts;
  auto made = std::make_unique<vectors::CaseT>();
  made->name = name;
  made->kinds = vectors::Kind::General | vectors::Kind::DeviceMemory;
  if (std::ranges::none_of(graph.outputs, [&](uint32_t output) { return graph.values[output].isOpen; }))
    made->kinds |= vectors::Kind::Fenced; // which needs outputs of known extents
  made->main = subgraphOf(graph, made->referenced);
  made->examples.push_back(exampleOf(graph));
  root.cases.push_back(std::move(made));
  flatbuffers::FlatBufferBuilder builder;
  vectors::FinishSpecFileBuffer(builder, vectors::SpecFile::Pack(builder, &root));
  return Bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
}

CaseRef caseOf(const Graph &graph, const std::string &name) {
  // Our own bytes always pass the checks.
  return {*VectorFile::adopt(vectorFileOf(graph, name), name), 0};
}

} // namespace avocet::hal::conformance
