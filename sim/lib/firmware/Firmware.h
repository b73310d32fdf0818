//===- Firmware.h - Program of the device's control processor ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers messages, keeps contexts with their mappings, and decides which job runs and for how long. It does not access
// registers and has no threads: the device calls it from one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_FIRMWARE_H
#define AVOCET_SIM_LIB_FIRMWARE_FIRMWARE_H

#include "firmware/JobQueue.h"
#include "firmware/JobRunner.h"
#include "firmware/Scheduler.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace avocet::sim {

class Firmware {
public:
  static constexpr uint32_t kMaxContexts = 1024;

  /// `ended` is called for each job that has ended, after its completion record was written.
  Firmware(const firmware::Target &target, const DeviceOptions &options, const Bus &bus,
           std::function<void(const firmware::JobProfile &)> ended);

  /// Answers a request. Nothing: the request destroys the context or ring of the running job. That job is ordered to
  /// end, and the caller must repeat the request afterwards.
  std::optional<firmware::Mailbox> answer(const firmware::Mailbox &request);

  void ringBell(uint32_t ring) { fetch(ring); }

  /// Called while a job runs: when `bell` is set, and at the cycle that it returned last (kNever: only when `bell` is
  /// set). May call answer(), ringBell() and reset().
  using Look = std::function<uint64_t()>;

  /// Whether any job can run, or has to be ended.
  bool hasJobs();

  /// Runs the next job, if there is one, until it has ended or another one preempts it. `clock` shows the current time
  /// throughout.
  void runNext(const std::atomic<bool> &bell, std::atomic<uint64_t> &clock, const Look &look);

  /// Ends the running job and drops all others, contexts, rings and the hand-shake.
  void reset();

  uint64_t cycles() const { return now_; }
  /// Advances time to `cycle` while no job runs.
  void idleUntil(uint64_t cycle) { now_ = std::max(now_, cycle); }

private:
  using ReplyCode = firmware::ReplyCode;
  template <typename Request>
  std::optional<ReplyCode> handle(const firmware::Mailbox &message,
                                  std::optional<ReplyCode> (Firmware::*handler)(const Request &));

  firmware::HelloReply hello(const firmware::Mailbox &message);
  std::optional<ReplyCode> dispatch(const firmware::Mailbox &message);
  std::optional<ReplyCode> createContext(const firmware::ContextRequest &request);
  std::optional<ReplyCode> destroyContext(const firmware::ContextRequest &request);
  std::optional<ReplyCode> map(const firmware::MapRequest &request);
  std::optional<ReplyCode> unmap(const firmware::MapRequest &request);
  std::optional<ReplyCode> createRing(const firmware::RingRequest &request);
  std::optional<ReplyCode> destroyRing(const firmware::RingRequest &request);
  std::optional<ReplyCode> cancel(const firmware::CancelRequest &request);

  void fetch(uint32_t ring);
  void endAll(std::vector<QueuedJob> &jobs, firmware::FaultCode code);
  void endQueued(const QueuedJob &job, const JobFault &fault);
  void endActive(ActiveJob &job);
  bool endSuspended(firmware::FaultCode code, const std::function<bool(const ActiveJob &)> &isMeant);
  firmware::FaultCode doomOf(QueuedJob &job);
  void endDoomed();

  /// A job that can run: a suspended one, or the first of a ring.
  struct Choice {
    Rank rank;
    uint32_t priority = 0;
    size_t suspended = SIZE_MAX; ///< index
    uint32_t ring = 0;
  };
  std::optional<Choice> choose();
  std::unique_ptr<ActiveJob> take(const Choice &choice);
  uint64_t timeOf(const ActiveJob &job) const;
  RunOrder attend(const Look &look, RunWatch &watch, uint64_t elapsed);
  uint64_t nextChange();
  bool bringBack(const Look &look, RunWatch &watch);
  bool runSlice(RunWatch &watch);

  const firmware::Target &target_;
  const DeviceOptions options_;
  const Bus &bus_;
  std::function<void(const firmware::JobProfile &)> ended_;
  struct Context {
    Mmu mmu;
    uint32_t owner;
  };
  std::map<uint32_t, Context> contexts_;
  JobQueue queue_;
  Scheduler scheduler_;
  JobRunner runner_;
  std::vector<std::unique_ptr<ActiveJob>> suspended_;
  std::unique_ptr<ActiveJob> running_;
  uint32_t level_ = 0;    ///< effective priority of the running job
  JobFault interruption_; ///< why the running job has to end
  bool resetPending_ = false;
  bool hasGreeted_ = false;
  uint64_t now_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_FIRMWARE_H
