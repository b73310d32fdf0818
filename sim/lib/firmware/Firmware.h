//===- Firmware.h - The program that runs on the device's control processor -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Answers messages, keeps contexts with their mappings, and runs jobs. Knows nothing of registers and threads: the
// device calls it from one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_FIRMWARE_H
#define AVOCET_SIM_LIB_FIRMWARE_FIRMWARE_H

#include "firmware/JobQueue.h"
#include "firmware/JobRunner.h"

#include <functional>
#include <map>
#include <optional>

namespace avocet::sim {

class Firmware {
public:
  static constexpr uint32_t kMaxContexts = 256;

  /// `ended` is called for each job that has ended, after its completion record was written.
  Firmware(const firmware::Target &target, const DeviceOptions &options, const Bus &bus,
           std::function<void(const JobProfile &)> ended);

  /// Answers a request. Nothing: the request takes away what the running job needs; the job was told to end, and the
  /// request has to come again afterwards.
  std::optional<firmware::Mailbox> answer(const firmware::Mailbox &request);

  void ringBell(uint32_t ring) { queue_.fetch(ring); }
  bool hasJobs() const { return !queue_.empty(); }

  /// Runs the next job. Requires hasJobs(). `look` is called now and then while it runs and may call answer() or
  /// reset().
  void runJob(const std::function<void()> &look);

  /// Ends all jobs and forgets contexts, rings and the hand-shake.
  void reset();

  uint64_t cycles() const { return now_; }

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
  void endAll(std::vector<QueuedJob> &jobs, firmware::FaultCode code);

  const firmware::Target &target_;
  const DeviceOptions options_;
  const Bus &bus_;
  std::function<void(const JobProfile &)> ended_;
  std::map<uint32_t, Mmu> contexts_;
  JobQueue queue_;
  JobRunner runner_;
  std::optional<QueuedJob> running_;
  JobFault interruption_; ///< why the running job has to end
  bool resetPending_ = false;
  bool hasGreeted_ = false;
  uint64_t now_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_FIRMWARE_H
