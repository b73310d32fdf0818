//===- TimedRun.cpp - Running a section on engines with time ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engines/BlockEngine.h"
#include "engines/DmaEngine.h"
#include "job/JobRun.h"
#include "timing/DeviceTime.h"

#include <algorithm>
#include <memory>

namespace avocet::sim {

using namespace firmware;

namespace {

std::unique_ptr<sim::Engine> makeEngine(JobState &job, uint32_t number, const Program &program) {
  switch (program.engine().kind) {
  case EngineKind::Mac:
    return std::make_unique<BlockEngine>(job, number, program, job.target.mac().issueCycles,
                                         job.target.mac().pipelineCycles);
  case EngineKind::Dsp:
    return std::make_unique<BlockEngine>(job, number, program, job.target.dsp().issueCycles, 0);
  case EngineKind::Dma:
    break;
  }
  return std::make_unique<DmaEngine>(job, number, program);
}

/// The limits of a section, in its own cycles, and the fault after them. Requires that no limit has passed yet.
struct SectionLimit {
  SectionLimit(const RunLimits &limits, const JobState &job)
      : watchdog(std::min(limits.sectionCycles, saturatingSum(job.lastYield, limits.idleCycles))),
        deadline(limits.deadlineCycles - job.elapsed) {}

  uint64_t cycles() const { return std::min(watchdog, deadline); }
  JobFault fault(uint64_t time) const {
    return faultOf(time > watchdog ? FaultCode::Watchdog : FaultCode::DeadlineMissed);
  }

  uint64_t watchdog, deadline;
};

class TimedRun final : public SectionRun {
public:
  TimedRun(JobState &job, const Section &section);

  bool run(const RunLimits &limits, RunWatch &watch) override;
  uint64_t cycles() const override { return now_; }
  ByteSet live() const override;

private:
  void moveLimit(const RunLimits &limits, uint64_t time);
  void play(const Event &event);
  void obey(const RunOrder &order);
  void endSoon(const JobFault &fault, uint64_t time);
  void pass(uint64_t limit);
  bool finish();

  JobState &job_;
  std::vector<std::unique_ptr<sim::Engine>> engines_;
  bool hasYields_ = false;
  uint64_t now_ = 0;
  uint64_t limit_ = 0; ///< no event after it is simulated
  uint64_t grace_ = 0; ///< RunLimits::hardStopCycles
  JobFault ending_;    ///< set: how the job ends as soon as its engines have stopped, or at limit_
};

TimedRun::TimedRun(JobState &job, const Section &section) : job_(job) {
  for (const Program *program : section) {
    engines_.push_back(makeEngine(job, static_cast<uint32_t>(engines_.size()), *program));
    hasYields_ |= program->hasYields();
  }
}

bool TimedRun::run(const RunLimits &limits, RunWatch &watch) {
  limit_ = 0;
  grace_ = limits.hardStopCycles;
  job_.isStopping = false;
  job_.semaphores.forgetWaiters();
  for (uint32_t number = 0; number < engines_.size(); ++number)
    if (!engines_[number]->hasEnded())
      job_.events.push(now_, number, EventKind::Step);
  while (!job_.events.empty() && !job_.fault) {
    const Event event = job_.events.pop();
    if (event.time > limit_ && !ending_)
      moveLimit(limits, event.time);
    if (event.time > limit_)
      pass(limit_);
    else
      play(event);
    if (!job_.fault)
      obey(watch.check(job_.elapsed + now_));
  }
  return finish();
}

/// Yields have been passed since the limit was set; if it is still below `time`, the job has to end.
void TimedRun::moveLimit(const RunLimits &limits, uint64_t time) {
  const SectionLimit limit(limits, job_);
  limit_ = limit.cycles();
  if (time > limit_)
    endSoon(limit.fault(time), limit_);
}

void TimedRun::play(const Event &event) {
  if (event.time > now_) {
    now_ = event.time;
    job_.sramPort.forget(now_);
    job_.dramPort.forget(now_);
  }
  sim::Engine &engine = *engines_[event.engine];
  event.kind == EventKind::Step ? engine.step(now_) : engine.complete(now_);
}

void TimedRun::obey(const RunOrder &order) {
  switch (order.kind) {
  case RunOrder::Kind::GoOn:
    return;
  case RunOrder::Kind::Preempt:
    job_.isStopping |= hasYields_;
    return;
  case RunOrder::Kind::End:
    return endSoon(order.fault, now_);
  case RunOrder::Kind::Halt:
    return job_.raise(order.fault);
  }
}

/// Orders the engines to stop for good. The limit moves to the time at which they are halted.
void TimedRun::endSoon(const JobFault &fault, uint64_t time) {
  if (ending_)
    return;
  ending_ = fault;
  job_.isStopping = true;
  const uint64_t grace = hasYields_ ? grace_ : 0;
  limit_ = time + std::min(grace, UINT64_MAX - time);
}

/// The next event is after the last cycle that the section may have.
void TimedRun::pass(uint64_t limit) {
  now_ = std::max(now_, limit);
  job_.raise(ending_);
}

/// No event is left: all streams have ended or stopped. True: the section has ended.
bool TimedRun::finish() {
  auto waits = std::find_if(engines_.begin(), engines_.end(), [](const auto &engine) { return !engine->hasEnded(); });
  if (ending_)
    job_.raise(ending_);
  if (!job_.fault && waits != engines_.end()) {
    if (job_.isStopping)
      return false;
    job_.raise((*waits)->blame(faultOf(FaultCode::Deadlock)));
  }
  job_.elapsed += now_;
  now_ = 0;
  return true;
}

ByteSet TimedRun::live() const {
  std::vector<StreamPosition> streams;
  for (const auto &engine : engines_)
    streams.push_back({&engine->program(), engine->position()});
  return liveBytes(streams, job_.target.sram().bytes);
}

} // namespace

std::unique_ptr<SectionRun> makeTimedRun(JobState &job, const Section &section) {
  return std::make_unique<TimedRun>(job, section);
}

} // namespace avocet::sim
