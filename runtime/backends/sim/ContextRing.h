//===- ContextRing.h - The job ring of one context --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's side of one job ring (firmware_iface/JobRing.h): memory for descriptors, tables and completion records,
// filled by submit() and scanned by reap(). Each open job has one slot of tables, always the lowest free one: a client
// that waits for each job reuses the same few pages, and nothing is allocated.
//
// Thread-safe. Lock order: reporting_ (held while outcomes are reported), then mutex_ (not held then), then the locks
// of job logs.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_SIM_CONTEXTRING_H
#define AVOCET_RUNTIME_BACKENDS_SIM_CONTEXTRING_H

#include "avocet/base/File.h"
#include "avocet/runtime/Backend.h"
#include "avocet/runtime/JobLog.h"

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace avocet::runtime {

/// A job of any ring that another job has to wait for.
struct RingDependency {
  /// Ring number for a job that is known to have failed: no ring has it, so the device faults the dependent job.
  static constexpr uint32_t kFailed = firmware::kNoIndex;

  firmware::DependencyEntry entry;
  std::shared_ptr<JobLog> jobs; ///< log of the job; outlives its context
};

/// The dependencies of one job, at most firmware::kMaxDependencies.
struct RingDependencies {
  std::array<RingDependency, firmware::kMaxDependencies> entries;
  size_t count = 0;
  std::span<const RingDependency> used() const { return std::span(entries).first(count); }
};

class ContextRing {
public:
  static constexpr uint32_t kEntries = 32;

  /// Device address of the ring's memory in the context: above all addresses that MemoryBackend assigns.
  static constexpr uint64_t kDeviceAddress = uint64_t(1) << 41;

  /// `firmwareContext` and `ring` are the firmware's numbers for the context and the ring.
  static Result<std::unique_ptr<ContextRing>> create(uint32_t firmwareContext, uint32_t ring, uint32_t owner,
                                                     std::shared_ptr<JobLog> jobs);

  uint32_t firmwareContext() const { return firmwareContext_; }
  uint32_t ring() const { return ring_; }
  uint32_t owner() const { return owner_; }
  const std::shared_ptr<JobLog> &jobs() const { return jobs_; }
  std::span<uint8_t> memory() { return memory_.bytes(); }

  /// Fills the next entry and moves the tail; the caller writes the doorbell. `deadlineNs` is device time, or
  /// kNoDeadline. ResourceExhausted when the ring is full.
  Result<JobHandle> submit(const Submission &submission, uint64_t deadlineNs,
                           std::span<const RingDependency> dependencies);

  /// Appends a job of this ring to `dependencies`, unless it has completed. InvalidArgument: there was no such job, or
  /// the log no longer has its outcome. Requires room.
  Status addDependency(JobHandle job, RingDependencies &dependencies) const;

  /// Marks the job as cancelled. True: it is open and was not marked, so the caller must send the request to the
  /// device.
  bool requestCancel(JobHandle job);

  /// The open jobs that requestCancel() was called for, as messages to the firmware.
  std::vector<firmware::CancelRequest> cancelRequests();

  /// Reports every job whose completion record is written. When it returns, all reports that other threads had
  /// begun before the call have ended.
  void reap();

  /// Ends every open job with `fault`. Requires that the device does not run them any more.
  void fail(firmware::FaultCode fault);

  /// After a device reset: refills the ring with the open jobs, in their order. The reset cleared the device's record
  /// of ended jobs: dependencies that completed are dropped, and failed ones are marked.
  void rebuild();

  bool isIdle();

private:
  ContextRing(uint32_t firmwareContext, uint32_t ring, uint32_t owner, std::shared_ptr<JobLog> jobs)
      : firmwareContext_(firmwareContext), ring_(ring), owner_(owner), jobs_(std::move(jobs)) {}

  /// Host data of an open job.
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
  std::mutex reporting_; ///< one thread at a time reports, so that sinks are called in order
  std::mutex mutex_;
  uint32_t tail_ = 0;                  ///< guarded by mutex_, as all below
  uint32_t reaped_ = 0;                ///< all entries before it have been reported, and some after it may have been
  uint32_t freeSlots_ = ~0u;           ///< one bit for each slot
  std::array<OpenJob, kEntries> open_; ///< by entry
};
static_assert(ContextRing::kEntries == 32, "freeSlots_ has a bit for each");

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_BACKENDS_SIM_CONTEXTRING_H
