//===- Peer.cpp - A hostile client's connection -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peer.h"

#include "Require.h"
#include "avocet/hal/wire/Envelope.h"

#include <unistd.h>

namespace avocet::fuzz {
namespace {

/// Below libFuzzer's own time-out, so that require() can print the reason.
constexpr int kPatienceMilliseconds = 8000;

} // namespace

Peer::Peer(const std::string &path) {
  auto channel = hal::Channel::connect(path);
  require(channel.isOk(), "cannot connect to the service: " + (channel ? "" : channel.error().message));
  channel_ = std::move(*channel);
  auto second = FileDescriptor(::dup(channel_->descriptor()));
  require(second.isValid(), "cannot duplicate a socket");
  socket_ = std::move(second);
}

void Peer::send(const Table &message, DescriptorBox &descriptors) {
  if (channel_ == nullptr)
    return;
  const Packet packet = packetOf(message, descriptors);
  if (!sendPacket(socket_.get(), message, packet))
    return;
  const std::optional<Packet::Summary> summary = packet.summary();
  // The service answers a packet that breaks a rule with an error or a hang-up. A release gets an answer only then.
  const bool isRelease = summary && summary->callTag == static_cast<uint8_t>(hal::ipc::fb::Call::Release);
  ++(isRelease ? numReleases_ : numDue_);
}

void Peer::settle() {
  while (channel_ != nullptr && numDue_ > 0)
    receive();
}

void Peer::receive() {
  require(awaitReadable(socket_.get(), kPatienceMilliseconds), "a call got no answer");
  hal::Result<hal::Message> message = channel_->receive();
  if (!message)
    return disconnect();
  hal::Result<hal::ipc::fb::EnvelopeT> answer = hal::ipc::openEnvelope(message->bytes);
  require(answer.isOk(), "an answer of the service cannot be read");
  if (answer->launched)
    return;
  require(numDue_ + numReleases_ > 0, "a call got two answers");
  --(numDue_ > 0 ? numDue_ : numReleases_);
}

void Peer::disconnect() {
  channel_.reset();
  socket_.reset();
  numDue_ = 0;
  numReleases_ = 0;
}

} // namespace avocet::fuzz
