//===- ExplorePageData.cpp - The figures for the page's script -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorePage.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers for equal values, in the order of their first use.
class Numbering {
public:
  size_t numberOf(const Json &value) {
    const auto [place, isNew] =
        numbers_.try_emplace(value.dump(-1, ' ', false, Json::error_handler_t::replace), numbers_.size());
    if (isNew)
      values_.push_back(value);
    return place->second;
  }
  const Json &values() const { return values_; }

private:
  std::map<std::string, size_t> numbers_;
  Json values_ = Json::array();
};

Json scheduleOf(const LayerSchedule &layer) {
  return {layer.operation, layer.engine, layer.tiles, layer.largestTile, layer.sramBytes, layer.dramBytes};
}

/// The layers of more points would make the page too large for browsers.
constexpr size_t kMostPointsWithLayers = 3'000;

/// A layer has the same few schedules on all targets: each is written once, and a point refers to it.
Json layersJson(const Record &record, const std::map<std::string, std::string> &shortNames, Numbering &names,
                Numbering &schedules) {
  Json layers = Json::array();
  for (const LayerSchedule &layer : record.layers)
    for (const size_t number : {names.numberOf(shortNames.at(layer.name)), schedules.numberOf(scheduleOf(layer)),
                                static_cast<size_t>(layer.cycles)})
      layers.push_back(number);
  return layers;
}

Json networkJson(const Results &results, const NetworkResults &network) {
  const bool hasLayers = results.exploration.numPoints() <= kMostPointsWithLayers;
  const std::map<std::string, std::string> shortNames = shortLayerNames(network);
  Numbering names, schedules;
  Json points = Json::array();
  for (const ResultRow &row : network.rows) {
    if (!row.reason.empty())
      continue;
    const Record &record = *row.record;
    points.push_back({{"target", row.target},
                      {"cycles", record.cycles},
                      {"energy", record.energyPicojoules},
                      {"dram", record.dramBytes},
                      {"peak", record.sramPeakBytes},
                      {"bound", record.bound},
                      {"front", row.isOnFront},
                      {"layers", hasLayers ? layersJson(record, shortNames, names, schedules) : Json::array()}});
  }
  return {{"name", results.exploration.networks[network.network].name},
          {"names", names.values()},
          {"schedules", schedules.values()},
          {"points", std::move(points)}};
}

/// All networks together, as one more network without layers.
Json summaryJson(const std::vector<TargetSummary> &summary) {
  Json points = Json::array();
  for (const TargetSummary &target : summary)
    if (target.cycles > 0)
      points.push_back({{"target", target.target},
                        {"cycles", std::llround(target.cycles)},
                        {"energy", target.energyPicojoules},
                        {"dram", std::llround(target.dramBytes)},
                        {"peak", target.sramPeakBytes},
                        {"bound", ""},
                        {"front", target.isOnFront},
                        {"layers", Json::array()}});
  return {{"name", "all networks, geometric means"},
          {"names", Json::array()},
          {"schedules", Json::array()},
          {"points", std::move(points)}};
}

} // namespace

std::string explorePageData(const Results &results) {
  const DesignSpace &space = results.exploration.space;
  Json root = {{"axes", Json::array()}, {"targets", Json::array()}, {"networks", Json::array()}};
  for (const Axis &axis : space.axes) {
    Json shown = Json::array();
    for (const std::string &value : axis.values)
      shown.push_back(shownValue(axis, value));
    root["axes"].push_back({{"key", axis.key}, {"values", std::move(shown)}});
  }
  for (const DesignTarget &target : space.targets) {
    Json entry = {{"places", target.places}};
    if (target.target != nullptr) {
      entry["sram"] = target.target->sram().bytes;
      entry["bandwidth"] = bandwidthOf(*target.target);
      entry["nanoseconds"] = target.target->nanoseconds(1);
    }
    root["targets"].push_back(std::move(entry));
  }
  if (!results.summary.empty())
    root["networks"].push_back(summaryJson(results.summary));
  for (const NetworkResults &network : results.networks)
    root["networks"].push_back(networkJson(results, network));
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace avocet::tool
