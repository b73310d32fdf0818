//===- Deadline.cpp - Time limits of work on the device ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "execution/Deadline.h"

#include "avocet/hal/types/VerboseLog.h"

#include <algorithm>
#include <fmt/core.h>

namespace avocet::hal {
namespace {

/// Interval of checking a clock that a test sets.
constexpr Duration kFakeClockStep = std::chrono::milliseconds(2);

double secondsOf(uint64_t cycles, uint64_t clockHz) {
  return static_cast<double>(cycles) / static_cast<double>(std::max<uint64_t>(clockHz, 1));
}

Error tooLate(ErrorStatus status, std::string_view what, double needed, double left) {
  return error(status,
               fmt::format("the deadline is {:.3f} ms away, and {} takes {:.3f} ms", left * 1e3, what, needed * 1e3));
}

} // namespace

Duration DeadlineClock::sleepUntil(TimePoint limit) const {
  // Times are not negative, so their difference cannot overflow.
  Duration left = std::clamp(limit - now(), Duration::zero(), kLongestSleep);
  return clock_ ? std::min(left, kFakeClockStep) : left;
}

Error CallLimit::whyOver(std::string_view what) const {
  if (gone_.stop_requested())
    return generalFailure("the client has disconnected");
  return error(ErrorStatus::MissedDeadlineTransient, fmt::format("the deadline passed {}", what));
}

OptionalTimePoint earlier(const OptionalTimePoint &a, const OptionalTimePoint &b) {
  if (!a || !b)
    return a ? a : b;
  return std::min(*a, *b);
}

Outcome checkLaunch(const OptionalTimePoint &deadline, TimePoint now, const Prediction &prediction) {
  if (!deadline)
    return success();
  if (now >= *deadline)
    return error(ErrorStatus::MissedDeadlinePersistent, "the deadline has passed");
  double left = std::chrono::duration<double>(*deadline - now).count();
  double own = secondsOf(prediction.own, prediction.clockHz);
  const double queued = secondsOf(prediction.backlog, prediction.clockHz);
  verbose(VerboseTag::Execution, "deadline in {:.3f} ms: predicted {:.3f} ms after {:.3f} ms of queued jobs: {}",
          left * 1e3, own * 1e3, queued * 1e3, own + queued > left ? "refused" : "accepted");
  if (own > left)
    return tooLate(ErrorStatus::MissedDeadlinePersistent, "the execution alone", own, left);
  double all = own + queued;
  if (all > left)
    return tooLate(ErrorStatus::MissedDeadlineTransient, "the execution with the jobs queued before it", all, left);
  return success();
}

Outcome answerOf(const runtime::JobOutcome &job, bool hadDeadline) {
  const avocet::Status status = runtime::statusOf(job);
  if (status.isOk())
    return success();
  const bool isLate = job.fault == firmware::FaultCode::DeadlineMissed ||
                      job.fault == firmware::FaultCode::LoopTimeout ||
                      (job.fault == firmware::FaultCode::Cancelled && hadDeadline);
  return error(isLate ? ErrorStatus::MissedDeadlineTransient : ErrorStatus::GeneralFailure,
               std::string(status.message()));
}

} // namespace avocet::hal
