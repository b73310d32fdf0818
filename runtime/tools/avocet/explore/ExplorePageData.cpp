//===- ExplorePageData.cpp - The figures for the page's script -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplorePage.h"

#include <nlohmann/json.hpp>

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

/// A layer has the same few schedules on all targets: each is written once, and a point refers to it.
Json networkJson(const Results &results, const NetworkResults &network) {
  Numbering names, schedules;
  Json points = Json::array();
  for (const ResultRow &row : network.rows) {
    if (!row.reason.empty())
      continue;
    Json layers = Json::array();
    for (const LayerSchedule &layer : row.record->layers)
      for (const size_t number :
           {names.numberOf(layer.name), schedules.numberOf(scheduleOf(layer)), static_cast<size_t>(layer.cycles)})
        layers.push_back(number);
    const Record &record = *row.record;
    points.push_back({{"target", row.target},
                      {"cycles", record.cycles},
                      {"energy", record.energyPicojoules},
                      {"dram", record.dramBytes},
                      {"peak", record.sramPeakBytes},
                      {"bound", record.bound},
                      {"front", row.isOnFront},
                      {"layers", std::move(layers)}});
  }
  return {{"name", results.exploration.networks[network.network].name},
          {"names", names.values()},
          {"schedules", schedules.values()},
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
  for (const NetworkResults &network : results.networks)
    root["networks"].push_back(networkJson(results, network));
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace avocet::tool
