//===- Results.cpp - The rows of an exploration and their fronts ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Results.h"

#include "avocet/base/NumberText.h"
#include "output/TextTable.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace avocet::tool {
namespace {

bool isAsGood(const Objectives &first, const Objectives &second) {
  for (size_t i = 0; i < first.size(); ++i)
    if (first[i] > second[i])
      return false;
  return true;
}

Objectives objectivesOf(double cycles, double energy, const firmware::Target &target) {
  return {cycles, energy, static_cast<double>(target.sram().bytes), bandwidthOf(target)};
}

ResultRow rowOf(const Exploration &exploration, const ResultStore &store, size_t network, size_t target) {
  ResultRow row;
  row.target = target;
  const DesignTarget &design = exploration.space.targets[target];
  if (design.target == nullptr) {
    row.reason = design.refusal;
    return row;
  }
  row.record = store.find(exploration.keyOf(network, target));
  if (row.record == nullptr)
    row.reason = kNotComputed;
  else if (row.record->state != PointState::Ok)
    row.reason = row.record->reason;
  return row;
}

void count(Results &results, const ResultRow &row) {
  const bool isRefusedTarget = results.exploration.space.targets[row.target].target == nullptr;
  if (isRefusedTarget || (row.record != nullptr && row.record->state == PointState::Refused))
    ++results.numRefused;
  else if (row.record == nullptr)
    ++results.numMissing;
  else if (row.record->state == PointState::Failed)
    ++results.numFailed;
}

void markFront(const Results &results, NetworkResults &network) {
  std::vector<Objectives> objectives;
  std::vector<ResultRow *> rows;
  for (ResultRow &row : network.rows)
    if (row.reason.empty()) {
      objectives.push_back(objectivesOf(static_cast<double>(row.record->cycles), row.record->energyPicojoules,
                                        results.target(row.target)));
      rows.push_back(&row);
    }
  const std::vector<bool> front = paretoFront(objectives);
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i]->isOnFront = front[i];
  network.numOnFront = static_cast<size_t>(std::ranges::count(front, true));
}

bool hasResults(const NetworkResults &network) {
  return std::ranges::any_of(network.rows, [](const ResultRow &row) { return row.reason.empty(); });
}

/// Of the networks that have results on any target.
TargetSummary summarize(const std::vector<const NetworkResults *> &networks, size_t target) {
  TargetSummary summary{target};
  double cycles = 0, energy = 0, traffic = 0;
  for (const NetworkResults *network : networks) {
    const ResultRow &row = network->rows[target];
    if (!row.reason.empty())
      return summary;
    cycles += std::log(std::max<double>(1, static_cast<double>(row.record->cycles)));
    energy += std::log(std::max(1.0, row.record->energyPicojoules));
    traffic += std::log(std::max<double>(1, static_cast<double>(row.record->dramBytes)));
    summary.sramPeakBytes = std::max(summary.sramPeakBytes, row.record->sramPeakBytes);
  }
  const auto number = static_cast<double>(networks.size());
  summary.cycles = std::exp(cycles / number);
  summary.energyPicojoules = std::exp(energy / number);
  summary.dramBytes = std::exp(traffic / number);
  return summary;
}

void addSummary(Results &results) {
  std::vector<const NetworkResults *> networks;
  for (const NetworkResults &network : results.networks)
    if (hasResults(network))
      networks.push_back(&network);
    else
      results.leftOut.push_back(results.exploration.networks[network.network].name);
  if (networks.size() < 2)
    return;
  std::vector<Objectives> objectives;
  std::vector<size_t> places;
  for (size_t target = 0; target < results.exploration.space.targets.size(); ++target) {
    results.summary.push_back(summarize(networks, target));
    const TargetSummary &made = results.summary.back();
    if (made.cycles == 0)
      continue;
    objectives.push_back(objectivesOf(made.cycles, made.energyPicojoules, results.target(target)));
    places.push_back(target);
  }
  const std::vector<bool> front = paretoFront(objectives);
  for (size_t i = 0; i < places.size(); ++i)
    results.summary[places[i]].isOnFront = front[i];
}

} // namespace

/// In ascending order a candidate is beaten only by earlier ones, and then by one of the front.
std::vector<bool> paretoFront(const std::vector<Objectives> &candidates) {
  std::vector<size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(candidates[i], i); });
  std::vector<size_t> front;
  std::vector<bool> isOnFront(candidates.size(), false);
  for (size_t i : order) {
    if (std::ranges::any_of(front, [&](size_t other) { return isAsGood(candidates[other], candidates[i]); }))
      continue;
    front.push_back(i);
    isOnFront[i] = true;
  }
  return isOnFront;
}

Results collectResults(const Exploration &exploration, const ResultStore &store) {
  Results results{exploration, {}, {}, {}};
  for (size_t network = 0; network < exploration.networks.size(); ++network) {
    NetworkResults collected{network, {}};
    for (size_t target = 0; target < exploration.space.targets.size(); ++target) {
      collected.rows.push_back(rowOf(exploration, store, network, target));
      count(results, collected.rows.back());
    }
    markFront(results, collected);
    results.networks.push_back(std::move(collected));
  }
  addSummary(results);
  return results;
}

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

std::vector<NeighborChange> neighborChanges(const Results &results, const NetworkResults &network) {
  const DesignSpace &space = results.exploration.space;
  std::vector<NeighborChange> all;
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
