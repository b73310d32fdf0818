//===- LinkMessage.h - What a burst's two ends say besides -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One message is one datagram of a SOCK_SEQPACKET socket: a header of 16 bytes, and as many slots or memories as it
// says; the descriptors of the memories travel beside it in their order.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_LINKMESSAGE_H
#define AVOCET_HAL_BURST_LIB_LINKMESSAGE_H

#include "avocet/hal/Result.h"
#include "avocet/hal/Types.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace avocet::hal {

struct LinkMessage {
  enum class Kind : uint32_t {
    GetMemories = 1, ///< service: which memories are behind `slots`? Answered by Memories
    FreeSlot = 2,    ///< client: the one slot is free. Answered by Freed
    Memories = 3,    ///< as many as slots were asked for; none: the question was wrong
    Freed = 4,       ///< the slot's memory is forgotten
  };
  /// Slots or memories of one message.
  static constexpr size_t kMaxEntries = 64;

  Kind kind = Kind::GetMemories;
  uint32_t sequence = 0; ///< an answer has that of its question
  std::vector<int32_t> slots;
  std::vector<SharedMemory> memories;
  bool isAnswer() const { return kind == Kind::Memories || kind == Kind::Freed; }
};

/// Whether a memory can travel: of a known kind, with a descriptor.
bool canTravel(const SharedMemory &memory);

/// Sends one message whose memories can travel. DeadObject: the peer is gone or did not read in time (SO_SNDTIMEO).
Outcome sendLinkMessage(int socket, const LinkMessage &message);

/// Waits for the next one. Nothing: the peer hung up, or broke the form.
std::optional<LinkMessage> receiveLinkMessage(int socket);

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_LIB_LINKMESSAGE_H
