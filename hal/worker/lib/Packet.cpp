//===- Packet.cpp - Socket packets between workers and service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Packet.h"

#include <cerrno>
#include <sys/socket.h>

namespace avocet::hal {

bool sendPacket(int socket, Packet packet, std::span<const int> descriptors) {
  iovec part{&packet, sizeof(packet)};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  DescriptorRoom<kMaxPacketDescriptors> room;
  attachDescriptors(message, room.bytes, descriptors);
  ssize_t sent = -1;
  do
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == sizeof(packet);
}

std::optional<ReceivedPacket> receivePacket(int socket) {
  ReceivedPacket received;
  iovec part{&received.packet, sizeof(received.packet)};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  DescriptorRoom<kMaxPacketDescriptors> room;
  message.msg_control = room.bytes;
  message.msg_controllen = sizeof(room.bytes);
  ssize_t size = -1;
  // ECONNRESET is reported once if the peer ended with unread packets. Packets that it sent can still be received.
  do
    size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (size < 0 && (errno == EINTR || errno == ECONNRESET));
  if (size >= 0)
    received.descriptors = takeDescriptors(message);
  if (size != sizeof(received.packet) || (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return std::nullopt;
  return received;
}

} // namespace avocet::hal
