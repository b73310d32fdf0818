//===- Graph.cpp - The interpreter's operators, as a delegate sees them ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Graph.h"

#include "abi/TfliteC.h"

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <fmt/core.h>
#include <utility>

namespace avocet::delegate {
namespace {

/// Whether the library that made the context says that it is this version or a later one. False for libraries that do
/// not export their version.
bool isInterpreterSince(const abi::Context &context, int major, int minor) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(context.getExecutionPlan), &info) == 0 || info.dli_fname == nullptr)
    return false;
  // Already loaded, perhaps where dlsym(RTLD_DEFAULT) does not look.
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr)
    return false;
  int found[2] = {0, 0};
  if (auto version = reinterpret_cast<const char *(*)()>(dlsym(library, "TfLiteVersion")))
    if (std::sscanf(version(), "%d.%d", &found[0], &found[1]) != 2) // NOLINT(cert-err34-c): two numbers or nothing
      found[0] = 0;
  dlclose(library);
  return std::pair(found[0], found[1]) >= std::pair(major, minor);
}

} // namespace

Graph::Graph(abi::Context &context) : context_(&context), isSince29_(isInterpreterSince(context, 2, 9)) {}

Status Graph::add(int32_t index) {
  abi::Node *node = nullptr;
  abi::Registration *registration = nullptr;
  if (context_->getNode(context_, index, &node, &registration) != abi::kOk || node == nullptr ||
      registration == nullptr)
    return internalError(fmt::format("the interpreter does not give node {}", index));
  GraphNode copy{index, *node, {}};
  // Registrations of older versions end earlier than ours.
  copy.registration.code = registration->code;
  copy.registration.customName = registration->customName;
  copy.registration.version = registration->version;
  copy.registration.prepare = registration->prepare;
  for (const abi::IntArray *list : {node->inputs, node->outputs, node->intermediates})
    for (int32_t tensor : valuesOf(list))
      if (tensor != abi::kOptionalTensor && (tensor < 0 || static_cast<size_t>(tensor) >= context_->numTensors))
        return internalError(fmt::format("node {} names tensor {} of {}", index, tensor, context_->numTensors));
  for (int32_t tensor : valuesOf(node->inputs))
    ++readers_[tensor];
  nodes_.push_back(copy);
  return Status::ok();
}

Result<Graph> Graph::read(abi::Context &context) {
  abi::IntArray *plan = nullptr;
  if (context.getExecutionPlan(&context, &plan) != abi::kOk || plan == nullptr)
    return internalError("the interpreter does not list its nodes");
  const std::vector<int32_t> copy(plan->values().begin(), plan->values().end());
  return read(context, copy);
}

Result<Graph> Graph::read(abi::Context &context, std::span<const int32_t> nodes) {
  Graph graph(context);
  for (int32_t index : nodes)
    AVOCET_RETURN_IF_ERROR(graph.add(index));
  return graph;
}

size_t Graph::numReaders(int32_t tensor) const {
  const auto entry = readers_.find(tensor);
  return entry == readers_.end() ? 0 : entry->second;
}

} // namespace avocet::delegate
