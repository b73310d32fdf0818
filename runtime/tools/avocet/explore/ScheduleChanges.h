//===- ScheduleChanges.h - How schedules differ between neighbours *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_SCHEDULECHANGES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_SCHEDULECHANGES_H

#include "Results.h"

#include <string>
#include <vector>

namespace avocet::tool {

/// A layer that two schedules of a network do not do in the same way.
struct LayerChange {
  std::string layer;
  std::string what; ///< "tiles 4 of 14x14x64 -> 8 of 7x14x64, off-chip 12.0 KiB -> 24.0 KiB"
  uint64_t cyclesBefore = 0;
  uint64_t cyclesAfter = 0;
};

/// Two targets that are one step apart on one axis, both with results.
struct NeighbourChange {
  size_t before = 0, after = 0; ///< targets
  size_t axis = 0;
  std::vector<LayerChange> layers; ///< by cycles, the largest difference first
};

/// Layers with equal names are told apart by their order.
std::vector<LayerChange> scheduleChanges(const std::vector<LayerSchedule> &before,
                                         const std::vector<LayerSchedule> &after);

/// Of all neighbours of a network, by axis, then target.
std::vector<NeighbourChange> neighbourChanges(const Results &results, const NetworkResults &network);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_SCHEDULECHANGES_H
