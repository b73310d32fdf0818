//===- JobRun.cpp - The sections of a job, one after the other --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/JobRun.h"

#include <algorithm>

namespace avocet::sim {

using namespace firmware;

JobRun::JobRun(JobState &job, const JobImage &image, MakeSectionRun makeSection)
    : job_(job), image_(image), makeSection_(makeSection) {
  if (image_.control.empty())
    begin(0);
  else
    entered_.assign(kMaxLoops, 0);
}

void JobRun::begin(uint32_t section) {
  job_.beginSection(section);
  sectionNumber_ = section;
  section_ = makeSection_(job_, image_.sections[section]);
}

/// Interprets a verified control program: it cannot leave the program or its tables.
struct JobRun::Interpreter {
  JobRun &run;
  const RunLimits &limits;

  JobFault operator()(const EndInstruction &) {
    run.hasEnded_ = true;
    return {};
  }

  JobFault operator()(const RunInstruction &instruction) {
    run.begin(instruction.section);
    return {};
  }

  JobFault operator()(const JumpInstruction &jump) {
    run.next_ = jump.target;
    return {};
  }

  JobFault operator()(const JumpIfFalseInstruction &jump) {
    uint8_t condition = 0;
    JobFault fault = run.job_.memory.readByte(jump.region, jump.offset, condition);
    if (!fault && condition == 0)
      run.next_ = jump.target;
    return fault;
  }

  JobFault operator()(const LoopEnterInstruction &enter) {
    run.entered_[enter.loop] = run.job_.elapsed;
    return {};
  }

  JobFault operator()(const LoopCheckInstruction &check) {
    return run.job_.elapsed - run.entered_[check.loop] > limits.loopCycles ? faultOf(FaultCode::LoopTimeout)
                                                                           : JobFault{};
  }
};

bool JobRun::run(const RunLimits &limits, RunWatch &watch) {
  while (!job_.fault) {
    if (section_ && !runSection(limits, watch))
      return false;
    if (hasEnded_ || image_.control.empty() || job_.fault)
      return true;
    if (const RunOrder order = watch.check(job_.elapsed); order.fault)
      job_.raise(order.fault);
    if (watch.preempts || job_.fault) // also if the previous section had no yield to stop at
      break;
    const uint32_t position = next_;
    JobFault fault = step(limits);
    fault.command = position;
    if (fault)
      job_.raise(fault);
  }
  return static_cast<bool>(job_.fault);
}

/// False: the section stopped before its end.
bool JobRun::runSection(const RunLimits &limits, RunWatch &watch) {
  if (!section_->run(limits, watch))
    return false;
  section_.reset();
  job_.endSection();
  if (job_.fault)
    job_.fault.section = sectionNumber_;
  return true;
}

JobFault JobRun::step(const RunLimits &limits) {
  job_.elapsed += kControlCycles;
  if (JobFault fault = checkDeadline(limits))
    return fault;
  const uint32_t position = next_++;
  return std::visit(Interpreter{*this, limits}, image_.control[position]);
}

JobFault JobRun::checkDeadline(const RunLimits &limits) {
  if (job_.elapsed <= limits.deadlineCycles)
    return {};
  job_.elapsed = limits.deadlineCycles;
  return faultOf(FaultCode::DeadlineMissed);
}

} // namespace avocet::sim
