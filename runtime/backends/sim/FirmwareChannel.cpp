//===- FirmwareChannel.cpp - Requests to the firmware through the mailbox ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FirmwareChannel.h"

#include "avocet/base/Rounding.h"

#include <atomic>
#include <chrono>
#include <fmt/core.h>

namespace avocet::runtime {
namespace {

using firmware::MailboxState;
using firmware::Register;

/// The firmware answers between two jobs, so the limit is that of a job and not of a message.
constexpr std::chrono::minutes kAnswerLimit{10};

void writeAddress(sim::Device &device, Register low, Register high, const void *memory) {
  auto address = reinterpret_cast<uintptr_t>(memory);
  device.writeRegister(static_cast<uint32_t>(low), static_cast<uint32_t>(address));
  device.writeRegister(static_cast<uint32_t>(high), static_cast<uint32_t>(uint64_t(address) >> 32));
}

void setState(firmware::Mailbox &mailbox, MailboxState state) {
  std::atomic_ref(mailbox.header.state).store(static_cast<uint32_t>(state), std::memory_order_release);
}

bool isFull(firmware::Mailbox &mailbox) {
  return std::atomic_ref(mailbox.header.state).load(std::memory_order_acquire) ==
         static_cast<uint32_t>(MailboxState::Full);
}

Status lost(std::string message) { return {StatusCode::DeviceLost, std::move(message)}; }

} // namespace

FirmwareChannel::FirmwareChannel(sim::Device &device, std::function<void()> wake)
    : device_(device), wake_(std::move(wake)) {}

void FirmwareChannel::announceMailboxes() {
  std::lock_guard turn(requests_);
  std::lock_guard lock(mutex_);
  inFlight_ = InFlight::Nothing;
  hasAnswer_ = false;
  posted_.clear();
  setState(toDevice_, MailboxState::Empty);
  setState(fromDevice_, MailboxState::Empty);
  writeAddress(device_, Register::MailboxInLow, Register::MailboxInHigh, &toDevice_);
  writeAddress(device_, Register::MailboxOutLow, Register::MailboxOutHigh, &fromDevice_);
}

/// Requires the lock and an empty mailbox.
void FirmwareChannel::send(firmware::MessageKind kind, const void *request, size_t requestBytes) {
  std::memcpy(toDevice_.body, request, requestBytes);
  toDevice_.header.kind = static_cast<uint32_t>(kind);
  toDevice_.header.bytes = static_cast<uint32_t>(requestBytes);
  toDevice_.header.sequence = ++sequence_;
  setState(toDevice_, MailboxState::Full);
  device_.writeRegister(static_cast<uint32_t>(Register::MailboxBell), 1);
}

/// Sends the next posted request, if there is one. Requires the lock and an empty mailbox.
bool FirmwareChannel::sendPosted() {
  inFlight_ = posted_.empty() ? InFlight::Nothing : InFlight::Posted;
  if (posted_.empty())
    return false;
  send(firmware::MessageKind::Cancel, &posted_.front(), sizeof(firmware::CancelRequest));
  posted_.pop_front();
  return true;
}

void FirmwareChannel::postCancel(const firmware::CancelRequest &request) {
  {
    std::lock_guard lock(mutex_);
    posted_.push_back(request);
    if (inFlight_ != InFlight::Nothing)
      return;
    sendPosted();
  }
  wake_();
}

void FirmwareChannel::answerArrived() {
  {
    std::lock_guard lock(mutex_);
    if (!isFull(fromDevice_))
      return;
    if (inFlight_ == InFlight::Posted) {
      setState(fromDevice_, MailboxState::Empty);
      // This thread runs the device and will process the next message.
      if (sendPosted())
        return;
    } else {
      hasAnswer_ = true;
    }
  }
  changed_.notify_all();
}

Status FirmwareChannel::exchangeBytes(firmware::MessageKind kind, const void *request, size_t requestBytes,
                                      void *answer, size_t answerBytes) {
  std::lock_guard turn(requests_);
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, kAnswerLimit, [&] { return inFlight_ == InFlight::Nothing; }))
    return lost("the firmware does not answer");
  send(kind, request, requestBytes);
  inFlight_ = InFlight::Awaited;
  wake_();
  if (!changed_.wait_for(lock, kAnswerLimit, [&] { return hasAnswer_; }))
    return lost("the firmware does not answer");
  hasAnswer_ = false;
  Status status = takeAnswer(kind, answer, answerBytes);
  if (sendPosted())
    wake_();
  return status;
}

