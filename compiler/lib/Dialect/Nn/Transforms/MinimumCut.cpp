//===- MinimumCut.cpp - The cheapest division of a graph --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MinimumCut.h"

#include <algorithm>

namespace avocet::compiler::nn {

MinimumCut::Node MinimumCut::addNode() {
  edges_.emplace_back();
  return static_cast<Node>(edges_.size() - 1);
}

void MinimumCut::addCost(Node from, Node to, int64_t cost) {
  if (cost == 0 || from == to)
    return;
  const auto add = [&](Node source, Node target, int64_t capacity) {
    edges_[source].push_back(static_cast<uint32_t>(all_.size()));
    all_.push_back({target, capacity});
  };
  add(from, to, cost);
  add(to, from, 0);
}

bool MinimumCut::findLevels() {
  levels_.assign(edges_.size(), 0);
  levels_[kSide0] = 1;
  std::vector<Node> reached{kSide0};
  for (size_t i = 0; i < reached.size(); ++i)
    for (uint32_t edge : edges_[reached[i]]) {
      ++steps_;
      const Node to = all_[edge].to;
      if (all_[edge].capacity == 0 || levels_[to] != 0)
        continue;
      levels_[to] = levels_[reached[i]] + 1;
      reached.push_back(to);
    }
  return levels_[kSide1] != 0;
}

std::optional<uint32_t> MinimumCut::nextEdge(Node node) {
  for (size_t &next = next_[node]; next < edges_[node].size(); ++next) {
    ++steps_;
    const uint32_t edge = edges_[node][next];
    if (all_[edge].capacity > 0 && levels_[all_[edge].to] == levels_[node] + 1)
      return edge;
  }
  return std::nullopt;
}

/// Fills the path, and keeps the part of it before the first edge that is full.
void MinimumCut::augment(std::vector<uint32_t> &path) {
  const auto smaller = [&](uint32_t a, uint32_t b) { return all_[a].capacity < all_[b].capacity; };
  const auto narrowest = std::min_element(path.begin(), path.end(), smaller);
  const int64_t flow = all_[*narrowest].capacity;
  for (uint32_t edge : path) {
    all_[edge].capacity -= flow;
    all_[edge ^ 1].capacity += flow;
  }
  steps_ += path.size();
  path.erase(narrowest, path.end());
}

void MinimumCut::blockPaths(size_t mostSteps) {
  next_.assign(edges_.size(), 0);
  std::vector<uint32_t> path;
  while (steps_ <= mostSteps) {
    const Node end = path.empty() ? kSide0 : all_[path.back()].to;
    if (end == kSide1) {
      augment(path);
      continue;
    }
    if (const std::optional<uint32_t> edge = nextEdge(end)) {
      path.push_back(*edge);
      continue;
    }
    if (path.empty())
      return;
    ++next_[all_[path.back() ^ 1].to];
    path.pop_back();
  }
}

std::optional<std::vector<bool>> MinimumCut::solve() {
  const size_t mostSteps = 200 * (all_.size() + edges_.size());
  while (findLevels()) {
    blockPaths(mostSteps);
    if (steps_ > mostSteps)
      return std::nullopt;
  }
  std::vector<bool> result(edges_.size());
  for (size_t node = 0; node < result.size(); ++node)
    result[node] = levels_[node] == 0;
  return result;
}

} // namespace avocet::compiler::nn
