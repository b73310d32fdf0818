//===- JobQueue.h - Rings and the jobs that wait in them --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes descriptors out of the drivers' rings, and records the outcome of jobs for dependencies. A descriptor is copied
// once, with the table of its dependencies, and not read from shared memory again. The scheduler decides the order.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_JOBQUEUE_H
#define AVOCET_SIM_LIB_FIRMWARE_JOBQUEUE_H

#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Mailbox.h"
#include "job/JobFault.h"
#include "memory/Mmu.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace avocet::sim {

/// Records the outcome of jobs for dependencies. Sequences ascend in a ring, so that older outcomes need no list: a job
/// that was taken and has ended is complete unless it is a known fault. The latest kMaxEnds outcomes are kept. A job at
/// or before a fault that was dropped from the list no longer counts as complete.
class RingHistory {
public:
  static constexpr size_t kMaxEnds = 256;

  struct End {
    uint64_t sequence;
    uint64_t cycle;
    bool faulted;
  };

  void add(const End &end) {
    ends_.push_back(end);
    if (ends_.size() <= kMaxEnds)
      return;
    if (ends_.front().faulted)
      forgotten_ = std::max(forgotten_.value_or(0), ends_.front().sequence);
    lastForgottenCycle_ = ends_.front().cycle;
    ends_.pop_front();
  }

  /// The outcome of a job that is known to have ended; nothing: it is no longer on record.
  std::optional<End> find(uint64_t sequence) const {
    auto end = std::find_if(ends_.rbegin(), ends_.rend(), [&](const End &e) { return e.sequence == sequence; });
    if (end != ends_.rend())
      return *end;
    if (forgotten_ && sequence <= *forgotten_)
      return std::nullopt;
    return End{sequence, lastForgottenCycle_, false};
  }

private:
  std::deque<End> ends_;
  std::optional<uint64_t> forgotten_; ///< highest sequence of a fault that was dropped from ends_
  uint64_t lastForgottenCycle_ = 0;
};

struct QueuedJob {
  uint32_t ring = 0;
  uint32_t context = 0;             ///< of the ring; the descriptor's own field is checked against it when the job runs
  uint32_t owner = 0;               ///< of the context
  uint64_t arrival = 0;             ///< number in the order of all jobs
  uint64_t arrivalCycle = 0;        ///< when the descriptor was taken, or the last dependency ended
  uint64_t readySince = UINT64_MAX; ///< when it was first found ready to start, as the first of its ring
  firmware::JobDescriptor descriptor{};
  std::vector<firmware::DependencyEntry> dependencies{}; ///< those that had not ended at the last check
  JobFault fault{};                                      ///< set if the table of its dependencies is not mapped
};

class JobQueue {
public:
  static constexpr uint32_t kMaxRings = 1024;

  firmware::ReplyCode createRing(const firmware::RingRequest &request, const Mmu &mmu, uint32_t owner);
  /// Drops the ring; returns its queued jobs in `dropped`, so that the caller completes them.
  firmware::ReplyCode destroyRing(uint32_t context, uint32_t ring, std::vector<QueuedJob> &dropped);
  /// Drops all rings of a context.
  void destroyRings(uint32_t context, std::vector<QueuedJob> &dropped);
  /// Drops all rings and jobs.
  void clear() { rings_.clear(), waiting_.clear(); }

  /// Takes new descriptors of a ring at cycle `now`, as many as there is room for, and calls taken(owner) for each.
  /// Unknown rings are ignored; a ring that breaks the rules of RingHeader is ignored until it is created again.
  void fetch(uint32_t ring, uint64_t now, const std::function<void(uint32_t owner)> &taken);

  /// Calls visit(job) for the first job of each ring of which no job has begun.
  template <typename Visit> void forEachHead(Visit &&visit) {
    for (const uint32_t number : waiting_)
      if (Ring &ring = rings_.at(number); !ring.hasBegun)
        visit(ring.waiting.front());
  }

  enum class Readiness { Ready, Waits, Hopeless };
  /// Whether all dependencies of the job have completed; drops those that have. Updates `arrivalCycle`.
  Readiness settle(QueuedJob &job) const;

  /// Removes the first job of a ring, to begin it; the next one is held back until ended() was called.
  QueuedJob begin(uint32_t ring);
  /// Removes a queued job; nothing if it is not queued.
  std::optional<QueuedJob> remove(uint32_t context, uint32_t ring, uint64_t sequence);
  /// Records how a job that was removed has ended.
  void ended(const QueuedJob &job, uint64_t cycle, bool faulted);

private:
  /// Jobs of one ring that wait in the device; more stay in the ring.
  static constexpr size_t kMaxWaiting = 64;
  struct Ring {
    uint32_t context;
    uint32_t owner;
    uint64_t address;
    uint32_t entries;
    const Mmu *mmu;
    uint32_t head = 0;
    bool isBroken = false;
    std::deque<QueuedJob> waiting{};
    uint64_t firstTaken = UINT64_MAX; ///< lowest sequence; lower ones belong to an earlier ring, and their outcome is
                                      ///< unknown
    uint64_t lastTaken = 0;           ///< highest sequence
    bool hasBegun = false;            ///< its first job runs or is suspended
    uint64_t begun = 0;               ///< sequence of that job
    RingHistory history{};
  };
  bool readHeader(Ring &ring, uint32_t &tail) const;
  bool fetchOne(uint32_t number, Ring &ring, uint64_t now);
  void readDependencies(const Ring &ring, QueuedJob &job) const;
  bool isToCome(const Ring &ring, uint64_t sequence) const;

  std::map<uint32_t, Ring> rings_;
  std::set<uint32_t> waiting_; ///< the rings in which jobs wait, usually few of many
  uint64_t arrivals_ = 0;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_JOBQUEUE_H
