//===- Reducer.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

#include <optional>

namespace avocet::hal::conformance {
namespace {

using Fails = std::function<bool(const Graph &)>;

/// Every step lowers it, so that reduction ends.
size_t sizeOf(const Graph &graph) { return graph.operations.size() + graph.outputs.size(); }

/// Results in the order of their operations.
std::vector<uint32_t> resultsOf(const Graph &graph) {
  std::vector<uint32_t> results;
  for (const Operation &operation : graph.operations)
    results.insert(results.end(), operation.outputs.begin(), operation.outputs.end());
  return results;
}

std::optional<Graph> firstFailing(const Graph &graph, const std::vector<Graph> &candidates, const Fails &fails) {
  for (const Graph &candidate : candidates)
    if (!candidate.outputs.empty() && !candidate.operations.empty() && sizeOf(candidate) < sizeOf(graph) &&
        fails(candidate))
      return candidate;
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

Graph reduceGraph(Graph graph, const Fails &fails) {
  for (;;) {
    std::optional<Graph> smaller = firstFailing(graph, withOneOutput(graph), fails);
    if (!smaller)
      smaller = firstFailing(graph, withCuts(graph), fails);
    if (!smaller)
      return graph;
    graph = *std::move(smaller);
  }
}

} // namespace avocet::hal::conformance
