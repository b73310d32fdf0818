//===- ExploreFiles.cpp - CSV and JSON of an exploration -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExploreFiles.h"

#include "Results.h"
#include "output/Csv.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string stateOf(const ResultRow &row) {
  if (row.reason.empty())
    return "ok";
  if (row.record != nullptr)
    return std::string(toString(row.record->state));
  return row.reason == kNotComputed ? "missing" : "refused";
}

/// Empty for a target that breaks a rule.
std::string nameOf(const Results &results, size_t target) {
  const DesignTarget &design = results.exploration.space.targets[target];
  return design.target == nullptr ? "" : design.target->name();
}

std::vector<std::string> figureTitles() {
  return {"cycles",
          "milliseconds",
          "roofline_cycles",
          "device_cycles",
          "energy_picojoules",
          "dram_bytes",
          "refetched_bytes",
          "spilled_bytes",
          "sram_peak_bytes",
          "sram_traffic_bytes",
          "bound",
          "front"};
}

std::vector<std::string> figureCells(const Results &results, const ResultRow &row) {
  if (!row.reason.empty())
    return std::vector<std::string>(figureTitles().size());
  const Record &record = *row.record;
  return {std::to_string(record.cycles),
          fmt::format("{}", results.target(row.target).nanoseconds(record.cycles) / 1e6),
          std::to_string(record.rooflineCycles),
          std::to_string(record.deviceCycles),
          fmt::format("{}", record.energyPicojoules),
          std::to_string(record.dramBytes),
          std::to_string(record.refetchedBytes),
          std::to_string(record.spilledBytes),
          std::to_string(record.sramPeakBytes),
          std::to_string(record.sramTrafficBytes),
          record.bound,
          row.isOnFront ? "1" : "0"};
}

void append(std::vector<std::string> &cells, const std::vector<std::string> &more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

std::vector<std::string> valuesOf(const DesignSpace &space, size_t target) {
  std::vector<std::string> values;
  for (size_t i = 0; i < space.axes.size(); ++i)
    values.push_back(space.axes[i].values[space.targets[target].places[i]]);
  return values;
}

Json axesJson(const DesignSpace &space) {
  Json axes = Json::array();
  for (const Axis &axis : space.axes)
    axes.push_back({{"key", axis.key}, {"values", axis.values}});
  return axes;
}

Json pointJson(const Results &results, const NetworkResults &network, const ResultRow &row) {
  const Exploration &exploration = results.exploration;
  Json point = {{"network", exploration.networks[network.network].name},
                {"target", nameOf(results, row.target)},
                {"state", stateOf(row)}};
  point["values"] = Json::object();
  const std::vector<std::string> values = valuesOf(exploration.space, row.target);
  for (size_t i = 0; i < values.size(); ++i)
    point["values"][exploration.space.axes[i].key] = values[i];
  if (!row.reason.empty()) {
    point["reason"] = row.reason;
    return point;
  }
  const Record &record = *row.record;
  point["cycles"] = record.cycles;
  point["milliseconds"] = results.target(row.target).nanoseconds(record.cycles) / 1e6;
  point["roofline_cycles"] = record.rooflineCycles;
  point["device_cycles"] = record.deviceCycles;
  point["energy_picojoules"] = record.energyPicojoules;
  point["dram_bytes"] = record.dramBytes;
  point["refetched_bytes"] = record.refetchedBytes;
  point["spilled_bytes"] = record.spilledBytes;
  point["sram_peak_bytes"] = record.sramPeakBytes;
  point["sram_traffic_bytes"] = record.sramTrafficBytes;
  point["bound"] = record.bound;
  point["front"] = row.isOnFront;
  return point;
}

} // namespace

std::string exploreCsv(const Results &results) {
  const DesignSpace &space = results.exploration.space;
  std::vector<std::string> titles = {"network", "target"};
  for (const Axis &axis : space.axes)
    titles.push_back(axis.key);
  append(titles, {"state", "reason"});
  append(titles, figureTitles());
  std::string text = csvLine(titles);
  for (const NetworkResults &network : results.networks)
    for (const ResultRow &row : network.rows) {
      std::vector<std::string> cells = {results.exploration.networks[network.network].name,
                                        nameOf(results, row.target)};
      append(cells, valuesOf(space, row.target));
      append(cells, {stateOf(row), row.reason});
      append(cells, figureCells(results, row));
      text += csvLine(cells);
    }
  return text;
}

std::string changesCsv(const Results &results) {
  const DesignSpace &space = results.exploration.space;
  std::string text = csvLine({"network", "axis", "target_before", "target_after", "value_before", "value_after",
                              "layer", "change", "cycles_before", "cycles_after"});
  for (const NetworkResults &network : results.networks)
    for (const NeighborChange &change : neighborChanges(results, network))
      for (const LayerChange &layer : change.layers)
        text +=
            csvLine({results.exploration.networks[network.network].name, space.axes[change.axis].key,
                     nameOf(results, change.before), nameOf(results, change.after),
                     valuesOf(space, change.before)[change.axis], valuesOf(space, change.after)[change.axis],
                     layer.layer, layer.what, std::to_string(layer.cyclesBefore), std::to_string(layer.cyclesAfter)});
  return text;
}

std::string exploreJson(const Results &results) {
  const Exploration &exploration = results.exploration;
  Json root = {{"schemaVersion", kExploreSchema},
               {"build", exploration.build},
               {"base_target", exploration.space.base->name()},
               {"optimize", exploration.optimize},
               {"axes", axesJson(exploration.space)}};
  root["networks"] = Json::array();
  for (const Network &network : exploration.networks)
    root["networks"].push_back({{"name", network.name}, {"checksum", network.checksum}});
  root["points"] = Json::array();
  for (const NetworkResults &network : results.networks)
    for (const ResultRow &row : network.rows)
      root["points"].push_back(pointJson(results, network, row));
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace avocet::tool
