//===- Queue.cpp - Submits jobs ---------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Queue.h"

#include "avocet/base/Log.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>

namespace avocet::runtime {

Result<std::shared_ptr<Queue>> Queue::create(std::shared_ptr<Context> context, uint32_t priority) {
  if (context == nullptr)
    return invalidArgument("queue: the context is null");
  if (priority > kMaxPriority)
    return invalidArgument(fmt::format("queue: priority {} is above {}", priority, kMaxPriority));
  return std::shared_ptr<Queue>(new Queue(std::move(context), priority));
}

namespace {

enum class Dependency { Ended, Pending, Failed };

/// State of a fence's job as a dependency; `job` is set for Pending.
Result<Dependency> lookAt(const Fence *fence, const Device &device, JobReference &job) {
  if (fence == nullptr)
    return invalidArgument("submit: a fence to wait for is null");
  // In this order: a fence that is signaled in between still names a job, which has ended.
  const bool hasEnded = fence->isSignaled();
  const Fence::Submitted submitted = fence->submitted();
  if (submitted.device == 0 || (!hasEnded && submitted.job.job == 0))
    return invalidArgument("submit: a fence to wait for was not submitted");
  if (submitted.device != device.id())
    return invalidArgument("submit: a fence to wait for is of another device");
  job = submitted.job;
  if (!hasEnded)
    return Dependency::Pending;
  return fence->outcome().state == firmware::JobState::Complete ? Dependency::Ended : Dependency::Failed;
}

/// The jobs of fences, without those that completed.
struct Dependencies {
  std::array<JobReference, firmware::kMaxDependencies> jobs;
  size_t count = 0;
  bool failed = false;

  Status collect(std::span<Fence *const> fences, const Device &device) {
    count = 0;
    for (const Fence *fence : fences) {
      JobReference job;
      AVOCET_ASSIGN_OR_RETURN(Dependency dependency, lookAt(fence, device, job));
      failed = failed || dependency == Dependency::Failed;
      if (dependency != Dependency::Pending)
        continue;
      if (count == jobs.size())
        return invalidArgument(fmt::format("submit: more than {} fences to wait for", jobs.size()));
      jobs[count++] = job;
    }
    return Status::ok();
  }
};

JobOutcome dependencyFailed() {
  JobOutcome outcome;
  outcome.state = firmware::JobState::Faulted;
  outcome.fault = firmware::FaultCode::DependencyFailed;
  return outcome;
}

} // namespace

Result<JobHandle> Queue::submit(Job &job, const SubmitOptions &options, bool driven) {
  if (job.executable().context() != context_)
    return invalidArgument("submit: the job belongs to another context");
  AVOCET_RETURN_IF_ERROR(context_->device().status());
  if (!options.syncFiles.empty() && !context_->device().properties().hasSyncFiles)
    return invalidArgument("submit: the device cannot wait for sync_files");
  AVOCET_ASSIGN_OR_RETURN(Submission submission, job.submission(priority_));
  submission.deadline = options.deadline;
  submission.driven = driven;
  submission.syncFiles = options.syncFiles;
  submission.endFile = options.endFile;
  Device &device = context_->device();
  const size_t levels = device.target().power().levels.size();
  if (options.clockLevel && *options.clockLevel >= levels)
    return invalidArgument(fmt::format("submit: clock level is {}, must be below {}", *options.clockLevel, levels));
  AVOCET_RETURN_IF_ERROR(job.fence()->arm(device.id(), submission.context));
  admit(job, submission, options);
  Result<JobHandle> handle = hand(job, submission, options);
  if (handle.isOk())
    return handle;
  job.fence()->disarm();
  return handle;
}

/// The watchdog ends jobs that hang, not networks that are slow: a prediction may be wrong by some factor, and the
/// device may share its off-chip memory.
static uint64_t watchdogOf(uint64_t predictedCycles) {
  constexpr uint64_t kMargin = 8;
  if (predictedCycles == 0)
    return firmware::kDefaultWatchdog;
  const uint64_t most = firmware::kMaxWatchdogCycles / kMargin;
  return std::max(firmware::kIdleWatchdogCycles, kMargin * std::min(predictedCycles, most));
}

/// Wakes the device, limits the job, and charges it until its fence signals.
void Queue::admit(Job &job, Submission &submission, const SubmitOptions &options) {
  Device &device = context_->device();
  Fence &fence = *job.fence();
  const uint64_t predicted = job.executable().model().predictedCycles();
  const PowerControl::Admission admission = device.power().admit(options.clockLevel);
  fence.occupy(device.power(), admission.level);
  if (device.properties().hasClockLevels)
    submission.clockLevel = admission.level;
  if (submission.deadline)
    *submission.deadline -= admission.wake;
  submission.watchdogCycles = watchdogOf(predicted);
  fence.limit(submission.watchdogCycles, predicted);
  fence.charge(device.backlogOf(priority_), defaultCyclesOf(device.target().power(), predicted, admission.level));
}

/// Submits an armed job to the back end, or ends it because of a dependency (job 0).
Result<JobHandle> Queue::hand(Job &job, Submission &submission, const SubmitOptions &options) {
  Device &device = context_->device();
  const ContextHandle context = submission.context;
  // After submission the job may end, and a thread that waits for it may destroy it. The fence must outlive that.
  const std::shared_ptr<Fence> fence = job.fence(); // NOLINT(performance-unnecessary-copy-initialization): see above
  Dependencies dependencies;
  Result<JobHandle> handle(JobHandle(0));
  // Second attempt: a dependency's context was destroyed between the check and the submission; its fence has the
  // outcome.
  for (int attempt = 0; attempt < 2; ++attempt) {
    AVOCET_RETURN_IF_ERROR(dependencies.collect(options.after, device));
    if (dependencies.failed) {
      fence->signal(dependencyFailed());
      return JobHandle(0);
    }
    submission.dependencies = std::span(dependencies.jobs).first(dependencies.count);
    handle = device.observe(device.backend().submit(submission));
    if (handle.status().code() != StatusCode::InvalidArgument || dependencies.count == 0)
      break;
  }
  if (!handle.isOk())
    return handle;
  logMessage(LogLevel::Trace, "runtime", "job {} of context {} submitted with priority {}", *handle, context,
             submission.priority);
  if (fence->isCancelRequested() || options.cancelled.stop_requested())
    (void)device.cancel({context, *handle});
  return handle;
}

Status Queue::submit(Job &job, const SubmitOptions &options) { return submit(job, options, false).status(); }

Status Queue::run(Job &job, const SubmitOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(JobHandle handle, submit(job, options, true));
  if (handle != 0)
    context_->device().backend().drive(context_->handle(), handle);
  job.fence()->wait();
  const JobOutcome outcome = job.fence()->outcome();
  logMessage(LogLevel::Trace, "runtime", "job {} of context {} ended after {} cycles", handle, context_->handle(),
             outcome.counters.cycles);
  return statusOf(outcome);
}

} // namespace avocet::runtime
