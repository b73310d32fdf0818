//===- Queue.h - Submits jobs -----------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue submits the jobs of one context with one priority. Jobs of a context end in the order of submission.
//
// Watchdog: a section of a network may take 8 times as long as the compiler predicted for the whole network, at least
// firmware::kIdleWatchdogCycles, at most firmware::kMaxWatchdogCycles. A model cache without a prediction leaves it to
// the device (JobRing.h). The prediction comes from the model cache: a program that runs untrusted ones limits it.
//
// Threads: submit() may be called from any thread; one job must not be submitted or bound by two threads at the same
// time. The hot path allocates nothing, holds no lock of the runtime, and makes no system call of its own.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_QUEUE_H
#define AVOCET_RUNTIME_QUEUE_H

#include "avocet/runtime/Job.h"

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

namespace avocet::runtime {

struct SubmitOptions {
  /// Device time from now on; see Submission::deadline.
  std::optional<std::chrono::nanoseconds> deadline;
  /// Fences of jobs of the same device that were submitted earlier and must complete before this job starts; at most
  /// firmware::kMaxDependencies that are not signaled. If one of those jobs faults or has faulted, this one ends with
  /// FaultCode::DependencyFailed.
  std::span<Fence *const> after;
  /// sync_files that must signal before the job starts, and the place for one that signals at its end: see Submission.
  /// InvalidArgument for `syncFiles` on a device without DeviceProperties::hasSyncFiles.
  std::span<const int> syncFiles;
  FileDescriptor *endFile = nullptr;
  /// The clock level that the job asks for, an index in the target's levels; nothing: the default. The device may run
  /// it faster (PowerControl), and ignores this without DeviceProperties::hasClockLevels.
  std::optional<uint32_t> clockLevel{};
  /// The job is cancelled if a stop is requested before the submission is complete. Later requests have no effect: call
  /// Job::cancel().
  std::stop_token cancelled;
};

class Queue {
public:
  static constexpr uint32_t kMaxPriority = firmware::kMaxPriority;

  /// InvalidArgument for a null context or a priority above kMaxPriority.
  static Result<std::shared_ptr<Queue>> create(std::shared_ptr<Context> context, uint32_t priority = 0);

  /// Submits the job to the device; its fence signals when it has ended. FailedPrecondition: an operand is not bound,
  /// or the job's last submission has not ended. InvalidArgument: the job belongs to another context.
  /// ResourceExhausted: the queue is full; wait for any fence and try again. DeviceLost. On an error nothing was
  /// submitted and the fence is signaled.
  Status submit(Job &job) { return submit(job, {}); }

  /// The same with conditions: see SubmitOptions. InvalidArgument also for a fence that is null, of another device, or
  /// whose job was never submitted.
  Status submit(Job &job, const SubmitOptions &options);

  /// submit() and wait for the end: Ok, or the job's fault. If the back end can run the device on the calling thread,
  /// it does (Backend::drive), so that a short job needs no thread switch.
  Status run(Job &job) { return run(job, {}); }
  Status run(Job &job, const SubmitOptions &options);

  uint32_t priority() const { return priority_; }

private:
  Queue(std::shared_ptr<Context> context, uint32_t priority) : context_(std::move(context)), priority_(priority) {}
  Result<JobHandle> submit(Job &job, const SubmitOptions &options, bool driven);
  void admit(Job &job, Submission &submission, const SubmitOptions &options);
  Result<JobHandle> hand(Job &job, Submission &submission, const SubmitOptions &options);

  std::shared_ptr<Context> context_;
  uint32_t priority_;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_QUEUE_H
