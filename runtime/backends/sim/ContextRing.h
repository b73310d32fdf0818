//===- ContextRing.h - The job ring of one context --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's side of one job ring (firmware_iface/JobRing.h): memory for descriptors, tables and completion records,
// filled by submit(), looked through by reap(). Each job has one slot of tables while it is open, always the lowest
// free one: a client that waits for each job uses the same few pages again and again, and nothing is allocated.
//
// Thread-safe. Lock order: reporting_, which is held while outcomes are reported, then mutex_, which is not, then the
// locks of job logs.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_CONTEXTRING_H
#define AVOCET_RUNTIME_BACKENDS_SIM_CONTEXTRING_H

#include "JobLog.h"
#include "avocet/base/File.h"
#include "avocet/runtime/Backend.h"

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace avocet::runtime {

/// A job of any ring that another job has to wait for.
struct RingDependency {
  /// The ring of a job that is known to have failed: there is none, so the device ends the job that waits.
  static constexpr uint32_t kFailed = firmware::kNoIndex;

  firmware::DependencyEntry entry;
  std::shared_ptr<JobLog> jobs; ///< knows how it ended, also when its context is gone
};

/// What a job has to wait for, at most firmware::kMaxDependencies.
struct RingDependencies {
  std::array<RingDependency, firmware::kMaxDependencies> entries;
  size_t count = 0;
  std::span<const RingDependency> used() const { return std::span(entries).first(count); }
};

class ContextRing {
public:
  static constexpr uint32_t kEntries = 32;

  /// Where the ring's memory appears in the context: above everything that MemoryBackend gives out.
  static constexpr uint64_t kDeviceAddress = uint64_t(1) << 41;

  /// `firmwareContext` and `ring` are the numbers that the firmware knows them by.
  static Result<std::unique_ptr<ContextRing>> create(uint32_t firmwareContext, uint32_t ring, uint32_t owner,
                                                     std::shared_ptr<JobLog> jobs);

  uint32_t firmwareContext() const { return firmwareContext_; }
  uint32_t ring() const { return ring_; }
  uint32_t owner() const { return owner_; }
  const std::shared_ptr<JobLog> &jobs() const { return jobs_; }
  std::span<uint8_t> memory() { return memory_.bytes(); }

  /// Fills the next entry and moves the tail; the caller rings the bell. `deadlineNs` is device time, or kNoDeadline.
  /// ResourceExhausted when the ring is full.
  Result<JobHandle> submit(const Submission &submission, uint64_t deadlineNs,
                           std::span<const RingDependency> dependencies);

  /// Adds a job of this ring to what another one waits for, unless it has ended well. InvalidArgument: there was no
  /// such job, or nobody knows any more how it ended. Requires room.
  Status addDependency(JobHandle job, RingDependencies &dependencies) const;

  /// Notes that the job is to be cancelled. True: it is open and this is the first time, so the device has to be told.
  bool requestCancel(JobHandle job);

  /// The jobs that requestCancel() was called for and that are open, as messages to the firmware.
  std::vector<firmware::CancelRequest> cancelRequests();

  /// Reports every job whose completion record is written. When it returns, no other thread is reporting one that it
  /// found.
  void reap();

  /// Ends every open job with `fault`: the device will not do it any more.
  void fail(firmware::FaultCode fault);

  /// After a device reset: fills the ring anew with the jobs that have not ended, in their order. The device has
  /// forgotten how jobs ended: dependencies that ended well are dropped, and failed ones are marked.
  void rebuild();

  bool isIdle();

private:
  ContextRing(uint32_t firmwareContext, uint32_t ring, uint32_t owner, std::shared_ptr<JobLog> jobs)
      : firmwareContext_(firmwareContext), ring_(ring), owner_(owner), jobs_(std::move(jobs)) {}

  /// What the host keeps of an open job.
  struct OpenJob {
    JobHandle job = 0; ///< 0: reported
    uint32_t slot = 0;
    bool cancelled = false;
    std::array<RingDependency, firmware::kMaxDependencies> dependencies;
    uint32_t dependencyCount = 0;
  };

  struct Tables;
  firmware::RingHeader &header();
  firmware::JobDescriptor &descriptor(uint32_t index);
  firmware::CompletionRecord &record(uint32_t slot);
  Tables &tables(uint32_t slot);
  OpenJob &openJob(uint32_t index) { return open_[index % kEntries]; }
  OpenJob *find(JobHandle job);
  uint64_t addressOf(const void *inside) const;
  void fillTables(uint32_t slot, const Submission &submission);
  void fillDescriptor(uint32_t index, uint32_t slot, JobHandle job, const Submission &submission);
  void fillDependencies(OpenJob &job, firmware::JobDescriptor &descriptor);
  static void settleDependencies(OpenJob &job);
  void publishTail();
  bool hasEnded(uint32_t index);
  bool takeEnded(JobHandle &job, JobOutcome &outcome);
  void clearHeader();

  const uint32_t firmwareContext_;
  const uint32_t ring_;
  const uint32_t owner_;
  std::shared_ptr<JobLog> jobs_;
  Mapping memory_;
  std::mutex reporting_; ///< one thread at a time reports, so that sinks hear of ends in order
  std::mutex mutex_;
  uint32_t tail_ = 0;                  ///< guarded by mutex_, as all below
  uint32_t reaped_ = 0;                ///< entries before it have been reported; behind it, some may have been
  uint32_t freeSlots_ = ~0u;           ///< a bit for each slot
  std::array<OpenJob, kEntries> open_; ///< by entry
};
static_assert(ContextRing::kEntries == 32, "freeSlots_ has a bit for each");

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_CONTEXTRING_H
