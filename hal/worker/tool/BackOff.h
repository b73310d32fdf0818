//===- BackOff.h - Growing pauses after failures -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_TOOL_BACKOFF_H
#define AVOCET_HAL_WORKER_TOOL_BACKOFF_H

#include <algorithm>
#include <chrono>

namespace avocet::hal {

/// Pauses before restarting processes that died by themselves: 10 ms * 2^(n-1) after the n-th failure in a row, at most
/// 5 s. One thread.
class BackOff {
public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kFirst{10}, kLongest{5000};

  void fail(Clock::time_point now = Clock::now()) {
    pause_ = std::clamp(pause_ * 2, kFirst, kLongest);
    end_ = now + pause_;
  }
  void succeed() {
    pause_ = {};
    end_ = {};
  }

  bool isWaiting(Clock::time_point now = Clock::now()) const { return now < end_; }
  /// For poll(): the rest of the pause, rounded up; -1 without one.
  int milliseconds(Clock::time_point now = Clock::now()) const {
    if (!isWaiting(now))
      return -1;
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(end_ - now).count());
  }

private:
  std::chrono::milliseconds pause_{0};
  Clock::time_point end_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_TOOL_BACKOFF_H
