//===- CountersJson.cpp - Counters of a job as JSON -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/Fault.h"
#include "avocet/sim/Profile.h"

#include <nlohmann/json.hpp>

#include <array>

namespace avocet::sim {

using namespace firmware;
using Json = nlohmann::ordered_json;

static constexpr std::array<const char *, kNumEngineKinds> kEngineNames = {"mac", "dsp", "dma"};
static constexpr std::array<const char *, kNumStallCauses> kStallNames = {"semaphore", "sram_port", "dram_port",
                                                                          "latency", "front_end"};

/// {"mac": {"busy": n, "stalls": {"semaphore": n, ...}}, ...}
template <typename Busy, typename Stalls> static Json enginesJson(const Busy &busy, const Stalls &stalls) {
  Json engines;
  for (uint32_t kind = 0; kind < kNumEngineKinds; ++kind) {
    Json engine{{"busy", busy[kind]}};
    for (uint32_t cause = 0; cause < kNumStallCauses; ++cause)
      engine["stalls"][kStallNames[cause]] = stalls[kind][cause];
    engines[kEngineNames[kind]] = std::move(engine);
  }
  return engines;
}

/// The fields that job and layers share.
template <typename Counters> static Json workJson(const Counters &c) {
  Json work;
  work["sram_read_bytes"] = c.sramReadBytes;
  work["sram_write_bytes"] = c.sramWriteBytes;
  work["dram_read_bytes"] = c.dramReadBytes;
  work["dram_write_bytes"] = c.dramWriteBytes;
  work["macs"] = c.macs;
  work["dsp_operations"] = c.dspOperations;
  work["commands"] = c.commands;
  work["energy_picojoules"] = c.energyPicojoules;
  work["engines"] = enginesJson(c.busyCycles, c.stallCycles);
  return work;
}

static Json faultJson(const CompletionRecord &record) {
  Json fault{{"code", toString(static_cast<FaultCode>(record.faultCode))}};
  if (record.faultEngineKind < kNumEngineKinds) {
    fault["engine"] = kEngineNames[record.faultEngineKind];
    fault["engine_index"] = record.faultEngineIndex;
  }
  if (record.faultCommand != kNoIndex)
    fault["command"] = record.faultCommand;
  if (record.faultLayer != kNoLayer)
    fault["layer"] = record.faultLayer;
  if (record.faultRegion != kNoIndex)
    fault["region"] = record.faultRegion;
  fault["address"] = record.faultAddress;
  return fault;
}

std::string countersJson(const JobProfile &profile, const Target &target) {
  const CompletionRecord &record = profile.record;
  Json json;
  json["target"] = target.name();
  json["context"] = profile.context;
  json["ring"] = profile.ring;
  json["sequence"] = record.sequence;
  json["start_cycle"] = record.startCycle;
  json["end_cycle"] = record.endCycle;
  json["arrival_cycle"] = record.arrivalCycle;
  json["cycles"] = record.counters.cycles;
  json["nanoseconds"] = target.nanoseconds(record.counters.cycles);
  if (record.faultCode != static_cast<uint32_t>(FaultCode::None))
    json["fault"] = faultJson(record);
  json.update(workJson(record.counters));
  if (profile.preemption.preemptions != 0)
    json["preemption"] = {{"preemptions", profile.preemption.preemptions},
                          {"suspended_cycles", profile.preemption.suspendedCycles},
                          {"live_bytes", profile.preemption.liveBytes},
                          {"evacuated_bytes", profile.preemption.evacuatedBytes}};
  json["layers"] = Json::array();
  for (const LayerCounters &layer : profile.layers) {
    Json entry;
    entry["layer"] = layer.layer == kNoLayer ? Json(nullptr) : Json(layer.layer);
    entry["start_cycle"] = layer.startCycle;
    entry["end_cycle"] = layer.endCycle;
    entry.update(workJson(layer));
    json["layers"].push_back(std::move(entry));
  }
  return json.dump(2);
}

} // namespace avocet::sim
