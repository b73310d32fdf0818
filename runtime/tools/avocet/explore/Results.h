//===- Results.h - The rows of an exploration and their fronts ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A point is on the Pareto front of its network if no other point of the network is at least as good in all of cycles,
// energy, bytes of SRAM and off-chip bandwidth, and better in one. Of equal points, the first is. The last two figures
// are those of the target: what the device would cost.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RESULTS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RESULTS_H

#include "Exploration.h"

#include <array>
#include <string>
#include <vector>

namespace avocet::tool {

inline constexpr const char *kNotComputed = "not computed yet";

struct ResultRow {
  size_t target = 0;
  const Record *record = nullptr; ///< null: no result, see `reason`
  std::string reason;             ///< why there is no result, or why the target was refused; empty: there are figures
  bool isOnFront = false;
};

struct NetworkResults {
  size_t network = 0;
  std::vector<ResultRow> rows; ///< by target
  size_t numOnFront = 0;
};

/// One target for all networks together.
struct TargetSummary {
  size_t target = 0;
  double cycles = 0;           ///< geometric mean over the networks; 0: a network has no result here
  double energyPicojoules = 0; ///< geometric mean
  double dramBytes = 0;        ///< geometric mean
  uint64_t sramPeakBytes = 0;  ///< of the network with the largest
  bool isOnFront = false;
};

struct Results {
  const Exploration &exploration;
  std::vector<NetworkResults> networks;
  std::vector<TargetSummary> summary; ///< by target; empty with less than two networks that have results
  std::vector<std::string> leftOut;   ///< networks without a result on any target; not in the summary
  size_t numRefused = 0, numFailed = 0, numMissing = 0;

  const firmware::Target &target(size_t index) const { return *exploration.space.targets[index].target; }
};

/// Points to records of the store, which must not change.
Results collectResults(const Exploration &exploration, const ResultStore &store);

/// Figures to be minimized.
using Objectives = std::array<double, 4>;

/// For each candidate whether it is on the front. Of equal candidates, the first is.
std::vector<bool> paretoFront(const std::vector<Objectives> &candidates);

/// A layer that two schedules of a network do not do in the same way.
struct LayerChange {
  std::string layer;
  std::string what; ///< "tiles 4 of 14x14x64 -> 8 of 7x14x64, off-chip 12.0 KiB -> 24.0 KiB"
  uint64_t cyclesBefore = 0;
  uint64_t cyclesAfter = 0;
};

/// Two targets that are one step apart on one axis, both with results.
struct NeighborChange {
  size_t before = 0, after = 0; ///< targets
  size_t axis = 0;
  std::vector<LayerChange> layers; ///< by cycles, the largest difference first
};

/// Layers with equal names are told apart by their order.
std::vector<LayerChange> scheduleChanges(const std::vector<LayerSchedule> &before,
                                         const std::vector<LayerSchedule> &after);

/// Of all neighbors of a network, by axis, then target.
std::vector<NeighborChange> neighborChanges(const Results &results, const NetworkResults &network);

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RESULTS_H
