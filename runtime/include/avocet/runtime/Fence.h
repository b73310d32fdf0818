//===- Fence.h - Completion of one submission -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fence reports whether one submission has ended, and how. It starts signaled (nothing to wait for); submission
// re-arms it, the end of the job signals it. Callers query it, wait for it, or poll() its descriptor.
//
// Threads: every method may be called from any thread. Waiting holds no lock. A waiter that comes before a re-arming
// may see the end of either submission. Lifetime: shared; every object that may still signal it keeps it alive.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_FENCE_H
#define AVOCET_RUNTIME_FENCE_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"
#include "avocet/runtime/Backend.h"
#include "avocet/runtime/PowerControl.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <utility>

namespace avocet::runtime {

class Fence final : public CompletionSink {
public:
  Fence() = default;
  /// Requires that the fence is signaled. Waits until a signal() that is still running has left the object.
  ~Fence();
  Fence(const Fence &) = delete;
  Fence &operator=(const Fence &) = delete;

  bool isSignaled() const { return state_.load(std::memory_order_acquire) == kSignaled; }

  /// Waits without a limit. Spins briefly first, so that short jobs cost no system call.
  void wait() const;

  /// DeadlineExceeded when the time limit passed first; the fence may still be signaled later.
  Status waitFor(std::chrono::nanoseconds timeout);

  /// How the job ended. Requires isSignaled(); a fence that was never armed gives Pending.
  JobOutcome outcome() const { return outcome_; }

  /// A descriptor that polls readable while the fence is signaled. It belongs to the caller, who must not read from it
  /// (that would clear the signal for others). The first call creates it, so fences that are not polled cost nothing.
  Result<FileDescriptor> descriptor();

  /// The device (Device::id()) and the job that the fence was last armed for. Device 0: never submitted; job 0: the
  /// submission failed because of a dependency, without reaching the device.
  struct Submitted {
    uint64_t device = 0;
    JobReference job;
  };
  Submitted submitted() const;

  /// `callback` runs once, after the signal that ends the next submission, on the signaling thread. It must not block,
  /// throw, or call the back end. By then the fence is signaled and may be armed again or destroyed. An outcome with
  /// state Pending means that the submission failed. To be set by the owner of the job, between submissions.
  void onNextSignal(std::function<void(const JobOutcome &)> callback) { callback_ = std::move(callback); }

  /// For the runtime, before a submission to a context of a device (Device::id()). FailedPrecondition if the fence is
  /// armed already.
  Status arm(uint64_t device, ContextHandle context);
  /// For the runtime, between arm() and submission: `cycles` are added to `backlog` until the fence is signaled.
  void charge(std::atomic<uint64_t> &backlog, uint64_t cycles);
  /// For the runtime, between arm() and submission: of the outcome.
  void limit(uint64_t watchdogCycles, uint64_t predictedCycles);
  /// For the runtime, after arm(), with a job that was admitted at a level: it leaves `power` before the signal.
  void occupy(PowerControl &power, uint32_t level);
  /// Of the last job that was admitted; between its signal and the next submission.
  uint32_t clockLevel() const { return clockLevel_; }
  /// For the runtime, when the submission failed after arm(). Signals.
  void disarm();
  /// For the runtime, after submission: whether requestCancel() was called meanwhile, so that the job must be
  /// cancelled. By now the fence may be armed for another submission and the request may be for that one; cancelling
  /// this job is then harmless, because it has ended.
  bool isCancelRequested() const { return cancelRequested_.load(std::memory_order_seq_cst); }
  /// For the runtime: the job to cancel; job 0 if there is none, or if the submitting thread will cancel it.
  JobReference requestCancel();
  /// For the runtime: signals with an outcome. Never blocks for long.
  void signal(const JobOutcome &outcome) noexcept;
  void jobQueued(JobHandle job) noexcept override { job_.store(job, std::memory_order_seq_cst); }
  void jobEnded(JobHandle, const JobOutcome &outcome) noexcept override { signal(outcome); }

private:
  static constexpr uint32_t kArmed = 0;
  static constexpr uint32_t kSignaled = 1;

  void awaitSignaler() const;
  void discharge(const JobOutcome &outcome) noexcept;
  void raise() noexcept;
  void lower() noexcept;

  std::atomic<uint32_t> state_{kSignaled};
  std::atomic<bool> signaling_{false}; ///< a thread is inside signal(); its last store
  JobOutcome outcome_;
  std::mutex mutex_; ///< guards creation of event_; a leaf of the lock order
  FileDescriptor event_;
  std::function<void(const JobOutcome &)> callback_; ///< the owner's until arm(), then signal()'s
  std::atomic<int> eventFd_{-1};

  // Of the last submission. Atomic one by one: a reader that runs during a submission may get a mixture, and with it a
  // job that has ended.
  std::atomic<uint64_t> device_{0};
  std::atomic<ContextHandle> context_{0};
  std::atomic<JobHandle> job_{0}; ///< 0 while the submission is under way
  std::atomic<bool> cancelRequested_{false};
  std::atomic<uint64_t> *backlog_ = nullptr;
  uint64_t chargedCycles_ = 0;
  uint64_t watchdogCycles_ = 0, predictedCycles_ = 0;
  PowerControl *power_ = nullptr; ///< null: the job was not admitted
  uint32_t clockLevel_ = 0;
};

/// Ok for Complete (and for a fence that was never armed). A fault is Aborted for Cancelled, DeviceReset and
/// DependencyFailed, DeadlineExceeded for DeadlineMissed, Watchdog and LoopTimeout, else DeviceFault; the message gives
/// the fault and its location, for Watchdog the limit and the prediction.
Status statusOf(const JobOutcome &outcome);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_FENCE_H
