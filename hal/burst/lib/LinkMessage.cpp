//===- LinkMessage.cpp - Messages on the socket of a burst -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinkMessage.h"

#include "avocet/base/BoundedReader.h"
#include "avocet/base/DescriptorPassing.h"
#include "avocet/hal/types/PeerFile.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <sys/socket.h>

namespace avocet::hal {
namespace {

using Kind = LinkMessage::Kind;

struct Header {
  uint32_t magic;
  Kind kind;
  uint32_t sequence;
  uint32_t count;
};
constexpr uint32_t kMagic = 0x4C425641; // "AVBL"

/// A memory without its descriptor. Fields that a kind lacks are 0.
struct Record {
  enum class Kind : uint32_t { Ashmem = 1, MappableFile = 2, Blob = 3, HardwareBuffer = 4 };
  Kind kind;
  int32_t protection;
  uint64_t offset;
  uint64_t size;
};
static_assert(sizeof(Header) == 16 && sizeof(Record) == 24);

struct Frame {
  Header header;
  union {
    int32_t slots[LinkMessage::kMaxEntries];
    Record memories[LinkMessage::kMaxEntries];
  };
};
static_assert(offsetof(Frame, memories) == sizeof(Header));

using Room = DescriptorRoom<LinkMessage::kMaxEntries>;

const SharedHandle *describe(const Ashmem &memory, Record &record) {
  record = {Record::Kind::Ashmem, 0, 0, memory.size};
  return &memory.fd;
}
const SharedHandle *describe(const MappableFile &memory, Record &record) {
  record = {Record::Kind::MappableFile, memory.protection, memory.offset, memory.size};
  return &memory.fd;
}
const SharedHandle *describe(const HardwareBuffer &memory, Record &record) {
  record = {memory.isBlob ? Record::Kind::Blob : Record::Kind::HardwareBuffer, 0, 0, memory.size};
  return &memory.fd;
}
const SharedHandle *describe(const UnknownHandle &, Record &) { return nullptr; }

const SharedHandle *describe(const SharedMemory &memory, Record &record) {
  if (memory == nullptr)
    return nullptr;
  const SharedHandle *fd = std::visit([&](const auto &handle) { return describe(handle, record); }, memory->handle);
  return fd != nullptr && *fd != nullptr && (*fd)->isValid() ? fd : nullptr;
}

SharedMemory memoryOf(const Record &record, SharedHandle fd) {
  Memory memory;
  switch (record.kind) {
  case Record::Kind::Ashmem:
    memory.handle = Ashmem{std::move(fd), record.size};
    break;
  case Record::Kind::MappableFile:
    memory.handle = MappableFile{std::move(fd), record.offset, record.size, record.protection};
    break;
  case Record::Kind::Blob:
  case Record::Kind::HardwareBuffer:
    memory.handle = HardwareBuffer{std::move(fd), record.kind == Record::Kind::Blob, record.size};
    break;
  default:
    return nullptr;
  }
  return std::make_shared<const Memory>(std::move(memory));
}

size_t entryBytes(Kind kind) { return kind == Kind::Memories ? sizeof(Record) : sizeof(int32_t); }

/// Whether a message of this kind may have `count` entries.
bool isAllowed(Kind kind, uint32_t count) {
  switch (kind) {
  case Kind::GetMemories:
    return count >= 1 && count <= LinkMessage::kMaxEntries;
  case Kind::FreeSlot:
    return count == 1;
  case Kind::Memories:
    return count <= LinkMessage::kMaxEntries;
  case Kind::Freed:
    return count == 0;
  }
  return false;
}

/// Entry `index` of a message whose length has been checked.
template <typename Entry> std::optional<Entry> entryOf(const BoundedReader &bytes, uint32_t index) {
  return bytes.value<Entry>(sizeof(Header) + uint64_t(index) * sizeof(Entry));
}

std::optional<LinkMessage> decode(const BoundedReader &bytes, std::vector<SharedHandle> fds) {
  const std::optional<Header> header = bytes.value<Header>(0);
  if (!header || header->magic != kMagic || !isAllowed(header->kind, header->count) ||
      bytes.size() != sizeof(Header) + header->count * entryBytes(header->kind) ||
      fds.size() != (header->kind == Kind::Memories ? header->count : 0))
    return std::nullopt;
  LinkMessage message{header->kind, header->sequence, {}, {}};
  for (uint32_t i = 0; i < header->count; ++i) {
    if (header->kind != Kind::Memories) {
      message.slots.push_back(*entryOf<int32_t>(bytes, i));
      continue;
    }
    const auto record = entryOf<Record>(bytes, i);
    message.memories.push_back(memoryOf(*record, std::move(fds[i])));
    if (message.memories.back() == nullptr)
      return std::nullopt;
  }
  return message;
}

} // namespace

bool canTravel(const SharedMemory &memory) {
  Record record;
  return describe(memory, record) != nullptr;
}

Outcome sendLinkMessage(int socket, const LinkMessage &message) {
  Frame frame;
  std::memset(&frame, 0, sizeof(frame));
  size_t count = message.kind == Kind::Memories ? message.memories.size() : message.slots.size();
  if (count > LinkMessage::kMaxEntries)
    return generalFailure("burst: a message with too many entries");
  frame.header = {kMagic, message.kind, message.sequence, static_cast<uint32_t>(count)};
  std::vector<int> fds;
  for (size_t i = 0; i < message.memories.size(); ++i) {
    const SharedHandle *fd = describe(message.memories[i], frame.memories[i]);
    if (fd == nullptr)
      return generalFailure("burst: a memory that cannot be sent to another process");
    fds.push_back((*fd)->get());
  }
  for (size_t i = 0; i < message.slots.size(); ++i)
    frame.slots[i] = message.slots[i];
  iovec vector = {&frame, sizeof(Header) + count * entryBytes(message.kind)};
  msghdr envelope = {};
  envelope.msg_iov = &vector;
  envelope.msg_iovlen = 1;
  Room room;
  attachDescriptors(envelope, room.bytes, fds);
  ssize_t sent = 0;
  do
    sent = ::sendmsg(socket, &envelope, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent != static_cast<ssize_t>(vector.iov_len))
    return error(ErrorStatus::DeadObject, "burst: the peer has closed the connection or does not read");
  return success();
}

std::optional<LinkMessage> receiveLinkMessage(int socket) {
  std::array<uint8_t, sizeof(Frame)> frame;
  Room room;
  iovec vector = {frame.data(), frame.size()};
  msghdr envelope = {};
  envelope.msg_iov = &vector;
  envelope.msg_iovlen = 1;
  envelope.msg_control = room.bytes;
  envelope.msg_controllen = sizeof(room.bytes);
  ssize_t got = 0;
  do
    got = ::recvmsg(socket, &envelope, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got <= 0)
    return std::nullopt;
  std::vector<SharedHandle> fds;
  for (FileDescriptor &fd : takeDescriptors(envelope))
    fds.push_back(adoptPeerFile(std::move(fd)));
  if ((envelope.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return std::nullopt;
  return decode(BoundedReader(std::span(frame).first(static_cast<size_t>(got)), "a link's message"), std::move(fds));
}

} // namespace avocet::hal
