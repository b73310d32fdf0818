//===- Channel.cpp - Messages with descriptors over a socket -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/Channel.h"

#include "avocet/base/DescriptorPassing.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/PositionalIo.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

constexpr uint32_t kMagic = 0x50495641; // "AVIP"
constexpr int kBacklog = 64;

/// In front of every message.
struct PacketHeader {
  uint32_t magic;
  uint32_t numFds;
  uint64_t bytes;
  uint32_t inMemory; ///< 1: the last descriptor is sealed memory that holds the bytes
  uint32_t reserved;
};
static_assert(sizeof(PacketHeader) == 24);

Error deadObject(std::string message) { return error(ErrorStatus::DeadObject, std::move(message)); }

Result<sockaddr_un> addressOf(const std::string &path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path))
    return invalidArgument(fmt::format("socket path '{}': has {} characters, 1 to {} are allowed", path, path.size(),
                                       sizeof(address.sun_path) - 1));
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

FileDescriptor openSocket() { return FileDescriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)); }

using Room = DescriptorRoom<Channel::kMaxDescriptors + 1>;

/// Sends a packet of two parts with the descriptors beside it. 0, or the error.
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

/// Memory that nobody can change any more.
avocet::Result<FileDescriptor> sealedMemory(std::span<const uint8_t> bytes) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-message", bytes.size()));
  AVOCET_RETURN_IF_ERROR(writeFromStart(file, bytes, "a message's memory"));
  (void)::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return file;
}

/// Reads, not maps: the sender may have left the memory unsealed.
Outcome readMemory(const FileDescriptor &memory, std::vector<uint8_t> &bytes, uint64_t size) {
  avocet::Result<uint64_t> actual = fileSize(memory, "a message's memory");
  if (!actual || *actual != size)
    return deadObject("a message's memory has another size than it said");
  bytes.resize(size);
  if (!readFromStart(memory, bytes, "a message's memory").isOk())
    return deadObject("a message's memory cannot be read");
  return success();
}

bool isWellFormed(const PacketHeader &header, size_t inlineBytes) {
  uint64_t limit = header.inMemory ? Channel::kMaxBytes : Channel::kMaxInlineBytes;
  return header.magic == kMagic && header.reserved == 0 && header.inMemory <= 1 && header.bytes > 0 &&
         header.bytes <= limit && inlineBytes == (header.inMemory ? 0 : header.bytes) &&
         header.numFds <= Channel::kMaxDescriptors + header.inMemory && header.numFds >= header.inMemory;
}

/// Of connect() as well as of send().
void setPatience(const FileDescriptor &socket, std::chrono::seconds patience) {
  const timeval timeout = {patience.count(), 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
}

} // namespace

Channel::Channel(FileDescriptor socket, std::chrono::seconds patience) : socket_(std::move(socket)) {
  setPatience(socket_, patience);
}

Result<std::unique_ptr<Channel>> Channel::connect(const std::string &path, std::chrono::seconds patience) {
  AVOCET_HAL_ASSIGN_OR_RETURN(sockaddr_un address, addressOf(path));
  FileDescriptor socket = openSocket();
  if (!socket.isValid())
    return error(ErrorStatus::ResourceExhaustedTransient,
                 fmt::format("cannot open a socket: {}", std::strerror(errno)));
  setPatience(socket, patience);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0)
    return std::make_unique<Channel>(std::move(socket), patience);
  if (errno == EAGAIN)
    return deadObject(fmt::format("the service at {} has taken nobody in for {} s; look at its --max-clients, and "
                                  "whether it still runs",
                                  path, patience.count()));
  return deadObject(fmt::format("nobody serves at {}: {}; start avocetd there", path, std::strerror(errno)));
}

Result<std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>>> Channel::createPair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return generalFailure(fmt::format("cannot open a pair of sockets: {}", std::strerror(errno)));
  return std::pair(std::make_unique<Channel>(FileDescriptor(ends[0])),
                   std::make_unique<Channel>(FileDescriptor(ends[1])));
}

Outcome Channel::send(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds) {
  AVOCET_HAL_RETURN_IF_ERROR(transmit(bytes, fds, Wait::Yes));
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
  case ETOOMANYREFS: // descriptors of this user that are under way
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
  return deadObject("the other side of the connection is gone or does not read");
}

Error Channel::broken(const char *how) {
  shutdown();
  return deadObject(fmt::format("the other side of the connection {}", how));
}

