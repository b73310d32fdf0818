//===- Reducer.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

#include "ControlFlow.h"
#include "SimplerControlFlow.h"

#include <array>
#include <optional>

namespace avocet::hal::conformance {
namespace {

using Fails = std::function<bool(const Graph &)>;
using Evaluate = std::function<bool(Graph &)>;

/// Every step lowers it, so that reduction ends: operations, then outputs, then values that are passed to subgraphs.
std::array<size_t, 3> sizeOf(const Graph &graph) {
  std::array<size_t, 3> size = {graph.operations.size(), graph.outputs.size(), 0};
  for (const Value &value : graph.values)
    if (value.role == ValueRole::Subgraph) {
      const std::array<size_t, 3> inner = sizeOf(*value.graph);
      size[0] += inner[0];
      size[1] += inner[1];
      size[2] += inner[2] + inputsOf(*value.graph).size();
    }
  return size;
}

/// Results in the order of their operations.
std::vector<uint32_t> resultsOf(const Graph &graph) {
  std::vector<uint32_t> results;
  for (const Operation &operation : graph.operations)
    results.insert(results.end(), operation.outputs.begin(), operation.outputs.end());
  return results;
}

bool isSmaller(const Graph &candidate, const Graph &graph) {
  return !candidate.outputs.empty() && !candidate.operations.empty() && sizeOf(candidate) < sizeOf(graph);
}

std::optional<Graph> firstFailing(const Graph &graph, std::vector<Graph> candidates, const Fails &fails,
                                  const Evaluate &evaluate = nullptr) {
  for (Graph &candidate : candidates)
    if (isSmaller(candidate, graph) && (!evaluate || evaluate(candidate)) && fails(candidate))
      return std::move(candidate);
  return std::nullopt;
}

/// The first wrong result is the only output: what comes after it is gone.
std::vector<Graph> withOneOutput(const Graph &graph) {
  std::vector<Graph> candidates;
  for (uint32_t result : resultsOf(graph)) {
    candidates.push_back(graph);
    candidates.back().outputs = {result};
    candidates.back() = pruned(candidates.back());
  }
  return candidates;
}

/// Cuts next to the output come first, since they remove most.
std::vector<Graph> withCuts(const Graph &graph) {
  std::vector<Graph> candidates;
  const std::vector<uint32_t> results = resultsOf(graph);
  for (size_t i = results.size(); i-- > 0;)
    candidates.push_back(cutAt(graph, results[i]));
  return candidates;
}

} // namespace

Graph reduceGraph(Graph graph, const Fails &fails, const Evaluate &evaluate) {
  for (;;) {
    std::optional<Graph> smaller = firstFailing(graph, withOneOutput(graph), fails);
    if (!smaller)
      smaller = firstFailing(graph, withCuts(graph), fails);
    if (!smaller)
      smaller = firstFailing(graph, withSimplerControlFlow(graph), fails, evaluate);
    if (!smaller)
      return graph;
    graph = *std::move(smaller);
  }
}

} // namespace avocet::hal::conformance
