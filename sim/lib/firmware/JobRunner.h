//===- JobRunner.h - From descriptor to completion record -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_FIRMWARE_JOBRUNNER_H
#define AVOCET_SIM_LIB_FIRMWARE_JOBRUNNER_H

#include "avocet/sim/Device.h"
#include "firmware/JobQueue.h"
#include "job/JobImage.h"
#include "job/JobRun.h"

#include <functional>
#include <memory>
#include <vector>

namespace avocet::sim {

class JobRunner {
public:
  /// Longest run of a section, whatever the descriptor says: about a second. With the time-outs of loops it bounds what
  /// a job can cost the host, too.
  static constexpr uint64_t kWatchdogCycles = uint64_t{1} << 30;

  JobRunner(const firmware::Target &target, const DeviceOptions &options);

  /// Checks a job, runs it, writes its completion record, and returns what it did. `now` is the device's cycle count
  /// and moves behind the job. `interruption` may end the job early.
  JobProfile run(const QueuedJob &job, const Mmu &mmu, uint64_t &now, const std::function<JobFault()> &interruption);

  /// Completes a job that never ran.
  JobProfile end(const QueuedJob &job, const Mmu &mmu, uint64_t now, const JobFault &fault) const;

private:
  JobFault checkDescriptor(const QueuedJob &job) const;
  JobFault readTables(const firmware::JobDescriptor &descriptor, const Mmu &mmu, JobTables &tables) const;
  RunLimits limitsOf(const firmware::JobDescriptor &descriptor, uint64_t now,
                     const std::function<JobFault()> &interruption) const;
  void clearSramFor(uint32_t context);
  void complete(const QueuedJob &job, const Mmu &mmu, const JobFault &fault, JobProfile &profile) const;

  const firmware::Target &target_;
  const DeviceOptions options_;
  ImageStore images_;
  std::vector<uint64_t> sram_; ///< 64-bit words: kernels need the alignment
  uint32_t sramOwner_ = 0;     ///< context whose data is in SRAM, 0: none
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_JOBRUNNER_H
