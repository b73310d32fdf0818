//===- Provider.cpp - The execution provider of a session -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/Provider.h"

#include "avocet/hal/types/Tracing.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::ort {

Provider::Provider(const Runtime &runtime, const abi::Logger *logger, std::shared_ptr<Shared> shared)
    : runtime_(runtime), logger_(logger), shared_(std::move(shared)) {
  getName = [](const abi::Provider *) { return kProviderName; };
  getCapability = [](abi::Provider *provider, const abi::Graph *graph, abi::GraphSupport *support) {
    hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::Preparation, "take nodes");
    return of(provider)->runtime_.guarded([&] { return of(provider)->take(*graph, *support); });
  };
  abi::Provider::compile = [](abi::Provider *provider, const abi::Graph **, const abi::Node **fused, size_t count,
                              abi::ComputeInfo **infos, abi::Node **) {
    hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::Compilation, "compile");
    return of(provider)->runtime_.guarded([&] { return of(provider)->compileAll({fused, count}, {infos, count}); });
  };
  releaseComputeInfos = [](abi::Provider *, abi::ComputeInfo **infos, size_t count) {
    for (abi::ComputeInfo *info : std::span(infos, count))
      delete Kernel::of(info);
  };
}

Provider::~Provider() {
  const Counters &counters = shared_->counters;
  runtime_.log(nullptr, abi::LogLevel::Info,
               fmt::format("{} of {} nodes on {} in {} partitions; {} runs; {} bytes copied by all sessions",
                           counters.nodesOnDevice.load(), counters.nodes.load(), shared_->engine->deviceName(),
                           counters.partitions.load(), counters.runs.load(), shared_->memory->figures().bytesCopied));
}

Status Provider::fuse(const Graph &graph, const std::vector<size_t> &ids, abi::GraphSupport &support) const {
  std::vector<const abi::Node *> nodes;
  for (const size_t id : ids)
    nodes.push_back(graph.node(id)->node);
  abi::FusionOptions options;
  options.dropConstantInitializers = true;
  return runtime_.callEp<abi::AddNodesToFuse>(&support, nodes.data(), nodes.size(), &options);
}

Status Provider::take(const abi::Graph &read, abi::GraphSupport &support) {
  AVOCET_ASSIGN_OR_RETURN(const Graph graph, Graph::read(runtime_, read));
  // A network on the device has control flow as a whole: the node around this graph is taken with it, or not at all.
  if (graph.isNested() || graph.nodes().empty())
    return Status::ok();
  Result<Plan> plan = makePlan(graph, *shared_->engine, shared_->options.allowsFloat32);
  if (!plan) {
    // The runtime would only log an error, and for that only if it logs errors.
    runtime_.log(logger_, abi::LogLevel::Error,
                 fmt::format("the network stays with ONNX Runtime: {}", plan.status().message()));
    return Status::ok();
  }
  for (const auto &[id, reason] : plan->support.reasons)
    runtime_.log(logger_, abi::LogLevel::Info,
                 fmt::format("{} stays with ONNX Runtime: {}", describe(*graph.node(id)), reason));
  Counters &counters = shared_->counters;
  counters.nodes += graph.nodes().size();
  counters.nodesOnDevice += plan->support.nodes.size();
  counters.partitions += plan->partitions.size();
  for (const std::vector<size_t> &ids : plan->partitions)
    AVOCET_RETURN_IF_ERROR(fuse(graph, ids, support));
  planned_.merge(plan->networks);
  return Status::ok();
}

Status Provider::compileAll(std::span<const abi::Node *const> fused, std::span<abi::ComputeInfo *> infos) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (const abi::Node *node : fused) {
    AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, makeKernel(*node));
    kernels.push_back(std::move(kernel));
  }
  for (size_t i = 0; i < kernels.size(); ++i)
    infos[i] = kernels[i].release();
  return Status::ok();
}

/// Operands in the order of the fused node, which may differ from that of the network.
static Result<std::vector<KernelOperand>> inOrder(const std::vector<std::string> &names,
                                                  const std::vector<NetworkOperand> &operands) {
  std::vector<KernelOperand> ordered;
  for (const std::string &name : names) {
    const auto operand = std::ranges::find(operands, name, &NetworkOperand::name);
    if (operand == operands.end())
      return internalError(fmt::format("'{}' is no input or output of the partition that was compiled", name));
    ordered.push_back({*operand, static_cast<size_t>(operand - operands.begin())});
  }
  if (ordered.size() != operands.size())
    return internalError(
        fmt::format("the fused node has {} inputs or outputs, its network {}", ordered.size(), operands.size()));
  return ordered;
}

Result<std::unique_ptr<Kernel>> Provider::makeKernel(const abi::Node &fused) {
  const auto namesOf = [this](const std::vector<const abi::ValueInfo *> &values) -> Result<std::vector<std::string>> {
    std::vector<std::string> names;
    for (const abi::ValueInfo *value : values) {
      AVOCET_ASSIGN_OR_RETURN(std::string name, runtime_.text<abi::GetValueInfoName>(value));
      names.push_back(std::move(name));
    }
    return names;
  };
  AVOCET_ASSIGN_OR_RETURN(const auto inputs,
                          (runtime_.list<abi::NodeGetNumInputs, abi::NodeGetInputs, const abi::ValueInfo *>(&fused)));
  AVOCET_ASSIGN_OR_RETURN(const auto outputs,
                          (runtime_.list<abi::NodeGetNumOutputs, abi::NodeGetOutputs, const abi::ValueInfo *>(&fused)));
  AVOCET_ASSIGN_OR_RETURN(const std::vector<std::string> inputNames, namesOf(inputs));
  AVOCET_ASSIGN_OR_RETURN(const std::vector<std::string> outputNames, namesOf(outputs));
  const auto planned = planned_.find({outputNames.begin(), outputNames.end()});
  if (planned == planned_.end())
    return internalError(
        fmt::format("the partition with the output '{}' was not compiled", outputNames.empty() ? "" : outputNames[0]));
  AVOCET_ASSIGN_OR_RETURN(std::vector<KernelOperand> orderedInputs, inOrder(inputNames, planned->second.inputs));
  AVOCET_ASSIGN_OR_RETURN(std::vector<KernelOperand> orderedOutputs, inOrder(outputNames, planned->second.outputs));
  return std::make_unique<Kernel>(runtime_, shared_, planned->second.prepared, std::move(orderedInputs),
                                  std::move(orderedOutputs));
}

} // namespace avocet::ort
