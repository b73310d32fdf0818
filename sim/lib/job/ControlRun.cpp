//===- ControlRun.cpp - The sections of a job, one after the other -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/JobRun.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

namespace {

/// Interprets a verified control program: nothing of it can lead out of the program or its tables.
class ControlRun {
public:
  ControlRun(JobState &job, const JobImage &image, const RunLimits &limits, RunSection runSection)
      : job_(job), image_(image), limits_(limits), runSection_(runSection), entered_(kMaxLoops, 0) {}

  void run() {
    while (!ended_ && !job_.fault) {
      const uint32_t position = next_++;
      job_.elapsed += kControlCycles;
      JobFault fault = checkLimits();
      if (!fault)
        fault = std::visit(*this, image_.control[position]);
      fault.command = position;
      if (fault)
        job_.raise(fault);
    }
  }

  JobFault operator()(const EndInstruction &) {
    ended_ = true;
    return {};
  }

  JobFault operator()(const RunInstruction &run) {
    job_.beginSection();
    runSection_(job_, image_.sections[run.section], limits_);
    if (job_.fault)
      job_.fault.section = run.section;
    return {};
  }

  JobFault operator()(const JumpInstruction &jump) {
    next_ = jump.target;
    return {};
  }

  JobFault operator()(const JumpIfFalseInstruction &jump) {
    uint8_t condition = 0;
    JobFault fault = job_.memory.readByte(jump.region, jump.offset, condition);
    if (!fault && condition == 0)
      next_ = jump.target;
    return fault;
  }

  JobFault operator()(const LoopEnterInstruction &enter) {
    entered_[enter.loop] = job_.elapsed;
    return {};
  }

  JobFault operator()(const LoopCheckInstruction &check) {
    if (job_.elapsed - entered_[check.loop] > limits_.loopCycles)
      return faultOf(FaultCode::LoopTimeout);
    return limits_.interruption();
  }

private:
  JobFault checkLimits() {
    const uint64_t limit = std::min(limits_.watchdogCycles, limits_.deadlineCycles);
    if (job_.elapsed <= limit)
      return {};
    JobFault fault = faultOf(job_.elapsed > limits_.watchdogCycles ? FaultCode::Watchdog : FaultCode::DeadlineMissed);
    job_.elapsed = limit;
    return fault;
  }

  JobState &job_;
  const JobImage &image_;
  const RunLimits &limits_;
  const RunSection runSection_;
  std::vector<uint64_t> entered_; ///< by loop: when its clock was started
  uint32_t next_ = 0;
  bool ended_ = false;
};

} // namespace

void runJob(JobState &job, const JobImage &image, const RunLimits &limits, RunSection runSection) {
  if (image.control.empty())
    runSection(job, image.sections[0], limits);
  else
    ControlRun(job, image, limits, runSection).run();
}

} // namespace avocet::sim
