//===- Channel.cpp - Messages with descriptors over a socket -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Channel.h"

#include "SocketPath.h"

#include "avocet/base/DescriptorPassing.h"
#include "avocet/base/File.h"
#include "avocet/hal/types/PeerFile.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

constexpr uint32_t kMagic = 0x50495641; // "AVIP"

/// Precedes every message.
struct PacketHeader {
  uint32_t magic;
  uint32_t numFds;
  uint64_t bytes;
  uint32_t inMemory; ///< 1: the last descriptor is sealed memory that holds the bytes
  uint32_t reserved;
};
static_assert(sizeof(PacketHeader) == 24);

Error deadObject(std::string message) { return error(ErrorStatus::DeadObject, std::move(message)); }

using Room = DescriptorRoom<Channel::kMaxDescriptors + 1>;

/// Sends a packet of two parts with its descriptors. Returns 0 or errno.
int sendPacket(int socket, std::span<const uint8_t> head, std::span<const uint8_t> body, std::span<const int> fds,
               int flags) {
  iovec parts[] = {{const_cast<uint8_t *>(head.data()), head.size()},
                   {const_cast<uint8_t *>(body.data()), body.size()}};
  msghdr message = {};
  message.msg_iov = parts;
  message.msg_iovlen = body.empty() ? 1 : 2;
  Room room;
  attachDescriptors(message, room.bytes, fds);
  ssize_t sent;
  do
    sent = ::sendmsg(socket, &message, flags | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? errno : 0;
}

/// Memory sealed against all changes.
avocet::Result<FileDescriptor> sealedMemory(std::span<const uint8_t> bytes) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-message", bytes.size()));
  AVOCET_RETURN_IF_ERROR(writeFromStart(file, bytes, "a message's memory"));
  AVOCET_RETURN_IF_ERROR(seal(file, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL, "avocet-message"));
  return file;
}

/// Reads instead of mapping: the sender may have left the memory unsealed, and pages of a mapped hole would be charged
/// to this process.
Outcome readMemory(Message &message, const BoundedReader &reader, const Channel::Admit &admit) {
  if (admit) {
    AVOCET_ASSIGN_OR_RETURN(message.charge, admit(reader));
  }
  avocet::Result<std::vector<uint8_t>> bytes = reader.bytes();
  if (!bytes)
    return fromStatus(bytes.status());
  message.bytes = std::move(*bytes);
  return success();
}

bool isWellFormed(const PacketHeader &header, size_t inlineBytes) {
  uint64_t limit = header.inMemory ? Channel::kMaxBytes : Channel::kMaxInlineBytes;
  return header.magic == kMagic && header.reserved == 0 && header.inMemory <= 1 && header.bytes > 0 &&
         header.bytes <= limit && inlineBytes == (header.inMemory ? 0 : header.bytes) &&
         header.numFds <= Channel::kMaxDescriptors + header.inMemory && header.numFds >= header.inMemory;
}

timeval timevalOf(std::chrono::milliseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {seconds.count(), std::chrono::microseconds(time - seconds).count()};
}

/// Sets the time-out of connect() and send().
void setPatience(const FileDescriptor &socket, std::chrono::milliseconds patience) {
  const timeval timeout = timevalOf(patience);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

} // namespace

Channel::Channel(FileDescriptor socket, std::chrono::milliseconds patience) : socket_(std::move(socket)) {
  setPatience(socket_, patience);
}

Result<std::unique_ptr<Channel>> Channel::connect(const std::string &path, std::chrono::milliseconds patience) {
  AVOCET_ASSIGN_OR_RETURN(sockaddr_un address, socketAddress(path));
  FileDescriptor socket = openPacketSocket();
  if (!socket.isValid())
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("cannot open a socket: {}", std::strerror(errno)));
  setPatience(socket, patience);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0)
    return std::make_unique<Channel>(std::move(socket), patience);
  if (errno == EAGAIN)
    return deadObject(
        fmt::format("the service at {} has accepted no connection for {:.1f} s; see whether it is stopped "
                    "(ps), or overloaded (its --max-clients)",
                    path, static_cast<double>(patience.count()) / 1e3));
  const int failure = errno;
  const std::string_view left = failure == ECONNREFUSED ? " (the socket is that of a service that has ended)" : "";
  return deadObject(
      fmt::format("no service listens at {}: {}{}; start avocetd there", path, std::strerror(failure), left));
}

Result<std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>>> Channel::createPair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return generalFailure(fmt::format("cannot open a pair of sockets: {}", std::strerror(errno)));
  return std::pair(std::make_unique<Channel>(FileDescriptor(ends[0])),
                   std::make_unique<Channel>(FileDescriptor(ends[1])));
}

Outcome Channel::send(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds) {
  AVOCET_RETURN_IF_ERROR(transmit(bytes, fds, Wait::Yes));
  return success();
}

Result<bool> Channel::trySend(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds) {
  return transmit(bytes, fds, Wait::No);
}

