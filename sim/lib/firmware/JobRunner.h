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

#include "firmware/BegunJob.h"

#include <memory>
#include <vector>

namespace avocet::sim {

class JobRunner {
public:
  /// Longest run of a section, whatever the descriptor says: about a second. With the time-outs of loops it bounds what
  /// a job can cost the host, too.
  static constexpr uint64_t kWatchdogCycles = uint64_t{1} << 30;

  JobRunner(const firmware::Target &target, const DeviceOptions &options);

  /// Checks a job and makes it ready to run at `now`; null: `fault` says what is wrong with it.
  std::unique_ptr<BegunJob> begin(QueuedJob &job, const Mmu &mmu, uint64_t now, JobFault &fault);

  /// Lets a job run from `now` on. True: it has ended; false: it stopped, and its memory is saved. What lies in SRAM of
  /// `others`, who are suspended, is driven out where the job needs the place. Requires that nothing of its own has to
  /// be brought back.
  bool run(BegunJob &job, const std::vector<std::unique_ptr<BegunJob>> &others, uint64_t now, RunWatch &watch);

  /// Moves some of what was driven out back to its place; the device cycles that it takes. 0: everything is there.
  uint64_t bringBack(BegunJob &job, const std::vector<std::unique_ptr<BegunJob>> &others);

  /// Writes the completion record of a job that has ended at `now`, with the fault of its state.
  JobProfile end(BegunJob &job, uint64_t now) const;
  /// Completes a job that never ran.
  JobProfile end(const QueuedJob &job, const Mmu &mmu, uint64_t now, const JobFault &fault) const;

  /// Forgets whose data is in SRAM: it is cleared for whoever comes next.
  void reset() { sramOwner_ = 0; }
  /// The same if it is this context's, whose number another one may get.
  void forget(uint32_t context) {
    if (sramOwner_ == context)
      reset();
  }

private:
  JobFault checkDescriptor(const QueuedJob &job) const;
  JobFault readTables(const firmware::JobDescriptor &descriptor, const Mmu &mmu, JobTables &tables) const;
  RunLimits limitsOf(const BegunJob &job, uint64_t now) const;
  void prepareSram(BegunJob &job);
  void suspend(BegunJob &job, uint64_t now);
  void complete(const QueuedJob &job, const Mmu &mmu, const JobFault &fault, JobProfile &profile) const;
  std::span<uint8_t> sram() { return {reinterpret_cast<uint8_t *>(sram_.data()), target_.sram().bytes}; }

  const firmware::Target &target_;
  const DeviceOptions options_;
  ImageStore images_;
  std::vector<uint64_t> sram_; ///< 64-bit words: kernels need the alignment
  uint32_t sramOwner_ = 0;     ///< context whose data is in SRAM, 0: it has to be cleared for anybody
  /// Around everything that may not be zero: the host would spend more time on clearing all than on a short job.
  firmware::ByteRange used_;
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_FIRMWARE_JOBRUNNER_H
