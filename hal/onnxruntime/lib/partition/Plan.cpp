//===- Plan.cpp - The partitions of a graph ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partition/Plan.h"

#include "model/Elements.h"
#include "partition/Stages.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::ort {
namespace {

std::string openExtentOf(const Value &value) {
  if (!value.shape)
    return fmt::format("the rank of '{}' is not known", value.name);
  const auto open = std::ranges::find_if(*value.shape, [](int64_t extent) { return extent < 0; });
  const auto axis = static_cast<size_t>(open - value.shape->begin());
  const std::string &name = value.extentNames[axis];
  if (name.empty())
    return fmt::format("extent {} of '{}' is not known", axis, value.name);
  return fmt::format("extent {} of '{}' is '{}'; fix it with AddFreeDimensionOverrideByName", axis, value.name, name);
}

/// Why a network cannot have the value, whatever computes it.
Status checkValue(const Value &value, bool allowsFloat32) {
  if (value.element == 0)
    return unsupported(fmt::format("'{}' is no tensor", value.name));
  if (isFloat64(value.element) && !allowsFloat32)
    return unsupported(fmt::format("'{}' is float64, which the device computes in float32; option allow_fp32=true "
                                   "permits that",
                                   value.name));
  if (value.isConstant)
    return Status::ok();
  if (!value.isFixed())
    return unsupported(openExtentOf(value));
  if (std::ranges::count(*value.shape, 0) > 0)
    return unsupported(fmt::format("'{}' has no elements", value.name));
  return Status::ok();
}

Status checkNode(const Graph &graph, const Node &node, bool allowsFloat32) {
  if (!node.provider.empty())
    return unsupported(fmt::format("{} has it", node.provider));
  for (const auto *values : {&node.inputs, &node.outputs, &node.implicit})
    for (const Value *value : *values)
      if (value != nullptr)
        AVOCET_RETURN_IF_ERROR(checkValue(*value, allowsFloat32));
  return checkWritable(graph, node);
}

class SupportFinder {
public:
  SupportFinder(const Graph &graph, plugin::Engine &engine, const PlanOptions &options)
      : graph_(graph), engine_(engine), options_(options) {}

  Result<plugin::Support<size_t>> run() {
    for (const Node &node : graph_.nodes())
      if (options_.taken.contains(node.id))
        continue;
      else if (Status status = checkNode(graph_, node, options_.allowsFloat32); status.isOk())
        support_.nodes.push_back(node.id);
      else
        support_.reasons[node.id] = status.message();
    const plugin::SupportQuestions<size_t> questions{[this](std::span<const size_t> ids) { return ask(ids); },
                                                     nodeNamedIn, [this] { leaveOutForeignBorders(); }};
    AVOCET_RETURN_IF_ERROR(plugin::narrowToSupported(support_, questions));
    return std::move(support_);
  }

private:
  Result<plugin::Judgement> ask(std::span<const size_t> ids) {
    Result<PartitionModel> model = PartitionModel::make(graph_, partitionOf(graph_, ids), NodeNames::OfNodes);
    if (!model)
      return plugin::Judgement{{{"", model.status().message()}}};
    return engine_.judge(model->view());
  }

  /// A value that the device and others share has a type that both store alike.
  void leaveOutForeignBorders() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      const Partition partition = partitionOf(graph_, support_.nodes);
      for (const auto *values : {&partition.inputs, &partition.outputs})
        for (const Value *value : *values)
          if (!borderType(value->element))
            isChanged |= leaveOutNodesOf(*value, partition);
    }
  }

  bool leaveOutNodesOf(const Value &value, const Partition &partition) {
    const size_t before = support_.nodes.size();
    for (const Node *node : partition.nodes)
      for (const auto *values : {&node->inputs, &node->outputs, &node->implicit})
        if (std::ranges::find(*values, &value) != values->end())
          support_.leaveOut(node->id, fmt::format("'{}' of type {} is also one of the runtime or of the application",
                                                  value.name, elementName(value.element)));
    return support_.nodes.size() < before;
  }

  const Graph &graph_;
  plugin::Engine &engine_;
  const PlanOptions &options_;
  plugin::Support<size_t> support_;
};

void leaveOut(plugin::Support<size_t> &support, const std::vector<size_t> &ids, const Status &reason) {
  for (const size_t id : ids)
    support.leaveOut(id, fmt::format("the network of {} nodes around it: {}", ids.size(), reason.message()));
}

std::set<std::string> namesOf(const std::vector<const Value *> &values) {
  std::set<std::string> names;
  for (const Value *value : values)
    names.insert(value->name);
  return names;
}

/// An error is the reason why the partition cannot run.
Result<PlannedNetwork> prepare(const Graph &graph, const Partition &partition, plugin::Engine &engine, bool keepsFile) {
  if (partition.outputs.empty())
    return unsupported("its results are not used");
  AVOCET_ASSIGN_OR_RETURN(PartitionModel model, PartitionModel::make(graph, partition, NodeNames::OfModel));
  PlannedNetwork planned{nullptr, operandsOf(partition.inputs), operandsOf(partition.outputs), ""};
  if (keepsFile) {
    AVOCET_ASSIGN_OR_RETURN(planned.file, model.file());
  }
  AVOCET_ASSIGN_OR_RETURN(plugin::Network network, model.network());
  AVOCET_ASSIGN_OR_RETURN(planned.prepared, engine.prepare(std::move(network)));
  return planned;
}

} // namespace

std::vector<NetworkOperand> operandsOf(const std::vector<const Value *> &values) {
  std::vector<NetworkOperand> operands;
  for (const Value *value : values) {
    uint64_t bytes = firmware::sizeOf(*borderType(value->element));
    for (const int64_t extent : *value->shape)
      bytes *= static_cast<uint64_t>(extent);
    operands.push_back({value->name, *value->shape, bytes, isFloat64(value->element)});
  }
  return operands;
}

Result<Plan> makePlan(const Graph &graph, plugin::Engine &engine, const PlanOptions &options) {
  Plan plan;
  AVOCET_ASSIGN_OR_RETURN(plan.support, SupportFinder(graph, engine, options).run());
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    plan.partitions = divide(graph, plan.support.nodes);
    plan.networks.clear();
    for (std::vector<size_t> &ids : plan.partitions) {
      const Partition partition = partitionOf(graph, ids);
      Result<PlannedNetwork> prepared = prepare(graph, partition, engine, options.keepsFiles);
      if (prepared) {
        plan.networks[namesOf(partition.outputs)] = std::move(*prepared);
        continue;
      }
      leaveOut(plan.support, ids, prepared.status());
      isChanged = true;
    }
  }
  return plan;
}

} // namespace avocet::ort
