//===- JobLog.h - Open jobs and outcomes of the last ones -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers the jobs of one context, keeps the outcomes of the last 256, and lets callers wait for them. Thread-safe; its
// lock is a leaf, and is not held while a sink is called. begin() and end() allocate nothing.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_JOBLOG_H
#define AVOCET_RUNTIME_JOBLOG_H

#include "avocet/runtime/Backend.h"

#include <array>
#include <condition_variable>
#include <mutex>

namespace avocet::runtime {

class JobLog {
public:
  static constexpr uint32_t kHistory = 256;

  /// State of a job in the log.
  enum class State { Open, Complete, Faulted, Forgotten };

  /// At most `depth` jobs (<= kHistory) between begin() and end(). The jobs of context n are numbered from n * 2^32 +
  /// 1, so that a job's number identifies its context even when the context's device resources have been reused.
  JobLog(ContextHandle context, uint32_t depth)
      : depth_(depth), first_((JobHandle{context} << 32) + 1), next_(first_) {}

  /// Passes the job's handle to the sink. ResourceExhausted when `depth` jobs are open.
  Result<JobHandle> begin(CompletionSink *sink);

  /// Records the outcome, wakes waiters, then calls the sink. The job must be open.
  void end(JobHandle job, const JobOutcome &outcome);

  /// Forgotten: the job has ended and its outcome has been overwritten. InvalidArgument: there was no such job.
  Result<State> stateOf(JobHandle job);
  bool hasEnded(JobHandle job);

  Result<JobOutcome> wait(JobHandle job, std::chrono::nanoseconds timeout);

private:
  struct Entry {
    JobHandle job = 0;
    bool open = false;
    CompletionSink *sink = nullptr;
    JobOutcome outcome;
  };
  Entry &entryOf(JobHandle job) { return entries_[job % kHistory]; }

  const uint32_t depth_;
  const JobHandle first_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::array<Entry, kHistory> entries_;
  JobHandle next_;
  uint32_t open_ = 0;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_JOBLOG_H
