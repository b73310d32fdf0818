//===- DeviceThread.cpp - The simulated device's own thread -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceThread.h"

namespace avocet::runtime {
namespace {

/// Polls before the thread sleeps: longer than the host takes between two jobs of a burst.
constexpr int kIdleSpins = 4000;
/// The first bell is that of the hand-shake. Nothing follows it soon, and the processor is needed to start the process.
constexpr uint32_t kHandShakeBell = 1;

} // namespace

void DeviceThread::start(sim::Device &device) {
  thread_ = std::thread([this, &device] { serve(device); });
}

void DeviceThread::stop() {
  if (!thread_.joinable())
    return;
  stopping_.store(true, std::memory_order_release);
  wake();
  thread_.join();
}

void DeviceThread::wake() {
  bells_.fetch_add(1, std::memory_order_release);
  bells_.notify_one();
}

void DeviceThread::serve(sim::Device &device) {
  while (!stopping_.load(std::memory_order_acquire)) {
    uint32_t seen = bells_.load(std::memory_order_acquire);
    device.run();
    const int spins = seen > kHandShakeBell ? kIdleSpins : 0;
    for (int i = 0; i < spins && bells_.load(std::memory_order_acquire) == seen; ++i)
      std::this_thread::yield();
    bells_.wait(seen, std::memory_order_acquire);
  }
}

} // namespace avocet::runtime
