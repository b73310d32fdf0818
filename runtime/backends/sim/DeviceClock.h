//===- DeviceClock.h - Deadlines on the device's clock ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts time from now on into device time, the unit of deadlines in descriptors. Thread-safe.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_DEVICECLOCK_H
#define AVOCET_RUNTIME_BACKENDS_SIM_DEVICECLOCK_H

#include "avocet/firmware_iface/JobRing.h"
#include "avocet/sim/Device.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>

namespace avocet::runtime {

class DeviceClock {
public:
  /// JobDescriptor::deadlineNs for a job with `limit` from now on; a limit of 0 or less is a deadline that has passed.
  uint64_t deadlineIn(sim::Device &device, std::optional<std::chrono::nanoseconds> limit) {
    if (!limit)
      return firmware::kNoDeadline;
    constexpr uint64_t kSecond = 1'000'000'000;
    const uint64_t clock = device.target().clockHz();
    const uint64_t cycles = cycleCount(device);
    const uint64_t now = cycles / clock * kSecond + cycles % clock * kSecond / clock;
    return std::max<uint64_t>(now + static_cast<uint64_t>(std::max<int64_t>(limit->count(), 0)), 1);
  }

private:
  uint64_t cycleCount(sim::Device &device) {
    // Reading the low word latches the high word, so the pair must not be interleaved with another thread's.
    std::lock_guard lock(mutex_);
    const uint64_t low = device.readRegister(static_cast<uint32_t>(firmware::Register::CycleCountLow));
    return uint64_t{device.readRegister(static_cast<uint32_t>(firmware::Register::CycleCountHigh))} << 32 | low;
  }

  std::mutex mutex_; ///< a leaf except for the device's own lock
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_DEVICECLOCK_H
