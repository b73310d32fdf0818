//===- Channel.cpp - Messages with descriptors over a socket -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/Channel.h"

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
constexpr timeval kSendTimeout = {2, 0};
constexpr int kBacklog = 64;

/// In front of every message.
struct FrameHeader {
  uint32_t magic;
  uint32_t numFds;
  uint64_t bytes;
  uint32_t inMemory; ///< 1: the last descriptor is sealed memory that holds the bytes
  uint32_t reserved;
};
static_assert(sizeof(FrameHeader) == 24);

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

FileDescriptor openSocket() { return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

/// Sends all of it, with the descriptors beside the first byte.
bool sendAll(int socket, std::span<const uint8_t> bytes, std::span<const int> fds) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * (Channel::kMaxDescriptors + 1))] = {};
  while (!bytes.empty()) {
    iovec vector = {const_cast<uint8_t *>(bytes.data()), bytes.size()};
    msghdr message = {};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    if (!fds.empty()) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(fds.size_bytes());
      cmsghdr *header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(fds.size_bytes());
      std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
    }
    ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR)
      continue;
    if (sent <= 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(sent));
    fds = {};
  }
  return true;
}

/// Takes the descriptors of one control message, whatever they are, so that none leaks.
void takeDescriptors(msghdr &message, std::vector<SharedHandle> &fds) {
  for (cmsghdr *header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      fds.push_back(std::make_shared<const FileDescriptor>(FileDescriptor(fd)));
    }
  }
}

bool receiveAll(int socket, std::span<uint8_t> bytes, std::vector<SharedHandle> &fds) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * (Channel::kMaxDescriptors + 1))];
  while (!bytes.empty()) {
    iovec vector = {bytes.data(), bytes.size()};
    msghdr message = {};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    takeDescriptors(message, fds);
    if ((message.msg_flags & MSG_CTRUNC) != 0)
      return false;
    bytes = bytes.subspan(static_cast<size_t>(got));
  }
  return true;
}

/// Memory that nobody can change any more.
avocet::Result<FileDescriptor> sealedMemory(std::span<const uint8_t> bytes) {
  AVOCET_ASSIGN_OR_RETURN(FileDescriptor file, createMemoryFile("avocet-message", bytes.size()));
  AVOCET_RETURN_IF_ERROR(writeFromStart(file, bytes, "a message's memory"));
  (void)::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return file;
}

} // namespace

Channel::Channel(FileDescriptor socket) : socket_(std::move(socket)) {
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendTimeout, sizeof(kSendTimeout));
}

Result<std::unique_ptr<Channel>> Channel::connect(const std::string &path) {
  AVOCET_HAL_ASSIGN_OR_RETURN(sockaddr_un address, addressOf(path));
  FileDescriptor socket = openSocket();
  if (!socket.isValid())
    return generalFailure(fmt::format("cannot open a socket: {}", std::strerror(errno)));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0)
    return deadObject(fmt::format("nobody serves at {}: {}; start avocetd there", path, std::strerror(errno)));
  return std::make_unique<Channel>(std::move(socket));
}

Result<std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>>> Channel::createPair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return generalFailure(fmt::format("cannot open a pair of sockets: {}", std::strerror(errno)));
  return std::pair(std::make_unique<Channel>(FileDescriptor(ends[0])),
                   std::make_unique<Channel>(FileDescriptor(ends[1])));
}

Outcome Channel::send(std::span<const uint8_t> bytes, std::span<const SharedHandle> fds) {
  if (fds.size() > kMaxDescriptors || bytes.size() > kMaxBytes || bytes.empty())
    return invalidArgument(fmt::format("message of {} bytes and {} descriptors; 1 to {} and at most {} are allowed",
                                       bytes.size(), fds.size(), kMaxBytes, kMaxDescriptors));
  std::vector<int> numbers;
  for (const SharedHandle &fd : fds)
    numbers.push_back(fd ? fd->get() : -1);
  if (std::find_if(numbers.begin(), numbers.end(), [](int fd) { return ::fcntl(fd, F_GETFD) < 0; }) != numbers.end())
    return invalidArgument("message: one of its descriptors is not open");
  FrameHeader header = {kMagic, static_cast<uint32_t>(fds.size()), bytes.size(), bytes.size() > kMaxInlineBytes, 0};
  FileDescriptor memory;
  if (header.inMemory) {
    avocet::Result<FileDescriptor> sealed = sealedMemory(bytes);
    if (!sealed)
      return fromStatus(sealed.status());
    memory = std::move(*sealed);
    numbers.push_back(memory.get());
    ++header.numFds;
  }
  std::vector<uint8_t> frame(reinterpret_cast<uint8_t *>(&header), reinterpret_cast<uint8_t *>(&header + 1));
  if (!header.inMemory)
    frame.insert(frame.end(), bytes.begin(), bytes.end());
  std::lock_guard lock(sending_);
  if (sendAll(socket_.get(), frame, numbers))
    return success();
  shutdown();
  return deadObject("the other side of the connection is gone or does not read");
}

Result<Message> Channel::receive() {
  FrameHeader header;
  std::vector<SharedHandle> fds;
  if (!receiveAll(socket_.get(), {reinterpret_cast<uint8_t *>(&header), sizeof(header)}, fds))
    return deadObject("the other side of the connection is gone");
  uint64_t limit = header.inMemory ? kMaxBytes : kMaxInlineBytes;
  if (header.magic != kMagic || header.reserved != 0 || header.inMemory > 1 || header.bytes == 0 ||
      header.bytes > limit || header.numFds > kMaxDescriptors + header.inMemory || header.numFds < header.inMemory) {
    shutdown();
    return deadObject("the other side of the connection broke the framing");
  }
  Result<Message> message = receivePayload(header.bytes, header.inMemory != 0, std::move(fds));
  if (message && message->fds.size() + header.inMemory == header.numFds)
    return message;
  shutdown();
  return message ? deadObject("the other side of the connection sent another number of descriptors than it said")
                 : message.error();
}

Result<Message> Channel::receivePayload(uint64_t bytes, bool inMemory, std::vector<SharedHandle> fds) {
  Message message;
  if (!inMemory) {
    message.bytes.resize(bytes);
    if (!receiveAll(socket_.get(), message.bytes, fds))
      return deadObject("the other side of the connection is gone");
    message.fds = std::move(fds);
    return message;
  }
  if (fds.empty())
    return deadObject("a message in memory came without its memory");
  SharedHandle memory = std::move(fds.back());
  fds.pop_back();
  avocet::Result<uint64_t> size = fileSize(*memory, "a message's memory");
  if (!size || *size != bytes)
    return deadObject("a message's memory has another size than it said");
  // Read, not mapped: the sender may have left the memory unsealed.
  message.bytes.resize(bytes);
  if (!readFromStart(*memory, message.bytes, "a message's memory").isOk())
    return deadObject("a message's memory cannot be read");
  message.fds = std::move(fds);
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
  ::fcntl(kFirstDescriptor, F_SETFD, FD_CLOEXEC);
  return std::unique_ptr<Listener>(new Listener(FileDescriptor(kFirstDescriptor), ""));
}

Result<std::unique_ptr<Channel>> Listener::accept() {
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
      ::poll(&waiting[1], 1, 50);
  }
}

void Listener::shutdown() {
  uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
}

std::string defaultSocketPath() { return knobText(knobs::kSocket); }

} // namespace avocet::hal
