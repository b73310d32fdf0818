//===- Plan.cpp - The partitions of a graph ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partition/Plan.h"

#include "avocet/hal/plugin/Executions.h"
#include "model/Elements.h"
#include "partition/Stages.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::ort {
namespace {

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
  if (value.shape && std::ranges::count(*value.shape, 0) > 0)
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
  SupportFinder(const Graph &graph, plugin::Engine &engine, const PlanOptions &options, const SampleExtents &samples)
      : graph_(graph), engine_(engine), options_(options), samples_(samples) {}

  Result<plugin::Support<size_t>> run() {
    for (const Node &node : graph_.nodes())
      if (options_.taken.contains(node.id))
        continue;
      else if (Status status = checkNode(graph_, node, options_.allowsFloat32); status.isOk())
        support_.nodes.push_back(node.id);
      else
        support_.reasons[node.id] = status.message();
    const plugin::SupportQuestions<size_t> questions{[this](std::span<const size_t> ids) { return ask(ids); },
                                                     nodeNamedIn, [this] { leaveOutImpossibleBorders(); }};
    AVOCET_RETURN_IF_ERROR(plugin::narrowToSupported(support_, questions));
    return std::move(support_);
  }

private:
  Result<plugin::Judgment> ask(std::span<const size_t> ids) {
    Result<PartitionModel> model = PartitionModel::make(graph_, partitionOf(graph_, ids), NodeNames::OfNodes);
    if (!model)
      return plugin::Judgment{{{"", model.status().message()}}};
    return engine_.judge(model->view(samples_));
  }

  /// A value that the device and others share has a type that both store alike. An input has a known rank.
  void leaveOutImpossibleBorders() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      const Partition partition = partitionOf(graph_, support_.nodes);
      for (const auto *values : {&partition.inputs, &partition.outputs})
        for (const Value *value : *values)
          if (!borderType(value->element))
            isChanged |= leaveOutNodesOf(*value, partition,
                                         fmt::format("'{}' of type {} is also one of the runtime or of the application",
                                                     value->name, elementName(value->element)));
          else if (values == &partition.inputs && !value->shape)
            isChanged |= leaveOutNodesOf(*value, partition, fmt::format("the rank of '{}' is not known", value->name));
    }
  }

  bool leaveOutNodesOf(const Value &value, const Partition &partition, const std::string &reason) {
    const size_t before = support_.nodes.size();
    for (const Node *node : partition.nodes)
      for (const auto *values : {&node->inputs, &node->outputs, &node->implicit})
        if (std::ranges::find(*values, &value) != values->end())
          support_.leaveOut(node->id, reason);
    return support_.nodes.size() < before;
  }

  const Graph &graph_;
  plugin::Engine &engine_;
  const PlanOptions &options_;
  const SampleExtents &samples_;
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
  PlannedNetwork planned{nullptr, operandsOf(partition.inputs), operandsOf(partition.outputs), "", nullptr};
  const bool hasOpenInputs = !std::ranges::all_of(partition.inputs, &Value::isFixed);
  const bool hasOpenOutputs = !std::ranges::all_of(partition.outputs, &Value::isFixed);
  if (keepsFile && (hasOpenInputs || hasOpenOutputs))
    return unsupported("extents are open, and those of a context are known; fix them with "
                       "AddFreeDimensionOverrideByName");
  if (hasOpenInputs) {
    AVOCET_ASSIGN_OR_RETURN(OpenNetwork open, model.open());
    planned.open = std::make_shared<OpenNetwork>(std::move(open));
    return planned;
  }
  if (keepsFile) {
    AVOCET_ASSIGN_OR_RETURN(planned.file, model.file());
  }
  AVOCET_ASSIGN_OR_RETURN(plugin::Network network, model.network());
  AVOCET_RETURN_IF_ERROR(planned.prepare(engine, std::move(network), hasOpenOutputs));
  return planned;
}

} // namespace

void NetworkOperand::setShape(std::vector<int64_t> extents) {
  shape = std::move(extents);
  bytes = firmware::sizeOf(type);
  for (const int64_t extent : shape)
    bytes *= static_cast<uint64_t>(extent);
}

Status PlannedNetwork::prepare(plugin::Engine &engine, plugin::Network network, bool asksShapes) {
  AVOCET_ASSIGN_OR_RETURN(prepared, engine.prepare(std::move(network)));
  if (!asksShapes)
    return Status::ok();
  const auto bytesOf = [](const std::vector<NetworkOperand> &operands) {
    std::vector<uint64_t> bytes;
    for (const NetworkOperand &operand : operands)
      bytes.push_back(operand.bytes);
    return bytes;
  };
  AVOCET_ASSIGN_OR_RETURN(const auto shapes, plugin::outputShapesOf(*prepared, bytesOf(inputs), bytesOf(outputs)));
  if (shapes.size() != outputs.size())
    return internalError("the device does not say what shapes the network's outputs have");
  for (size_t i = 0; i < outputs.size(); ++i)
    outputs[i].setShape({shapes[i].begin(), shapes[i].end()});
  return Status::ok();
}

std::vector<NetworkOperand> operandsOf(const std::vector<const Value *> &values) {
  std::vector<NetworkOperand> operands;
  for (const Value *value : values) {
    NetworkOperand &operand =
        operands.emplace_back(NetworkOperand{value->name, *borderType(value->element), isFloat64(value->element)});
    if (value->isFixed())
      operand.setShape(*value->shape);
  }
  return operands;
}

static Result<Plan> planWith(const SampleExtents &samples, const Graph &graph, plugin::Engine &engine,
                             const PlanOptions &options) {
  Plan plan;
  AVOCET_ASSIGN_OR_RETURN(plan.support, SupportFinder(graph, engine, options, samples).run());
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

static bool hasOpenExtents(const Graph &graph) {
  return std::ranges::any_of(graph.inputs(), [](const Value *input) { return !input->isFixed(); });
}

Result<Plan> makePlan(const Graph &graph, plugin::Engine &engine, const PlanOptions &options) {
  // Images, sequences and sound have minimal sizes, and other axes are of extent 1 most often.
  constexpr std::pair<int64_t, int64_t> kSamples[] = {{1, 64}, {1, 1}, {1, 1024}};
  Plan best;
  for (const auto &[first, other] : kSamples) {
    AVOCET_ASSIGN_OR_RETURN(Plan plan, planWith(SampleExtents(graph, first, other), graph, engine, options));
    if (best.support.nodes.empty() || plan.support.nodes.size() > best.support.nodes.size())
      best = std::move(plan);
    if (!hasOpenExtents(graph) || best.support.reasons.empty())
      break;
  }
  return best;
}

} // namespace avocet::ort
