//===- DevicesCommand.cpp - avocet devices -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServedList.h"
#include "ServiceMetrics.h"
#include "avocet/base/CleanText.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/NumberText.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/documents/SchemaVersions.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/types/ErrorText.h"
#include "output/TextTable.h"
#include "programs/SubcommandProgram.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

constexpr const char *kFooter = R"(The service is avocetd. To try it:
  avocetd --socket /tmp/avocetd.sock --target e256 --target m512 &
  avocet devices --socket /tmp/avocetd.sock
In a registry, a device that several services offer is NAME for the first of them, in byte order of their names, and
NAME@SERVICE for the others; NAME@SERVICE always denotes the one of that service. Services that do not answer are listed
as left out.
Root and the user that runs the service also see what each device holds now for all clients together: clients, prepared
models, driver-allocated buffers, executions that have not ended, and memory that clients are charged for; and for a
device with clock levels (see avocet targets) its state and the energy that it took since the service started. Other
users do not see these figures, because they reveal the activity of other clients.)";

/// A counter of a device, and its names in tables and in JSON.
struct Total {
  const char *title;
  const char *key;
  uint64_t hal::DeviceTotals::*value;
};
constexpr Total kCounts[] = {{"clients", "clients", &hal::DeviceTotals::clients},
                             {"models", "prepared_models", &hal::DeviceTotals::preparedModels},
                             {"buffers", "buffers", &hal::DeviceTotals::buffers},
                             {"running", "executions", &hal::DeviceTotals::executions}};

std::vector<std::string> totalCells(const hal::DeviceTotals &totals) {
  std::vector<std::string> cells;
  for (const Total &total : kCounts)
    cells.push_back(withCommas(totals.*total.value));
  cells.push_back(formatBytes(totals.memoryBytes));
  return cells;
}

bool hasTotals(const ServedList &list) {
  return std::ranges::any_of(list.services, [](const ServedService &service) { return service.totals.has_value(); });
}

/// Clock level and idle state.
std::string stateName(const hal::DevicePower &power) {
  const std::string names =
      power.idleState.empty() ? power.clockLevel : fmt::format("{}, {}", power.clockLevel, power.idleState);
  return shown(names);
}

void addPowerRow(TextTable &table, const ServedEntry &entry, const hal::DevicePower &power) {
  table.addRow({entry.name, stateName(power), withCommas(power.executions), withCommas(power.wakeUps),
                formatEnergy(static_cast<double>(power.dynamicPicojoules + power.staticPicojoules)),
                formatEnergy(static_cast<double>(power.idlePicojoules + power.wakePicojoules)),
                formatEnergy(static_cast<double>(power.picojoules()))});
}

/// State and energy of the devices that have clock levels; empty if there are none.
std::string powerTable(const ServedList &list) {
  TextTable table;
  for (auto title : {"device", "state"})
    table.addColumn(title, TextTable::Align::Left);
  for (auto title : {"runs", "wake-ups", "run energy", "idle energy", "energy"})
    table.addColumn(title, TextTable::Align::Right);
  for (const ServedService &service : list.services)
    for (const ServedEntry &entry : service.devices)
      if (const hal::DeviceTotals *totals = service.totalsOf(entry); totals && !totals->power.clockLevel.empty())
        addPowerRow(table, entry, totals->power);
  return table.numRows() == 0 ? "" : "\n" + table.toString();
}

TextTable tableFor(const ServedList &list) {
  TextTable table;
  table.addColumn("device", TextTable::Align::Left);
  if (list.isRegistry)
    table.addColumn("service", TextTable::Align::Left);
  for (auto title : {"target", "status"})
    table.addColumn(title, TextTable::Align::Left);
  if (hasTotals(list)) {
    for (const Total &total : kCounts)
      table.addColumn(total.title, TextTable::Align::Right);
    table.addColumn("memory", TextTable::Align::Right);
  }
  constexpr size_t kLeastVersion = 10, kLeastExtensions = 16;
  table.addColumn("version", TextTable::Align::Left).cutTo(kLeastVersion).drop(2);
  table.addColumn("extensions", TextTable::Align::Left).wrapTo(kLeastExtensions).drop(1);
  return table;
}

/// Empty where a service shows no totals.
std::vector<std::string> totalCells(const ServedService &service, const ServedEntry &entry) {
  if (!service.totals)
    return std::vector<std::string>(std::size(kCounts) + 1);
  const hal::DeviceTotals *totals = service.totalsOf(entry);
  return totalCells(totals ? *totals : hal::DeviceTotals());
}

void printTotals(const ServedList &list) {
  for (const ServedService &service : list.services) {
    if (!service.totals)
      continue;
    const std::string title = list.isRegistry ? fmt::format("service    {}\n", service.name) : "";
    printOut("\n{}connected  {} now, {} ever\ncalls      {} ever\nobjects    {}, {} of them bursts\n", title,
             service.totals->clientsNow, withCommas(service.totals->clientsEver), withCommas(service.totals->callsEver),
             service.totals->objectsNow, service.totals->burstsNow);
  }
}

void printTable(const ServedList &list) {
  TextTable table = tableFor(list);
  for (const ServedService &service : list.services)
    for (const ServedEntry &entry : service.devices) {
      std::vector<std::string> cells = {entry.name};
      if (list.isRegistry)
        cells.push_back(service.name);
      cells.insert(cells.end(), {entry.target, entry.status});
      if (hasTotals(list))
        std::ranges::move(totalCells(service, entry), std::back_inserter(cells));
      cells.insert(cells.end(), {entry.version, fmt::to_string(fmt::join(entry.extensions, " "))});
      table.addRow(std::move(cells));
    }
  printOut("{}{}", table.toString(), powerTable(list));
  printTotals(list);
  if (!list.leftOut.empty())
    printOut("\n");
  for (const hal::LeftOut &service : list.leftOut)
    printOut("left out   {}: {}\n", service.name, service.why.message);
}

