//===- Deadline.h - Time limits of work on the device -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A deadline is a moment of the host's clock. The device counts time of its own, and a simulated one counts slower than
// the host does: what is left of the host's time at submission is what the job gets in the device's time. Both bounds
// hold; whichever comes first ends the run.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_EXECUTION_DEADLINE_H
#define AVOCET_HAL_DRIVER_LIB_EXECUTION_DEADLINE_H

#include "avocet/hal/Result.h"
#include "avocet/hal/Types.h"
#include "avocet/runtime/Fence.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>
#include <utility>

namespace avocet::hal {

/// What deadlines are measured with: BootClock, or a clock that a test sets. Sleepers look again after a while, since
/// nobody tells them when a test sets the time. Thread-safe if the function is.
class DeadlineClock {
public:
  static constexpr Duration kLongestSleep = std::chrono::hours(24 * 365);

  /// Empty: BootClock.
  explicit DeadlineClock(std::function<TimePoint()> clock = {}) : clock_(std::move(clock)) {}

  TimePoint now() const { return clock_ ? clock_() : BootClock::now(); }
  bool hasPassed(const OptionalTimePoint &deadline) const { return deadline && now() >= *deadline; }

  /// How long to sleep before looking again whether `limit` has passed; 0 if it has. Bounded, so that no clock
  /// overflows when it is added.
  Duration sleepUntil(TimePoint limit) const;

private:
  std::function<TimePoint()> clock_;
};

/// What bounds a call: its deadline, and the presence of the client that made it. A value that refers to the clock.
class CallLimit {
public:
  CallLimit(const DeadlineClock &clock, const OptionalTimePoint &deadline, std::stop_token gone)
      : clock_(&clock), deadline_(deadline), gone_(std::move(gone)) {}

  const OptionalTimePoint &deadline() const { return deadline_; }
  bool hasPassed() const { return clock_->hasPassed(deadline_); }
  bool isOver() const { return gone_.stop_requested() || hasPassed(); }

  /// Why there is no point in going on: `what` was overtaken by the deadline, or the client has gone.
  Error whyOver(std::string_view what) const;

  /// Waits for something: `waitFor(duration)` does it for some time and says whether it has come. False: the deadline
  /// passed first. Whoever waits for a client's own work need not look whether the client is there: that ends, too.
  template <typename WaitFor> bool await(WaitFor &&waitFor) const {
    Duration time = deadline_ ? clock_->sleepUntil(*deadline_) : DeadlineClock::kLongestSleep;
    while (!waitFor(time)) {
      if (hasPassed())
        return false;
      time = deadline_ ? clock_->sleepUntil(*deadline_) : DeadlineClock::kLongestSleep;
    }
    return true;
  }

  /// As await() for what others work on: it ends when the client goes, too. `waitFor(stop token, duration)` returns
  /// when either is over, and whether what it waits for has come. False: the deadline passed, or the client went,
  /// first.
  template <typename WaitFor> bool awaitPresent(WaitFor &&waitFor) const {
    do {
      if (waitFor(gone_, deadline_ ? clock_->sleepUntil(*deadline_) : DeadlineClock::kLongestSleep))
        return true;
    } while (!isOver());
    return false;
  }

private:
  const DeadlineClock *clock_;
  OptionalTimePoint deadline_;
  std::stop_token gone_;
};

/// The earlier of two limits, of which either may not exist.
OptionalTimePoint earlier(const OptionalTimePoint &a, const OptionalTimePoint &b);

/// `start` + `time`, or the last moment that there is.
TimePoint later(TimePoint start, Duration time);

/// What the device is going to do before a job is done, in its own cycles.
struct Prediction {
  uint64_t own = 0;     ///< of the job; 0: nobody knows
  uint64_t backlog = 0; ///< of jobs in front of it
  uint64_t clockHz = 1;
};

/// Refuses a launch that cannot be in time: MissedDeadlinePersistent if not even a device that did nothing else could,
/// or if the deadline has passed; MissedDeadlineTransient if it is what is queued in front.
Outcome checkLaunch(const OptionalTimePoint &deadline, TimePoint now, const Prediction &prediction);

/// The answer for a job that has ended. A job ended by its deadline or by a loop's time limit missed a deadline; one
/// that was cancelled did so, too, if it had one. Whatever else ended it is the job's own failure, the watchdog
/// included.
Outcome answerOf(const runtime::JobOutcome &job, bool hadDeadline);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_EXECUTION_DEADLINE_H
