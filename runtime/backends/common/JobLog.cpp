//===- JobLog.cpp - Open jobs and outcomes of the last ones ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/JobLog.h"

#include <fmt/core.h>

namespace avocet::runtime {

Result<JobHandle> JobLog::begin(CompletionSink *sink) {
  std::unique_lock lock(mutex_);
  // The job that used the entry before may still be open if later jobs ended out of order.
  if (open_ >= depth_ || entryOf(next_).open)
    return resourceExhausted(fmt::format("the queue holds {} jobs already, at most {} may be open", open_, depth_));
  JobHandle job = next_++;
  entryOf(job) = {job, true, sink, {}};
  ++open_;
  lock.unlock();
  if (sink != nullptr)
    sink->jobQueued(job);
  return job;
}

void JobLog::end(JobHandle job, const JobOutcome &outcome) {
  CompletionSink *sink = nullptr;
  {
    std::lock_guard lock(mutex_);
    Entry &entry = entryOf(job);
    entry.open = false;
    entry.outcome = outcome;
    sink = std::exchange(entry.sink, nullptr);
    --open_;
  }
  ended_.notify_all();
  if (sink != nullptr)
    sink->jobEnded(job, outcome);
}

Result<JobLog::State> JobLog::stateOf(JobHandle job) {
  std::lock_guard lock(mutex_);
  if (job < first_ || job >= next_)
    return invalidArgument(fmt::format("there is no job {}", job));
  const Entry &entry = entryOf(job);
  if (entry.job != job)
    return State::Forgotten;
  if (entry.open)
    return State::Open;
  return entry.outcome.state == firmware::JobState::Complete ? State::Complete : State::Faulted;
}

bool JobLog::hasEnded(JobHandle job) {
  std::lock_guard lock(mutex_);
  const Entry &entry = entryOf(job);
  return entry.job != job || !entry.open;
}

Result<JobOutcome> JobLog::wait(JobHandle job, std::chrono::nanoseconds timeout) {
  std::unique_lock lock(mutex_);
  auto isKnown = [&] { return job != 0 && entryOf(job).job == job; };
  if (!isKnown())
    return invalidArgument(fmt::format("job {} is not one of the last {}", job, kHistory));
  auto hasEnded = [&] { return !isKnown() || !entryOf(job).open; };
  if (timeout < std::chrono::nanoseconds::zero())
    ended_.wait(lock, hasEnded);
  else if (!ended_.wait_for(lock, timeout, hasEnded))
    return Status(StatusCode::DeadlineExceeded, fmt::format("job {} still runs", job));
  if (!isKnown())
    return invalidArgument(fmt::format("job {} ended, but its outcome was overwritten by later jobs", job));
  return entryOf(job).outcome;
}

} // namespace avocet::runtime
