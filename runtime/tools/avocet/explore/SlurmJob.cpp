//===- SlurmJob.cpp - An exploration as an array job of Slurm ------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlurmJob.h"

#include "avocet/base/StandardStreams.h"
#include "programs/ProgramAnswer.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <thread>

namespace avocet::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kReadInterval{500};
constexpr std::chrono::seconds kAskInterval{2}; ///< each question costs the controller some time
constexpr int kMostUnanswered = 30;             ///< a controller that restarts answers again

/// Percent signs have a meaning in sbatch's patterns of file names. A relative path would start at the job's folder,
/// which options of the user may change.
std::string logPattern(const std::string &directory) {
  std::string pattern;
  for (char c : std::filesystem::absolute(directory).string() + "/slurm/task-")
    pattern += c == '%' ? std::string("%%") : std::string(1, c);
  return pattern + "%a.log";
}

/// The number of the job.
Result<std::string> submit(const SlurmJob &job, const std::string &script) {
  std::vector<std::string> words = {"sbatch", "--parsable", "--job-name=avocet-explore",
                                    fmt::format("--array=0-{}", job.tasks - 1),
                                    "--output=" + logPattern(job.directory)};
  words.insert(words.end(), job.options.begin(), job.options.end());
  words.push_back(script);
  const ProgramAnswer answer = askProgram(words);
  if (answer.exitCode == kNotInstalled)
    return notFound("--slurm: sbatch is not installed here; install Slurm's commands (scripts/setup --slurm), or leave "
                    "out --slurm");
  if (answer.exitCode != 0)
    return failedPrecondition(fmt::format("--slurm: sbatch did not accept {}: {}", script, answer.text));
  const std::string lastLine = answer.text.substr(answer.text.rfind('\n') + 1); // warnings come first
  return lastLine.substr(0, lastLine.find(';'));                                // "JOB;CLUSTER"
}

/// Whether a job waits or runs.
class JobWatch {
public:
  explicit JobWatch(std::string job) : job_(std::move(job)) {}

  Result<bool> isActive() {
    if (Clock::now() - asked_ < kAskInterval)
      return true;
    asked_ = Clock::now();
    const ProgramAnswer answer = askProgram({"squeue", "--noheader", "--jobs=" + job_});
    if (answer.exitCode == 0) {
      unanswered_ = 0;
      return !answer.text.empty();
    }
    if (answer.text.find("Invalid job id") != std::string::npos)
      return false; // it ended some time ago
    if (++unanswered_ > kMostUnanswered)
      return failedPrecondition(
          fmt::format("--slurm: squeue does not report job {}: {}; its results stay, and the same command reads them",
                      job_, answer.text));
    return true;
  }

private:
  const std::string job_;
  Clock::time_point asked_ = Clock::now();
  int unanswered_ = 0;
};

Status waitFor(const std::string &job, const Exploration &exploration, ResultStore &store, Progress &progress) {
  const size_t atStart = pendingPoints(exploration, store).size();
  const auto start = Clock::now();
  JobWatch watch(job);
  for (bool isActive = true; isActive;) {
    std::this_thread::sleep_for(kReadInterval);
    AVOCET_ASSIGN_OR_RETURN(isActive, watch.isActive());
    AVOCET_RETURN_IF_ERROR(store.refresh());
    const size_t left = pendingPoints(exploration, store).size();
    if (left == 0)
      return Status::ok();
    const size_t done = atStart - left;
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const std::string remaining =
        done == 0 ? "?" : durationText(seconds * static_cast<double>(left) / static_cast<double>(done));
    progress.update(fmt::format("job {}: {} of {} points, {} left", job, done, atStart, remaining));
  }
  progress.clear();
  printErr("job {} has ended; {}/slurm has the messages of its tasks\n", job, exploration.directory);
  return Status::ok();
}

} // namespace

std::string slurmScript(const SlurmJob &job, const std::string &program) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), job.arguments.begin(), job.arguments.end());
  return fmt::format("#!/bin/sh\n"
                     "# A task of 'avocet explore --slurm': submit it with --array=0-{}.\n"
                     "exec {} --share \"$SLURM_ARRAY_TASK_ID/{}\" --jobs \"${{SLURM_CPUS_PER_TASK:-1}}\"\n",
                     job.tasks - 1, shellLine(words), job.tasks);
}

Status runSlurmJob(const SlurmJob &job, const Exploration &exploration, ResultStore &store, Progress &progress) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return errnoStatus(error.value(), "cannot read /proc/self/exe");
  std::filesystem::create_directories(job.directory + "/slurm", error);
  if (error)
    return errnoStatus(error.value(), fmt::format("cannot create the folder {}/slurm", job.directory));
  const std::string script = job.directory + "/explore.sbatch";
  AVOCET_RETURN_IF_ERROR(writeFile(script, std::string_view(slurmScript(job, program.string()))));
  AVOCET_ASSIGN_OR_RETURN(const std::string number, submit(job, script));
  Status status = waitFor(number, exploration, store, progress);
  progress.clear();
  return status;
}

} // namespace avocet::tool