Result<Message> Channel::receive() {
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
  while (got < 0 && errno == EINTR);
  if (got <= 0)
    return broken("is gone");
  Message message;
  for (FileDescriptor &fd : takeDescriptors(packet))
    message.fds.push_back(std::make_shared<const FileDescriptor>(std::move(fd)));
  PacketHeader header;
  if (static_cast<size_t>(got) < sizeof(header) || (packet.msg_flags & MSG_TRUNC) != 0)
    return broken("broke the framing");
  std::memcpy(&header, packet_.data(), sizeof(header));
  std::span<const uint8_t> body = std::span<const uint8_t>(packet_).subspan(sizeof(header), got - sizeof(header));
  if (!isWellFormed(header, body.size()) || message.fds.size() > header.numFds)
    return broken("broke the framing");
  message.descriptorsLost = (packet.msg_flags & MSG_CTRUNC) != 0;
  if (message.fds.size() != header.numFds && !message.descriptorsLost)
    return broken("sent another number of descriptors than it said");
  if (!header.inMemory) {
    message.bytes.assign(body.begin(), body.end());
    return message;
  }
  if (message.descriptorsLost) // the message itself is lost, and nobody can say which call it was
    return broken("sent more descriptors than this process may open");
  SharedHandle memory = std::move(message.fds.back());
  message.fds.pop_back();
  if (Outcome read = readMemory(*memory, message.bytes, header.bytes); !read) {
    shutdown();
    return read.error();
  }
  return message;
}

void Channel::shutdown() { ::shutdown(socket_.get(), SHUT_RDWR); }

Result<PeerCredentials> Channel::peer() const {
  ucred credentials = {};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return generalFailure(fmt::format("cannot examine the other side: {}", std::strerror(errno)));
  return PeerCredentials{credentials.pid, credentials.uid, credentials.gid};
}

Listener::Listener(FileDescriptor socket, std::string path)
    : socket_(std::move(socket)), wake_(::eventfd(0, EFD_CLOEXEC)), path_(std::move(path)) {}

Listener::~Listener() {
  if (!path_.empty())
    ::unlink(path_.c_str());
}

Result<std::unique_ptr<Listener>> Listener::listen(const std::string &path, uint32_t mode) {
  AVOCET_HAL_ASSIGN_OR_RETURN(sockaddr_un address, addressOf(path));
  if (Channel::connect(path))
    return generalFailure(path + ": another service listens there");
  ::unlink(path.c_str());
  FileDescriptor socket = openSocket();
  if (!socket.isValid() || ::bind(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0 ||
      ::chmod(path.c_str(), mode) != 0 || ::listen(socket.get(), kBacklog) != 0)
    return generalFailure(fmt::format("cannot listen at {}: {}", path, std::strerror(errno)));
  return std::unique_ptr<Listener>(new Listener(std::move(socket), path));
}

Result<std::unique_ptr<Listener>> Listener::fromServiceManager() {
  const char *process = std::getenv("LISTEN_PID"), *count = std::getenv("LISTEN_FDS");
  if (process == nullptr || count == nullptr || std::to_string(::getpid()) != process || std::string(count) != "1")
    return invalidArgument("the service manager gave no socket (LISTEN_PID, LISTEN_FDS)");
  constexpr int kFirstDescriptor = 3;
  int type = 0;
  socklen_t size = sizeof(type);
  if (::getsockopt(kFirstDescriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET)
    return invalidArgument("the service manager's socket is not one of packets (ListenSequentialPacket=)");
  ::fcntl(kFirstDescriptor, F_SETFD, FD_CLOEXEC);
  return std::unique_ptr<Listener>(new Listener(FileDescriptor(kFirstDescriptor), ""));
}

Result<std::unique_ptr<Channel>> Listener::accept() {
  constexpr int kPauseMs = 50;
  pollfd waiting[] = {{socket_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  while (true) {
    if (::poll(waiting, 2, -1) < 0 && errno != EINTR)
      return generalFailure(fmt::format("cannot wait for clients: {}", std::strerror(errno)));
    if (waiting[1].revents != 0)
      return generalFailure("the service is ending");
    FileDescriptor client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client.isValid())
      return std::make_unique<Channel>(std::move(client));
    // Out of descriptors or memory: the client waits in the queue until some are free again.
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
      ::poll(&waiting[1], 1, kPauseMs);
  }
}

void Listener::shutdown() {
  uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
}

std::string defaultSocketPath() { return knobText(knobs::kSocket); }

} // namespace avocet::hal
