//===- SilenceWatch.h - Whether a service still answers ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_IPC_LIB_SILENCEWATCH_H
#define AVOCET_HAL_IPC_LIB_SILENCEWATCH_H

#include <cstdint>
#include <optional>
#include <utility>

namespace avocet::hal::ipc {

/// Counts the intervals in which a service sends nothing although work waits for it. The owner calls look() once for
/// each interval. There is no clock: after a stop of the client's own process, the service is asked first. Not
/// thread-safe.
class SilenceWatch {
public:
  enum class Step {
    Wait,
    Ask,    ///< for a sign of life
    GiveUp, ///< the service is dead
  };

  /// `misses`: intervals after the question in which it may stay silent.
  explicit SilenceWatch(uint32_t misses) : misses_(misses) {}

  /// A message has arrived.
  void noteMessage() {
    isHeard_ = true;
    isAsked_ = false;
  }
  /// The question was sent. Until then, each interval of silence asks.
  void noteAsked() { isAsked_ = true; }
  /// Whether nothing has arrived since the question.
  bool isAsked() const { return isAsked_; }

  /// `oldest`: number of the oldest work that waits, if any; `next`: the number of the next work. Numbers ascend.
  Step look(std::optional<uint64_t> oldest, uint64_t next) {
    const bool waitsSinceLastLook = oldest && *oldest < next_;
    next_ = next;
    if (std::exchange(isHeard_, false) || !waitsSinceLastLook) {
      isAsked_ = false;
      silent_ = 0;
      return Step::Wait;
    }
    if (silent_++ >= misses_)
      return Step::GiveUp;
    return isAsked_ ? Step::Wait : Step::Ask;
  }

private:
  const uint32_t misses_;
  uint64_t next_ = 0;
  uint32_t silent_ = 0; ///< intervals in a row
  bool isHeard_ = false;
  bool isAsked_ = false;
};

} // namespace avocet::hal::ipc

#endif // AVOCET_HAL_IPC_LIB_SILENCEWATCH_H
