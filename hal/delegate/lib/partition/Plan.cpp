//===- Plan.cpp - The partitions of a graph ---------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partition/Plan.h"

#include "kernel/Kernel.h"
#include "model/PartitionModel.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/format.h>

namespace avocet::delegate {

using plugin::Judgment;

namespace {

constexpr auto kCallOnce = tflite::BuiltinOperator::CALL_ONCE;

bool hasResource(const Graph &graph, const abi::IntArray *tensors) {
  return std::ranges::any_of(valuesOf(tensors), [&](int32_t tensor) {
    return tensor != abi::kOptionalTensor && graph.tensor(tensor).type == abi::Type::Resource;
  });
}

/// Nodes that use or change more than their tensors, such as resource variables.
size_t numSideEffects(const Graph &graph) {
  return static_cast<size_t>(std::ranges::count_if(graph.nodes(), [&](const GraphNode &node) {
    return node.node.hasSideEffects || node.registration.code == static_cast<int32_t>(kCallOnce) ||
           hasResource(graph, node.node.inputs) || hasResource(graph, node.node.outputs);
  }));
}

/// A tensor of the node whose extents may differ between runs, or kOptionalTensor.
int32_t openTensorOf(const Graph &graph, const GraphNode &node) {
  for (const abi::IntArray *list : {node.node.inputs, node.node.outputs})
    for (int32_t index : valuesOf(list))
      if (index != abi::kOptionalTensor &&
          std::ranges::any_of(valuesOf(graph.tensor(index).signature), [](int32_t extent) { return extent < 0; }))
        return index;
  return abi::kOptionalTensor;
}

std::optional<int32_t> nodeOf(const std::string &location) {
  const int32_t node = nodeNamedIn(location);
  return node < 0 ? std::nullopt : std::optional(node);
}

class SupportFinder {
public:
  SupportFinder(const Graph &graph, Engine &engine, GraphRole role) : graph_(graph), engine_(engine), role_(role) {}

  Result<Support> run() {
    if (numSideEffects(graph_) > 1) {
      for (const GraphNode &node : graph_.nodes())
        support_.reasons[node.index] = "the network has variables or other side effects, and TensorFlow Lite changes "
                                       "their order when it divides the network";
      return std::move(support_);
    }
    for (const GraphNode &node : graph_.nodes())
      if (Status status = check(node); status.isOk())
        support_.nodes.push_back(node.index);
      else
        support_.reasons[node.index] = status.message();
    const plugin::SupportQuestions<int32_t> questions{[this](std::span<const int32_t> nodes) { return ask(nodes); },
                                                      nodeOf, [this] { leaveOutSharedComplex(); }};
    AVOCET_RETURN_IF_ERROR(plugin::narrowToSupported(support_, questions));
    return std::move(support_);
  }

private:
  Status check(const GraphNode &node) const {
    const int32_t open = role_ == GraphRole::Main ? abi::kOptionalTensor : openTensorOf(graph_, node);
    if (open != abi::kOptionalTensor)
      return unsupported(
          fmt::format("the extents of tensor {} in a loop or branch are known only when the network runs, "
                      "which is too late to leave the node",
                      open));
    return checkNode(graph_, node);
  }

  /// The network's outputs: results that others read, and the first result of a node if no node reads it. Further
  /// results without readers may be scratch memory of the interpreter's kernels, which the device does not compute; if
  /// the application reads one, the partition is refused when its outputs are known.
  std::vector<int32_t> outputsOf(const Graph &part) const {
    std::vector<int32_t> outputs;
    for (const GraphNode &node : part.nodes()) {
      const auto results = valuesOf(node.node.outputs);
      for (size_t i = 0; i < results.size(); ++i) {
        const bool isRead = part.numReaders(results[i]) < graph_.numReaders(results[i]);
        if (isRead || (i == 0 && graph_.numReaders(results[i]) == 0))
          outputs.push_back(results[i]);
      }
    }
    return outputs;
  }

  Result<Judgment> ask(std::span<const int32_t> nodes) {
    AVOCET_ASSIGN_OR_RETURN(const Graph part, Graph::read(graph_.context(), nodes));
    AVOCET_ASSIGN_OR_RETURN(PartitionModel model, PartitionModel::make(part, outputsOf(part), TensorNames::OfNodes));
    const flatbuffers::DetachedBuffer file = model.write(graph_.context());
    return engine_.judge({compiler::InputFormat::Tflite, {file.data(), file.size()}});
  }

  bool isTaken(const GraphNode &node) const {
    return std::ranges::find(support_.nodes, node.index) != support_.nodes.end();
  }

