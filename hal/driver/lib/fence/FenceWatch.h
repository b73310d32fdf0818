//===- FenceWatch.h - One thread that waits for all fences ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work that starts when fences signal, or ends at a time limit, waits here instead of on its own thread.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_FENCE_FENCEWATCH_H
#define AVOCET_HAL_DRIVER_LIB_FENCE_FENCEWATCH_H

#include "avocet/hal/types/SyncFence.h"
#include "execution/Deadline.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

namespace avocet::hal {

/// The thread starts with the first use. The watch may be destroyed at any time, also on its own thread; waits in
/// progress are then dropped, and their call-backs are never called. Thread-safe.
class FenceWatch {
public:
  enum class End { Signaled, Failed, TimedOut };
  /// Runs on the watch's thread without a lock; must not block for long, nor throw.
  using Callback = std::function<void(End)>;
  using Ticket = uint64_t;

  static constexpr size_t kMaxFences = 4096;

  /// `clock`: the clock of time limits. `maxFences`: most fences watched at a time.
  explicit FenceWatch(DeadlineClock clock, size_t maxFences = kMaxFences);
  ~FenceWatch();
  FenceWatch(const FenceWatch &) = delete;
  FenceWatch &operator=(const FenceWatch &) = delete;

  /// Calls back once, with the first of: Signaled when all fences have signaled (soon, if there are none); Failed
  /// when one of them is in its error state; TimedOut at `limit`. ResourceExhaustedTransient: too many fences, or no
  /// descriptors left; the call-back is then not called.
  Result<Ticket> await(std::span<const SyncFence> fences, const OptionalTimePoint &limit, Callback callback);

  /// Calls back with TimedOut at `time`.
  Result<Ticket> at(TimePoint time, Callback callback);

  /// True: the call-back was not called and never will be. False: it was or is being called, or the ticket is unknown
  /// (0 always is). Does not wait.
  bool cancel(Ticket ticket);

  /// Runs a task on the watch's thread soon; without a thread (none can be started) on the caller's.
  void post(std::function<void()> task);

  /// Fences that are being watched.
  size_t numFences() const;

private:
  class State;
  Outcome start();

  const std::shared_ptr<State> state_; ///< shared with the thread
  std::mutex startMutex_;              ///< guards thread_
  std::thread thread_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_FENCE_FENCEWATCH_H
