//===- Fence.h - The moment at which work is done ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fence says whether one submission has ended, and how. It starts signalled (nothing to wait for); submission re-arms
// it, the end of the job signals it. It can be asked, waited for, and handed to poll() as a descriptor.
//
// Threads: every method may be called from any thread. Waiting holds no lock. A waiter that comes before a re-arming
// may see the end of either submission. Lifetime: shared; whoever may still signal it keeps it alive.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_FENCE_H
#define AVOCET_RUNTIME_FENCE_H

#include "avocet/base/File.h"
#include "avocet/base/Status.h"
#include "avocet/runtime/Backend.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <utility>

namespace avocet::runtime {

class Fence final : public CompletionSink {
public:
  Fence() = default;
  /// Requires that the fence is signalled. Waits for the last instructions of a signal() that woke the caller.
  ~Fence();
  Fence(const Fence &) = delete;
  Fence &operator=(const Fence &) = delete;

  bool isSignalled() const { return state_.load(std::memory_order_acquire) == kSignalled; }

  /// Waits without a limit. Spins for a moment first, so that short jobs cost no system call.
  void wait() const;

  /// DeadlineExceeded when the time passed first; the fence may still be signalled later.
  Status waitFor(std::chrono::nanoseconds timeout);

  /// How the job ended. Requires isSignalled(); a fence that was never armed gives Pending.
  JobOutcome outcome() const { return outcome_; }

  /// A descriptor that polls readable while the fence is signalled. It belongs to the caller; reading from it is not
  /// allowed (it would un-signal it for others). The first call creates it, so fences that nobody polls cost nothing.
  Result<FileDescriptor> descriptor();

  /// The device (Device::id()) and the job that the fence was armed for last. Device 0: none was ever submitted; job 0:
  /// the submission failed because of a dependency, without reaching the device.
  struct Submitted {
    uint64_t device = 0;
    JobReference job;
  };
  Submitted submitted() const;

  /// `callback` runs once, behind the signal that ends the next submission, on the thread that gives it: it must not
  /// block, throw, or call the back end. The fence is signalled and may be armed again, or be gone, by then. An outcome
  /// that is Pending says that the submission failed. For the owner of the job, between submissions.
  void onNextSignal(std::function<void(const JobOutcome &)> callback) { callback_ = std::move(callback); }

  /// For the runtime, in front of a submission to a context of a device (Device::id()). FailedPrecondition if the fence
  /// is armed already.
  Status arm(uint64_t device, ContextHandle context);
  /// For the runtime, between arm() and submission: `cycles` are added to `backlog` until the fence is signalled.
  void charge(std::atomic<uint64_t> &backlog, uint64_t cycles);
  /// For the runtime: nothing was submitted after all. Signals.
  void disarm();
  /// For the runtime, after submission: whether requestCancel() came in between, so that the job has to be cancelled.
  /// By now the fence may be armed for another submission; then it was the other one's, and cancelling this one is
  /// harmless.
  bool isCancelRequested() const { return cancelRequested_.load(std::memory_order_seq_cst); }
  /// For the runtime: the job that has to be cancelled; job 0 if there is none, or the submitting thread will do it.
  JobReference requestCancel();
  /// For the runtime: signals with an outcome. Never blocks for long.
  void signal(const JobOutcome &outcome) noexcept;
  void jobQueued(JobHandle job) noexcept override { job_.store(job, std::memory_order_seq_cst); }
  void jobEnded(JobHandle, const JobOutcome &outcome) noexcept override { signal(outcome); }

private:
  static constexpr uint32_t kArmed = 0;
  static constexpr uint32_t kSignalled = 1;

  void awaitSignaller() const;
  void discharge() noexcept;
  void raise() noexcept;
  void lower() noexcept;

  std::atomic<uint32_t> state_{kSignalled};
  std::atomic<bool> signalling_{false}; ///< a thread is inside signal(); its last store
  JobOutcome outcome_;
  std::mutex mutex_; ///< guards creation of event_; a leaf of the lock order
  FileDescriptor event_;
  std::function<void(const JobOutcome &)> callback_; ///< the owner's until arm(), then signal()'s
  std::atomic<int> eventFd_{-1};

  // Of the last submission. Atomic one by one: whoever asks while another thread submits may get a mixture, and with it
  // a job that has ended.
  std::atomic<uint64_t> device_{0};
  std::atomic<ContextHandle> context_{0};
  std::atomic<JobHandle> job_{0}; ///< 0 while the submission is under way
  std::atomic<bool> cancelRequested_{false};
  std::atomic<uint64_t> *backlog_ = nullptr;
  uint64_t chargedCycles_ = 0;
};

/// Ok for Complete (and for a fence that was never armed). A fault is Aborted for Cancelled, DeviceReset and
/// DependencyFailed, DeadlineExceeded for DeadlineMissed, Watchdog and LoopTimeout, else DeviceFault; the message says
/// what happened and where.
Status statusOf(const JobOutcome &outcome);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_FENCE_H
