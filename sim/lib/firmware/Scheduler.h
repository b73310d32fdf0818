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
#include "timing/DeviceTime.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

namespace avocet::sim {

/// Fair queueing: the device cycles that each owner of contexts has used. An owner that returns with work is raised to
/// the least of the busy owners, so that it cannot save up time while it is idle.
class OwnerShares {
public:
  /// An owner exists as long as it has a context.
  void addContext(uint32_t owner) { ++owners_[owner].contexts; }
  void removeContext(uint32_t owner) {
    if (auto found = owners_.find(owner); found != owners_.end() && --found->second.contexts == 0)
      owners_.erase(found);
  }

  /// The owner has one more, or one fewer, job that is queued, running or suspended.
  void addJob(uint32_t owner) {
    const uint64_t least = leastOfBusy();
    Owner &own = owners_[owner];
    if (own.jobs++ == 0)
      own.cycles = std::max(own.cycles, least);
  }
  void removeJob(uint32_t owner) {
    if (auto found = owners_.find(owner); found != owners_.end())
      --found->second.jobs;
  }

  /// Requires that the job is still counted.
  void charge(uint32_t owner, uint64_t cycles) {
    owners_[owner].cycles += cycles;
    (void)leastOfBusy();
  }
  uint64_t cyclesOf(uint32_t owner) const {
    auto found = owners_.find(owner);
    return found == owners_.end() ? 0 : found->second.cycles;
  }
  void clear() { owners_.clear(), floor_ = 0; }

private:
  struct Owner {
    uint32_t contexts = 0, jobs = 0;
    uint64_t cycles = 0;
  };

  /// Never decreases, so that an owner that comes to an idle device starts level with those that left it.
  uint64_t leastOfBusy() {
    uint64_t least = UINT64_MAX;
    for (const auto &[number, owner] : owners_)
      if (owner.jobs != 0)
        least = std::min(least, owner.cycles);
    if (least != UINT64_MAX)
      floor_ = std::max(floor_, least);
    return floor_;
  }

  std::map<uint32_t, Owner> owners_;
  uint64_t floor_ = 0;
};

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
