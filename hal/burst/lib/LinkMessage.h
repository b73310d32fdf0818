//===- LinkMessage.h - Messages on the socket of a burst -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One message is one datagram of a SOCK_SEQPACKET socket: a header of 16 bytes, and the slots or memories that it
// counts. The descriptors of the memories are sent with it in their order.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_LINKMESSAGE_H
#define AVOCET_HAL_BURST_LIB_LINKMESSAGE_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace avocet::hal {

struct LinkMessage {
  enum class Kind : uint32_t {
    GetMemories = 1, ///< service: which memories do `slots` denote? Answered by Memories
    FreeSlot = 2,    ///< client: the one slot is free. Answered by Freed
    Memories = 3,    ///< one for each slot of the query; none: the query was wrong
    Freed = 4,       ///< the slot's memory is released
  };
  /// Slots or memories of one message.
  static constexpr size_t kMaxEntries = 64;

  Kind kind = Kind::GetMemories;
  uint32_t sequence = 0; ///< an answer has that of its query
  std::vector<int32_t> slots;
  std::vector<SharedMemory> memories;
  bool isAnswer() const { return kind == Kind::Memories || kind == Kind::Freed; }
};

/// Whether a memory can be sent: of a known kind, with a descriptor.
bool canTravel(const SharedMemory &memory);

/// Sends one message, whose memories must satisfy canTravel(). DeadObject: the peer is gone or did not read in time
/// (SO_SNDTIMEO).
Outcome sendLinkMessage(int socket, const LinkMessage &message);

/// Waits for the next message. Empty: the peer hung up, or sent a malformed message.
std::optional<LinkMessage> receiveLinkMessage(int socket);

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_LIB_LINKMESSAGE_H
