//===- BurstLink.h - One end of the socket beside a burst -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the peer and answers its questions. A thread of the link receives: it answers, hands answers to whoever asked,
// and tells when the peer hung up or broke a rule.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_LIB_BURSTLINK_H
#define AVOCET_HAL_BURST_LIB_BURSTLINK_H

#include "LinkMessage.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace avocet::hal {

class BurstLink {
public:
  /// Makes the answer to a question of the peer; nothing: the question breaks a rule. On the link's thread.
  using Answerer = std::function<std::optional<LinkMessage>(const LinkMessage &question)>;

  /// Two connected ends.
  static Result<std::pair<SharedHandle, SharedHandle>> createSockets();

  /// `socket` must be a SOCK_SEQPACKET socket of the machine (InvalidArgument). start() begins to receive.
  static Result<std::unique_ptr<BurstLink>> create(SharedHandle socket, Duration timeout);
  ~BurstLink();

  /// `onHangUp` is called once, on the link's thread, when the link ends in whatever way. Both must stay usable until
  /// shutdown() or the destructor has returned.
  Outcome start(Answerer answer, std::function<void()> onHangUp);

  /// Asks, and waits for the answer, for the link's time-out at most. DeadObject: there was none; the link has ended.
  Result<LinkMessage> ask(LinkMessage question);

  /// Ends the link: whoever waits in it returns. Any thread.
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
  std::mutex asking_; ///< one question at a time; before mutex_
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable answered_;
  uint32_t sequence_ = 0;  ///< of the last question
  bool isWaiting_ = false; ///< for its answer
  bool hasEnded_ = false;
  std::optional<LinkMessage> received_;
  std::thread thread_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_LIB_BURSTLINK_H
