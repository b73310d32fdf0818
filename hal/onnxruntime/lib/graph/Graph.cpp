//===- Graph.cpp - A graph of the runtime -----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "graph/Graph.h"

#include "avocet/hal/onnxruntime/TensorType.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::ort {

bool Value::isFixed() const {
  return shape && std::ranges::all_of(*shape, [](int64_t extent) { return extent >= 0; });
}

std::string describe(const Node &node) { return fmt::format("node '{}' ({})", node.name, node.type); }

Status Graph::readType(Value &value) const {
  const abi::TypeInfo *type = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GetValueInfoTypeInfo>(value.info, &type));
  const abi::TensorInfo *tensor = nullptr;
  if (type != nullptr)
    AVOCET_RETURN_IF_ERROR(runtime_.call<abi::CastTypeInfoToTensorInfo>(type, &tensor));
  if (tensor == nullptr)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(TensorType read, TensorType::read(runtime_.api(), tensor));
  const size_t rank = read.shape.size();
  value.element = read.element;
  if (!runtime_.hasShape(tensor, rank) && !value.isConstant)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(value.extentNames, readExtentNames(runtime_.api(), tensor, rank));
  value.shape = std::move(read.shape);
  return Status::ok();
}

Result<const Value *> Graph::valueOf(const abi::ValueInfo *info) {
  if (info == nullptr)
    return nullptr;
  AVOCET_ASSIGN_OR_RETURN(std::string name, runtime_.text<abi::GetValueInfoName>(info));
  if (name.empty())
    return nullptr;
  if (const auto known = values_.find(name); known != values_.end())
    return known->second.get();
  auto value = std::make_unique<Value>();
  value->name = name;
  value->info = info;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::ValueInfoIsConstantInitializer>(info, &value->isConstant));
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::ValueInfoIsGraphOutput>(info, &value->isOutput));
  AVOCET_RETURN_IF_ERROR(readType(*value));
  return (values_[name] = std::move(value)).get();
}

template <typename Count, typename List, typename Object>
Result<std::vector<const Value *>> Graph::values(const Object &object) {
  AVOCET_ASSIGN_OR_RETURN(auto infos, (runtime_.list<Count, List, const abi::ValueInfo *>(&object)));
  std::vector<const Value *> values;
  for (const abi::ValueInfo *info : infos) {
    AVOCET_ASSIGN_OR_RETURN(const Value *value, valueOf(info));
    values.push_back(value);
  }
  return values;
}

template <typename Count, typename List> Result<std::vector<const Value *>> Graph::ownValues() {
  AVOCET_ASSIGN_OR_RETURN(auto own, (values<Count, List>(*graph_)));
  if (std::ranges::count(own, nullptr) > 0)
    return unsupported("an input, output or initializer of the graph has no name");
  return own;
}

Status Graph::readNode(const abi::Node &node) {
  Node read;
  read.node = &node;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::NodeGetId>(&node, &read.id));
  AVOCET_ASSIGN_OR_RETURN(read.name, runtime_.text<abi::NodeGetName>(&node));
  AVOCET_ASSIGN_OR_RETURN(read.type, runtime_.text<abi::NodeGetOperatorType>(&node));
  AVOCET_ASSIGN_OR_RETURN(read.domain, runtime_.text<abi::NodeGetDomain>(&node));
  AVOCET_ASSIGN_OR_RETURN(read.provider, runtime_.text<abi::NodeGetEpName>(&node));
  AVOCET_ASSIGN_OR_RETURN(read.inputs, (values<abi::NodeGetNumInputs, abi::NodeGetInputs>(node)));
  AVOCET_ASSIGN_OR_RETURN(read.outputs, (values<abi::NodeGetNumOutputs, abi::NodeGetOutputs>(node)));
  AVOCET_ASSIGN_OR_RETURN(read.implicit, (values<abi::NodeGetNumImplicitInputs, abi::NodeGetImplicitInputs>(node)));
  places_[read.id] = nodes_.size();
  nodes_.push_back(std::move(read));
  return Status::ok();
}

Status Graph::readOperatorSets() {
  size_t count = 0;
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GraphGetNumOperatorSets>(graph_, &count));
  std::vector<const char *> domains(count);
  std::vector<int64_t> versions(count);
  AVOCET_RETURN_IF_ERROR(runtime_.call<abi::GraphGetOperatorSets>(graph_, domains.data(), versions.data(), count));
  for (size_t i = 0; i < count; ++i)
    operatorSets_.emplace_back(domains[i], versions[i]);
  return Status::ok();
}

Result<Graph> Graph::read(const Runtime &runtime, const abi::Graph &graph) {
  Graph result(runtime, graph);
  const abi::Node *parent = nullptr;
  AVOCET_RETURN_IF_ERROR(runtime.call<abi::GraphGetParentNode>(&graph, &parent));
  result.isNested_ = parent != nullptr;
  AVOCET_RETURN_IF_ERROR(result.readOperatorSets());
  AVOCET_ASSIGN_OR_RETURN(result.inputs_, (result.ownValues<abi::GraphGetNumInputs, abi::GraphGetInputs>()));
  AVOCET_ASSIGN_OR_RETURN(auto nodes,
                          (runtime.list<abi::GraphGetNumNodes, abi::GraphGetNodes, const abi::Node *>(&graph)));
  for (const abi::Node *node : nodes)
    AVOCET_RETURN_IF_ERROR(result.readNode(*node));
  AVOCET_ASSIGN_OR_RETURN(result.initializers_,
                          (result.ownValues<abi::GraphGetNumInitializers, abi::GraphGetInitializers>()));
  AVOCET_ASSIGN_OR_RETURN(result.outputs_, (result.ownValues<abi::GraphGetNumOutputs, abi::GraphGetOutputs>()));
  return result;
}

const Node *Graph::node(size_t id) const {
  const auto place = places_.find(id);
  return place == places_.end() ? nullptr : &nodes_[place->second];
}

} // namespace avocet::ort
