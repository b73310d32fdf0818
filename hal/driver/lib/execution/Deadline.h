//===- Deadline.h - Time limits of work on the device -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A deadline is a time of the host's clock. The device has its own clock, and that of a simulated device runs slower
// than the host's. The time left at the submission becomes the job's limit in device time. Both bounds hold; the first
// one to pass ends the run.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_EXECUTION_DEADLINE_H
#define AVOCET_HAL_DRIVER_LIB_EXECUTION_DEADLINE_H

#include "avocet/hal/types/Result.h"
#include "avocet/hal/types/Types.h"
#include "avocet/runtime/Fence.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>
#include <utility>

namespace avocet::hal {

/// The clock of deadlines: BootClock, or a clock that a test sets. Waits are short with a test's clock, since no event
/// reports that the test has set the time. Thread-safe if the function is.
class DeadlineClock {
public:
  static constexpr Duration kLongestSleep = std::chrono::hours(24 * 365);

  /// Empty: BootClock.
  explicit DeadlineClock(std::function<TimePoint()> clock = {}) : clock_(std::move(clock)) {}

  TimePoint now() const { return clock_ ? clock_() : BootClock::now(); }
  bool hasPassed(const OptionalTimePoint &deadline) const { return deadline && now() >= *deadline; }

  /// Time to sleep before the next check whether `limit` has passed; 0 if it has. Bounded, so that adding it to a
  /// clock's time does not overflow.
  Duration sleepUntil(TimePoint limit) const;

private:
  std::function<TimePoint()> clock_;
};

/// The limit of a call: its deadline and its client's stop token. A value that refers to the clock.
class CallLimit {
public:
  CallLimit(const DeadlineClock &clock, const OptionalTimePoint &deadline, std::stop_token gone)
      : clock_(&clock), deadline_(deadline), gone_(std::move(gone)) {}

  const OptionalTimePoint &deadline() const { return deadline_; }
  bool hasPassed() const { return clock_->hasPassed(deadline_); }
  bool isOver() const { return gone_.stop_requested() || hasPassed(); }

  /// The error of a call that is over: the deadline passed `what`, or the client has ended.
  Error whyOver(std::string_view what) const;

  /// Waits for an event: `waitFor(duration)` waits for that time and returns whether the event has occurred. False: the
  /// deadline passed first. For waits on the client's own work, which ends when the client does.
  template <typename WaitFor> bool await(WaitFor &&waitFor) const {
    Duration time = deadline_ ? clock_->sleepUntil(*deadline_) : DeadlineClock::kLongestSleep;
    while (!waitFor(time)) {
      if (hasPassed())
        return false;
      time = deadline_ ? clock_->sleepUntil(*deadline_) : DeadlineClock::kLongestSleep;
    }
    return true;
  }

  /// As await(), for waits on work of other clients: the end of the client ends them too. `waitFor(stop token,
  /// duration)` returns on a stop request or after the duration, and whether the event has occurred. False: the
  /// deadline passed or the client ended first.
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

/// The earlier of two limits; either may be empty.
OptionalTimePoint earlier(const OptionalTimePoint &a, const OptionalTimePoint &b);

/// Predicted work of the device until the end of a job, in device cycles.
struct Prediction {
  uint64_t own = 0;     ///< of the job; 0: unknown
  uint64_t backlog = 0; ///< of jobs queued before it
  uint64_t clockHz = 1;
};

/// Refuses a launch that cannot meet its deadline. MissedDeadlinePersistent: the job alone takes too long, or the
/// deadline has passed. MissedDeadlineTransient: it takes too long together with the jobs queued before it.
Outcome checkLaunch(const OptionalTimePoint &deadline, TimePoint now, const Prediction &prediction);

/// The answer for a job that has ended. Missed deadline: a job ended by its deadline or a loop's time limit, or
/// cancelled while it had a deadline. All other ends, including the watchdog, are failures of the job.
Outcome answerOf(const runtime::JobOutcome &job, bool hadDeadline);

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_EXECUTION_DEADLINE_H
