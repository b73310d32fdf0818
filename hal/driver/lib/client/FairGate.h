//===- FairGate.h - A few of all clients at a time --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_CLIENT_FAIRGATE_H
#define AVOCET_HAL_DRIVER_LIB_CLIENT_FAIRGATE_H

#include "avocet/hal/Result.h"
#include "execution/Deadline.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <utility>

namespace avocet::hal {

/// Lets a number of threads in at a time. Of those that wait, one of the client goes first that has spent the least
/// time inside. A client that comes starts one piece of work below the fair time: what a client would have spent that
/// was there always and got its share (weighted fair queueing: Demers, Keshav and Shenker, 1989). A client that comes
/// back sooner goes on from what it has spent. So a client that uses less than its share waits for what is inside, and
/// not for one piece of work of each of the others. The fair time goes on with all work, so that a stream of new
/// clients delays no other client for long. Thread-safe.
class FairGate {
public:
  using Seconds = std::chrono::duration<double>;
  /// `now`: the clock that time inside is measured with; empty: the steady clock.
  explicit FairGate(uint32_t places, std::function<Seconds()> now = {});

  /// A place inside; the next one comes in with its end. The gate outlives it.
  class Turn {
  public:
    Turn(Turn &&other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)), owner_(other.owner_), start_(other.start_),
          charged_(other.charged_) {}
    Turn &operator=(Turn &&) = delete;
    ~Turn() {
      if (gate_ != nullptr)
        gate_->leave(*this);
    }

  private:
    friend class FairGate;
    Turn(FairGate &gate, uint32_t owner, Seconds start, Seconds charged)
        : gate_(&gate), owner_(owner), start_(start), charged_(charged) {}
    FairGate *gate_; ///< null when moved from
    uint32_t owner_;
    Seconds start_, charged_;
  };

  /// Waits for a place. The limit's errors when its deadline passed, or its client went, first.
  Result<Turn> enter(uint32_t owner, const CallLimit &limit);

  /// Threads that wait; for tests.
  size_t numWaiting() const;

private:
  struct Waiter {
    uint32_t owner;
    bool isIn = false;
    Seconds charged{};
    std::condition_variable_any changed;
  };
  struct Account {
    Seconds spent{};      ///< with estimates for what is inside
    uint32_t present = 0; ///< threads that wait or are inside
  };

  Seconds startOfNewcomer() const { return fairTime_ - estimate_; }
  void arrive(uint32_t owner);
  void depart(uint32_t owner);
  void forgetThoseAway();
  void admit();
  void leave(const Turn &turn);

  const std::function<Seconds()> now_;
  mutable std::mutex mutex_; ///< guards the members below; a leaf
  uint32_t free_;
  Seconds estimate_{};                   ///< of the next piece of work: the mean of the last ones
  Seconds fairTime_{};                   ///< of each client that is there always
  uint32_t numPresent_ = 0;              ///< clients that are there
  std::list<Waiter *> waiting_;          ///< in order of arrival
  std::map<uint32_t, Account> accounts_; ///< of clients that are there, or would come back with less than they spent
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_CLIENT_FAIRGATE_H
