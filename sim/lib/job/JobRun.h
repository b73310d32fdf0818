//===- JobRun.h - Running a job to its end ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_JOBRUN_H
#define AVOCET_SIM_LIB_JOB_JOBRUN_H

#include "job/JobImage.h"
#include "job/JobState.h"

#include <cstdint>
#include <functional>

namespace avocet::sim {

struct RunLimits {
  uint64_t watchdogCycles; ///< FaultCode::Watchdog behind it
  uint64_t deadlineCycles; ///< FaultCode::DeadlineMissed behind it; UINT64_MAX: none
  /// Asked now and then: a fault ends the job (cancelled, reset). Must be callable.
  std::function<JobFault()> interruption;
};

/// Plays a job on engines with time, and returns its length in cycles. `job.fault` says how it ended.
uint64_t runTimed(JobState &job, const JobImage &image, const RunLimits &limits);

/// Runs a job without time: each engine as far as it gets, in turn. The watchdog counts each command's uncontended
/// cycles. Same faults and same data as runTimed() for streams that are free of races.
void runUntimed(JobState &job, const JobImage &image, const RunLimits &limits);

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_JOBRUN_H
