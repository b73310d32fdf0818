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

Status listServed(const std::string &socket) {
  hal::Result<std::vector<std::string>> names = hal::listDevices(socket);
  if (!names)
    return failed(names.error());
  TextTable table;
  for (auto title : {"device", "status", "version", "extensions"})
    table.addColumn(title, TextTable::Align::Left);
  for (const std::string &name : *names) {
    hal::Result<std::shared_ptr<hal::IDevice>> device = hal::connectDevice(socket, name);
    if (!device)
      return failed(device.error());
    std::string extensions;
    for (const hal::Extension &extension : (*device)->supportedExtensions())
      extensions += (extensions.empty() ? "" : " ") + extension.name;
    table.addRow({name, statusName((*device)->status()), (*device)->versionString(), extensions});
  }
  fmt::print("{}", table.toString());
  return Status::ok();
}

} // namespace

void addDevicesCommand(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand("devices", "List the devices that a driver service offers");
  auto socket = std::make_shared<std::string>(hal::defaultSocketPath());
  command->add_option("--socket", *socket, "where the service listens")->capture_default_str();
  command->footer(kFooter);
  command->callback([&action, socket] { action = [socket] { return listServed(*socket); }; });
}

} // namespace avocet::tool
