//===- PollingHabit.h - Whether polling before sleeping pays -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Polling for what a peer on another processor sends is faster than sleeping by two wake-ups. Where the peer needs the
// poller's processor, or takes longer than the window, polling is lost time. Nobody can know beforehand which it is: it
// depends on the machine, on what else runs, and on the peer. So it is learned: each window that passed in vain doubles
// the number of waits that sleep at once, up to kMaxSkipped; the first window with success polls always again.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_POLLINGHABIT_H
#define AVOCET_HAL_POLLINGHABIT_H

#include <algorithm>
#include <cstdint>

namespace avocet::hal {

/// For the waits of one thread.
class PollingHabit {
public:
  /// Waits between two windows at most: what is lost in vain is a 256th of a window for each wait.
  static constexpr uint32_t kMaxSkipped = 255;

  /// Asked once for each wait.
  bool shouldPoll() {
    if (skips_ == 0)
      return true;
    --skips_;
    return false;
  }

  void succeeded() { penalty_ = 0; }
  void failed() { skips_ = penalty_ = std::min(2 * penalty_ + 1, kMaxSkipped); }

private:
  uint32_t penalty_ = 0; ///< waits that the last window in vain costs
  uint32_t skips_ = 0;   ///< of these, how many are still to come
};

} // namespace avocet::hal

#endif // AVOCET_HAL_POLLINGHABIT_H
