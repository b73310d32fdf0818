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

/// Connects and introduces itself; an empty name asks for the list of devices.
Result<std::pair<std::shared_ptr<Connection>, fb::WelcomeT>> greet(const std::string &path, const std::string &device) {
  AVOCET_HAL_ASSIGN_OR_RETURN(std::unique_ptr<Channel> channel, Channel::connect(path));
  AVOCET_HAL_ASSIGN_OR_RETURN(std::shared_ptr<Connection> connection, Connection::create(std::move(channel)));
  fb::HelloT hello;
  hello.protocol = kProtocol;
  hello.device = device;
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
  auto greeted = greet(socketPath, "");
  if (!greeted)
    return greeted.error();
  return greeted->second.devices;
}

Result<std::shared_ptr<IDevice>> connectDevice(const std::string &socketPath, const std::string &deviceName,
                                               const ConnectOptions &options) {
  if (deviceName.empty())
    return invalidArgument("no device is named; listDevices() gives the names");
  auto greeted = greet(socketPath, deviceName);
  if (!greeted)
    return greeted.error();
  return std::shared_ptr<IDevice>(
      std::make_shared<RemoteDevice>(greeted->first, fromMessage(greeted->second), options));
}

} // namespace avocet::hal
