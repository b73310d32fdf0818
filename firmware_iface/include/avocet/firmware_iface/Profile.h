//===- Profile.h - Counters and spans of one job ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters of one job in more detail than its completion record has: by layer of the network, and one span for each
// command. The simulator makes it, the runtime hands it on, the tools show it. Plain values, created for each job. It
// is not part of the protocol with the device.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_PROFILE_H
#define AVOCET_FIRMWARE_IFACE_PROFILE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/JobRing.h"

#include <array>
#include <cstdint>
#include <vector>

namespace avocet::firmware {

using StallCycles = std::array<uint64_t, kNumStallCauses>;

/// Work done for one layer (Command::layer), all engines. Cycles count from the start of the job, without suspended
/// ones. Busy and stall cycles of an engine belong to the layer of the command that it runs or that waits. Each engine
/// has one command at a time: the next one begins when the results of the one before only leave.
struct LayerCounters {
  uint32_t layer = kNoLayer; ///< index in the model cache's layer table
  uint64_t startCycle = 0;   ///< first issue of its MAC and DSP commands, or of its DMA commands if it has only those
  uint64_t endCycle = 0;     ///< last completion of the same
  std::array<uint64_t, kNumEngineKinds> busyCycles{};     ///< by EngineKind; DMA: all channels
  std::array<StallCycles, kNumEngineKinds> stallCycles{}; ///< by EngineKind and StallCause
  uint64_t sramReadBytes = 0;
  uint64_t sramWriteBytes = 0;
  uint64_t dramReadBytes = 0;
  uint64_t dramWriteBytes = 0;
  uint64_t macs = 0;
  uint64_t dspOperations = 0;
  uint64_t commands = 0;
  double energyPicojoules = 0; ///< without idle energy, which belongs to the job

  bool operator==(const LayerCounters &) const = default;
};

/// From issue to completion of one command. A wait has a span only if it blocked the engine.
struct CommandSpan {
  Engine engine;
  uint32_t command = 0; ///< index in its stream
  uint32_t layer = kNoLayer;
  uint32_t operation = 0;  ///< index of the alternative in CommandBody
  uint64_t startCycle = 0; ///< job cycle of issue, without suspended cycles
  uint64_t endCycle = 0;
  uint32_t run = 0; ///< index in JobProfile::sections: the run of a section to which it belongs
  /// The last cycles of the span, in which results only leave: the engine can work on the next command.
  uint64_t drainCycles = 0;

  bool operator==(const CommandSpan &) const = default;
};

/// One run of a section of the job, in job cycles without suspended ones. Sections run one after the other; the control
/// program takes the cycles between them.
struct SectionSpan {
  uint32_t section = 0;
  uint64_t startCycle = 0;
  uint64_t endCycle = 0;

  bool operator==(const SectionSpan &) const = default;
};

/// The cost to a job of its own preemption by jobs of higher priority. Not included in the other counters, which pause
/// while the job is stopped. Bytes are those of on-chip memory.
struct PreemptionCounters {
  uint64_t preemptions = 0;     ///< times that it was stopped
  uint64_t suspendedCycles = 0; ///< device cycles from its stops until it went on, restoring included
  uint64_t liveBytes = 0;       ///< bytes live at its stops, summed over all stops
  uint64_t evacuatedBytes = 0;  ///< those of them that other jobs evacuated to off-chip memory

  bool operator==(const PreemptionCounters &) const = default;
};

/// Bytes that crossed the off-chip port to and from one region of the job.
struct RegionTraffic {
  uint32_t region = 0; ///< number as in commands, above kSramRegion
  uint64_t readBytes = 0;
  uint64_t writeBytes = 0;

  bool operator==(const RegionTraffic &) const = default;
};

struct JobProfile {
  uint32_t context = 0;      ///< number of the context on the device
  uint32_t ring = 0;         ///< number of the ring on the device
  CompletionRecord record{}; ///< as written for the driver; the job's energy includes idle energy, which no layer has
  PreemptionCounters preemption;
  std::vector<LayerCounters> layers;  ///< by layer number, kNoLayer last; empty without profiling
  std::vector<RegionTraffic> regions; ///< by region number, those with traffic; empty without profiling
  std::vector<CommandSpan> spans;     ///< in order of completion; empty without tracing
  std::vector<SectionSpan> sections;  ///< runs in order; empty without tracing
  /// Of the clock level that it ran at (ClockLevel): its cycles are of that clock, those of `record` of the default.
  uint32_t clockPercent = 100;

  /// Device cycles that it waited for other jobs before it started.
  uint64_t waitCycles() const {
    return record.startCycle > record.arrivalCycle ? record.startCycle - record.arrivalCycle : 0;
  }
};

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_PROFILE_H
