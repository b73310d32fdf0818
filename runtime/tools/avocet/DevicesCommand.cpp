//===- DevicesCommand.cpp - avocet devices -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "SchemaVersions.h"
#include "ServiceMetrics.h"
#include "TextTable.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/Totals.h"
#include "avocet/hal/wire/Listener.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

namespace avocet::tool {
namespace {

constexpr const char *kFooter = R"(The service is avocetd. To try it:
  avocetd --socket /tmp/avocetd.sock --target e256 --target m512 &
  avocet devices --socket /tmp/avocetd.sock
Root and the user that runs the service also see what each device holds now for all clients together: clients, prepared
models, driver-allocated buffers, executions that have not ended, and memory that clients are charged for. Other users
do not see these figures, because they reveal the activity of other clients.)";

Status failed(const hal::Error &error) {
  return Status(StatusCode::NotFound, std::string(toString(error.code)) + ": " + error.message);
}

std::string statusName(hal::DeviceStatus status) {
  switch (status) {
  case hal::DeviceStatus::Available:
    return "available";
  case hal::DeviceStatus::Busy:
    return "busy";
  case hal::DeviceStatus::Offline:
    return "offline";
  case hal::DeviceStatus::Unknown:
    break;
  }
  return "unknown";
}

struct ServedEntry {
  std::string name, status, version, target;
  std::vector<std::string> extensions;
};

struct ServedList {
  std::vector<ServedEntry> devices;
  std::optional<hal::ServiceTotals> totals; ///< nothing: this process may not read them
};

/// The target in the device's name.
std::string targetOf(const std::string &device) {
  constexpr std::string_view kPrefix = "avocet-";
  return device.starts_with(kPrefix) ? device.substr(kPrefix.size()) : "";
}

/// The service's socket, and the time limit of each query.
struct Service {
  std::string socket;
  std::chrono::milliseconds patience;
};

Result<ServedEntry> describe(const Service &service, const std::string &name) {
  hal::ConnectOptions options;
  options.patience = options.answerLimit = service.patience;
  hal::Result<std::shared_ptr<hal::IDevice>> device = hal::connectDevice(service.socket, name, options);
  if (!device)
    return failed(device.error());
  ServedEntry entry{name, statusName((*device)->status()), (*device)->versionString(), targetOf(name), {}};
  for (const hal::Extension &extension : (*device)->supportedExtensions())
    entry.extensions.push_back(extension.name);
  return entry;
}

/// Reads the totals first, so that they do not count this process as a client of a device.
Result<ServedList> findServed(const Service &service) {
  ServedList list;
  hal::Result<hal::ServiceTotals> totals = hal::readTotals(service.socket, service.patience);
  if (totals)
    list.totals = std::move(*totals);
  else if (totals.code() != hal::ErrorStatus::DeviceUnavailable)
    return failed(totals.error());
  hal::Result<std::vector<std::string>> names = hal::listDevices(service.socket, service.patience);
  if (!names)
    return failed(names.error());
  for (const std::string &name : *names) {
    AVOCET_ASSIGN_OR_RETURN(ServedEntry entry, describe(service, name));
    list.devices.push_back(std::move(entry));
  }
  return list;
}

/// Null: there are none, or this process may not read them.
const hal::DeviceTotals *totalsOf(const ServedList &list, const std::string &device) {
  if (!list.totals)
    return nullptr;
  auto entry = std::ranges::find(list.totals->devices, device, &hal::DeviceTotals::device);
  return entry == list.totals->devices.end() ? nullptr : &*entry;
}

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

void printTable(const ServedList &list) {
  TextTable table;
  for (auto title : {"device", "target", "status"})
    table.addColumn(title, TextTable::Align::Left);
  if (list.totals) {
    for (const Total &total : kCounts)
      table.addColumn(total.title, TextTable::Align::Right);
    table.addColumn("memory", TextTable::Align::Right);
  }
  constexpr size_t kLeastVersion = 10, kLeastExtensions = 16;
  table.addColumn("version", TextTable::Align::Left).cutTo(kLeastVersion).drop(2);
  table.addColumn("extensions", TextTable::Align::Left).wrapTo(kLeastExtensions).drop(1);
  for (const ServedEntry &entry : list.devices) {
    std::vector<std::string> cells = {entry.name, entry.target, entry.status};
    if (list.totals) {
      const hal::DeviceTotals *totals = totalsOf(list, entry.name);
      std::ranges::move(totalCells(totals ? *totals : hal::DeviceTotals()), std::back_inserter(cells));
    }
    cells.insert(cells.end(), {entry.version, fmt::to_string(fmt::join(entry.extensions, " "))});
    table.addRow(std::move(cells));
  }
  printOut("{}", table.toString());
  if (list.totals)
    printOut("\nconnected  {} now, {} ever\ncalls      {} ever\nobjects    {}, {} of them bursts\n",
             list.totals->clientsNow, withCommas(list.totals->clientsEver), withCommas(list.totals->callsEver),
             list.totals->objectsNow, list.totals->burstsNow);
}

nlohmann::json totalsJson(const hal::DeviceTotals &totals) {
  nlohmann::json json;
  for (const Total &total : kCounts)
    json[total.key] = totals.*total.value;
  json["memory_bytes"] = totals.memoryBytes;
  json["host_bytes_copied"] = totals.hostBytesCopied;
  json["compiler_crashes"] = totals.compilerCrashes;
  json["compiler_restarts"] = totals.compilerRestarts;
  return json;
}

nlohmann::json entryJson(const ServedList &list, const ServedEntry &entry) {
  nlohmann::json json = {{"device", entry.name},
                         {"target", entry.target},
                         {"status", entry.status},
                         {"version", entry.version},
                         {"extensions", entry.extensions}};
  if (const hal::DeviceTotals *totals = totalsOf(list, entry.name))
    json["totals"] = totalsJson(*totals);
  return json;
}

void printJson(const ServedList &list) {
  nlohmann::json json = {{kSchemaVersionKey, kDevicesSchema}, {"devices", nlohmann::json::array()}};
  for (const ServedEntry &entry : list.devices)
    json["devices"].push_back(entryJson(list, entry));
  if (list.totals)
    json["service"] = {{"clients", list.totals->clientsNow},   {"clients_ever", list.totals->clientsEver},
                       {"calls_ever", list.totals->callsEver}, {"objects", list.totals->objectsNow},
                       {"bursts", list.totals->burstsNow},     {"descriptors", list.totals->descriptorsNow}};
  printOut("{}\n", json.dump(2));
}

enum class Form { Table, Json, Metrics };

Status printMetrics(const Service &service) {
  hal::Result<hal::ServiceTotals> totals = hal::readTotals(service.socket, service.patience);
  if (!totals)
    return failed(totals.error());
  printOut("{}", metricsText(*totals));
  return Status::ok();
}

Status listServed(const Service &service, Form form) {
  if (form == Form::Metrics)
    return printMetrics(service);
  AVOCET_ASSIGN_OR_RETURN(ServedList list, findServed(service));
  if (form == Form::Json)
    printJson(list);
  else
    printTable(list);
  return Status::ok();
}

} // namespace

void addDevicesCommand(CommandLine &app, Action &action) {
  CommandLine command = app.addSubcommand("devices", "List the devices that a driver service offers");
  auto socket = std::make_shared<std::string>(hal::defaultSocketPath());
  command.addText("--socket", *socket, "Where the service listens").showDefault();
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
      return listServed({*socket, std::chrono::seconds(*seconds)}, form);
    };
  });
}

} // namespace avocet::tool
