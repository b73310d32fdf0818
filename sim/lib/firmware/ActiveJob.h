//===- ActiveJob.h - A job that runs or is suspended ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_ACTIVEJOB_H
#define AVOCET_SIM_LIB_FIRMWARE_ACTIVEJOB_H

#include "avocet/sim/Device.h"
#include "firmware/JobQueue.h"
#include "job/JobImage.h"
#include "job/JobRun.h"

#include <memory>

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

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_ACTIVEJOB_H
