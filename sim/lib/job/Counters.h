//===- Counters.h - Counters of a running job -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles, bytes and operations by layer; the job's own counters are their sum.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_COUNTERS_H
#define AVOCET_SIM_LIB_JOB_COUNTERS_H

#include "avocet/firmware_iface/Profile.h"
#include "job/Program.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace avocet::sim {

class Counters {
public:
  explicit Counters(const firmware::Target &target) : target_(target) {}

  /// Adds cycles of an engine to the layer of the command that it runs.
  void addBusy(firmware::EngineKind kind, uint32_t layer, uint64_t cycles);
  void addStall(firmware::EngineKind kind, uint32_t layer, firmware::StallCause cause, uint64_t cycles);

  /// Adds the work of a complete command: bytes, operations, energy, and its time.
  void addCommand(firmware::EngineKind kind, const PreparedCommand &command, uint64_t start, uint64_t end);

  /// Sums over all layers; `cycles` is the job's length.
  firmware::JobCounters total(uint64_t cycles) const;

  /// By region number. Their bytes add up to the off-chip bytes of total().
  std::vector<firmware::RegionTraffic> byRegion() const;

  /// By layer number, kNoLayer last.
  std::vector<firmware::LayerCounters> byLayer() const;

private:
  struct Entry {
    firmware::LayerCounters counters;
    bool hasCompute = false; ///< start and end are those of MAC or DSP commands
    bool hasTime = false;
  };
  Entry &entryOf(uint32_t layer);
  void addTransfer(const firmware::DmaCommand &dma, const Traffic &traffic);
  void addTime(Entry &entry, bool isCompute, uint64_t start, uint64_t end);
  double operationEnergy(const PreparedCommand &command) const;

  const firmware::Target &target_;
  std::unordered_map<uint32_t, size_t> indexOf_;
  std::vector<Entry> entries_;
  std::map<uint32_t, firmware::RegionTraffic> regions_; ///< by number
  uint32_t lastLayer_ = 0;
  size_t lastIndex_ = SIZE_MAX; ///< entry of lastLayer_: most commands have the layer of the one before
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_COUNTERS_H
