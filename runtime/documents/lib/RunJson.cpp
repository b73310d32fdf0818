//===- RunJson.cpp - Report as JSON and CSV ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/documents/RunJson.h"

#include "avocet/analysis/LayerGroups.h"
#include "avocet/base/CleanText.h"
#include "avocet/documents/SchemaVersions.h"
#include "avocet/firmware_iface/Names.h"

#include <nlohmann/json.hpp>

namespace avocet::documents {
namespace {

using Json = nlohmann::ordered_json;

Json stallsJson(const firmware::StallCycles &stalls) {
  Json json;
  for (size_t i = 0; i < stalls.size(); ++i)
    json[std::string(valueName(static_cast<firmware::StallCause>(i)))] = stalls[i];
  return json;
}

void addFigures(Json &json, const analysis::Figures &figures) {
  json["cycles"] = figures.cycles;
  json["roofline_cycles"] = figures.rooflineCycles;
  json["device_cycles"] = figures.deviceCycles;
  json["compute_cycles"] = figures.computeCycles;
  json["least_dram_bytes"] = figures.leastDramBytes;
  json["macs"] = figures.macs;
  json["executed_macs"] = figures.executedMacs;
  json["utilization"] = figures.utilization;
  json["busy_cycles"] = {{"mac", figures.arrayBusyCycles}, {"dsp", figures.dspBusyCycles}};
  json["stall_cycles"] = stallsJson(figures.stallCycles);
  json["hidden_cycles"] = {
      {"dsp", figures.hidden.dsp}, {"results", figures.hidden.results}, {"transfers", figures.hidden.transfers}};
  json["sram_peak_bytes"] = figures.sramPeakBytes;
  json["sram_bytes"] = figures.sramBytes;
  json["dram_bytes"] = figures.dramBytes;
  json["energy_picojoules"] = figures.energyPicojoules;
  json["bound_by"] = toString(figures.boundBy);
}

Json layerJson(const analysis::LayerReport &layer) {
  Json json = {{"name", layer.name}, {"operation", layer.operation}, {"engine", valueName(layer.engine)}};
  addFigures(json, layer.figures);
  json["group"] = layer.group;
  return json;
}

Json overlapJson(const runtime::Overlap &overlap) {
  return {{"both", overlap.both},
          {"only_computing", overlap.onlyComputing},
          {"only_moving", overlap.onlyMoving},
          {"neither", overlap.neither}};
}

Json dramJson(const analysis::DramTraffic &dram) {
  return {{"weights", dram.weights},
          {"refetched_weights", dram.refetchedWeights},
          {"spills", dram.spills},
          {"inputs", dram.inputs},
          {"outputs", dram.outputs}};
}

Json preemptionJson(const firmware::PreemptionCounters &preemption) {
  return {{"preemptions", preemption.preemptions},
          {"suspended_cycles", preemption.suspendedCycles},
          {"live_bytes", preemption.liveBytes},
          {"evacuated_bytes", preemption.evacuatedBytes}};
}

Json powerJson(const analysis::PowerFigures &power) {
  return {{"clock_level", power.clockLevel},
          {"clock_hz", power.clockHz},
          {"dynamic_picojoules", power.dynamicPicojoules},
          {"static_picojoules", power.staticPicojoules},
          {"picojoules", power.dynamicPicojoules + power.staticPicojoules}};
}

Json spreadJson(const analysis::Spread &spread) {
  return {{"least", spread.least}, {"median", spread.median}, {"most", spread.most}};
}

Json servedJson(const analysis::ServedFigures &served) {
  Json json = {{"device", served.device}, {"version", served.version}, {"socket", served.socket}};
  json["way"] = served.way;
  json["priority"] = served.priority;
  json["preference"] = served.preference;
  if (served.deadlineMs > 0)
    json["deadline_ms"] = served.deadlineMs;
  json["prepare_ms"] = served.prepareMs;
  json["device_ms"] = spreadJson(served.deviceMs);
  json["driver_ms"] = spreadJson(served.driverMs);
  json["call_ms"] = spreadJson(served.callMs);
  return json;
}

Json hostJson(const analysis::HostReport &host) {
  Json json = {{"operation", host.operation}, {"name", host.name}, {"place", host.place}};
  if (host.number)
    json["number"] = *host.number;
  json["ms"] = host.ms;
  json["reason"] = host.reason;
  return json;
}

Json engineJson(const analysis::EngineReport &engine) {
  return {{"engine", valueName(engine.engine)},
          {"units", engine.units},
          {"busy_cycles", engine.busyCycles},
          {"stall_cycles", stallsJson(engine.stallCycles)}};
}

} // namespace

std::string runJson(const analysis::Report &report) {
  Json json = {
      {kSchemaVersionKey, kRunSchema}, {"model", report.model}, {"target", report.target}, {"backend", report.backend}};
  json["measured"] = report.measured;
  json["computed"] = report.computed;
  addFigures(json, report.total);
  json["dram_bytes_by_kind"] = dramJson(report.dram);
  json["overlap_cycles"] = overlapJson(report.overlap);
  json["predicted_cycles"] = report.predictedCycles;
  json["predicted_ms"] = report.predictedMs;
  json["clock_hz"] = report.clockHz;
  json["simulated_ms"] = report.simulatedMs;
  json["host_compile_ms"] = report.hostCompileMs;
  json["host_run_ms"] = report.hostRunMs;
  json["runs"] = report.runs;
  if (report.waitCycles != 0)
    json["wait_cycles"] = report.waitCycles;
  if (report.preemption.preemptions != 0)
    json["preemption"] = preemptionJson(report.preemption);
  if (report.power)
    json["power"] = powerJson(*report.power);
  if (report.served)
    json["service"] = servedJson(*report.served);
  for (const analysis::HostReport &each : report.host)
    json["host_operators"].push_back(hostJson(each));
  for (const analysis::ClassReport &found : report.classes)
    json["classes"].push_back(
        {{"picture", found.picture}, {"label", found.label}, {"name", found.name}, {"score", found.score}});
  if (!report.notes.empty())
    json["notes"] = report.notes;
  json["engines"] = Json::array();
  for (const analysis::EngineReport &engine : report.engines)
    json["engines"].push_back(engineJson(engine));
  for (const analysis::LayerGroup &group : analysis::groupsOf(report)) {
    Json entry = {{"name", group.name}, {"layers", group.layers}};
    addFigures(entry, group.figures);
    json["groups"].push_back(std::move(entry));
  }
  json["layers"] = Json::array();
  for (const analysis::LayerReport &layer : report.layers)
    json["layers"].push_back(layerJson(layer));
  addFigures(json["without_layer"], report.withoutLayer);
  return cleanJson(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n";
}

} // namespace avocet::documents
