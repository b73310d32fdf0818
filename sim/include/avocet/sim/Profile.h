//===- Profile.h - What a job did on the simulated device -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters of one job in more detail than its completion record has: by layer of the network, and, when asked for, one
// span for each command. Plain values, made anew for each job.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_PROFILE_H
#define AVOCET_SIM_PROFILE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/JobRing.h"
#include "avocet/firmware_iface/Target.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace avocet::sim {

using StallCycles = std::array<uint64_t, firmware::kNumStallCauses>;

/// Work done for one layer (Command::layer), all engines. Cycles count from the start of the job, without those in
/// which it was suspended; an engine's busy and stall cycles are booked to the layer whose command it works on or waits
/// with.
struct LayerCounters {
  uint32_t layer = firmware::kNoLayer;
  uint64_t startCycle = 0; ///< first issue of any of its MAC or DSP commands; of its DMA commands if it has no others
  uint64_t endCycle = 0;   ///< last completion of the same
  std::array<uint64_t, firmware::kNumEngineKinds> busyCycles{};     ///< by EngineKind; DMA: all channels
  std::array<StallCycles, firmware::kNumEngineKinds> stallCycles{}; ///< by EngineKind and StallCause
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

/// From issue to completion of one command. Waits have a span when they held the engine back.
struct CommandSpan {
  firmware::Engine engine;
  uint32_t command = 0; ///< index in its stream
  uint32_t layer = firmware::kNoLayer;
  uint32_t operation = 0;  ///< index of the alternative in CommandBody
  uint64_t startCycle = 0; ///< cycles that the job had run
  uint64_t endCycle = 0;

  bool operator==(const CommandSpan &) const = default;
};

/// What it cost a job to make place for others. Bytes are those of on-chip memory.
struct PreemptionCounters {
  uint64_t preemptions = 0;     ///< times that it was stopped
  uint64_t suspendedCycles = 0; ///< device cycles from its stops until it went on, restoring included
  uint64_t liveBytes = 0;       ///< bytes that it needed again, over all stops
  uint64_t evacuatedBytes = 0;  ///< those of them that others drove out to off-chip memory

  bool operator==(const PreemptionCounters &) const = default;
};

/// A time in which a job was stopped.
struct Suspension {
  uint64_t atCycle = 0; ///< cycles that the job had run
  uint64_t cycles = 0;  ///< device cycles until it went on

  bool operator==(const Suspension &) const = default;
};

struct JobProfile {
  uint32_t context = 0;
  uint32_t ring = 0;
  firmware::CompletionRecord record{}; ///< as it was written for the driver
  PreemptionCounters preemption;
  std::vector<Suspension> suspensions; ///< in order; empty unless DeviceOptions::trace
  std::vector<LayerCounters> layers;   ///< ordered by layer number, kNoLayer last; empty unless DeviceOptions::profile
  std::vector<CommandSpan> spans;      ///< in order of completion; empty unless DeviceOptions::trace
};

/// The counters as a JSON object: record, totals, layers.
std::string countersJson(const JobProfile &profile, const firmware::Target &target);

/// The spans in Chrome's trace format, which Perfetto opens: one thread for each engine, one for the job. Time stamps
/// are microseconds of device time.
std::string traceJson(const JobProfile &profile, const firmware::Target &target);

} // namespace avocet::sim

#endif // AVOCET_SIM_PROFILE_H
