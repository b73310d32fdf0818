//===- ThroughCounters.cpp - What libraries and service count -------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThroughCounters.h"

#include "ServedList.h"
#include "avocet/base/File.h"
#include "avocet/hal/ipc/Registry.h"
#include "avocet/hal/ipc/Totals.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace avocet::tool {
namespace {

using Json = nlohmann::json;

/// Nothing: they are not for this user.
Result<std::optional<hal::ServiceTotals>> totalsOf(const std::string &socket) {
  hal::Result<std::optional<hal::ServiceTotals>> totals = totalsAt(socket, hal::kRegistryPatience);
  if (!totals)
    return notReached(totals.error());
  return std::move(*totals);
}

/// The socket of the device's service.
Result<std::string> socketOf(const session::ServedOptions &options) {
  hal::Result<hal::FoundDevices> all = hal::findDevices(options.socket, hal::kRegistryPatience);
  if (!all)
    return notReached(all.error());
  if (const hal::FoundDevice *device = hal::deviceIn(*all, options.device))
    return device->socket;
  return notFound(hal::absenceOf(options.socket, options.device, *all));
}

uint64_t countOf(const Json &json, const char *name) { return json.value(name, uint64_t{0}); }

void addOperations(ThroughFigures &figures, const Json &json) {
  const bool isNnapi = figures.through == Through::Nnapi;
  figures.operations = countOf(json, isNnapi ? "operations" : "nodes");
  figures.operationsOnDevice = countOf(json, isNnapi ? "operationsOnDevice" : "nodesOnDevice");
  figures.steps = isNnapi ? countOf(json, "partitions") : 0;
  figures.cpuFallbacks = countOf(json, "cpuFallbacks");
  figures.copiedBytes = countOf(json, "copiedBytes");
  if (figures.operationsOnDevice == 0)
    figures.notes.emplace_back("no operation ran on the device; AVOCET_LOG=info shows why");
}

void addNotes(ThroughFigures &figures, const ServiceCounters &service) {
  if (service.hasService() && !service.growth())
    figures.notes.emplace_back("the service shows its figures only to root and to its own user: the row of the service "
                               "includes driver and device");
  if (service.hasOthers())
    figures.notes.emplace_back(
        "the service had other clients: the rows of driver and device include what it did for them");
}

} // namespace

Result<ServiceCounters> ServiceCounters::start(const session::ServedOptions &options) {
  ServiceCounters counters;
  if (options.device.empty())
    return counters;
  AVOCET_ASSIGN_OR_RETURN(counters.socket_, socketOf(options));
  AVOCET_ASSIGN_OR_RETURN(counters.before_, totalsOf(counters.socket_));
  if (counters.before_)
    counters.hasOthers_ = std::ranges::any_of(counters.before_->devices,
                                              [](const hal::DeviceTotals &device) { return device.clients != 0; });
  return counters;
}

Status ServiceCounters::stop() {
  if (!before_)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(after_, totalsOf(socket_));
  return Status::ok();
}

std::optional<CountedTimes> ServiceCounters::growth() const {
  if (!before_ || !after_)
    return std::nullopt;
  CountedTimes times;
  times.driver = static_cast<double>(after_->driverNanoseconds - before_->driverNanoseconds);
  times.device = static_cast<double>(after_->deviceNanoseconds - before_->deviceNanoseconds);
  return times;
}

double ServiceCounters::simulatedNanoseconds() const {
  return before_ && after_ ? static_cast<double>(after_->simulatedNanoseconds - before_->simulatedNanoseconds) : 0;
}

Status addCounters(ThroughFigures &figures, const std::string &path, const ServiceCounters &service) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  const Json json = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (!json.is_object())
    return internalError("the library's counters are no JSON");
  addOperations(figures, json);
  addNotes(figures, service);
  const Json times = json.value("executionNanoseconds", Json::object());
  auto timeOf = [&](const char *name) { return times.value(name, 0.0); };
  const CountedTimes counted{timeOf("library"), timeOf("ipc"), timeOf("driver"), timeOf("device"), timeOf("cpu")};
  figures.time = splitTime(figures.time.total, figures.runs, counted, service.hasService(), service.growth());
  if (!service.hasService())
    figures.simulatedMs = timeOf("simulated") / 1e6 / figures.runs;
  else if (service.growth())
    figures.simulatedMs = service.simulatedNanoseconds() / 1e6 / figures.runs;
  return Status::ok();
}

} // namespace avocet::tool
