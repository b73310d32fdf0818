//===- Semaphores.h - The semaphores of a job -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_SEMAPHORES_H
#define AVOCET_SIM_LIB_JOB_SEMAPHORES_H

#include <cstdint>
#include <span>
#include <vector>

namespace avocet::sim {

/// Monotonic counts, all zero at first, and the engines that wait for them. checkCommand() has checked the numbers.
class Semaphores {
public:
  explicit Semaphores(uint32_t count) : counts_(count) {}

  std::span<const uint64_t> counts() const { return counts_; }

  bool isReached(uint32_t semaphore, uint32_t value) const { return counts_[semaphore] >= value; }

  /// Records that an engine sleeps until the count is reached.
  void wait(uint32_t semaphore, uint32_t value, uint32_t engine) { waiters_.push_back({semaphore, value, engine}); }

  /// Drops all waiters: they will all wait again.
  void forgetWaiters() { waiters_.clear(); }

  /// Adds 1 and calls wake(engine) for each engine that waited for this count, in order of waiting.
  template <typename Wake> void signal(uint32_t semaphore, Wake &&wake) {
    ++counts_[semaphore];
    size_t kept = 0;
    for (size_t i = 0; i < waiters_.size(); ++i) {
      const Waiter waiter = waiters_[i];
      if (waiter.semaphore == semaphore && counts_[semaphore] >= waiter.value)
        wake(waiter.engine);
      else
        waiters_[kept++] = waiter;
    }
    waiters_.resize(kept);
  }

private:
  struct Waiter {
    uint32_t semaphore, value, engine;
  };
  std::vector<uint64_t> counts_; ///< 64 bits: the signals of any stream cannot wrap them
  std::vector<Waiter> waiters_;  ///< at most one per engine
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_SEMAPHORES_H
