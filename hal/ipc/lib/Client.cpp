//===- Client.cpp - Devices in another process -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/ipc/Client.h"

#include "RemoteDevice.h"
#include "avocet/hal/types/VerboseLog.h"
#include "avocet/hal/wire/Envelope.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <fmt/format.h>

namespace avocet::hal {
namespace {

using namespace ipc;

struct Greeted {
  std::unique_ptr<Channel> channel;
  fb::WelcomeT welcome;
};

/// Bounds the memory that a hostile service makes its clients use before they have chosen a device of it.
Result<std::shared_ptr<const void>> admitGreeting(const BoundedReader &message) {
  constexpr uint64_t kMostBytes = uint64_t(1) << 20;
  if (message.size() > kMostBytes)
    return generalFailure(fmt::format("its greeting has {} bytes; at most {} are allowed", message.size(), kMostBytes));
  return std::shared_ptr<const void>();
}

uint32_t protocolOf(const fb::WelcomeT &welcome) {
  return welcome.protocol == 0 ? kUnnegotiatedProtocol : welcome.protocol;
}

/// Whether the client speaks the version that the service chose.
Outcome checkProtocol(const fb::WelcomeT &welcome, const ProtocolRange &protocols) {
  const uint32_t chosen = protocolOf(welcome);
  if (protocols.contains(chosen))
    return success();
  return generalFailure(
      fmt::format("the service chose version {} of the protocol; the client speaks {}", chosen, toString(protocols)));
}

/// Connects and sends Hello. The whole exchange has a time limit, since the kernel accepts connections for a stopped
/// service that never answers.
Result<Greeted> exchangeGreeting(const std::string &path, fb::HelloT hello, std::chrono::milliseconds patience,
                                 const ProtocolRange &protocols) {
  const auto end = std::chrono::steady_clock::now() + patience;
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Channel> channel, Channel::connect(path, patience));
  hello.protocol = protocols.oldest;
  hello.newest = protocols.newest;
  fb::EnvelopeT call;
  call.number = 1;
  call.call = callOf(std::move(hello));
  // A service without a free place answers and closes: its answer can be received even if sending failed.
  Outcome sent = sendEnvelope(*channel, call, HandleWriter());
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  channel->setReceiveLimit(std::max(left, std::chrono::milliseconds(1)));
  Result<Message> message = channel->receive(admitGreeting);
  if (!message)
    return error(message.code(), fmt::format("{}: {}", path, (sent ? message.error() : sent.error()).message));
  if (message->refusal)
    return *message->refusal;
  AVOCET_ASSIGN_OR_RETURN(fb::EnvelopeT answer, openEnvelope(message->bytes));
  if (const ErrorStatus status = statusOf(answer.error); status != ErrorStatus::None)
    return error(status, answer.message);
  fb::WelcomeT *welcome = answer.answer.AsWelcome();
  if (welcome == nullptr)
    return wrongAnswer();
  AVOCET_RETURN_IF_ERROR(checkProtocol(*welcome, protocols));
  return Greeted{std::move(channel), std::move(*welcome)};
}

Result<Greeted> greet(const std::string &path, fb::HelloT hello, std::chrono::milliseconds patience,
                      const ProtocolRange &protocols = kProtocols) {
  const std::string device = hello.device;
  Result<Greeted> greeted = exchangeGreeting(path, std::move(hello), patience, protocols);
  if (greeted)
    return greeted;
  return verboseError(VerboseTag::Manager,
                      device.empty() ? "service at " + path + " not used"
                                     : fmt::format("device {} of the service at {} not used", device, path),
                      greeted.error());
}

} // namespace

Result<std::vector<std::string>> listDevices(const std::string &socketPath, std::chrono::milliseconds patience) {
  auto greeted = greet(socketPath, {}, patience);
  if (!greeted)
    return greeted.error();
  verbose(VerboseTag::Manager, "service at {}: devices {}", socketPath, fmt::join(greeted->welcome.devices, ", "));
  return greeted->welcome.devices;
}

Result<ServiceTotals> readTotals(const std::string &socketPath, std::chrono::milliseconds patience) {
  fb::HelloT hello;
  hello.totals = true;
  auto greeted = greet(socketPath, std::move(hello), patience);
  if (!greeted)
    return greeted.error();
  if (greeted->welcome.totals == nullptr)
    return error(ErrorStatus::DeviceUnavailable, "the service is of a version that gives no totals");
  return fromMessage(*greeted->welcome.totals);
}

Result<std::shared_ptr<IDevice>> connectDevice(const std::string &socketPath, const std::string &deviceName,
                                               const ConnectOptions &options) {
  if (deviceName.empty())
    return invalidArgument("no device is named; listDevices() gives the names");
  fb::HelloT hello;
  hello.device = deviceName;
  auto greeted = greet(socketPath, std::move(hello), options.patience, options.protocols);
  if (!greeted)
    return greeted.error();
  verbose(VerboseTag::Manager, "device {} of the service at {}", deviceName, socketPath);
  greeted->channel->setReceiveLimit(options.answerLimit);
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Connection> connection,
                          Connection::create(std::move(greeted->channel), protocolOf(greeted->welcome), options));
  DeviceDescription description = fromMessage(greeted->welcome);
  if (!options.shownName.empty())
    description.name = options.shownName;
  return std::shared_ptr<IDevice>(
      std::make_shared<RemoteDevice>(std::move(connection), std::move(description), options));
}

} // namespace avocet::hal
