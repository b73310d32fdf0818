//===- BurstServer.h - The service's end of a burst -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads request packets from a queue, runs them on a thread of its own, and writes result packets to another one. The
// peer is not trusted: a malformed packet is answered with GeneralFailure; counters that contradict each other, or a
// peer that does not read its results, end the server. This class has no transport: the owner reports the peer's death
// by close().
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_BURST_BURSTSERVER_H
#define AVOCET_HAL_BURST_BURSTSERVER_H

#include "avocet/hal/burst/Burst.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace avocet::hal {

/// Returns the memories of slots, in order: the getMemories call-back of 1.2. Called on the server's thread, without a
/// lock; must return within a bounded time, also when the peer does not answer. An error, a null memory or a count
/// other than that of the slots fails the request.
using MemorySource = std::function<Result<std::vector<SharedMemory>>(std::span<const int32_t> slots)>;

class BurstServer {
public:
  /// Attaches to the queues and starts the thread. InvalidArgument as serveBurst(). `onEnd` as there.
  static Result<std::unique_ptr<BurstServer>> create(std::shared_ptr<IBurst> burst, const QueueDescriptor &requests,
                                                     const QueueDescriptor &results, MemorySource memories,
                                                     const BurstServerOptions &options = {},
                                                     std::function<void()> onEnd = {});
  /// close(), then waits for the thread, at most until the running execution ends.
  ~BurstServer();

  /// Drops a slot's memory, also in `burst` (releaseMemoryResource). An unknown slot is accepted. Any thread.
  void freeMemory(int32_t slot);

  /// Ends the server: the thread wakes at once and stops after the running execution. Any thread.
  void close();
  bool hasEnded() const;

private:
  class Impl;
  explicit BurstServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_BURST_BURSTSERVER_H
