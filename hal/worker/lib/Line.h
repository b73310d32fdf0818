//===- Line.h - A FIFO semaphore with cancellation --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_LINE_H
#define AVOCET_HAL_WORKER_LIB_LINE_H

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

namespace avocet::hal {

/// Admits up to `places` threads at a time; others wait in the order of arrival. Thread-safe. (The driver's
/// FifoSemaphore does the same for calls with a deadline; a compile request has a function to poll instead.)
class Line {
public:
  explicit Line(uint32_t places) : free_(places == 0 ? 1 : places) {}

  /// A place, released by the destructor; empty if the caller cancelled before one was free.
  class Place {
  public:
    explicit Place(Line *line) : line_(line) {}
    Place(Place &&other) noexcept : line_(std::exchange(other.line_, nullptr)) {}
    Place &operator=(Place &&) = delete;
    ~Place();
    explicit operator bool() const { return line_ != nullptr; }

  private:
    Line *line_;
  };

  /// Waits for a place, and calls `cancelled` (may be empty) every few milliseconds meanwhile.
  Place enter(const std::function<bool()> &cancelled);

private:
  std::mutex mutex_; ///< guards the members below; a leaf
  std::condition_variable changed_;
  uint32_t free_;
  std::list<int> waiting_; ///< one entry for each waiting thread, in order of arrival
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_LINE_H
