//===- Client.cpp - Devices in another process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/Client.h"

#include "RemoteDevice.h"

namespace avocet::hal {
namespace {

using namespace ipc;

/// Connects and introduces itself.
Result<std::pair<std::shared_ptr<Connection>, fb::WelcomeT>> greet(const std::string &path, fb::HelloT hello) {
  AVOCET_HAL_ASSIGN_OR_RETURN(std::unique_ptr<Channel> channel, Channel::connect(path));
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<Connection> connection, Connection::create(std::move(channel)));
  hello.protocol = kProtocol;
  Reply reply = connection->call(callOf(std::move(hello)));
  if (reply.status != ErrorStatus::None)
    return errorOf(reply);
  fb::WelcomeT *welcome = reply.answer.AsWelcome();
  if (welcome == nullptr)
    return wrongAnswer();
  return std::pair(std::move(connection), std::move(*welcome));
}

} // namespace

Result<std::vector<std::string>> listDevices(const std::string &socketPath) {
  auto greeted = greet(socketPath, {});
  if (!greeted)
    return greeted.error();
  return greeted->second.devices;
}

Result<ServiceTotals> readTotals(const std::string &socketPath) {
  fb::HelloT hello;
  hello.totals = true;
  auto greeted = greet(socketPath, std::move(hello));
  if (!greeted)
    return greeted.error();
  if (greeted->second.totals == nullptr)
    return error(ErrorStatus::DeviceUnavailable, "the service is of a version that tells no totals");
  return fromMessage(*greeted->second.totals);
}

Result<std::shared_ptr<IDevice>> connectDevice(const std::string &socketPath, const std::string &deviceName,
                                               const ConnectOptions &options) {
  if (deviceName.empty())
    return invalidArgument("no device is named; listDevices() gives the names");
  fb::HelloT hello;
  hello.device = deviceName;
  auto greeted = greet(socketPath, std::move(hello));
  if (!greeted)
    return greeted.error();
  return std::shared_ptr<IDevice>(
      std::make_shared<RemoteDevice>(greeted->first, fromMessage(greeted->second), options));
}

} // namespace avocet::hal
