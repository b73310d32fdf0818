//===- GuestView.cpp - Where a driver keeps its messages and records ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuestView.h"

#include "avocet/firmware_iface/Registers.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>

namespace avocet::sim {

namespace {

/// QEMU's machine q35 has the rest of a larger memory above 4 GiB.
constexpr uint64_t kLowBytes = uint64_t{2} << 30;
constexpr uint64_t kHighAddress = uint64_t{4} << 30;

} // namespace

Result<GuestMemory> GuestMemory::open(const std::string &path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.isValid())
    return errnoStatus(errno, "cannot open the guest's memory " + path);
  AVOCET_ASSIGN_OR_RETURN(const uint64_t bytes, fileSize(file, path));
  if (bytes == 0)
    return invalidArgument("the guest's memory " + path + " is empty");
  GuestMemory memory;
  AVOCET_ASSIGN_OR_RETURN(memory.memory_, Mapping::map(file.get(), bytes, Mapping::Access::ReadWrite));
  return memory;
}

Status GuestMemory::attachTo(Device &device) {
  const std::span<uint8_t> all = memory_.bytes();
  const size_t low = std::min<size_t>(all.size(), kLowBytes);
  AVOCET_RETURN_IF_ERROR(device.attachMemory(0, all.first(low)));
  return low == all.size() ? Status::ok() : device.attachMemory(kHighAddress, all.subspan(low));
}

std::span<uint8_t> GuestMemory::at(uint64_t address, uint64_t bytes) {
  const std::span<uint8_t> all = memory_.bytes();
  const size_t low = std::min<size_t>(all.size(), kLowBytes);
  const bool isHigh = address >= kHighAddress;
  const std::span<uint8_t> part = isHigh ? all.subspan(low) : all.first(low);
  const uint64_t offset = isHigh ? address - kHighAddress : address;
  return offset < part.size() && bytes <= part.size() - offset ? part.subspan(offset, bytes) : std::span<uint8_t>();
}

using namespace firmware;

namespace {

constexpr uint64_t withLow(uint64_t address, uint32_t low) { return (address & ~uint64_t{0xffffffff}) | low; }
constexpr uint64_t withHigh(uint64_t address, uint32_t high) { return (address & 0xffffffff) | uint64_t{high} << 32; }

template <typename T> T bodyOf(const Mailbox &message) {
  T body;
  std::memcpy(&body, message.body, sizeof(body));
  return body;
}

/// Forgets everything of a context.
void eraseContext(auto &objects, uint32_t context) {
  std::erase_if(objects, [context](const auto &entry) { return entry.first.first == context; });
}

} // namespace

template <typename T> T *GuestView::at(uint64_t systemAddress) {
  const std::span<uint8_t> bytes = memory_.at(systemAddress, sizeof(T));
  return systemAddress % alignof(T) == 0 && !bytes.empty() ? reinterpret_cast<T *>(bytes.data()) : nullptr;
}

template <typename T> T *GuestView::at(uint32_t context, uint64_t deviceAddress) {
  auto next = mappings_.upper_bound({context, deviceAddress});
  if (next == mappings_.begin())
    return nullptr;
  const MapRequest &mapping = std::prev(next)->second;
  const uint64_t offset = deviceAddress - mapping.deviceAddress;
  if (mapping.context != context || offset >= mapping.bytes || mapping.bytes - offset < sizeof(T))
    return nullptr;
  return at<T>(mapping.systemAddress + offset);
}

void GuestView::observeWrite(uint32_t offset, uint32_t value) {
  switch (static_cast<Register>(offset)) {
  case Register::MailboxInLow:
    mailboxIn_ = withLow(mailboxIn_, value);
    break;
  case Register::MailboxInHigh:
    mailboxIn_ = withHigh(mailboxIn_, value);
    break;
  case Register::MailboxOutLow:
    mailboxOut_ = withLow(mailboxOut_, value);
    break;
  case Register::MailboxOutHigh:
    mailboxOut_ = withHigh(mailboxOut_, value);
    break;
  case Register::MailboxBell:
    observeMessage();
    break;
  case Register::Control:
    if ((value & control::kReset) != 0) {
      mappings_.clear();
      rings_.clear();
    }
    break;
  default:
    break;
  }
}

void GuestView::observeMessage() {
  const Mailbox *message = at<Mailbox>(mailboxIn_);
  if (!message)
    return;
  switch (static_cast<MessageKind>(message->header.kind)) {
  case MessageKind::Map: {
    const auto request = bodyOf<MapRequest>(*message);
    mappings_[{request.context, request.deviceAddress}] = request;
    break;
  }
  case MessageKind::Unmap: {
    const auto request = bodyOf<MapRequest>(*message);
    mappings_.erase({request.context, request.deviceAddress});
    break;
  }
  case MessageKind::DestroyContext: {
    const auto request = bodyOf<ContextRequest>(*message);
    eraseContext(mappings_, request.context);
    eraseContext(rings_, request.context);
    break;
  }
  case MessageKind::CreateRing: {
    const auto request = bodyOf<RingRequest>(*message);
    const RingHeader *header = at<RingHeader>(request.context, request.address);
    if (header && request.entries > 0 && request.entries <= kMaxRingEntries)
      rings_[{request.context, request.ring}] = {request.address, request.entries, header->head};
    break;
  }
  default:
    break;
  }
}

Mailbox *GuestView::answer() { return at<Mailbox>(mailboxOut_); }

void GuestView::takeEndedRecords(uint32_t context, Ring &ring, std::vector<CompletionRecord *> &ended) {
  const RingHeader *header = at<RingHeader>(context, ring.address);
  while (header && header->tail != ring.reported) {
    const uint64_t place = ring.address + sizeof(RingHeader) + ring.reported % ring.entries * sizeof(JobDescriptor);
    const JobDescriptor *job = at<JobDescriptor>(context, place);
    CompletionRecord *record = job ? at<CompletionRecord>(context, job->completion) : nullptr;
    // Jobs of a ring end in its order.
    if (!record || __atomic_load_n(&record->state, __ATOMIC_ACQUIRE) == static_cast<uint32_t>(JobState::Pending))
      return;
    ended.push_back(record);
    ++ring.reported;
  }
}

std::vector<CompletionRecord *> GuestView::takeEndedRecords() {
  std::vector<CompletionRecord *> ended;
  for (auto &[key, ring] : rings_)
    takeEndedRecords(key.first, ring, ended);
  return ended;
}

} // namespace avocet::sim