nlohmann::json timesJson(const std::vector<hal::StateTime> &times) {
  nlohmann::json json = nlohmann::json::array();
  for (const hal::StateTime &time : times)
    json.push_back({{"state", time.state}, {"nanoseconds", time.nanoseconds}});
  return json;
}

nlohmann::json powerJson(const hal::DevicePower &power) {
  return {{"clock_level", power.clockLevel},
          {"idle_state", power.idleState},
          {"bursts", power.bursts},
          {"executions", power.executions},
          {"wake_ups", power.wakeUps},
          {"dynamic_picojoules", power.dynamicPicojoules},
          {"static_picojoules", power.staticPicojoules},
          {"idle_picojoules", power.idlePicojoules},
          {"wake_picojoules", power.wakePicojoules},
          {"awake_nanoseconds", power.awakeNanoseconds},
          {"clock_levels", timesJson(power.clockLevels)},
          {"idle_states", timesJson(power.idleStates)}};
}

nlohmann::json totalsJson(const hal::DeviceTotals &totals) {
  nlohmann::json json;
  for (const Total &total : kCounts)
    json[total.key] = totals.*total.value;
  json["memory_bytes"] = totals.memoryBytes;
  json["host_bytes_copied"] = totals.hostBytesCopied;
  json["compiler_crashes"] = totals.compilerCrashes;
  json["compiler_restarts"] = totals.compilerRestarts;
  if (!totals.power.clockLevel.empty())
    json["power"] = powerJson(totals.power);
  return json;
}

nlohmann::json entryJson(const ServedService &service, const ServedEntry &entry) {
  nlohmann::json json = {{"device", entry.name},
                         {"target", entry.target},
                         {"status", entry.status},
                         {"version", entry.version},
                         {"extensions", entry.extensions}};
  if (!service.name.empty())
    json["service"] = service.name;
  if (const hal::DeviceTotals *totals = service.totalsOf(entry))
    json["totals"] = totalsJson(*totals);
  return json;
}

nlohmann::json serviceJson(const hal::ServiceTotals &totals) {
  return {{"clients", totals.clientsNow},
          {"clients_ever", totals.clientsEver},
          {"calls_ever", totals.callsEver},
          {"objects", totals.objectsNow},
          {"bursts", totals.burstsNow},
          {"descriptors", totals.descriptorsNow},
          {"compiler_errors", totals.compilerErrors}};
}

nlohmann::json leftOutJson(const std::vector<hal::LeftOut> &all) {
  nlohmann::json json = nlohmann::json::array();
  for (const hal::LeftOut &service : all)
    json.push_back({{"service", service.name}, {"error", toString(service.why.code)}, {"reason", service.why.message}});
  return json;
}

void printJson(const ServedList &list) {
  nlohmann::json json = {{documents::kSchemaVersionKey, documents::kDevicesSchema},
                         {"devices", nlohmann::json::array()}};
  nlohmann::json services = nlohmann::json::object();
  for (const ServedService &service : list.services) {
    for (const ServedEntry &entry : service.devices)
      json["devices"].push_back(entryJson(service, entry));
    if (service.totals)
      services[service.name] = serviceJson(*service.totals);
  }
  if (list.isRegistry) {
    json["services"] = std::move(services);
    json["left_out"] = leftOutJson(list.leftOut);
  } else if (!services.empty()) {
    json["service"] = services.front();
  }
  printOut("{}\n", cleanJson(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)));
}

enum class Form { Table, Json, Metrics };

Status printMetrics(const std::string &socket, std::chrono::milliseconds patience) {
  if (hal::isRegistry(socket))
    return invalidArgument(fmt::format("--metrics is about one service; give its socket, {}/NAME", socket));
  hal::Result<hal::ServiceTotals> totals = hal::readTotals(socket, patience);
  if (!totals)
    return notFound(toString(totals.error()));
  printOut("{}", metricsText(*totals));
  return Status::ok();
}

Status listServed(const std::string &place, std::chrono::milliseconds patience, Form form) {
  if (form == Form::Metrics)
    return printMetrics(place, patience);
  AVOCET_ASSIGN_OR_RETURN(ServedList list, findServed(place, patience));
  if (form == Form::Json)
    printJson(list);
  else
    printTable(list);
  return Status::ok();
}

} // namespace

void addDevicesCommand(CommandLine &app, Action &action) {
  CommandLine command = addSubcommandOf(app, "devices");
  auto socket = std::make_shared<std::string>(knobText(knobs::kSocket));
  command
      .addText("--socket", *socket,
               "Where the service listens, or the folder of a registry of several (avocetd --registry)")
      .showDefault();
  auto seconds = std::make_shared<uint32_t>(10);
  addNumber(command, "--timeout", *seconds, "Seconds to wait for each answer of the service", 1, 3600).showDefault();
  auto json = std::make_shared<bool>(false), metrics = std::make_shared<bool>(false);
  CommandOption jsonOption = command.addFlag("--json", *json, "Print JSON, for programs");
  command
      .addFlag("--metrics", *metrics,
               "Print the service's counters in Prometheus' text format, in seconds and bytes; only for root and the "
               "service's user")
      .excludes(jsonOption);
  addWideOption(command);
  command.setFooter(kFooter);
  command.onSelected([&action, socket, seconds, json, metrics] {
    action = [socket, seconds, json, metrics] {
      const Form form = *metrics ? Form::Metrics : *json ? Form::Json : Form::Table;
      return listServed(*socket, std::chrono::seconds(*seconds), form);
    };
  });
}

} // namespace avocet::tool
