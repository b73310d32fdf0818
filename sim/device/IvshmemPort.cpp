//===- IvshmemPort.cpp - A device's end of QEMU's ivshmem-doorbell -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IvshmemPort.h"

#include "avocet/base/DescriptorPassing.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace avocet::sim {

namespace {

// docs/specs/ivshmem-spec of QEMU.
constexpr int64_t kProtocolVersion = 0;
constexpr int64_t kDevicePeer = 0, kGuestPeer = 1;
constexpr int64_t kSharedMemory = -1;

} // namespace

Result<IvshmemPort> IvshmemPort::listen(const std::string &socket) {
  IvshmemPort port;
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (socket.size() >= sizeof(address.sun_path))
    return invalidArgument(
        fmt::format("the path of socket {} has more than {} characters", socket, sizeof(address.sun_path) - 1));
  std::memcpy(address.sun_path, socket.data(), socket.size());
  port.listener_ = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!port.listener_.isValid())
    return errnoStatus(errno, "cannot create a socket");
  if (::bind(port.listener_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0)
    return errnoStatus(errno, "cannot listen on socket " + socket);
  port.path_ = socket;
  if (::listen(port.listener_.get(), 1) != 0)
    return errnoStatus(errno, "cannot listen on socket " + socket);
  AVOCET_RETURN_IF_ERROR(port.createMemory());
  return port;
}

IvshmemPort::~IvshmemPort() {
  if (!path_.empty())
    (void)::unlink(path_.c_str());
}

Status IvshmemPort::createMemory() {
  AVOCET_ASSIGN_OR_RETURN(file_, createMemoryFile("avocet-registers", AVOCET_IVSHMEM_BYTES));
  AVOCET_ASSIGN_OR_RETURN(memory_, Mapping::map(file_.get(), AVOCET_IVSHMEM_BYTES, Mapping::Access::ReadWrite));
  bell_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  interrupt_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return bell_.isValid() && interrupt_.isValid() ? Status::ok() : errnoStatus(errno, "cannot create an event");
}

Status IvshmemPort::send(int64_t value, const FileDescriptor *descriptor) {
  iovec data{&value, sizeof(value)};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  DescriptorRoom<1> room;
  const int number = descriptor ? descriptor->get() : -1;
  if (descriptor)
    attachDescriptors(message, room.bytes, {&number, 1});
  return ::sendmsg(guest_.get(), &message, MSG_NOSIGNAL) == sizeof(value)
             ? Status::ok()
             : errnoStatus(errno, "cannot set up the guest's device");
}

Status IvshmemPort::accept() {
  guest_ = FileDescriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!guest_.isValid())
    return errnoStatus(errno, "cannot accept a guest on socket " + path_);
  AVOCET_RETURN_IF_ERROR(send(kProtocolVersion, nullptr));
  AVOCET_RETURN_IF_ERROR(send(kGuestPeer, nullptr));
  AVOCET_RETURN_IF_ERROR(send(kSharedMemory, &file_));
  AVOCET_RETURN_IF_ERROR(send(kDevicePeer, &bell_));
  return send(kGuestPeer, &interrupt_);
}

Result<IvshmemPort::Event> IvshmemPort::wait() {
  pollfd polled[] = {{guest_.get(), POLLIN, 0}, {bell_.get(), POLLIN, 0}};
  while (::poll(polled, std::size(polled), -1) < 0)
    if (errno != EINTR)
      return errnoStatus(errno, "cannot wait for the guest");
  if (polled[0].revents != 0) // QEMU never writes
    return Event::GuestEnded;
  uint64_t count;
  (void)!::read(bell_.get(), &count, sizeof(count));
  return Event::Bell;
}

void IvshmemPort::raiseInterrupt() {
  const uint64_t one = 1;
  (void)!::write(interrupt_.get(), &one, sizeof(one)); // fails only when so many are pending that no more are needed
}

} // namespace avocet::sim
