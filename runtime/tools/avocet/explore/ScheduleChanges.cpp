//===- ScheduleChanges.cpp - How schedules differ between neighbours -----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleChanges.h"

#include "TextTable.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

namespace avocet::tool {
namespace {

std::string tilesText(const LayerSchedule &layer) {
  return layer.tiles == 0 ? "none" : fmt::format("{} of {}", layer.tiles, layer.largestTile);
}

void addDifference(std::string &text, std::string_view what, const std::string &before, const std::string &after) {
  if (before != after)
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", what, before, after);
}

/// The bytes in units may read the same.
void addBytes(std::string &text, std::string_view what, uint64_t before, uint64_t after) {
  std::string from = formatBytes(before), to = formatBytes(after);
  if (before != after && from == to)
    from = fmt::format("{} B", before), to = fmt::format("{} B", after);
  addDifference(text, what, from, to);
}

std::string differences(const LayerSchedule &before, const LayerSchedule &after) {
  std::string text;
  addDifference(text, "engine", before.engine, after.engine);
  addDifference(text, "fused", before.operation, after.operation);
  addDifference(text, "tiles", tilesText(before), tilesText(after));
  addBytes(text, "off-chip", before.dramBytes, after.dramBytes);
  addBytes(text, "on-chip", before.sramBytes, after.sramBytes);
  return text;
}

/// Name, and which of the layers with it.
using LayerId = std::pair<std::string, size_t>;

std::map<LayerId, const LayerSchedule *> layersById(const std::vector<LayerSchedule> &layers) {
  std::map<std::string, size_t> uses;
  std::map<LayerId, const LayerSchedule *> byId;
  for (const LayerSchedule &layer : layers)
    byId[{layer.name, uses[layer.name]++}] = &layer;
  return byId;
}

uint64_t distance(const LayerChange &change) {
  return std::max(change.cyclesBefore, change.cyclesAfter) - std::min(change.cyclesBefore, change.cyclesAfter);
}

} // namespace

std::vector<LayerChange> scheduleChanges(const std::vector<LayerSchedule> &before,
                                         const std::vector<LayerSchedule> &after) {
  const auto old = layersById(before), fresh = layersById(after);
  std::vector<LayerChange> changes;
  for (const auto &[id, layer] : old)
    if (const auto other = fresh.find(id); other == fresh.end())
      changes.push_back({id.first, "only before: fused or left out after", layer->cycles, 0});
    else if (!layer->hasSameSchedule(*other->second))
      changes.push_back({id.first, differences(*layer, *other->second), layer->cycles, other->second->cycles});
  for (const auto &[id, layer] : fresh)
    if (!old.contains(id))
      changes.push_back({id.first, "only after: fused or left out before", 0, layer->cycles});
  std::ranges::sort(changes, [](const LayerChange &first, const LayerChange &second) {
    return std::tuple(distance(second), first.layer, first.what) <
           std::tuple(distance(first), second.layer, second.what);
  });
  return changes;
}

std::vector<NeighbourChange> neighbourChanges(const Results &results, const NetworkResults &network) {
  const DesignSpace &space = results.exploration.space;
  std::vector<NeighbourChange> all;
  for (size_t axis = 0; axis < space.axes.size(); ++axis)
    for (const ResultRow &row : network.rows) {
      const std::optional<size_t> next = space.next(row.target, axis);
      if (!next || !row.reason.empty() || !network.rows[*next].reason.empty())
        continue;
      all.push_back({row.target, *next, axis, scheduleChanges(row.record->layers, network.rows[*next].record->layers)});
    }
  return all;
}

} // namespace avocet::tool
