//===- JobRun.cpp - The sections of a job, one after the other ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/JobRun.h"

#include "job/DmaShape.h"
#include "job/JobState.h"

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

namespace {

/// A stream and its next command.
struct Stream {
  const Program &program;
  uint32_t position = 0;
  bool hasEnded() const { return position == program.commands().size(); }
  JobFault blame(const JobFault &fault) const {
    return fault.at(program.engine(), position, program.commands()[position].command.layer);
  }
};

class UntimedRun final : public SectionRun {
public:
  UntimedRun(JobState &job, const Section &section) : job_(job), start_(job.elapsed) {
    for (const Program *program : section)
      streams_.push_back({*program});
  }

  bool run(const RunLimits &limits, RunWatch &watch) override {
    bool progresses = true;
    while (progresses && !job_.fault) {
      progresses = false;
      for (Stream &stream : streams_)
        progresses |= advance(stream, limits, watch);
    }
    auto waits = std::find_if(streams_.begin(), streams_.end(), [](const Stream &s) { return !s.hasEnded(); });
    if (!job_.fault && waits != streams_.end())
      job_.raise(waits->blame(faultOf(FaultCode::Deadlock)));
    return true;
  }

private:
  /// Runs a stream up to a wait that is not satisfied, or to its end. True: at least one command ran.
  bool advance(Stream &stream, const RunLimits &limits, RunWatch &watch) {
    const uint32_t first = stream.position;
    while (!stream.hasEnded() && !job_.fault) {
      const PreparedCommand &command = stream.program.commands()[stream.position];
      if (const auto *wait = std::get_if<WaitCommand>(&command.command.body);
          wait && !command.fault && !job_.semaphores.isReached(wait->semaphore, wait->value))
        break;
      JobFault fault = perform(stream.program.engine(), command, limits);
      if (fault)
        job_.raise(stream.blame(fault));
      else
        job_.observe(stream.program.engine(), stream.position++, command, job_.elapsed);
      if (JobFault order = watch.check(job_.elapsed).fault)
        job_.raise(order);
    }
    return stream.position != first;
  }

  JobFault perform(firmware::Engine engine, const PreparedCommand &command, const RunLimits &limits) {
    if (JobFault fault = job_.checkIssue(command))
      return fault;
    if (const auto *signal = std::get_if<SignalCommand>(&command.command.body)) {
      job_.semaphores.signal(signal->semaphore, [](uint32_t) {});
      return {};
    }
    if (std::holds_alternative<YieldCommand>(command.command.body))
      job_.lastYield = job_.elapsed - start_;
    const auto *dma = std::get_if<DmaCommand>(&command.command.body);
    if (!command.kernel && !dma)
      return {};
    job_.elapsed +=
        dma ? job_.target.dram().bandwidth.cyclesFor(std::min(bytesOf(*dma), uint64_t{1} << 40)) : command.cost.cycles;
    const uint64_t cycles = job_.elapsed - start_;
    if (cycles > limits.sectionCycles || cycles - job_.lastYield > limits.idleCycles)
      return faultOf(FaultCode::Watchdog);
    if (job_.counts)
      job_.counters.addCommand(engine.kind, command, 0, 0);
    return job_.execute(command);
  }

  JobState &job_;
  const uint64_t start_; ///< of the section
  std::vector<Stream> streams_;
};

} // namespace

std::unique_ptr<SectionRun> makeUntimedRun(JobState &job, const Section &section) {
  return std::make_unique<UntimedRun>(job, section);
}

} // namespace avocet::sim
