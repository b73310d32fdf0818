//===- LayerGroups.cpp - Layers that reports show as one ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/analysis/LayerGroups.h"
#include "JoinReports.h"

#include <algorithm>

namespace avocet::analysis {

std::vector<LayerGroup> groupsOf(const Report &report) {
  std::vector<LayerGroup> groups;
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const LayerReport &layer = report.layers[i];
    if (layer.group.empty())
      continue;
    auto found = std::ranges::find(groups, layer.group, &LayerGroup::name);
    if (found == groups.end())
      found = groups.insert(groups.end(), {layer.group, {}, {}});
    found->layers.push_back(i);
    add(found->figures, layer.figures);
  }
  return groups;
}

} // namespace avocet::analysis
