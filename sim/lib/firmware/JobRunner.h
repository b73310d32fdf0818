//===- JobRunner.h - From descriptor to completion record -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_JOBRUNNER_H
#define AVOCET_SIM_LIB_FIRMWARE_JOBRUNNER_H

#include "avocet/sim/Device.h"
#include "firmware/JobQueue.h"
#include "job/JobImage.h"
#include "job/JobRun.h"

#include <cstdlib>
#include <memory>
#include <vector>

namespace avocet::sim {

/// All state of a job from its start to its end. `sram` and `mmu` must outlive it.
struct ActiveJob {
  ActiveJob(QueuedJob &&job, JobTables &&tables, std::shared_ptr<const JobImage> decoded,
            const firmware::Target &target, const DeviceOptions &options, std::span<uint8_t> sram, const Mmu &mmu,
            Workers *workers, uint64_t now, uint32_t level)
      : queued(std::move(job)), mmu(mmu), image(std::move(decoded)), memory(sram, mmu, std::move(tables.regions)),
        state(target, memory, options, workers), run(state, *image, options.timing ? makeTimedRun : makeUntimedRun),
        startCycle(now), clockLevel(level) {}

  const QueuedJob queued;
  const Mmu &mmu;
  const std::shared_ptr<const JobImage> image;
  JobMemory memory;
  JobState state;
  JobRun run;
  const uint64_t startCycle;
  const uint32_t clockLevel; ///< index in the target's levels

  // Only while the job is suspended.
  const std::shared_ptr<SavedSram> saved = std::make_shared<SavedSram>(); ///< shared with the job that runs meanwhile
  uint64_t stoppedAt = 0;                                                 ///< device cycle
  firmware::PreemptionCounters preemption;
};

class JobRunner {
public:
  JobRunner(const firmware::Target &target, const DeviceOptions &options);

  /// Checks a job and prepares it to run at `now`; null: `fault` gives the reason.
  std::unique_ptr<ActiveJob> begin(QueuedJob &job, const Mmu &mmu, uint64_t now, JobFault &fault);

  /// Runs a job from `now` on. True: it has ended; false: it stopped, and its memory is saved. SRAM data of `others`,
  /// which are suspended, is evacuated where the job needs the place. Requires that none of the job's own data is
  /// evacuated.
  bool run(ActiveJob &job, const std::vector<std::unique_ptr<ActiveJob>> &others, uint64_t now, RunWatch &watch);

  /// Moves some of the job's evacuated bytes back; returns the cycles of its level that it takes. 0: nothing is left.
  uint64_t bringBack(ActiveJob &job, const std::vector<std::unique_ptr<ActiveJob>> &others);

  /// Writes the completion record of a job that has ended at `now`, with the fault of its state.
  firmware::JobProfile end(ActiveJob &job, uint64_t now) const;
  /// Completes a job that never ran.
  firmware::JobProfile end(const QueuedJob &job, const Mmu &mmu, uint64_t now, const JobFault &fault) const;

  /// Makes the next job start with cleared SRAM.
  void reset() { sramOwner_ = 0; }
  /// The same if SRAM holds data of this context, whose number another one may get.
  void forget(uint32_t context) {
    if (sramOwner_ == context)
      reset();
  }

private:
  JobFault checkDescriptor(const QueuedJob &job) const;
  JobFault readTables(const firmware::JobDescriptor &descriptor, const Mmu &mmu, JobTables &tables) const;
  bool hasKnownFlags(uint32_t flags) const;
  RunLimits limitsOf(const ActiveJob &job, uint64_t now) const;
  void prepareSram(ActiveJob &job);
  void suspend(ActiveJob &job, uint64_t now);
  void complete(const QueuedJob &job, const Mmu &mmu, const JobFault &fault, firmware::JobProfile &profile) const;
  std::span<uint8_t> sram();

  const firmware::Target &target_;
  const DeviceOptions options_;
  ImageStore images_;
  std::unique_ptr<Workers> workers_; ///< null: one thread does all
  struct Free {
    void operator()(uint8_t *bytes) const { std::free(bytes); }
  };
  /// From calloc(), which aligns it and does not touch its pages: opening a device would fill megabytes otherwise.
  const std::unique_ptr<uint8_t, Free> sram_;
  uint32_t sramOwner_ = 0; ///< context whose data is in SRAM; 0: clear it for every job
  /// Covers all SRAM that may not be zero: clearing all of SRAM would cost the host more time than a short job.
  firmware::ByteRange used_;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_JOBRUNNER_H
