//===- FifoSemaphore.h - A FIFO semaphore for one client --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_CLIENT_FIFOSEMAPHORE_H
#define AVOCET_HAL_DRIVER_LIB_CLIENT_FIFOSEMAPHORE_H

#include "avocet/hal/types/Result.h"
#include "client/FairSemaphore.h"
#include "execution/Deadline.h"

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <utility>

namespace avocet::hal {

/// Admits a number of threads of one client at a time, in order of arrival. An admitted thread then also waits for the
/// gate of all clients. Thread-safe.
class FifoSemaphore {
public:
  /// `all` (null: none) must outlive the gate; `owner`: the client's number there.
  explicit FifoSemaphore(uint32_t places, FairSemaphore *all = nullptr, uint32_t owner = 0)
      : all_(all), owner_(owner), free_(places == 0 ? 1 : places) {}

  /// A place inside, released by the destructor.
  class Turn {
  public:
    Turn(Turn &&other) noexcept : gate_(std::exchange(other.gate_, nullptr)), all_(std::move(other.all_)) {}
    Turn &operator=(Turn &&) = delete;
    ~Turn() {
      all_.reset();
      if (gate_ != nullptr)
        gate_->leave();
    }

  private:
    friend class FifoSemaphore;
    explicit Turn(FifoSemaphore &gate) : gate_(&gate) {}
    FifoSemaphore *gate_; ///< null when moved from
    std::optional<FairSemaphore::Turn> all_;
  };

  /// Waits for a place. MissedDeadlineTransient: the deadline passed first. The gate must outlive the turn.
  Result<Turn> enter(const CallLimit &limit);

private:
  void leave();
  bool isFirst(std::list<int>::const_iterator place) const { return free_ != 0 && place == waiting_.begin(); }

  Result<Turn> enterOwn(const CallLimit &limit);

  FairSemaphore *const all_;
  const uint32_t owner_;
  std::mutex mutex_; ///< guards the members below; a leaf
  std::condition_variable changed_;
  uint32_t free_;
  std::list<int> waiting_; ///< one for each waiter, in order of arrival; the values are unused
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_CLIENT_FIFOSEMAPHORE_H
