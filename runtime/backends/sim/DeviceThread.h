//===- DeviceThread.h - The simulated device's own thread -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Works for the device whenever somebody wakes it, so that nobody who waits has to. Between two jobs of a burst it
// looks for work a little longer than the host takes, and sleeps otherwise.
//
// Thread-safe but for start() and stop().
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_DEVICETHREAD_H
#define AVOCET_RUNTIME_BACKENDS_SIM_DEVICETHREAD_H

#include "avocet/sim/Device.h"

#include <atomic>
#include <cstdint>
#include <thread>

namespace avocet::runtime {

class DeviceThread {
public:
  DeviceThread() = default;
  ~DeviceThread() { stop(); }
  DeviceThread(const DeviceThread &) = delete;
  DeviceThread &operator=(const DeviceThread &) = delete;

  /// `device` must outlive the thread.
  void start(sim::Device &device);

  /// Returns when the device has nothing to do any more, or was halted.
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
