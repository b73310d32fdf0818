//===- FairSemaphore.h - A fair semaphore for all clients -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_CLIENT_FAIRSEMAPHORE_H
#define AVOCET_HAL_DRIVER_LIB_CLIENT_FAIRSEMAPHORE_H

#include "avocet/base/FifoSemaphore.h"
#include "avocet/hal/types/Result.h"
#include "execution/Deadline.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace avocet::hal {

/// Admits a number of threads at a time. The next waiting thread is one of the client that has spent the least time
/// inside. The fair time is the time that a client would have spent if it had always been present and got its share
/// (weighted fair queueing: Demers, Keshav and Shenker, 1989). A new client starts one work item below the fair time. A
/// client that returns earlier continues with its spent time. A client that uses less than its share thus waits only
/// for the threads inside, not for one work item of each other client. The fair time advances with all work, so that a
/// stream of new clients delays no other client for long. Thread-safe.
class FairSemaphore {
public:
  using Seconds = std::chrono::duration<double>;
  /// `now`: the clock for time inside; empty: the steady clock.
  explicit FairSemaphore(uint32_t places, std::function<Seconds()> now = {});

  /// A place inside, released by the destructor. The gate must outlive it.
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
    friend class FairSemaphore;
    Turn(FairSemaphore &gate, uint32_t owner, Seconds start, Seconds charged)
        : gate_(&gate), owner_(owner), start_(start), charged_(charged) {}
    FairSemaphore *gate_; ///< null when moved from
    uint32_t owner_;
    Seconds start_, charged_;
  };

  /// Waits for a place. The limit's errors if its deadline passes or its client ends first.
  Result<Turn> enter(uint32_t owner, const CallLimit &limit);

  /// Threads that wait; for tests.
  size_t numWaiting() const;

private:
  struct Waiter {
    uint32_t owner;
    bool isIn = false;
    Seconds charged{};
    std::condition_variable_any changed{};
  };
  struct Account {
    Seconds spent{};      ///< including estimates for threads inside
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
  Seconds estimate_{};                   ///< of the next work item: a running mean of the last ones
  Seconds fairTime_{};                   ///< of a client that is always present
  uint32_t numPresent_ = 0;              ///< clients that are present
  std::list<Waiter *> waiting_;          ///< in order of arrival
  std::map<uint32_t, Account> accounts_; ///< of present clients, and absent ones above a new client's start
};

/// Admits a number of threads of one client at a time, in order of arrival. An admitted thread then also waits for the
/// gate of all clients. Thread-safe.
class CompilerTurns {
public:
  /// `all` (null: none) must outlive the turns; `owner`: the client's number there.
  explicit CompilerTurns(uint32_t places, FairSemaphore *all = nullptr, uint32_t owner = 0)
      : all_(all), owner_(owner), own_(places) {}

  /// A place inside, released by the destructor.
  class Turn {
  private:
    friend class CompilerTurns;
    explicit Turn(FifoSemaphore::Place place) : place_(std::move(place)) {}
    FifoSemaphore::Place place_;
    std::optional<FairSemaphore::Turn> all_; ///< released before the own place
  };

  /// Waits for a place. MissedDeadlineTransient: the deadline passed first. The object must outlive the turn.
  Result<Turn> enter(const CallLimit &limit);

private:
  FairSemaphore *const all_;
  const uint32_t owner_;
  FifoSemaphore own_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_CLIENT_FAIRSEMAPHORE_H
