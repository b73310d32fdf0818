//===- TimedRun.cpp - Running a job on engines with time --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "engines/BlockEngine.h"
#include "engines/DmaEngine.h"
#include "job/JobRun.h"

#include <algorithm>
#include <memory>

namespace avocet::sim {

using namespace firmware;

namespace {

/// Events between two looks at RunLimits::interruption.
constexpr uint32_t kEventsPerLook = 256;

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

/// How long a section may still run, and what it is told then. Requires that no limit is behind us.
struct SectionLimit {
  SectionLimit(const RunLimits &limits, uint64_t elapsed)
      : watchdog(std::min(limits.sectionCycles, limits.watchdogCycles - elapsed)),
        deadline(limits.deadlineCycles - elapsed) {}

  uint64_t cycles() const { return std::min(watchdog, deadline); }
  JobFault fault(uint64_t time) const {
    return faultOf(time > watchdog ? FaultCode::Watchdog : FaultCode::DeadlineMissed);
  }

  uint64_t watchdog, deadline;
};

} // namespace

void runTimed(JobState &job, const Section &section, const RunLimits &limits) {
  std::vector<std::unique_ptr<sim::Engine>> engines;
  for (const Program *program : section) {
    const auto number = static_cast<uint32_t>(engines.size());
    engines.push_back(makeEngine(job, number, *program));
    job.events.push(0, number, EventKind::Step);
  }
  const SectionLimit limit(limits, job.elapsed);
  uint64_t now = 0;
  for (uint32_t count = 0; !job.events.empty() && !job.fault; ++count) {
    const Event event = job.events.pop();
    if (event.time > limit.cycles()) {
      job.raise(limit.fault(event.time));
      job.elapsed += limit.cycles();
      return;
    }
    if (event.time > now) {
      now = event.time;
      job.sramPort.forget(now);
      job.dramPort.forget(now);
    }
    if (count % kEventsPerLook == 0)
      job.raise(limits.interruption());
    sim::Engine &engine = *engines[event.engine];
    event.kind == EventKind::Step ? engine.step(now) : engine.complete(now);
  }
  auto waits = std::find_if(engines.begin(), engines.end(), [](const auto &engine) { return !engine->hasEnded(); });
  if (!job.fault && waits != engines.end())
    job.raise((*waits)->blame(faultOf(FaultCode::Deadlock)));
  job.elapsed += now;
}

} // namespace avocet::sim
