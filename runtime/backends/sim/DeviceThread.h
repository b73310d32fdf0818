//===- DeviceThread.h - The simulated device's own thread -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the device when it is woken, so that threads that wait need not run it. After the device becomes idle it polls
// for work a little longer than the host takes between two jobs of a burst, and then sleeps.
//
// Thread-safe except start() and stop().
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_DEVICETHREAD_H
#define AVOCET_RUNTIME_BACKENDS_SIM_DEVICETHREAD_H

#include "avocet/firmware_iface/JobRing.h"
#include "avocet/sim/Device.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace avocet::runtime {

/// Converts time from now on into device time, the unit of deadlines in descriptors. Thread-safe.
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

/// A bit for each ring, so that an interrupt checks only the rings that may have open jobs. Lock-free.
class RingActivity {
public:
  static constexpr uint32_t kMaxRings = 1024;

  /// Marks the ring (below kMaxRings) as active. Called after the job is queued and before the device is notified.
  void set(uint32_t ring) { words_[ring / 64].fetch_or(bitOf(ring), std::memory_order_seq_cst); }

  /// Calls `look` for each ring that is set; its result says whether the ring stays set. One thread at a time.
  template <typename Look> void visit(Look look) {
    for (uint32_t word = 0; word < words_.size(); ++word) {
      // Cleared before the look and not after it, so that a job that is queued meanwhile sets the bit again.
      uint64_t bits = words_[word].load(std::memory_order_relaxed) == 0 ? 0 : words_[word].exchange(0);
      for (; bits != 0; bits &= bits - 1) {
        const uint32_t ring = word * 64 + static_cast<uint32_t>(std::countr_zero(bits));
        if (look(ring))
          set(ring);
      }
    }
  }

private:
  static uint64_t bitOf(uint32_t ring) { return uint64_t{1} << (ring % 64); }

  std::array<std::atomic<uint64_t>, kMaxRings / 64> words_{};
};

class DeviceThread {
public:
  DeviceThread() = default;
  ~DeviceThread() { stop(); }
  DeviceThread(const DeviceThread &) = delete;
  DeviceThread &operator=(const DeviceThread &) = delete;

  /// `device` must outlive the thread.
  void start(sim::Device &device);

  /// Ends the thread; returns when the device has no work left, or was halted.
  void stop();

  /// Makes the thread call Device::run(). Costs a system call only when it sleeps.
  void wake();

private:
  void serve(sim::Device &device);

  std::atomic<bool> stopping_{false};
  std::atomic<uint32_t> bells_{0};
  std::thread thread_;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_DEVICETHREAD_H
