//===- PollingHabit.h - Decides whether to poll before sleeping -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polling for the answer of a peer on another processor saves two wake-ups compared with sleeping. Polling is wasted if
// the peer needs the poller's processor, or takes longer than the polling window. Which case applies depends on the
// machine, its load and the peer, and cannot be computed beforehand. The class adapts: each window without success
// doubles the number of following waits that sleep at once, up to kMaxSkipped. After the first window with success,
// every wait polls again.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_QUEUE_POLLINGHABIT_H
#define AVOCET_HAL_QUEUE_POLLINGHABIT_H

#include <algorithm>
#include <cstdint>

namespace avocet::hal {

/// For the waits of one thread.
class PollingHabit {
public:
  /// Most waits between two windows: polling without success costs at most a 256th of a window for each wait.
  static constexpr uint32_t kMaxSkipped = 255;

  /// To be called once for each wait.
  bool shouldPoll() {
    if (skips_ == 0)
      return true;
    --skips_;
    return false;
  }

  void succeeded() { penalty_ = 0; }
  void failed() { skips_ = penalty_ = std::min(2 * penalty_ + 1, kMaxSkipped); }

private:
  uint32_t penalty_ = 0; ///< waits that skip polling after the last window without success
  uint32_t skips_ = 0;   ///< of these, how many are still to come
};

} // namespace avocet::hal

#endif // AVOCET_HAL_QUEUE_POLLINGHABIT_H
