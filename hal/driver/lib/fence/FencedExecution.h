//===- FencedExecution.h - Executions that wait for fences ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run that starts when fences have signaled and signals a fence when it has ended. The kind of fence decides how it
// waits:
//
//   executions of the same device   the device waits for them itself, also for those of other clients: the job is
//                                   submitted as soon as theirs are, and starts without the host
//   a sync_file                     a kernel driver's device waits for it, as for its own jobs
//   any other fence                 FenceWatch waits, then the job is submitted
//
// The fence that a launch returns is the sync_file of the job, if the device has sync_files, the job is submitted
// during the launch, and its outputs are complete when it ends. It then signals shortly before the execution is
// settled, so calls that need the settled state wait for it (awaitSettled). Else the fence is a socket (SyncFence.h).
//
// A fence of the same device is treated as a foreign one if the host has to work between the two executions: an operand
// cannot be bound to the caller's memory, or a value that shapes the program is not computed yet.
//
// Lifetimes. The part that is active holds the execution: a predecessor, the watch, or the device. The execution holds
// the model, the request, and the run until its job has ended, even if the deadline has ended it before. The end of a
// job is reported on a thread that must not call the device, and the watch's thread serves all clients. The host's work
// for an execution therefore runs on a thread of the client.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_FENCE_FENCEDEXECUTION_H
#define AVOCET_HAL_DRIVER_LIB_FENCE_FENCEDEXECUTION_H

#include "avocet/base/TraceRequest.h"
#include "fence/FenceWatch.h"
#include "fence/FencedRegistry.h"
#include "model/PreparedModel.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace avocet::hal {

/// The arguments of a fenced execution.
struct FencedCall {
  std::shared_ptr<PreparedModel> model;
  std::shared_ptr<const BoundRequest> bound; ///< its options, except the deadline
  std::vector<SyncFence> waitFor;
  OptionalTimePoint deadline;
  OptionalDuration timeoutAfterFence;
  std::function<void()> whenEnded; ///< runs before the fence is signaled, unless the launch fails; may be empty
};

/// Thread-safe.
class FencedExecution final : public IFencedExecution, public std::enable_shared_from_this<FencedExecution> {
public:
  /// See IPreparedModel::executeFenced().
  static Result<FencedLaunch> launch(FencedCall call);
  /// For launch().
  FencedExecution(FencedCall call, FencedRegistry::Identity identity, FenceSignaler signaler);

  Result<FencedTimes> executionInfo() override;

  /// Waits until the execution is settled, if its sync_file has signaled; that is soon. Not to be called on a thread
  /// that settles executions.
  void awaitSettled();

private:
  using WhenGone = std::stop_callback<std::function<void()>>;
  using Executions = std::vector<std::shared_ptr<FencedExecution>>;
  enum class Stage { Launching, Waiting, Submitting, Submitted, Over };

  // The launch, on the caller's thread.
  Outcome start();
  Outcome prepare();
  std::vector<SyncFence> chooseHostFences();
  bool canDeviceAwait(const SyncFence &fence) const;
  SyncFence visibleFence(const SyncFence &socket) const;
  Outcome watch(const std::vector<SyncFence> &hostFences);
  void followPredecessors();
  void endLaunch();
  void withdraw();

  // The submission, on any thread.
  bool joinQueue(std::shared_ptr<FencedExecution> successor);
  void becomeReady();
  void submitLater();
  void submit();
  void endWithoutJob(const Error &error);
  Outcome submitRun(Executions &pinned);
  Outcome pin(std::shared_ptr<Run> &run);

  // The end.
  void jobEnded(bool hasFailed);
  void unpin();
  void settle();
  void complete(const Outcome &result);
  void fail(const Error &error);
  void answer(const Outcome &result, const FencedTimes &times);
  void release();

  void fencesEnded(FenceWatch::End end);
  void startTimeout();
  void setTimer(DeviceCore &core, TimePoint deadline);
  void keep(FenceWatch::Ticket ticket);
  FencedTimes timesOf(const Run &run) const;
  DeviceCore &core() const { return held_->model->client().core(); }
  Run &run() const { return *held_->run; }

  /// The objects that the execution holds until it is over. Used without the lock, by one owner at a time: the launch,
  /// then the thread that ended the stage Waiting, then the end of the job.
  struct Holdings {
    std::shared_ptr<PreparedModel> model;
    std::shared_ptr<const BoundRequest> bound;
    std::shared_ptr<Run> run;
    std::unique_ptr<WhenGone> whenGone;
    Executions predecessors;          ///< that the device waits for
    std::vector<SyncFence> syncFiles; ///< that the device waits for
    Charge awaited;                   ///< of the client's fences
    std::function<void()> whenEnded;
  };
  void leaveToHost(const Holdings &held, const std::function<void()> &task);
  std::shared_ptr<Holdings> held_ = std::make_shared<Holdings>();

  const TraceRequest request_ = currentTraceRequest(); ///< of the launch
  const DeadlineClock clock_;
  const OptionalTimePoint deadline_;
  const OptionalDuration timeoutAfterFence_;
  const FencedRegistry::Identity identity_;
  FenceSignaler signaler_;        ///< used by the thread that answers
  std::vector<SyncFence> active_; ///< awaited fences, during the launch
  bool isPrepared_ = false;       ///< both are set before the submission, and constant after the launch
  bool writesDirectly_ = false;   ///< for successors: the outputs are complete when the job ends

  std::condition_variable settled_; ///< isSettled_ has become true
  mutable std::mutex mutex_;        ///< guards the members below; nothing is called while it is held
  Stage stage_ = Stage::Launching;
  bool isAnswered_ = false;
  bool isSettled_ = false;        ///< answered, and the request may be used again
  bool hasEnded_ = false;         ///< the job has ended
  bool hasFailed_ = false;        ///< the job has failed
  std::optional<SyncFence> end_;  ///< the job's sync_file
  int unready_ = 1;               ///< conditions before the submission; the launch itself is one
  int pins_ = 0;                  ///< threads that use the run; the end of the job waits for them
  std::optional<Error> overrule_; ///< an error that came during the launch or the submission
  Executions successors_;         ///< executions that wait for the submission
  std::vector<FenceWatch::Ticket> tickets_;
  TimePoint fencesSignaled_ = clock_.now(); ///< when the last fence watched by the host signaled
  TimePoint ended_;
  Outcome result_ = generalFailure("fenced execution: it has not ended");
  FencedTimes times_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_FENCE_FENCEDEXECUTION_H
