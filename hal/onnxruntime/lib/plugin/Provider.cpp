//===- Provider.cpp - The execution provider of a session -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/Provider.h"

#include "context/NetworkContext.h"
#include "profile/Profiler.h"

#include "avocet/hal/types/Tracing.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace avocet::ort {

Provider::Provider(const Runtime &runtime, std::string_view version, const abi::Logger *logger,
                   std::shared_ptr<Shared> shared)
    : runtime_(runtime), compatibility_(compatibilityText(version)), logger_(logger), shared_(std::move(shared)) {
  if (runtime_.hasProfilers())
    abi::Provider::version = abi::kProfilerVersion;
  createProfiler = [](abi::Provider *provider, abi::Profiler **profiler) {
    return of(provider)->runtime_.guarded([&] {
      *profiler = new Profiler(of(provider)->runtime_, of(provider)->shared_);
      return Status::ok();
    });
  };
  getName = [](const abi::Provider *) { return kProviderName; };
  getCapability = [](abi::Provider *provider, const abi::Graph *graph, abi::GraphSupport *support) {
    hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::Preparation, "take nodes");
    return of(provider)->runtime_.guarded([&] { return of(provider)->take(*graph, *support); });
  };
  abi::Provider::compile = [](abi::Provider *provider, const abi::Graph **graphs, const abi::Node **fused, size_t count,
                              abi::ComputeInfo **infos, abi::Node **contexts) {
    hal::HalSpan span(hal::TraceLayer::Runtime, hal::TracePhase::Compilation, "compile");
    return of(provider)->runtime_.guarded(
        [&] { return of(provider)->compileAll({graphs, count}, {fused, count}, infos, contexts); });
  };
  getCompatibilityInfo = [](abi::Provider *provider, const abi::Graph *) {
    return of(provider)->compatibility_.c_str();
  };
  releaseComputeInfos = [](abi::Provider *, abi::ComputeInfo **infos, size_t count) {
    for (abi::ComputeInfo *info : std::span(infos, count))
      delete Kernel::of(info);
  };
}

Provider::~Provider() {
  plugin::Counters &counters = shared_->counters;
  counters.bytesCopied = shared_->memory->figures().bytesCopied; // of all sessions: tensors of the device have no other
  runtime_.log(nullptr, abi::LogLevel::Info,
               fmt::format("{} of {} nodes on {} in {} partitions; {} runs; {} bytes copied by all sessions",
                           counters.nodesOnDevice.load(), counters.nodes.load(), shared_->engine->deviceName(),
                           counters.partitions.load(), counters.runs.load(), counters.bytesCopied.load()));
  if (!shared_->options.profile.empty())
    plugin::writeProfile(shared_->options.profile, plugin::profileJson(*shared_->engine, counters), "avocet");
}

Status Provider::fuse(const Graph &graph, const std::vector<size_t> &ids, abi::GraphSupport &support) const {
  std::vector<const abi::Node *> nodes;
  for (const size_t id : ids)
    nodes.push_back(graph.node(id)->node);
  abi::FusionOptions options;
  options.dropConstantInitializers = true;
  return runtime_.callEp<abi::AddNodesToFuse>(&support, nodes.data(), nodes.size(), &options);
}

Result<std::set<size_t>> Provider::takeContexts(const Graph &graph, abi::GraphSupport &support) {
  std::set<size_t> taken;
  for (const Node &node : graph.nodes()) {
    AVOCET_ASSIGN_OR_RETURN(const bool isOurs, isContext(graph, node));
    if (!isOurs)
      continue;
    Result<PlannedNetwork> loaded = loadContext(graph, node, shared_->options.context, *shared_->engine);
    if (!loaded)
      return Status(loaded.status()).withContext(describe(node));
    std::set<std::string> names;
    for (const Value *output : node.outputs)
      names.insert(output->name);
    planned_[names] = std::move(*loaded);
    AVOCET_RETURN_IF_ERROR(fuse(graph, {node.id}, support));
    ++shared_->counters.partitions;
    ++shared_->counters.nodesOnDevice;
    taken.insert(node.id);
  }
  return taken;
}

Status Provider::take(const abi::Graph &read, abi::GraphSupport &support) {
  AVOCET_ASSIGN_OR_RETURN(const Graph graph, Graph::read(runtime_, read));
  // A network on the device has control flow as a whole: the node around this graph is taken with it, or not at all.
  if (graph.isNested() || graph.nodes().empty())
    return Status::ok();
  Result<std::set<size_t>> taken = takeContexts(graph, support);
  if (!taken) {
    runtime_.log(logger_, abi::LogLevel::Error, taken.status().message());
    return taken.status();
  }
  Result<Plan> plan = makePlan(graph, *shared_->engine,
                               {shared_->options.allowsFloat32, shared_->options.context.isEnabled, std::move(*taken)});
  if (!plan) {
    // The runtime would only log an error, and for that only if it logs errors.
    runtime_.log(logger_, abi::LogLevel::Error,
                 fmt::format("the network stays with ONNX Runtime: {}", plan.status().message()));
    return Status::ok();
  }
  plugin::Counters &counters = shared_->counters;
  counters.nodes += graph.nodes().size();
  counters.nodesOnDevice += plan->support.nodes.size();
  counters.partitions += plan->partitions.size();
  for (const auto &[id, reason] : plan->support.reasons) {
    const std::string node = describe(*graph.node(id));
    runtime_.log(logger_, abi::LogLevel::Info, fmt::format("{} stays with ONNX Runtime: {}", node, reason));
    counters.reasons.add(node, reason);
  }
  for (const std::vector<size_t> &ids : plan->partitions)
    AVOCET_RETURN_IF_ERROR(fuse(graph, ids, support));
  planned_.merge(plan->networks);
  return Status::ok();
}

