//===- ThroughFigures.cpp - Where the time of an application goes ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThroughFigures.h"
#include "Ways.h"

#include "avocet/base/CleanText.h"
#include "avocet/documents/SchemaVersions.h"
#include "output/TextTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace avocet::tool {
namespace {

using Align = TextTable::Align;

constexpr size_t kMostReasons = 10; ///< in a table

std::string timeTable(const ThroughFigures &figures) {
  const TimeSplit &time = figures.time;
  const Way &way = wayOf(figures.through);
  TextTable table;
  table.addColumn("time of a run", Align::Left);
  table.addColumn("", Align::Left);
  table.addColumn("ms", Align::Right);
  table.addColumn("of all", Align::Right);
  auto addRow = [&](const char *part, const std::string &what, double ms) {
    const double percent = time.total > 0 ? 100 * ms / time.total : 0;
    table.addRow({part, what, fmt::format("{:.4f}", ms), fmt::format("{:.1f}%", percent)});
  };
  addRow("application", way.framework, time.application);
  addRow("library", way.library, time.library);
  if (time.service)
    addRow("service", "avocetd and messages", *time.service);
  addRow("driver", "", time.driver);
  addRow("device", "the simulator, on the host", time.device);
  if (figures.through == Through::Nnapi)
    addRow("CPU", "nnapi-reference", time.cpu);
  if (time.other != 0)
    addRow("other", "", time.other);
  table.addRule();
  addRow("total", way.call, time.total);
  return table.toString();
}

std::string runsLine(const ThroughFigures &figures) {
  const analysis::Spread &spread = figures.invokeMs;
  if (figures.runs == 1)
    return labeledText("runs", "1");
  return labeledText("runs", fmt::format("{}: the first {:.3f} ms; of all, least {:.3f}, median {:.3f}, most {:.3f} ms",
                                         figures.runs, figures.firstMs, spread.least, spread.median, spread.most));
}

std::string several(uint64_t count, const char *what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string reasonLines(const ThroughFigures &figures) {
  std::string text;
  for (size_t i = 0; i < std::min(figures.reasons.size(), kMostReasons); ++i)
    text += labeledText("stays", fmt::format("{}: {}", figures.reasons[i].first, figures.reasons[i].second));
  if (figures.reasons.size() > kMostReasons)
    text += labeledText("stays",
                        fmt::format("{} others; --report json has all reasons", figures.reasons.size() - kMostReasons));
  return text;
}

std::string operationLines(const ThroughFigures &figures) {
  const Way &way = wayOf(figures.through);
  std::string text =
      labeledText("operators", fmt::format("{}: {} in {} of {}, {} computed by {} itself", figures.operators,
                                           figures.operators - std::min(figures.operators, figures.ownOperators),
                                           several(figures.partitions, "partition"), way.takes, figures.ownOperators,
                                           way.framework));
  if (figures.through != Through::Nnapi)
    return text + reasonLines(figures);
  return text + labeledText("operations",
                            fmt::format("{} of NNAPI: {} on the device, {} on the CPU, in {}", figures.operations,
                                        figures.operationsOnDevice, figures.operations - figures.operationsOnDevice,
                                        several(figures.steps, "step")));
}

nlohmann::ordered_json timeJson(const TimeSplit &time) {
  nlohmann::ordered_json json = {{"total", time.total}, {"application", time.application}, {"library", time.library}};
  if (time.service)
    json["service"] = *time.service;
  json["driver"] = time.driver;
  json["device"] = time.device;
  json["cpu"] = time.cpu;
  json["other"] = time.other;
  return json;
}

} // namespace

TimeSplit splitTime(double totalMs, uint32_t runs, const CountedTimes &counted, bool hasService,
                    const std::optional<CountedTimes> &served) {
  auto ofRun = [&](double nanoseconds) { return nanoseconds / 1e6 / std::max(runs, 1U); };
  TimeSplit time;
  time.total = totalMs;
  time.library = ofRun(counted.library);
  time.cpu = ofRun(counted.cpu);
  time.driver = ofRun(counted.driver + (served ? served->driver : 0));
  time.device = ofRun(counted.device + (served ? served->device : 0));
  if (hasService)
    time.service = std::max(0.0, ofRun(counted.ipc - (served ? served->driver + served->device : 0)));
  const double parts = time.library + time.cpu + time.driver + time.device + time.service.value_or(0);
  time.application = std::max(0.0, totalMs - parts);
  time.other = totalMs - parts - time.application;
  return time;
}

std::string throughTable(const ThroughFigures &figures) {
  const std::string place = figures.socket.empty() ? "" : " of the service at " + figures.socket;
  std::string text =
      fmt::format("{} in {}, through {} on {}{}\n\n{}\n", figures.model, wayOf(figures.through).framework,
                  wayOf(figures.through).library, figures.device, place, timeTable(figures));
  text += figures.simulatedMs ? fmt::format("simulated  {:.4f} ms of device time in a run\n", *figures.simulatedMs)
                              : "simulated  unknown\n";
  text += runsLine(figures);
  text += fmt::format("prepared   in {:.1f} ms\n", figures.prepareMs);
  text += operationLines(figures);
  if (figures.cpuFallbacks != 0)
    text += fmt::format("fallbacks  {} to the CPU after failures\n", figures.cpuFallbacks);
  for (const std::string &note : figures.notes)
    text += labeledText("note", note);
  return text;
}

std::string throughJson(const ThroughFigures &figures) {
  nlohmann::ordered_json json = {{documents::kSchemaVersionKey, documents::kThroughSchema},
                                 {"model", figures.model},
                                 {"through", wayOf(figures.through).name}};
  json["library"] = wayOf(figures.through).library;
  json["device"] = figures.device;
  if (!figures.socket.empty())
    json["socket"] = figures.socket;
  json["runs"] = figures.runs;
  json["prepare_ms"] = figures.prepareMs;
  json["invoke_ms"] = {{"first", figures.firstMs},
                       {"least", figures.invokeMs.least},
                       {"median", figures.invokeMs.median},
                       {"most", figures.invokeMs.most}};
  json["time_ms"] = timeJson(figures.time);
  if (figures.simulatedMs)
    json["simulated_ms"] = *figures.simulatedMs;
  json["operators"] = figures.operators;
  json["operators_in_application"] = figures.ownOperators;
  json["partitions"] = figures.partitions;
  json["operations"] = figures.operations;
  json["operations_on_device"] = figures.operationsOnDevice;
  json["operations_on_cpu"] = figures.operations - figures.operationsOnDevice;
  if (figures.through == Through::Nnapi)
    json["steps"] = figures.steps;
  json["cpu_fallbacks"] = figures.cpuFallbacks;
  json["copied_bytes"] = figures.copiedBytes;
  if (figures.through != Through::Nnapi) {
    json["reasons"] = nlohmann::ordered_json::array();
    for (const auto &[node, reason] : figures.reasons)
      json["reasons"].push_back({{"node", node}, {"reason", reason}});
  }
  if (!figures.notes.empty())
    json["notes"] = figures.notes;
  return cleanJson(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)) + "\n";
}

} // namespace avocet::tool
