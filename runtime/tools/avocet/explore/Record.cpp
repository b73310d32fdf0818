//===- Record.cpp - The result of one design point -----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Record.h"

#include "Networks.h"
#include "avocet/base/Checksum.h"

#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;

/// Part of every key: results of another form are computed again.
constexpr int kFormVersion = 1;

constexpr std::array<std::string_view, 3> kStates = {"ok", "refused", "failed"};

/// Calls visit(key, field) for each figure of a record, in the order of the file.
void visitFigures(auto &record, auto &&visit) {
  visit("cycles", record.cycles);
  visit("roofline_cycles", record.rooflineCycles);
  visit("energy_picojoules", record.energyPicojoules);
  visit("sram_peak_bytes", record.sramPeakBytes);
  visit("sram_traffic_bytes", record.sramTrafficBytes);
  visit("dram_bytes", record.dramBytes);
  visit("refetched_bytes", record.refetchedBytes);
  visit("spilled_bytes", record.spilledBytes);
  visit("bound", record.bound);
}

/// The same for the columns of a layer.
void visitColumns(auto &layer, auto &&visit) {
  visit("name", layer.name);
  visit("operation", layer.operation);
  visit("engine", layer.engine);
  visit("tiles", layer.tiles);
  visit("largest_tile", layer.largestTile);
  visit("sram_bytes", layer.sramBytes);
  visit("dram_bytes", layer.dramBytes);
  visit("cycles", layer.cycles);
}

/// Columns, not rows: the names of the columns would be most of the file.
Json layersToJson(const std::vector<LayerSchedule> &layers) {
  Json columns = Json::object();
  for (const LayerSchedule &layer : layers)
    visitColumns(layer, [&](const char *key, const auto &field) { columns[key].push_back(field); });
  return columns;
}

std::vector<LayerSchedule> layersFromJson(const Json &columns) {
  std::vector<LayerSchedule> layers(columns.contains("name") ? columns.at("name").size() : 0);
  for (size_t i = 0; i < layers.size(); ++i)
    visitColumns(layers[i], [&](const char *key, auto &field) { columns.at(key).at(i).get_to(field); });
  return layers;
}

Record recordFromJson(const Json &json) {
  Record record;
  json.at("key").get_to(record.key);
  const std::string state = json.at("state").get<std::string>();
  const auto found = std::ranges::find(kStates, state);
  if (found == kStates.end())
    throw std::out_of_range(state);
  record.state = static_cast<PointState>(found - kStates.begin());
  if (record.state != PointState::Ok) {
    json.at("reason").get_to(record.reason);
    return record;
  }
  visitFigures(record, [&](const char *key, auto &field) { json.at(key).get_to(field); });
  record.layers = layersFromJson(json.at("layers"));
  return record;
}

} // namespace

std::string_view toString(PointState state) { return kStates[static_cast<size_t>(state)]; }

bool LayerSchedule::hasSameSchedule(const LayerSchedule &other) const {
  const auto decisions = [](const LayerSchedule &layer) {
    return std::tie(layer.operation, layer.engine, layer.tiles, layer.largestTile, layer.sramBytes, layer.dramBytes);
  };
  return decisions(*this) == decisions(other);
}

std::string recordLine(const Record &record) {
  Json json = {{"key", record.key}, {"state", toString(record.state)}};
  if (record.state == PointState::Ok) {
    visitFigures(record, [&](const char *key, const auto &field) { json[key] = field; });
    json["layers"] = layersToJson(record.layers);
  } else {
    json["reason"] = record.reason;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Record> parseRecord(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object())
    return std::nullopt;
  try {
    return recordFromJson(json);
  } catch (const std::exception &) { // a member is absent or has another type
    return std::nullopt;
  }
}

std::string pointKey(const std::string &modelChecksum, uint64_t targetFingerprint, const std::string &build,
                     const std::string &options) {
  const std::string text =
      fmt::format("{}\n{}\n{:016x}\n{}\n{}", kFormVersion, modelChecksum, targetFingerprint, build, options);
  return hexText(checksumOf({{reinterpret_cast<const uint8_t *>(text.data()), text.size()}}));
}

} // namespace avocet::tool
