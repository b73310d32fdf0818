//===- SlurmJob.h - An exploration as an array job of Slurm -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each task of the array job computes one share of the points with "avocet explore --share" and appends its records to
// the results folder, which all nodes share. The submitting process waits, and reads the records.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_SLURMJOB_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_SLURMJOB_H

#include "Exploration.h"

#include <string>
#include <vector>

namespace avocet::tool {

struct SlurmJob {
  std::vector<std::string> arguments; ///< of avocet for one task, without --share and --jobs
  std::string directory;              ///< gets explore.sbatch and slurm/task-N.log
  std::vector<std::string> options;   ///< for sbatch
  unsigned tasks = 1;
};

/// The script of all tasks, for this program.
std::string slurmScript(const SlurmJob &job, const std::string &program);

/// Submits the job, and waits until no point is pending or the job has ended; points may then be missing. NotFound:
/// Slurm is not installed. A caller that is killed leaves the job in the queue.
Status runSlurmJob(const SlurmJob &job, const Exploration &exploration, ResultStore &store, Progress &progress);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_SLURMJOB_H
