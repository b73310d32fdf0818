//===- HostileBurst.cpp - The service's side of a burst ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostileBurst.h"

#include "Packet.h"
#include "script_generated.h"

#include <algorithm>
#include <array>
#include <sys/socket.h>

namespace avocet::fuzz {
namespace {

constexpr uint32_t kElementBytes = DescriptorBox::kElementBytes;
/// After so many messages the service hangs up. Otherwise two sides that only send requests would never end.
constexpr int kMaxLinkMessages = 4;

std::unique_ptr<hal::ByteQueue> attach(const hal::QueueDescriptor &queue) {
  auto attached = hal::ByteQueue::attach(queue, kElementBytes);
  return attached ? std::move(*attached) : nullptr;
}

} // namespace

HostileBurst::HostileBurst(const Table &script, const hal::QueueDescriptor &requests,
                           const hal::QueueDescriptor &results, hal::SharedHandle link)
    : script_(script), requests_(attach(requests)), results_(attach(results)), link_(std::move(link)) {}

void HostileBurst::serve() {
  if (requests_ != nullptr && results_ != nullptr && requests_->availableToRead() > 0)
    serveQueue();
  if (link_ != nullptr && awaitReadable(link_->get(), 0))
    serveLink();
}

void HostileBurst::serveQueue() {
  Bytes request(requests_->availableToRead() * kElementBytes);
  (void)requests_->tryRead(request);
  Bytes result = bytesOf(script_, fb::ClientScript::VT_QUEUE_RESULTS);
  result.resize(result.size() / kElementBytes * kElementBytes);
  if (!result.empty())
    (void)results_->tryWrite(result);
}

void HostileBurst::serveLink() {
  constexpr size_t kSequenceAt = 8;
  std::array<uint8_t, 2048> message{};
  Bytes answer = bytesOf(script_, fb::ClientScript::VT_LINK_MESSAGES);
  const ssize_t got = ::recv(link_->get(), message.data(), message.size(), MSG_DONTWAIT);
  if (got < static_cast<ssize_t>(kSequenceAt + 4) || answer.size() < kSequenceAt + 4 ||
      ++numLinkMessages_ > kMaxLinkMessages)
    return link_.reset();
  std::copy_n(message.begin() + kSequenceAt, 4, answer.begin() + kSequenceAt);
  if (!sendRaw(link_->get(), answer, {}))
    link_.reset();
}

} // namespace avocet::fuzz