Status Provider::compileAll(std::span<const abi::Graph *const> graphs, std::span<const abi::Node *const> fused,
                            abi::ComputeInfo **infos, abi::Node **contexts) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  for (const abi::Node *node : fused) {
    AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, makeKernel(*node));
    kernels.push_back(std::move(kernel));
  }
  if (shared_->options.context.isEnabled)
    AVOCET_RETURN_IF_ERROR(makeContexts(graphs, fused, contexts));
  for (size_t i = 0; i < kernels.size(); ++i)
    infos[i] = kernels[i].release();
  return Status::ok();
}

template <typename Count, typename List>
static Result<std::vector<std::string>> namesOf(const Runtime &runtime, const abi::Node &node) {
  AVOCET_ASSIGN_OR_RETURN(const auto values, (runtime.list<Count, List, const abi::ValueInfo *>(&node)));
  std::vector<std::string> names;
  for (const abi::ValueInfo *value : values) {
    AVOCET_ASSIGN_OR_RETURN(std::string name, runtime.text<abi::GetValueInfoName>(value));
    names.push_back(std::move(name));
  }
  return names;
}

static Result<std::vector<std::string>> inputNames(const Runtime &runtime, const abi::Node &node) {
  return namesOf<abi::NodeGetNumInputs, abi::NodeGetInputs>(runtime, node);
}

static Result<std::vector<std::string>> outputNames(const Runtime &runtime, const abi::Node &node) {
  return namesOf<abi::NodeGetNumOutputs, abi::NodeGetOutputs>(runtime, node);
}

Result<const PlannedNetwork *> Provider::plannedFor(const std::vector<std::string> &outputs) const {
  const auto planned = planned_.find({outputs.begin(), outputs.end()});
  if (planned == planned_.end())
    return internalError(
        fmt::format("the partition with the output '{}' was not compiled", outputs.empty() ? "" : outputs[0]));
  return &planned->second;
}

Status Provider::makeContexts(std::span<const abi::Graph *const> graphs, std::span<const abi::Node *const> fused,
                              abi::Node **contexts) {
  for (size_t i = 0; i < fused.size(); ++i) {
    Result<abi::Node *> made = contextOf(*graphs[i], *fused[i]);
    if (made) {
      contexts[i] = *made;
      continue;
    }
    while (i-- > 0)
      runtime_.get<abi::ReleaseNode>(std::exchange(contexts[i], nullptr));
    return made.status();
  }
  return Status::ok();
}

Result<abi::Node *> Provider::contextOf(const abi::Graph &graph, const abi::Node &fused) {
  ContextParts parts;
  AVOCET_ASSIGN_OR_RETURN(parts.name, runtime_.text<abi::NodeGetName>(&fused));
  AVOCET_ASSIGN_OR_RETURN(parts.modelPath, runtime_.text<abi::GraphGetModelPath>(&graph));
  AVOCET_ASSIGN_OR_RETURN(parts.inputs, inputNames(runtime_, fused));
  AVOCET_ASSIGN_OR_RETURN(parts.outputs, outputNames(runtime_, fused));
  AVOCET_ASSIGN_OR_RETURN(const PlannedNetwork *planned, plannedFor(parts.outputs));
  if (planned->file.empty())
    return failedPrecondition("the session's model has EPContext nodes already; ep.context_enable is for others");
  parts.file = planned->file;
  return makeContext(runtime_, shared_->options.context, parts);
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
  AVOCET_ASSIGN_OR_RETURN(const std::vector<std::string> inputs, inputNames(runtime_, fused));
  AVOCET_ASSIGN_OR_RETURN(const std::vector<std::string> outputs, outputNames(runtime_, fused));
  AVOCET_ASSIGN_OR_RETURN(const PlannedNetwork *planned, plannedFor(outputs));
  AVOCET_ASSIGN_OR_RETURN(std::vector<KernelOperand> orderedInputs, inOrder(inputs, planned->inputs));
  AVOCET_ASSIGN_OR_RETURN(std::vector<KernelOperand> orderedOutputs, inOrder(outputs, planned->outputs));
  return std::make_unique<Kernel>(runtime_, shared_, *planned, std::move(orderedInputs), std::move(orderedOutputs));
}

} // namespace avocet::ort
