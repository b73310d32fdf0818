//===- BurstLink.cpp - One end of the socket beside a burst -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstLink.h"

#include "avocet/base/BoundedReader.h"
#include "avocet/base/DescriptorPassing.h"
#include "avocet/hal/types/PeerFile.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fmt/core.h>
#include <span>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>

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

namespace {

bool hasOption(int socket, int option, int expected) {
  int value = 0;
  socklen_t size = sizeof(value);
  return ::getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 && value == expected;
}

Error dead() { return error(ErrorStatus::DeadObject, "burst: the peer has closed the connection"); }

} // namespace

Result<std::pair<SharedHandle, SharedHandle>> BurstLink::createSockets() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return generalFailure(fmt::format("burst: cannot open a pair of sockets: {}", std::strerror(errno)));
  return std::pair(std::make_shared<const FileDescriptor>(FileDescriptor(ends[0])),
                   std::make_shared<const FileDescriptor>(FileDescriptor(ends[1])));
}

Result<std::unique_ptr<BurstLink>> BurstLink::create(SharedHandle socket, Duration timeout) {
  if (socket == nullptr || !hasOption(socket->get(), SO_DOMAIN, AF_UNIX) ||
      !hasOption(socket->get(), SO_TYPE, SOCK_SEQPACKET))
    return invalidArgument("burst: the link is not a socket of its kind");
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  auto rest = std::chrono::duration_cast<std::chrono::microseconds>(timeout - seconds);
  timeval limit = {static_cast<time_t>(seconds.count()), static_cast<suseconds_t>(rest.count())};
  ::setsockopt(socket->get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  return std::unique_ptr<BurstLink>(new BurstLink(std::move(socket), timeout));
}

BurstLink::~BurstLink() { shutdown(); }

Outcome BurstLink::start(Answerer answer, std::function<void()> onHangUp) {
  answer_ = std::move(answer);
  onHangUp_ = std::move(onHangUp);
  try {
    thread_ = std::thread([this] { receive(); });
  } catch (const std::system_error &failure) {
    return error(ErrorStatus::ResourceExhaustedTransient, fmt::format("burst: no thread: {}", failure.what()));
  }
  return success();
}

void BurstLink::shutdown() {
  hangUp();
  if (thread_.joinable())
    thread_.join();
}

/// shutdown() reports the hang-up to the peer even if another descriptor of this end is still open.
void BurstLink::hangUp() {
  ::shutdown(socket_->get(), SHUT_RDWR);
  std::lock_guard lock(mutex_);
  hasEnded_ = true;
  answered_.notify_all();
}

void BurstLink::receive() {
  try {
    while (std::optional<LinkMessage> message = receiveLinkMessage(socket_->get()))
      if (!take(std::move(*message)))
        break;
  } catch (const std::exception &) {
    // Out of memory: the link hangs up.
  }
  hangUp();
  onHangUp_();
}

/// False if the message breaks a rule.
bool BurstLink::take(LinkMessage message) {
  if (!message.isAnswer()) {
    std::optional<LinkMessage> answer = answer_(message);
    if (!answer)
      return false;
    answer->sequence = message.sequence;
    return sendLinkMessage(socket_->get(), *answer).isOk();
  }
  std::lock_guard lock(mutex_);
  if (!isWaiting_ || message.sequence != sequence_)
    return false;
  received_ = std::move(message);
  isWaiting_ = false;
  answered_.notify_all();
  return true;
}

Result<LinkMessage> BurstLink::ask(LinkMessage question) {
  std::lock_guard asking(asking_);
  {
    std::lock_guard lock(mutex_);
    if (hasEnded_)
      return dead();
    question.sequence = ++sequence_;
    isWaiting_ = true;
    received_.reset();
  }
  Outcome sent = sendLinkMessage(socket_->get(), question);
  std::unique_lock lock(mutex_);
  if (sent && answered_.wait_for(lock, timeout_, [&] { return received_.has_value() || hasEnded_; }) && received_)
    return std::move(*received_);
  isWaiting_ = false;
  lock.unlock();
  hangUp();
  return dead();
}

} // namespace avocet::hal
