//===- JobState.h - State shared by the engines of a job --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_JOBSTATE_H
#define AVOCET_SIM_LIB_JOB_JOBSTATE_H

#include "avocet/firmware_iface/Codec.h"
#include "avocet/sim/Device.h"
#include "job/Counters.h"
#include "job/JobFault.h"
#include "job/JobMemory.h"
#include "job/Program.h"
#include "job/SavedSram.h"
#include "job/Semaphores.h"
#include "parallel/Workers.h"
#include "timing/BandwidthCalendar.h"
#include "timing/EventQueue.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace avocet::sim {

struct JobState {
  JobState(const firmware::Target &target, JobMemory &memory, const DeviceOptions &options, Workers *workers)
      : target(target), memory(memory), workers(workers), functional(options.functional), keepSpans(options.trace),
        counts(options.counters || options.profile), observer(options.afterCommand),
        semaphores(target.command().semaphores), counters(target), sramPort({target.sram().portBytesPerCycle, 1}),
        dramPort(target.dram().bandwidth) {}

  const firmware::Target &target;
  JobMemory &memory;
  Workers *const workers; ///< null: no command is divided
  const bool functional;
  const bool keepSpans;
  const bool counts;                         ///< of untimed jobs; timed ones always count
  const firmware::CommandObserver &observer; ///< may be empty

  uint64_t elapsed = 0;   ///< job cycles before the running section; untimed: uncontended cycles of all commands so far
  uint64_t lastYield = 0; ///< cycle of the section at which a stream last passed a yield; 0: none has
  EventQueue events;      ///< in cycles of the section
  Semaphores semaphores;
  Counters counters;
  BandwidthCalendar sramPort;
  BandwidthCalendar dramPort;
  std::vector<firmware::CommandSpan> spans;
  std::vector<firmware::SectionSpan>
      sections;   ///< one for each run so far, the running one included; without spans none
  JobFault fault; ///< the first one; set: the job has ended

  std::optional<kernels::BadIndex> badIndex;   ///< the first one
  uint32_t badIndexLayer = firmware::kNoLayer; ///< of its command

  /// Set: engines stop at their next yield, at a wait that is not satisfied, or at a command that is held back by an
  /// evacuation.
  bool isStopping = false;
  Evacuation *evacuation = nullptr; ///< null: no other job has data in SRAM

  /// Requires that no command of the previous section is in flight.
  void beginSection(uint32_t section) {
    if (keepSpans)
      sections.push_back({section, elapsed, elapsed});
    lastYield = 0;
    events = {};
    semaphores = Semaphores(target.command().semaphores);
    sramPort = BandwidthCalendar({target.sram().portBytesPerCycle, 1});
    dramPort = BandwidthCalendar(target.dram().bandwidth);
    if (evacuation)
      evacuation->beginSection();
  }

  /// `elapsed` includes the cycles of the section.
  void endSection() {
    if (keepSpans)
      sections.back().endCycle = elapsed;
  }

  /// Keeps the span of a command of the running section. Requires `keepSpans`.
  void addSpan(firmware::CommandSpan span) {
    span.run = static_cast<uint32_t>(sections.size() - 1);
    spans.push_back(span);
  }

  /// Keeps the first fault, which ends the job.
  void raise(const JobFault &newFault) {
    if (!fault)
      fault = newFault;
  }

  /// Reports a command that has ended. `cycle` is a cycle of the job.
  void observe(firmware::Engine engine, uint32_t number, const PreparedCommand &command, uint64_t cycle) const {
    if (observer)
      observer({engine, number, command.command.layer, firmware::nameOf(command.command.body), cycle, memory.sram(),
                semaphores.counts()});
  }

  /// The checks at the issue of a command.
  JobFault checkIssue(const PreparedCommand &command) const {
    return command.fault ? command.fault : memory.checkRegions(command.ranges);
  }

  /// Performs a command on data; with timing only, just finds its page faults. Requires that checkIssue() has passed.
  JobFault execute(const PreparedCommand &command) {
    if (!functional)
      return memory.checkMapped(command.ranges);
    if (command.kernel && !badIndex)
      noteIndices(command);
    return workers && !command.shares.empty() ? executeShares(command) : executeBody(command, command.command.body);
  }

private:
  /// Before the command is divided: so the first index does not depend on threads.
  void noteIndices(const PreparedCommand &command) {
    badIndex = command.kernel->findBadIndex(command.command.body, memory.sram());
    badIndexLayer = command.command.layer;
  }

  JobFault executeBody(const PreparedCommand &command, const firmware::CommandBody &body) const {
    if (const auto *dma = std::get_if<firmware::DmaCommand>(&body))
      return memory.transfer(*dma);
    if (command.kernel)
      command.kernel->run(target, body, memory.sram());
    return {};
  }

  /// The fault is that of the first share with one, as without shares.
  JobFault executeShares(const PreparedCommand &command) const {
    const auto count = static_cast<uint32_t>(command.shares.size());
    std::vector<JobFault> faults(count);
    workers->run(count, [&](uint32_t share) { faults[share] = executeBody(command, command.shares[share]); });
    const auto first =
        std::find_if(faults.begin(), faults.end(), [](const JobFault &f) { return static_cast<bool>(f); });
    return first == faults.end() ? JobFault{} : *first;
  }
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_JOBSTATE_H
