//===- BurstLink.h - One end of the socket beside a burst -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sends queries to the peer and answers the peer's queries. A thread of the link receives: it answers queries, passes
// answers to the waiting callers, and reports a hang-up or a broken rule.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_BURSTLINK_H
#define AVOCET_HAL_BURST_LIB_BURSTLINK_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace avocet::hal {

/// One message is one datagram of a SOCK_SEQPACKET socket: a header of 16 bytes, and the slots or memories that it
/// counts. The descriptors of the memories are sent with it in their order.
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

class BurstLink {
public:
  /// Makes the answer to a query of the peer; empty: the query breaks a rule. On the link's thread.
  using Answerer = std::function<std::optional<LinkMessage>(const LinkMessage &question)>;

  /// Two connected ends.
  static Result<std::pair<SharedHandle, SharedHandle>> createSockets();

  /// `socket` must be a Unix-domain SOCK_SEQPACKET socket (else InvalidArgument). start() begins to receive.
  static Result<std::unique_ptr<BurstLink>> create(SharedHandle socket, Duration timeout);
  ~BurstLink();

  /// `onHangUp` is called once, on the link's thread, when the link ends for any reason. Both must stay usable until
  /// shutdown() or the destructor has returned.
  Outcome start(Answerer answer, std::function<void()> onHangUp);

  /// Sends a query and waits for the answer, at most for the link's time-out. DeadObject: no answer; the link has
  /// ended.
  Result<LinkMessage> ask(LinkMessage question);

  /// Ends the link: waiting calls return. Any thread.
  void hangUp();

  /// hangUp(), and waits for the thread. Not on the link's thread.
  void shutdown();

private:
  BurstLink(SharedHandle socket, Duration timeout) : socket_(std::move(socket)), timeout_(timeout) {}
  void receive();
  bool take(LinkMessage message);

  const SharedHandle socket_;
  const Duration timeout_;
  Answerer answer_;
  std::function<void()> onHangUp_;
  std::mutex asking_; ///< one query at a time; locked before mutex_
  std::mutex mutex_;  ///< guards the members below
  std::condition_variable answered_;
  uint32_t sequence_ = 0;  ///< of the last query
  bool isWaiting_ = false; ///< for its answer
  bool hasEnded_ = false;
  std::optional<LinkMessage> received_;
  std::thread thread_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_LIB_BURSTLINK_H
