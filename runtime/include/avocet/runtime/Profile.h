//===- Profile.h - Counters of a job, by layer ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters of one job by layer of the network, and a span for each command: the data of a measuring back end beyond the
// outcome. Plain values. Cycles are device cycles from the start of the job.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_PROFILE_H
#define AVOCET_RUNTIME_PROFILE_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/JobRing.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace avocet::runtime {

/// Work done for one layer by all engines. Each cycle of an engine counts for the layer whose command the engine
/// executes or stalls on.
struct LayerProfile {
  uint32_t layer = firmware::kNoLayer;                          ///< index in the model cache's layer table
  uint64_t startCycle = 0;                                      ///< first command issued
  uint64_t endCycle = 0;                                        ///< last command complete
  std::array<uint64_t, firmware::kNumEngineKinds> busyCycles{}; ///< by EngineKind; DMA: all channels
  std::array<std::array<uint64_t, firmware::kNumStallCauses>, firmware::kNumEngineKinds> stallCycles{};
  uint64_t sramReadBytes = 0;
  uint64_t sramWriteBytes = 0;
  uint64_t dramReadBytes = 0;
  uint64_t dramWriteBytes = 0;
  uint64_t macs = 0;
  uint64_t dspOperations = 0;
  uint64_t commands = 0;
  double energyPicojoules = 0;
};

/// From issue to completion of one command.
struct CommandSpan {
  firmware::Engine engine;
  uint32_t command = 0; ///< index in its stream
  uint32_t layer = firmware::kNoLayer;
  uint32_t operation = 0; ///< index in CommandBody
  uint64_t startCycle = 0;
  uint64_t endCycle = 0;
};

/// Cost of the job's preemptions by jobs of higher priority. Not included in the other counters of a profile, which
/// pause while the job is stopped.
struct PreemptionProfile {
  uint64_t preemptions = 0;     ///< times that it was stopped
  uint64_t suspendedCycles = 0; ///< device cycles from its stops until it went on, restoring included
  uint64_t liveBytes = 0;       ///< on-chip bytes that were live when it was stopped, over all stops
  uint64_t evacuatedBytes = 0;  ///< bytes of liveBytes that were evicted to off-chip memory by other jobs
};

struct JobProfile {
  uint64_t userData = 0;            ///< of the submission
  uint64_t arrivalCycle = 0;        ///< device cycle at which the device could have started the job
  uint64_t startCycle = 0;          ///< device cycle at which the job started
  uint64_t endCycle = 0;            ///< device cycle at which the job ended
  firmware::JobCounters counters{}; ///< of the whole job; its energy includes idle energy, which no layer has
  PreemptionProfile preemption;
  std::vector<LayerProfile> layers; ///< by layer number, commands without a layer last
  std::vector<CommandSpan> spans;   ///< in order of completion; empty unless BackendOptions::trace

  /// Device cycles that it waited for other jobs before it started.
  uint64_t waitCycles() const { return startCycle > arrivalCycle ? startCycle - arrivalCycle : 0; }
};

/// Short name for tables and JSON: "semaphore", "sram_port", "dram_port", "latency", "front_end".
std::string_view stallCauseName(firmware::StallCause cause);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_PROFILE_H
