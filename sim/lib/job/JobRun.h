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

/// Limits of a job, in cycles from its start where nothing else is said.
struct RunLimits {
  uint64_t sectionCycles;  ///< FaultCode::Watchdog when one section takes more
  uint64_t watchdogCycles; ///< FaultCode::Watchdog behind it; UINT64_MAX: none
  uint64_t deadlineCycles; ///< FaultCode::DeadlineMissed behind it; UINT64_MAX: none
  uint64_t loopCycles;     ///< FaultCode::LoopTimeout when a loop takes more
  /// Asked now and then: a fault ends the job (cancelled, reset). Must be callable.
  std::function<JobFault()> interruption;
};

/// Runs one section and counts its cycles in `job.elapsed`. `job.fault` says how it ended.
using RunSection = void (*)(JobState &job, const Section &section, const RunLimits &limits);

/// Plays a section on engines with time.
void runTimed(JobState &job, const Section &section, const RunLimits &limits);

/// Runs a section without time: each engine as far as it gets, in turn. The limits count each command's uncontended
/// cycles. Same faults and same data as runTimed() for streams that are free of races.
void runUntimed(JobState &job, const Section &section, const RunLimits &limits);

/// Cycles that the firmware takes for one instruction of a control program; an order of magnitude (a small processor
/// that reads a word or two).
inline constexpr uint64_t kControlCycles = 64;

/// Runs the sections of a job: the only one, or as its control program says.
void runJob(JobState &job, const JobImage &image, const RunLimits &limits, RunSection runSection);

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_JOBRUN_H