Result<bool> Channel::transmit(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds, Wait wait) {
  if (fds.size() > kMaxDescriptors || bytes.size() > kMaxBytes || bytes.empty())
    return invalidArgument(fmt::format("message of {} bytes and {} descriptors; 1 to {} and at most {} are allowed",
                                       bytes.size(), fds.size(), kMaxBytes, kMaxDescriptors));
  std::vector<int> numbers;
  numbers.reserve(fds.size() + 1);
  for (const SharedHandle &fd : fds)
    numbers.push_back(fd ? fd->get() : -1);
  PacketHeader header = {kMagic, static_cast<uint32_t>(fds.size()), bytes.size(), bytes.size() > kMaxInlineBytes, 0};
  FileDescriptor memory;
  if (header.inMemory) {
    avocet::Result<FileDescriptor> sealed = sealedMemory(bytes);
    if (!sealed)
      return error(ErrorStatus::ResourceExhaustedTransient, std::string(sealed.status().message()));
    memory = std::move(*sealed);
    numbers.push_back(memory.get());
    ++header.numFds;
  }
  std::span<const uint8_t> body = header.inMemory ? std::span<const uint8_t>() : bytes;
  int failure = sendPacket(socket_.get(), {reinterpret_cast<const uint8_t *>(&header), sizeof(header)}, body, numbers,
                           wait == Wait::No ? MSG_DONTWAIT : 0);
  switch (failure) {
  case 0:
    return true;
  case EBADF:
    return invalidArgument("message: one of its descriptors is not open");
  case ENOMEM:
  case ENOBUFS:
  case ETOOMANYREFS: // too many descriptors of this user in flight
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("cannot send a message: {}", std::strerror(failure)));
  case EAGAIN:
    if (wait == Wait::No)
      return false;
    break;
  default:
    break;
  }
  shutdown();
  return deadObject("the peer has closed the connection or does not read");
}

Error Channel::broken(const char *how) {
  shutdown();
  return deadObject(fmt::format("the peer {}", how));
}

Result<Message> Channel::receive(const Admit &admit) {
  packet_.resize(sizeof(PacketHeader) + kMaxInlineBytes);
  Room room;
  iovec part = {packet_.data(), packet_.size()};
  msghdr packet = {};
  packet.msg_iov = &part;
  packet.msg_iovlen = 1;
  packet.msg_control = room.bytes;
  packet.msg_controllen = sizeof(room.bytes);
  ssize_t got;
  do
    got = ::recvmsg(socket_.get(), &packet, MSG_CMSG_CLOEXEC);
  while (got < 0 && (errno == EINTR || errno == ECONNRESET)); // the peer closed with unread data: reported once
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    return broken("has not answered in time; see whether it is stopped (ps) or overloaded");
  if (got <= 0)
    return broken("has closed the connection");
  Message message;
  std::vector<FileDescriptor> descriptors = takeDescriptors(packet);
  message.fds.reserve(descriptors.size());
  for (FileDescriptor &fd : descriptors)
    message.fds.push_back(adoptPeerFile(std::move(fd), kept_));
  const std::span<const uint8_t> received = std::span<const uint8_t>(packet_).first(static_cast<size_t>(got));
  const std::optional<PacketHeader> read = BoundedReader(received, "a packet").value<PacketHeader>(0);
  if (!read || (packet.msg_flags & MSG_TRUNC) != 0)
    return broken("broke the framing");
  const PacketHeader &header = *read;
  const std::span<const uint8_t> body = received.subspan(sizeof(header));
  if (!isWellFormed(header, body.size()) || message.fds.size() > header.numFds)
    return broken("broke the framing");
  message.descriptorsLost = (packet.msg_flags & MSG_CTRUNC) != 0;
  if (message.fds.size() != header.numFds && !message.descriptorsLost)
    return broken("sent another number of descriptors than its header announced");
  if (!header.inMemory) {
    message.bytes.assign(body.begin(), body.end());
    return message;
  }
  if (message.descriptorsLost) // the message itself is lost, and so is the number of its call
    return broken("sent more descriptors than this process may open");
  return withMemory(std::move(message), header.bytes, admit);
}

/// The last descriptor is the memory that holds the bytes.
Result<Message> Channel::withMemory(Message message, uint64_t size, const Admit &admit) {
  const SharedHandle memory = std::move(message.fds.back());
  message.fds.pop_back();
  if (!isMemoryFile(*memory)) // reading another kind of file could block
    return broken("sent a file that is no memory file");
  avocet::Result<uint64_t> actual = fileSize(*memory, "a message's memory");
  if (!actual || *actual != size)
    return broken("sent memory of another size than its header announced");
  const BoundedReader reader(*memory, size, "a message's memory");
  if (Outcome read = readMemory(message, reader, admit); !read)
    message.refusal = read.error();
  return message;
}

std::vector<uint8_t> Channel::peek() const {
  constexpr size_t kMostBytes = 4096;
  std::array<uint8_t, sizeof(PacketHeader) + kMostBytes> packet;
  const ssize_t got = ::recv(socket_.get(), packet.data(), packet.size(), MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC);
  PacketHeader header;
  if (got < static_cast<ssize_t>(sizeof(header)) || got > static_cast<ssize_t>(packet.size()))
    return {};
  std::memcpy(&header, packet.data(), sizeof(header));
  if (header.inMemory != 0 || !isWellFormed(header, static_cast<size_t>(got) - sizeof(header)))
    return {};
  return {packet.begin() + sizeof(header), packet.begin() + got};
}

void Channel::setReceiveLimit(std::chrono::milliseconds limit) {
  const timeval timeout = timevalOf(limit);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
}

void Channel::shutdown() { ::shutdown(socket_.get(), SHUT_RDWR); }

Result<PeerCredentials> Channel::peer() const {
  ucred credentials = {};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return generalFailure(fmt::format("cannot examine the peer: {}", std::strerror(errno)));
  return PeerCredentials{credentials.pid, credentials.uid, credentials.gid};
}

} // namespace avocet::hal