  /// A complex tensor that the node has in common with one that stays, or with the application; kOptionalTensor: none.
  int32_t sharedComplexOf(const GraphNode &node) const {
    for (const abi::IntArray *list : {node.node.inputs, node.node.outputs})
      for (int32_t tensor : valuesOf(list))
        if (tensor != abi::kOptionalTensor && graph_.tensor(tensor).type == abi::Type::Complex64 && isShared(tensor))
          return tensor;
    return abi::kOptionalTensor;
  }

  bool isShared(int32_t tensor) const {
    const auto has = [tensor](const abi::IntArray *list) { return std::ranges::count(valuesOf(list), tensor) != 0; };
    bool isMade = false;
    for (const GraphNode &node : graph_.nodes()) {
      const bool isResult = has(node.node.outputs);
      isMade |= isResult;
      if ((isResult || has(node.node.inputs)) && !isTaken(node))
        return true;
    }
    return !isMade || graph_.numReaders(tensor) == 0;
  }

  /// A network on the device begins and ends with real tensors.
  void leaveOutSharedComplex() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (const GraphNode &node : graph_.nodes())
        if (const int32_t tensor = isTaken(node) ? sharedComplexOf(node) : abi::kOptionalTensor;
            tensor != abi::kOptionalTensor) {
          support_.leaveOut(
              node.index,
              fmt::format("complex tensor {} is also one of TensorFlow Lite or of the application", tensor));
          isChanged = true;
        }
    }
  }

  const Graph &graph_;
  Engine &engine_;
  const GraphRole role_;
  Support support_;
};

} // namespace

Result<Support> findSupport(const Graph &graph, Engine &engine, GraphRole role) {
  return SupportFinder(graph, engine, role).run();
}

namespace {

struct Part {
  std::vector<int32_t> nodes, outputs;
};

Result<std::vector<Part>> preview(abi::Context &context, const std::vector<int32_t> &nodes) {
  abi::DelegateParameters *parameters = nullptr;
  int32_t count = 0;
  if (context.previewPartitions(&context, NodeList(nodes).get(), &parameters, &count) != abi::kOk)
    return internalError("the interpreter does not divide the graph");
  std::vector<Part> parts;
  for (const abi::DelegateParameters &each : std::span(parameters, static_cast<size_t>(std::max(count, 0)))) {
    const auto list = valuesOf(each.nodes), outputs = valuesOf(each.outputs);
    parts.push_back({{list.begin(), list.end()}, {outputs.begin(), outputs.end()}});
  }
  return parts;
}

/// An error is the reason why the partition cannot run.
Result<Prepared> tryPart(abi::Context &context, Engine &engine, const Part &part) {
  if (part.outputs.empty())
    return unsupported("its results are not used");
  AVOCET_ASSIGN_OR_RETURN(const Graph graph, Graph::read(context, part.nodes));
  AVOCET_ASSIGN_OR_RETURN(PartitionModel model, PartitionModel::make(graph, part.outputs));
  return engine.prepare(networkOf(model, context));
}

void leaveOut(Support &support, const Part &part, const Status &reason) {
  for (int32_t node : part.nodes) {
    std::erase(support.nodes, node);
    support.reasons[node] = fmt::format("the network of {} nodes around it: {}", part.nodes.size(), reason.message());
  }
}

} // namespace

NodeList::NodeList(const std::vector<int32_t> &nodes) {
  words_.push_back(static_cast<int32_t>(nodes.size()));
  words_.insert(words_.end(), nodes.begin(), nodes.end());
}

Result<Plan> makePlan(abi::Context &context, Engine &engine, GraphRole role) {
  AVOCET_ASSIGN_OR_RETURN(const Graph graph, Graph::read(context));
  Plan plan;
  AVOCET_ASSIGN_OR_RETURN(plan.support, findSupport(graph, engine, role));
  for (bool isChanged = true; isChanged && !plan.support.nodes.empty();) {
    isChanged = false;
    AVOCET_ASSIGN_OR_RETURN(const std::vector<Part> parts, preview(context, plan.support.nodes));
    plan.partitions = parts.size();
    plan.networks.clear();
    for (const Part &part : parts) {
      Result<Prepared> prepared = tryPart(context, engine, part);
      if (prepared) {
        plan.networks[part.nodes] = std::move(*prepared);
        continue;
      }
      leaveOut(plan.support, part, prepared.status());
      isChanged = true;
    }
  }
  if (plan.support.nodes.empty())
    plan.partitions = 0;
  return plan;
}

} // namespace avocet::delegate
