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
