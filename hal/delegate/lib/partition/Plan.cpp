//===- Plan.cpp - The partitions of a graph - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partition/Plan.h"

#include "kernel/Kernel.h"

#include <fmt/core.h>

namespace avocet::delegate {
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
