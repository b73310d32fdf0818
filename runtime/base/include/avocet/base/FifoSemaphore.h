//===- FifoSemaphore.h - A semaphore in order of arrival --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_FIFOSEMAPHORE_H
#define AVOCET_BASE_FIFOSEMAPHORE_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

namespace avocet {

/// Gives a number of places to threads; others wait in the order of arrival, also for one that needs fewer places.
/// Thread-safe.
class FifoSemaphore {
public:
  /// Sleeps until it is the thread's turn, at most for the time. Returns whether it is.
  using Sleep = std::function<bool(std::chrono::nanoseconds)>;

  /// 0 places count as one.
  explicit FifoSemaphore(uint32_t places) : free_(places == 0 ? 1 : places) {}

  /// Some places, released by the destructor; empty if the caller gave up. The semaphore must outlive it.
  class Place {
  public:
    Place(Place &&other) noexcept : semaphore_(std::exchange(other.semaphore_, nullptr)), places_(other.places_) {}
    Place &operator=(Place &&) = delete;
    ~Place();
    explicit operator bool() const { return semaphore_ != nullptr; }

  private:
    friend class FifoSemaphore;
    Place(FifoSemaphore *semaphore, uint32_t places) : semaphore_(semaphore), places_(places) {}
    FifoSemaphore *semaphore_; ///< null: empty
    uint32_t places_;
  };

  /// Waits for so many places, at most those that the semaphore has. `wait` calls its argument until that returns true
  /// or until it gives up, and returns the last answer. It runs with the semaphore's lock held, except while it sleeps.
  Place enter(const std::function<bool(const Sleep &)> &wait, uint32_t places = 1);

private:
  std::mutex mutex_; ///< guards the members below; a leaf
  std::condition_variable changed_;
  uint32_t free_;
  std::list<int> waiting_; ///< one for each waiter, in order of arrival; the values are unused
};

} // namespace avocet

#endif // AVOCET_BASE_FIFOSEMAPHORE_H
