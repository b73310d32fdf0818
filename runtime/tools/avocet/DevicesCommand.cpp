//===- DevicesCommand.cpp - avocet devices -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "TextTable.h"
#include "avocet/hal/Channel.h"
#include "avocet/hal/Client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

constexpr const char *kFooter = R"(The service is avocetd. To try it:
  avocetd --socket /tmp/avocetd.sock --target e256 --target m512 &
  avocet devices --socket /tmp/avocetd.sock)";

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

/// What the device is named after; the version tells two builds of it apart.
std::string targetOf(const std::string &device) {
  constexpr std::string_view kPrefix = "avocet-";
  return device.starts_with(kPrefix) ? device.substr(kPrefix.size()) : "";
}

Result<std::vector<ServedEntry>> findServed(const std::string &socket) {
  hal::Result<std::vector<std::string>> names = hal::listDevices(socket);
  if (!names)
    return failed(names.error());
  std::vector<ServedEntry> entries;
  for (const std::string &name : *names) {
    hal::Result<std::shared_ptr<hal::IDevice>> device = hal::connectDevice(socket, name);
    if (!device)
      return failed(device.error());
    ServedEntry entry{name, statusName((*device)->status()), (*device)->versionString(), targetOf(name), {}};
    for (const hal::Extension &extension : (*device)->supportedExtensions())
      entry.extensions.push_back(extension.name);
    entries.push_back(std::move(entry));
  }
  return entries;
}

void printTable(const std::vector<ServedEntry> &entries) {
  TextTable table;
  for (auto title : {"device", "target", "status", "version", "extensions"})
    table.addColumn(title, TextTable::Align::Left);
  for (const ServedEntry &entry : entries)
    table.addRow(
        {entry.name, entry.target, entry.status, entry.version, fmt::to_string(fmt::join(entry.extensions, " "))});
  fmt::print("{}", table.toString());
}

void printJson(const std::vector<ServedEntry> &entries) {
  nlohmann::json list = nlohmann::json::array();
  for (const ServedEntry &entry : entries)
    list.push_back({{"device", entry.name},
                    {"target", entry.target},
                    {"status", entry.status},
                    {"version", entry.version},
                    {"extensions", entry.extensions}});
  fmt::print("{}\n", nlohmann::json{{"devices", list}}.dump(2));
}

Status listServed(const std::string &socket, bool json) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<ServedEntry> entries, findServed(socket));
  if (json)
    printJson(entries);
  else
    printTable(entries);
  return Status::ok();
}

} // namespace

void addDevicesCommand(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("devices", "List the devices that a driver service offers");
  auto socket = std::make_shared<std::string>(hal::defaultSocketPath());
  command->add_option("--socket", *socket, "where the service listens")->capture_default_str();
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "For programs");
  command->footer(kFooter);
  command->callback([&action, socket, json] { action = [socket, json] { return listServed(*socket, *json); }; });
}

} // namespace avocet::tool
