//===- Packet.h - Socket packets between workers and service -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_PACKET_H
#define AVOCET_HAL_WORKER_LIB_PACKET_H

#include "avocet/base/DescriptorPassing.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace avocet::hal {

enum class PacketKind : uint32_t {
  Request = 1,     ///< service to any worker: the socket of the request and its message; `value` as below
  Taken = 2,       ///< worker: `value` is the zygote's number; with a process descriptor of the worker
  Answer = 3,      ///< worker: with the answer's message, unless `value` is its size in a lent file
  Signal = 4,      ///< worker: ends by signal `value`
  SystemCall = 5,  ///< worker: ends since it made the forbidden system call number `value`
  OutOfMemory = 6, ///< worker: ends since it is out of memory
  AnswerFile = 7,  ///< service, after a lent request: the file lent for the answer, if it fits
};

/// A request with a nonzero `value` is lent: its message is the first `value` bytes of the second descriptor
/// (Buffers.h), and AnswerFile follows.
///
/// The form of all packets. The peer may be hostile.
struct Packet {
  PacketKind kind = PacketKind::Request;
  uint32_t value = 0;
  uint32_t mebibytes = 0; ///< of a request: limit of the worker's address space, at most the one that it started with
};

/// Whole MiB, at least one.
inline uint32_t mebibytes(uint64_t bytes) {
  return static_cast<uint32_t>(std::clamp<uint64_t>(bytes >> 20, 1, UINT32_MAX));
}

struct ReceivedPacket {
  Packet packet;
  std::vector<FileDescriptor> descriptors;
};

/// False: the peer is gone, or sending failed (errno). Never raises SIGPIPE. Safe in signal handlers if there are no
/// descriptors. At most kMaxPacketDescriptors.
bool sendPacket(int socket, Packet packet, std::span<const int> descriptors = {});

/// Waits for a packet. Empty: the peer is gone, or sent something else.
std::optional<ReceivedPacket> receivePacket(int socket);

inline constexpr size_t kMaxPacketDescriptors = 2;

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_PACKET_H
