//===- Scheduler.h - The order of jobs --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Jobs are ranked by
//  - priority. A job that could run rises by one level for each 100 ms of device time that it waits, up to the highest:
//    low priority delays a job, but not for ever. Waiting for jobs of its own ring, or for dependencies, does not
//    count. A job keeps the levels that it gained, and gains none while it runs;
//  - whether they have begun: a suspended job goes before others of its level. Thus no more jobs than there are levels
//    are ever suspended, and the memory for their SRAM data is bounded;
//  - deadline, the earliest first;
//  - device time used by their owner, the least first;
//  - arrival.
//
// A job that waits with a higher priority than the running one preempts it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_SCHEDULER_H
#define AVOCET_SIM_LIB_FIRMWARE_SCHEDULER_H

#include "avocet/firmware_iface/Target.h"
#include "firmware/JobQueue.h"
#include "firmware/OwnerShares.h"
#include "timing/DeviceTime.h"

#include <tuple>

namespace avocet::sim {

/// Smaller comes first.
using Rank = std::tuple<uint32_t, bool, uint64_t, uint64_t, uint64_t>;

class Scheduler {
public:
  static constexpr uint64_t kAgingNs = 100'000'000;

  explicit Scheduler(const firmware::Target &target)
      : target_(target), agingCycles_(std::max<uint64_t>(1, cyclesIn(target, kAgingNs))) {}

  OwnerShares &shares() { return shares_; }

  /// Effective priority of a job that has run for `ran` cycles.
  uint32_t priorityOf(const QueuedJob &job, uint64_t ran, uint64_t now) const {
    const uint64_t waited = now - std::min(now, saturatingSum(job.readySince, ran));
    const uint64_t priority = std::min(job.descriptor.priority, firmware::kMaxPriority) + waited / agingCycles_;
    return static_cast<uint32_t>(std::min<uint64_t>(priority, firmware::kMaxPriority));
  }

  /// The cycle in which the waiting job's priority rises above `level`; kNever if it never does, or is above already.
  uint64_t risesAbove(uint32_t level, const QueuedJob &job, uint64_t ran, uint64_t now) const {
    if (level >= firmware::kMaxPriority || priorityOf(job, ran, now) > level)
      return kNever;
    const uint64_t steps = level + 1 - std::min(job.descriptor.priority, level + 1);
    return saturatingSum(saturatingSum(job.readySince, ran), steps * agingCycles_);
  }

  Rank rankOf(const QueuedJob &job, bool hasBegun, uint64_t ran, uint64_t now) const {
    const uint64_t deadline = job.descriptor.deadlineNs;
    return {firmware::kMaxPriority - priorityOf(job, ran, now), !hasBegun,
            deadline == firmware::kNoDeadline ? UINT64_MAX : deadline, shares_.cyclesOf(job.owner), job.arrival};
  }

  /// The cycle by which a job has to be complete; kNever: it has no deadline.
  uint64_t deadlineOf(const QueuedJob &job) const {
    return job.descriptor.deadlineNs == firmware::kNoDeadline ? kNever : cyclesIn(target_, job.descriptor.deadlineNs);
  }

private:
  const firmware::Target &target_;
  const uint64_t agingCycles_;
  OwnerShares shares_;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_SCHEDULER_H
