//===- Stages.cpp - Sets of nodes that can become one -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "partition/Stages.h"

#include <algorithm>
#include <map>
#include <set>

namespace avocet::ort {

// The stage of a node is the number of times that a path to it enters the wanted nodes from others. Paths never return
// to an earlier stage, and one that leaves the wanted nodes of a stage enters those of a later one.
std::vector<std::vector<size_t>> divide(const Graph &graph, std::span<const size_t> ids) {
  const std::set<size_t> wanted(ids.begin(), ids.end());
  struct Maker {
    size_t stage = 0;
    bool isWanted = true; // an input of the graph delays nothing
  };
  std::map<const Value *, Maker> makers;
  std::vector<std::vector<size_t>> stages;
  for (const Node &node : graph.nodes()) {
    const bool isWanted = wanted.contains(node.id);
    size_t stage = 0;
    for (const auto *values : {&node.inputs, &node.implicit})
      for (const Value *value : *values)
        if (const auto maker = makers.find(value); maker != makers.end())
          stage = std::max(stage, maker->second.stage + (isWanted && !maker->second.isWanted ? 1 : 0));
    for (const Value *output : node.outputs)
      makers[output] = {stage, isWanted};
    if (!isWanted)
      continue;
    if (stages.size() <= stage)
      stages.resize(stage + 1);
    stages[stage].push_back(node.id);
  }
  std::erase_if(stages, [](const std::vector<size_t> &stage) { return stage.empty(); });
  return stages;
}

} // namespace avocet::ort