Status FirmwareChannel::takeAnswer(firmware::MessageKind kind, void *answer, size_t answerBytes) {
  firmware::MessageHeader header = fromDevice_.header;
  if (header.kind != static_cast<uint32_t>(kind) || header.sequence != sequence_ || header.bytes != answerBytes)
    return lost(fmt::format("the firmware answered message {} of kind {} with {} bytes of kind {}", sequence_,
                            static_cast<uint32_t>(kind), header.bytes, header.kind));
  std::memcpy(answer, fromDevice_.body, answerBytes);
  setState(fromDevice_, MailboxState::Empty);
  return Status::ok();
}

Status FirmwareChannel::statusOf(firmware::ReplyCode code, std::string_view what) {
  switch (code) {
  case firmware::ReplyCode::Ok:
    return Status::ok();
  case firmware::ReplyCode::OutOfContexts:
  case firmware::ReplyCode::OutOfMappings:
    return resourceExhausted(fmt::format("{}: the device has no room for more", what));
  case firmware::ReplyCode::VersionMismatch:
    return failedPrecondition(fmt::format("{}: driver and device have no interface version in common", what));
  default:
    return internalError(fmt::format("{}: the firmware refused with code {}", what, static_cast<uint32_t>(code)));
  }
}

namespace {

/// The simulated bus reaches this process's memory at its own addresses.
uint64_t systemAddress(std::span<const uint8_t> memory) { return reinterpret_cast<uintptr_t>(memory.data()); }

} // namespace

Status FirmwareObjects::createContext(const ContextRing &ring) {
  firmware::ContextRequest request{ring.firmwareContext(), ring.owner(), {}};
  return channel_.command(firmware::MessageKind::CreateContext, request, "create context");
}

Status FirmwareObjects::destroyContext(const ContextRing &ring) {
  firmware::ContextRequest request{ring.firmwareContext(), 0, {}};
  return channel_.command(firmware::MessageKind::DestroyContext, request, "destroy context");
}

Status FirmwareObjects::createRing(ContextRing &ring) {
  auto memory = ring.memory();
  firmware::MapRequest map{ring.firmwareContext(), firmware::access::kRead | firmware::access::kWrite,
                           ContextRing::kDeviceAddress, systemAddress(memory), memory.size()};
  AVOCET_RETURN_IF_ERROR(channel_.command(firmware::MessageKind::Map, map, "map ring"));
  firmware::RingRequest request{ring.firmwareContext(), ring.ring(), ContextRing::kDeviceAddress, ContextRing::kEntries,
                                0};
  return channel_.command(firmware::MessageKind::CreateRing, request, "create ring");
}

Status FirmwareObjects::map(const ContextRing &ring, const MappedRange &range) {
  firmware::MapRequest request{ring.firmwareContext(), static_cast<uint32_t>(range.access), range.address,
                               systemAddress(range.memory), roundUp(range.memory.size(), kPageBytes)};
  return channel_.command(firmware::MessageKind::Map, request, "map");
}

Status FirmwareObjects::unmap(const ContextRing &ring, const MappedRange &range) {
  firmware::MapRequest request{ring.firmwareContext(), 0, range.address, 0, roundUp(range.memory.size(), kPageBytes)};
  return channel_.command(firmware::MessageKind::Unmap, request, "unmap");
}

} // namespace avocet::runtime
