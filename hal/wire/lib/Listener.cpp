//===- Listener.cpp - The socket that clients connect to --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/wire/Listener.h"

#include "SocketPath.h"

#include "avocet/base/Knobs.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// Connections that the kernel queues for accept(). The service accepts at once, so this bounds only short bursts.
constexpr int kBacklog = 256;

bool isExhausted(int error) { return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS; }

} // namespace

Listener::Listener(FileDescriptor socket, std::unique_ptr<SocketPath> path)
    : socket_(std::move(socket)), wake_(::eventfd(0, EFD_CLOEXEC)), path_(std::move(path)) {
  // If a client disconnects between poll() and accept4(), accept4() must not wait for the next one.
  (void)::fcntl(socket_.get(), F_SETFL, ::fcntl(socket_.get(), F_GETFL) | O_NONBLOCK);
}

Listener::~Listener() = default;

Result<std::unique_ptr<Listener>> Listener::listen(const std::string &path, uint32_t mode) {
  FileDescriptor socket = openPacketSocket();
  if (!socket.isValid())
    return generalFailure(fmt::format("cannot listen at {}: {}", path, std::strerror(errno)));
  AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<SocketPath> file, SocketPath::bind(socket, path, mode, kBacklog));
  return std::unique_ptr<Listener>(new Listener(std::move(socket), std::move(file)));
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
  return std::unique_ptr<Listener>(new Listener(FileDescriptor(kFirstDescriptor), nullptr));
}

Result<std::unique_ptr<Channel>> Listener::tryAccept() {
  while (true) {
    FileDescriptor client(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client.isValid())
      return std::make_unique<Channel>(std::move(client));
    if (isExhausted(errno))
      return error(ErrorStatus::ResourceExhaustedTransient, std::strerror(errno));
    if (errno != EINTR && errno != ECONNABORTED)
      return std::unique_ptr<Channel>();
  }
}

Result<std::unique_ptr<Channel>> Listener::accept() {
  constexpr int kPauseMs = 50;
  pollfd waiting[] = {{socket_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
  while (true) {
    if (::poll(waiting, 2, -1) < 0 && errno != EINTR)
      return generalFailure(fmt::format("cannot wait for clients: {}", std::strerror(errno)));
    if (waiting[1].revents != 0)
      return generalFailure("the service is ending");
    Result<std::unique_ptr<Channel>> client = tryAccept();
    if (client && *client != nullptr)
      return client;
    if (!client) // the client waits in the queue until descriptors or memory are free again
      ::poll(&waiting[1], 1, kPauseMs);
  }
}

void Listener::shutdown() {
  uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof(one));
}

} // namespace avocet::hal
