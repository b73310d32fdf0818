//===- TargetsJson.cpp - Targets as JSON ----------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/TargetsJson.h"

#include "avocet/documents/SchemaVersions.h"
#include "avocet/firmware_iface/TargetEdit.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::documents {
namespace {

using Json = nlohmann::ordered_json;

Json levelsJson(const firmware::Target &target) {
  Json levels = Json::array();
  for (uint32_t i = 0; i < target.power().levels.size(); ++i) {
    const firmware::ClockLevel &level = target.power().levels[i];
    levels.push_back({{"name", level.name},
                      {"clock_hz", firmware::levelHz(target, i)},
                      {"millivolts", level.millivolts},
                      {"static_milliwatts", level.staticMilliwatts},
                      {"is_default", i == target.power().defaultLevel}});
  }
  return levels;
}

Json idleStatesJson(const firmware::Target &target) {
  Json states = Json::array();
  for (const firmware::IdleState &state : target.power().idleStates)
    states.push_back({{"name", state.name},
                      {"milliwatts", state.milliwatts},
                      {"entry_nanoseconds", state.entryNanoseconds},
                      {"wake_nanoseconds", state.wakeNanoseconds},
                      {"wake_nanojoules", state.wakeNanojoules}});
  return states;
}

Json jsonOf(const firmware::Target &target) {
  return {{"name", target.name()},
          {"description", target.description()},
          {"fingerprint", fmt::format("{:016x}", target.fingerprint())},
          {"clock_hz", target.clockHz()},
          {"macs_per_cycle", target.macsPerCycle(firmware::DataType::Int8)},
          {"dsp_lanes", dspLanes(target)},
          {"sram_bytes", target.sram().bytes},
          {"sram_bytes_per_cycle", target.sram().portBytesPerCycle},
          {"dram_bytes_per_cycle", dramBytesPerCycle(target)},
          {"dma_channels", target.dma().channels},
          {"clock_levels", levelsJson(target)},
          {"idle_states", idleStatesJson(target)}};
}

std::string textOf(Json targets) {
  const Json json = {{kSchemaVersionKey, kTargetsSchema}, {"targets", std::move(targets)}};
  return json.dump(2);
}

} // namespace

double dramBytesPerCycle(const firmware::Target &target) {
  const firmware::Rate &rate = target.dram().bandwidth;
  return static_cast<double>(rate.count) / static_cast<double>(rate.cycles);
}

uint32_t dspLanes(const firmware::Target &target) {
  return target.dsp().lanes[static_cast<size_t>(firmware::DataType::Int8)];
}

Result<Targets> shippedTargets() {
  Targets targets;
  for (const std::string &name : firmware::Target::shippedNames()) {
    AVOCET_ASSIGN_OR_RETURN(targets.emplace_back(), firmware::Target::load(name));
  }
  return targets;
}

std::string targetsJson(const Targets &targets) {
  Json entries = Json::array();
  for (const auto &target : targets)
    entries.push_back(jsonOf(*target));
  return textOf(std::move(entries));
}

std::string targetJson(const firmware::Target &target) {
  Json entry = jsonOf(target);
  for (const firmware::TargetChange &figure : firmware::targetFigures(target))
    entry["figures"][figure.key] = figure.value;
  entry["text"] = firmware::printTarget(target, target.name(), target.description());
  return textOf(Json::array({std::move(entry)}));
}

} // namespace avocet::documents
