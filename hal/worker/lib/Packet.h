//===- Packet.h - What workers and the service send beside parcels -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_PACKET_H
#define AVOCET_HAL_WORKER_LIB_PACKET_H

#include "avocet/base/DescriptorPassing.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace avocet::hal {

enum class PacketKind : uint32_t {
  Request = 1,     ///< service to any worker: the socket of the request and its parcel; `value` as below
  Taken = 2,       ///< worker: `value` is the zygote's number; with a process descriptor of the worker
  Answer = 3,      ///< worker: with the answer's parcel, unless `value` is its size in a lent file
  Signal = 4,      ///< worker: ends by signal `value`
  SystemCall = 5,  ///< worker: ends since it made system call number `value`, which it may not
  OutOfMemory = 6, ///< worker: ends since memory ran out
  AnswerFile = 7,  ///< service, after a lent request: the file that is lent for an answer that fits
};

/// A request whose `value` is not 0 is lent: its parcel is the first `value` bytes of the second descriptor
/// (Buffers.h), and AnswerFile follows.
///
/// All packets have this form; it is read from a peer that may be hostile.
struct Packet {
  PacketKind kind = PacketKind::Request;
  uint32_t value = 0;
};

struct ReceivedPacket {
  Packet packet;
  std::vector<FileDescriptor> descriptors;
};

/// False: the peer is gone, or takes nothing (errno). Never raises SIGPIPE. Safe in signal handlers if there are no
/// descriptors. At most kMaxPacketDescriptors.
bool sendPacket(int socket, Packet packet, std::span<const int> descriptors = {});

/// Waits for a packet. Nothing: the peer is gone, or what it sent is no packet.
std::optional<ReceivedPacket> receivePacket(int socket);

inline constexpr size_t kMaxPacketDescriptors = 2;

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_PACKET_H
