//===- FenceWatch.h - One thread that waits for everybody's fences ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that has to begin when fences signal, or end when a time has come, waits here and not on a thread of its own.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_FENCE_FENCEWATCH_H
#define AVOCET_HAL_DRIVER_LIB_FENCE_FENCEWATCH_H

#include "avocet/hal/SyncFence.h"
#include "execution/Deadline.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

namespace avocet::hal {

/// The thread starts with the first use. The last reference to the watch may go at any time, also on its own thread;
/// what still waits is forgotten then, and its call-backs are never called. Thread-safe.
class FenceWatch {
public:
  enum class End { Signalled, Failed, TimedOut };
  /// Runs on the watch's thread without a lock; must not block for long, nor throw.
  using Callback = std::function<void(End)>;
  using Ticket = uint64_t;

  static constexpr size_t kMaxFences = 4096;

  /// `clock` is what time limits are measured with. `maxFences` may be watched at a time.
  explicit FenceWatch(DeadlineClock clock, size_t maxFences = kMaxFences);
  ~FenceWatch();
  FenceWatch(const FenceWatch &) = delete;
  FenceWatch &operator=(const FenceWatch &) = delete;

  /// Calls back once: Signalled when all fences have (soon, if there are none), Failed as soon as one of them is in its
  /// error state, TimedOut at `limit`, whichever comes first. ResourceExhaustedTransient: too many fences, or no
  /// descriptors left; the call-back is not called then.
  Result<Ticket> await(std::span<const SyncFence> fences, const OptionalTimePoint &limit, Callback callback);

  /// Calls back with TimedOut when the time has come.
  Result<Ticket> at(TimePoint time, Callback callback);

  /// True: the call-back was not called and never will be. False: it was, is being called, or the ticket is unknown (0
  /// always is). Waits for nothing.
  bool cancel(Ticket ticket);

  /// Runs a task on the watch's thread soon; without a thread (none can be started) on the caller's.
  void post(std::function<void()> task);

  /// Fences that are being watched.
  size_t numFences() const;

private:
  class State;
  Outcome start();

  const std::shared_ptr<State> state_; ///< the thread's too
  std::mutex startMutex_;              ///< guards thread_
  std::thread thread_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_FENCE_FENCEWATCH_H
