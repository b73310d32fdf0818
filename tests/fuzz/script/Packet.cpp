//===- Packet.cpp - Messages as a hostile peer sends them -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Packet.h"

#include "script_bfbs_generated.h"
#include "script_generated.h"

#include "avocet/base/DescriptorPassing.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

namespace avocet::fuzz {
namespace {

namespace ipc = hal::ipc::fb;

constexpr size_t kMaxDescriptors = 240;

/// The packet header of hal/ipc. Declared again here, because a shared declaration that is wrong would go unnoticed.
struct Header {
  uint32_t magic, numFds;
  uint64_t bytes;
  uint32_t inMemory, reserved;
};
static_assert(sizeof(Header) == 24);
constexpr uint32_t kMagic = 0x50495641;

const reflection::Schema &schema() { return *reflection::GetSchema(scriptSchema()); }

void patch(Bytes &bytes, const Tables &patches) {
  for (const TablePointer &patch : patches) {
    const Bytes &change = bytesOf(*patch, fb::Patch::VT_BYTES);
    const size_t at = bytes.empty() ? 0 : numberOf(*patch, fb::Patch::VT_OFFSET) % bytes.size();
    std::copy_n(change.begin(), std::min(change.size(), bytes.size() - at), bytes.begin() + static_cast<ptrdiff_t>(at));
  }
}

FileDescriptor memoryWith(const Bytes &bytes) {
  FileDescriptor memory(::memfd_create("fuzz-message", MFD_CLOEXEC));
  (void)!::write(memory.get(), bytes.data(), bytes.size());
  return memory;
}

bool send(int socket, std::span<const iovec> parts, std::span<const int> descriptors, int flags) {
  msghdr message = {};
  message.msg_iov = const_cast<iovec *>(parts.data());
  message.msg_iovlen = parts.size();
  DescriptorRoom<kMaxDescriptors + 1> room;
  attachDescriptors(message, room.bytes, descriptors);
  ssize_t sent;
  do
    sent = ::sendmsg(socket, &message, flags | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

std::vector<int> numbersOf(std::span<const hal::SharedHandle> handles) {
  std::vector<int> numbers;
  for (const hal::SharedHandle &handle : handles)
    numbers.push_back(handle->get());
  return numbers;
}

} // namespace

const uint8_t *scriptSchema() { return fb::ServiceScriptBinarySchema::data(); }

TablePointer readScript(const uint8_t *data, size_t size, const char *type) {
  return readTree({data, size}, schema(), *schema().objects()->LookupByKey(type));
}

std::optional<Packet::Summary> Packet::summary() const {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), 64, 1u << 16);
  if (!ipc::VerifyEnvelopeBuffer(verifier))
    return std::nullopt;
  const ipc::Envelope *envelope = ipc::GetEnvelope(bytes.data());
  return Summary{envelope->number(), static_cast<uint8_t>(envelope->call_type()), envelope->launched()};
}

Packet packetOf(const Table &message, DescriptorBox &descriptors, std::optional<uint64_t> number) {
  TablePointer envelope = copyOf(tableOf(message, fb::Message::VT_ENVELOPE));
  envelope->type = schema().objects()->LookupByKey("avocet.hal.ipc.fb.Envelope");
  if (number)
    envelope->fields[ipc::Envelope::VT_NUMBER] = *number;
  Packet packet;
  packet.bytes = writeTree(*envelope, schema(), ipc::EnvelopeIdentifier());
  patch(packet.bytes, tablesOf(message, fb::Message::VT_PATCHES));
  for (uint8_t index : bytesOf(message, fb::Message::VT_FDS))
    if (OpenDescriptor *opened = descriptors.at(index); opened != nullptr && packet.handles.size() < kMaxDescriptors)
      packet.handles.push_back(opened->shared);
  return packet;
}

bool sendPacket(int socket, const Table &message, const Packet &packet) {
  const Table &framing = tableOf(message, fb::Message::VT_FRAMING);
  constexpr size_t kMaxInlineBytes = size_t(1) << 16;
  const bool inMemory = numberOf(framing, fb::Framing::VT_IN_MEMORY) != 0 || packet.bytes.size() > kMaxInlineBytes;
  std::vector<int> numbers = numbersOf(packet.handles);
  FileDescriptor memory;
  if (inMemory) {
    memory = memoryWith(packet.bytes);
    numbers.push_back(memory.get());
  }
  Header header = {kMagic + static_cast<uint32_t>(numberOf(framing, fb::Framing::VT_MAGIC)),
                   static_cast<uint32_t>(numbers.size() + numberOf(framing, fb::Framing::VT_DESCRIPTORS)),
                   packet.bytes.size() + numberOf(framing, fb::Framing::VT_SIZE), inMemory, 0};
  const iovec parts[] = {{&header, sizeof(header)},
                         {const_cast<uint8_t *>(packet.bytes.data()), inMemory ? 0 : packet.bytes.size()}};
  return send(socket, parts, numbers, 0);
}

bool sendRaw(int socket, std::span<const uint8_t> bytes, std::span<const hal::SharedHandle> handles) {
  const iovec parts[] = {{const_cast<uint8_t *>(bytes.data()), bytes.size()}};
  return send(socket, parts, numbersOf(handles), MSG_DONTWAIT);
}

bool awaitReadable(int socket, int milliseconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd entry = {socket, POLLIN, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::max<int64_t>(left, 0)));
    if (ready >= 0 || errno != EINTR) // libFuzzer's timer interrupts
      return ready > 0;
  }
}

} // namespace avocet::fuzz
